#include "deploy/network/prepare.h"

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "deploy/network/merge_choice.h"
#include "deploy/network/weights.h"
#include "language/tensor/npy_file.h"
#include "networks/graph/dim_match.h"
#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "networks/onnx/import.h"
#include "networks/op/infer_types.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pass_list.h"
#include "networks/passes/pipeline.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>
#include <utility>

namespace loopscope {

namespace {

bool isText(const std::string &path) { return std::filesystem::path(path).extension() == ".net"; }

ReadNetwork readText(const NetworkChoice &choice) {
    ParsedNet parsed = loadNet(choice.path, {choice.dims.begin(), choice.dims.end()});
    ReadNetwork read;
    read.module = parsed.module;
    const std::vector<FunctionFacts> facts = inferFacts(parsed.module);
    for (size_t i = 0; i < facts.size(); ++i) {
        const std::string &name = parsed.module.functions[i]->name();
        for (const OpProblem &problem : facts[i].problems) {
            if (problem.node.value < 0)
                throw Error(choice.path, 0, 0, fmt::format("function {}: {}", name, problem.sentence));
            throw parsed.places.error(name, problem.node, problem.sentence);
        }
    }
    auto typed = inferTypes(parsed.module);
    if (!typed) throw Error(choice.path, 0, 0, typed.why());
    read.module = *std::move(typed);
    return read;
}

ReadNetwork readOnnx(const NetworkChoice &choice) {
    ImportOptions options;
    options.dims = choice.dims;
    ImportResult result = importOnnx(choice.path, options);
    if (!result.problems.empty()) {
        std::vector<std::string> lines;
        for (const OnnxProblem &problem : result.problems) lines.push_back(problemText(problem));
        if (std::string hint = symbolsHint(result); !hint.empty()) lines.push_back(std::move(hint));
        throw Error(choice.path, 0, 0, fmt::format("{}", fmt::join(lines, "\n")));
    }
    ReadNetwork read = {std::move(*result.module), {}};
    for (const OnnxProblem &note : result.notes) read.notes.push_back(problemText(note));
    return read;
}

const std::string kChoosing = "chooseImplementations"; // as a pass, of which logs may be part

bool cancelled(const NetworkChoice &choice) { return choice.cancelled != nullptr && *choice.cancelled; }

/// After all passes, which know convolutions and products as they stand in files.
void applyStrategies(PreparedNetwork &prepared, const NetworkChoice &choice, ThreadPool &pool) {
    const auto begin = std::chrono::steady_clock::now();
    const StrategyRequest &request = *choice.strategies;
    const Module before = prepared.optimised;
    const GraphFunction &main = before.main();
    auto strategies = decideStrategies(main, request.table, request.target, request.options, pool);
    if (!strategies) throw Error(choice.path, 0, 0, strategies.why());
    auto written = withStrategies(main, *strategies, pool);
    if (!written) throw Error(choice.path, 0, 0, written.why());
    PassReport &report = prepared.report;
    PassRow row{kChoosing, 1};
    row.nodesBefore = main.nodeCount();
    row.nodesAfter = (*written)->nodeCount();
    row.bytesBefore = row.bytesAfter = report.rows.empty() ? 0 : report.rows.back().bytesAfter;
    if (written->get() != &main) {
        row.state = PassState::Changed;
        for (const Decision &decision : strategies->decisions) {
            const JudgedImplementation *chosen = decision.find(decision.chosen);
            if (chosen != nullptr && chosen->implementation.rewrite != nullptr)
                report.events.push_back(
                    {kChoosing, decision.node, decision.node, decision.chosen + ", because " + decision.because});
        }
        prepared.optimised = before.with(std::move(written).value());
        if (choice.watch) (void)choice.watch({.name = kChoosing}, before, prepared.optimised);
    }
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.rows.push_back(std::move(row));
    prepared.decisions = std::move(strategies.value().decisions);
    for (std::string &note : strategies.value().notes) prepared.notes.push_back(std::move(note));
}

/// Behind strategies, which know convolutions and products as they stand in files.
void applyLayouts(PreparedNetwork &prepared, const NetworkChoice &choice, ThreadPool &pool) {
    const NetworkLayoutRequest &request = *choice.layouts;
    if (!request.everywhere)
        if (const std::string open = openDims(prepared.optimised.main()); !open.empty())
            throw Error(choice.path, 0, 0, open);
    const FunctionPtr main = prepared.optimised.find(prepared.optimised.main().name());
    auto layouts = decideLayouts(main, request, pool);
    if (cancelled(choice)) return;
    if (!layouts) throw Error(choice.path, 0, 0, layouts.why());
    GraphPassContext context;
    context.pool = &pool;
    context.watch = choice.watch;
    context.report = std::move(prepared.report);
    PassResult written = withLayouts(prepared.optimised, *layouts, context);
    prepared.report = std::move(context.report);
    if (!written.ok()) throw Error(choice.path, 0, 0, written.refusal->sentence);
    prepared.optimised = std::move(written.module);
    for (const std::string &note : layouts->notes) prepared.notes.push_back(note);
    prepared.layouts = std::move(layouts).value();
}

void applyFusion(PreparedNetwork &prepared, const NetworkChoice &choice) {
    if (const std::string open = openDims(prepared.optimised.main()); !open.empty())
        throw Error(choice.path, 0, 0, open);
    auto fusion = confirmFusion(prepared.optimised.main(), *choice.confirmed);
    if (cancelled(choice)) return;
    if (!fusion) throw Error(choice.path, 0, 0, fusion.why());
    for (const std::string &note : fusion->notes) prepared.notes.push_back(note);
    for (const FusionTrial &trial : fusion->trials) prepared.notes.push_back(trial.text());
    prepared.partition = std::move(fusion->partition);
    prepared.fusion.insert(prepared.fusion.end(), std::make_move_iterator(fusion->trials.begin()),
                           std::make_move_iterator(fusion->trials.end()));
}

} // namespace

void setPassesFor(FusionMode mode, GraphPassContext &context) {
    if (mode != FusionMode::Compatible) return;
    // TVM sees what these would join, and no layer normalisation.
    for (const char *rule : {"layerNormCore", "layerNormScale", "layerNormShift", "geluOfErf"})
        context.disabled.push_back(std::string("simplifyAlgebra.") + rule);
    context.required.emplace_back("decomposeNorms");
}

void bindDims(const std::map<std::string, std::string> &arrays, NetworkChoice &choice) {
    std::map<std::string, TensorType> types;
    if (isText(choice.path)) {
        const ParsedNet parsed = loadNet(choice.path, {choice.dims.begin(), choice.dims.end()});
        const GraphFunction &main = parsed.module.main();
        for (const ValueId parameter : main.parameters())
            if (main.value(parameter).type) types.emplace(main.value(parameter).name, *main.value(parameter).type);
    } else {
        types = onnxInputTypes(choice.path, choice.dims);
    }
    SymbolNumbers numbers;
    for (const auto &[name, path] : arrays) {
        // Whoever sets the inputs says what is wrong with an array that cannot be one.
        const auto type = types.find(name);
        if (type == types.end() || constantDims(type->second.dims)) continue;
        const std::vector<int64_t> dims = readNpy(path).dims();
        if (type->second.dims.size() != dims.size())
            throw Error(path, 0, 0,
                        fmt::format("has {} dims; the input {} takes {}", dims.size(), name, typeText(type->second)));
        if (const auto mismatch = matchDims(type->second.dims, dims, numbers))
            throw Error(path, 0, 0,
                        fmt::format("is {}; the input {} takes {}: {}", dimsText(asDims(dims)), name,
                                    typeText(type->second), mismatch->sentence));
    }
    for (const auto &[symbol, number] : numbers) choice.dims[symbol] = number;
}

ReadNetwork readNetwork(const NetworkChoice &choice) {
    const std::string suffix = std::filesystem::path(choice.path).extension().string();
    if (suffix != ".onnx" && suffix != ".net")
        throw Error(choice.path, 0, 0, "is neither .onnx nor .net, the forms in which networks are read");
    ReadNetwork read = isText(choice.path) ? readText(choice) : readOnnx(choice);
    read.module.path = choice.path;
    if (read.module.name.empty()) read.module.name = std::filesystem::path(choice.path).stem().string();
    if (choice.randomWeights) {
        SeededWeights seeded = withSeededWeights(read.module.main(), *choice.randomWeights);
        read.notes.push_back(
            fmt::format("{} weights are seeded random numbers (seed {})", seeded.replaced, *choice.randomWeights));
        read.module = read.module.with(std::move(seeded.function));
    }
    return read;
}

namespace {

/// Up to the kernels.
PreparedNetwork written(ReadNetwork read, const NetworkChoice &choice, std::set<std::string, std::less<>> unmerged,
                        ThreadPool &pool) {
    GraphPassContext context;
    context.options.unmerged = std::move(unmerged);
    context.level = choice.level;
    context.required = choice.required;
    context.disabled = choice.disabled;
    context.watch = choice.watch;
    context.pool = &pool;
    setPassesFor(choice.fusion, context);
    PassResult optimised = optimise(read.module, context);
    if (!optimised.ok()) throw Error(choice.path, 0, 0, optimised.refusal->sentence);
    PreparedNetwork prepared = {std::move(read.module), std::move(optimised.module), std::move(context.report), {}, {},
                                std::move(read.notes)};
    if (choice.strategies && !cancelled(choice) && prepared.optimised.main().nodeCount() <= choice.mostDecided)
        applyStrategies(prepared, choice, pool);
    if (choice.layouts && !cancelled(choice)) applyLayouts(prepared, choice, pool);
    return prepared;
}

/// The same, without the merges that make it slower.
PreparedNetwork writtenFast(ReadNetwork read, const NetworkChoice &choice, ThreadPool &pool) {
    PreparedNetwork merged = written(read, choice, {}, pool);
    if (merged.report.merges.empty() || cancelled(choice)) return merged;
    if (const std::string open = openDims(merged.optimised.main()); !open.empty()) throw Error(choice.path, 0, 0, open);
    std::set<std::string, std::less<>> branches;
    for (const MergedBranches &merge : merged.report.merges)
        branches.insert(merge.branches.begin(), merge.branches.end());
    const PreparedNetwork apart = written(read, choice, std::move(branches), pool);
    auto trials =
        confirmMerges(merged.optimised.main(), merged.report.merges, apart.optimised.main(), *choice.confirmed);
    if (cancelled(choice)) return merged;
    if (!trials) throw Error(choice.path, 0, 0, trials.why());
    std::set<std::string, std::less<>> unmerged;
    for (const FusionTrial &trial : *trials) {
        if (trial.stays) continue;
        const auto merge = std::ranges::find_if(
            merged.report.merges, [&](const MergedBranches &each) { return each.branches.front() == trial.node; });
        unmerged.insert(merge->branches.begin(), merge->branches.end());
    }
    if (!unmerged.empty()) merged = written(std::move(read), choice, std::move(unmerged), pool);
    for (const FusionTrial &trial : *trials) merged.notes.push_back(trial.text());
    merged.fusion = std::move(trials).value();
    return merged;
}

} // namespace

PreparedNetwork prepareNetwork(ReadNetwork read, const NetworkChoice &choice) {
    ThreadPool pool(choice.threads);
    PreparedNetwork prepared =
        choice.confirmed ? writtenFast(std::move(read), choice, pool) : written(std::move(read), choice, {}, pool);
    if (cancelled(choice)) return prepared;
    if (choice.confirmed)
        applyFusion(prepared, choice);
    else
        prepared.partition = partitionFunction(prepared.optimised.main(), choice.fusion);
    if (cancelled(choice)) return prepared;
    prepared.tasks = networkTasks(prepared.optimised.main(), prepared.partition);
    return prepared;
}

std::string openDims(const GraphFunction &function) {
    std::set<std::string> symbols;
    for (const ValueId parameter : function.parameters())
        for (const Dim &dim : function.type(parameter).dims)
            for (std::string &symbol : dim.symbols()) symbols.insert(std::move(symbol));
    if (symbols.empty()) return {};
    const bool one = symbols.size() == 1;
    return fmt::format("the dim{} {} {} no number, and kernels are made for known sizes (--dim {}=N)", one ? "" : "s",
                       fmt::join(symbols, ", "), one ? "has" : "have", *symbols.begin());
}

PreparedNetwork prepareNetwork(const NetworkChoice &choice) { return prepareNetwork(readNetwork(choice), choice); }

} // namespace loopscope
