#include "show_command.h"

#include "base/outcome.h"
#include "codegen/kernel_code.h"
#include "codegen/llvm/unroll_plan.h"
#include "codegen/lower/lower.h"
#include "language/dag/edge_access.h"
#include "language/dag/traffic.h"
#include "measure/disassembly.h"
#include "output.h"
#include "schedule/bound_inference.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "search/features/features.h"
#include "search/sketch/sketch.h"
#include "show_gpu.h"

#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

struct Shown {
    std::string text;
    Json json;
};

struct Context {
    const LoadedTask &loaded;
    const RecordChoice &record;
    bool json;
    [[nodiscard]] ChosenSchedule chosen() const { return chooseSchedule(record, loaded, json); }
};

Shown textOnly(std::string text) {
    Json json = {{"text", text}};
    return {std::move(text), std::move(json)};
}

Shown showKey(const Context &c) {
    const ComputeDag &dag = *c.loaded.task.dag;
    const DagTraffic traffic = trafficOf(dag);
    return {dag.key() + "\n" +
                fmt::format("{}; {} bytes in, {} bytes out, {} bytes in between{}\n", flopsText(traffic.flops),
                            traffic.inputBytes, traffic.outputBytes, traffic.intermediateBytes,
                            traffic.flops > 0
                                ? fmt::format("; {:.2f} operations per byte in or out", traffic.intensity())
                                : ""),
            {{"key", dag.key()},
             {"hash", dag.hash()},
             {"flops", traffic.flops},
             {"input_bytes", traffic.inputBytes},
             {"output_bytes", traffic.outputBytes},
             {"intermediate_bytes", traffic.intermediateBytes},
             {"intensity", traffic.intensity()}}};
}

std::string indexText(const IndexForm &index, const Op &op) {
    return fmt::format("{}{}", toText(index.expr), index.affine || op.isPlaceholder() ? "" : " (not affine)");
}

Shown showAccess(const Context &c) {
    const ComputeDag &dag = *c.loaded.task.dag;
    std::string text;
    Json ops = Json::array();
    for (size_t i = 0; i < dag.size(); ++i) {
        const Op &op = dag.op(i);
        const OpAccess &access = dag.access(i);
        Json reads = Json::array();
        text += fmt::format("{:2} {}{}\n", i, op.name, op.isPlaceholder() ? "  placeholder" : "");
        for (const auto &load : access.loads) {
            Json indices = Json::array();
            std::string line;
            for (const auto &index : load.indices) {
                indices.push_back(toText(index.expr));
                line += (line.empty() ? "" : ", ") + indexText(index, op);
            }
            text += fmt::format("     reads {}[{}]{}\n", load.tensor->name, line, load.simple ? "  simple" : "");
            reads.push_back({{"tensor", load.tensor->name}, {"indices", indices}, {"simple", load.simple}});
        }
        Json edges = Json::array();
        for (const int producer : access.producers) {
            const EdgeAccess edge = edgeAccess(dag, producer, static_cast<int>(i));
            Json dims = Json::array();
            for (const DimAccess &dim : edge.dims)
                dims.push_back({{"affine", dim.affine},
                                {"moves", dim.moves},
                                {"stride", dim.stride},
                                {"taps", dim.taps},
                                {"span", dim.span}});
            text += fmt::format("     from {}: {}\n", dag.op(static_cast<size_t>(producer)).name, edge.text());
            edges.push_back({{"producer", producer},
                             {"text", edge.text()},
                             {"reuse", edge.reuse},
                             {"elementwise", edge.elementwise},
                             {"broadcast", edge.broadcast},
                             {"reduces", edge.reduces},
                             {"gathers", edge.gathers},
                             {"dims", std::move(dims)}});
        }
        if (!op.isPlaceholder()) {
            std::string facts;
            const std::pair<bool, const char *> flags[] = {{access.isOutput, "output"},
                                                           {access.simpleAccess, "simple access"},
                                                           {access.strictlyInlineable, "strictly inlineable"},
                                                           {access.needsMultiLevelTiling, "needs multi-level tiling"},
                                                           {access.hasBranch, "branch"}};
            for (const auto &[set, name] : flags)
                if (set) facts += (facts.empty() ? "" : ", ") + std::string(name);
            text += "     " + (facts.empty() ? "nothing special" : facts) + "\n";
        }
        ops.push_back({{"stage", i},
                       {"op", op.name},
                       {"placeholder", op.isPlaceholder()},
                       {"reads", reads},
                       {"edges", std::move(edges)},
                       {"producers", access.producers},
                       {"consumers", access.consumers},
                       {"output", access.isOutput},
                       {"simple_access", access.simpleAccess},
                       {"strictly_inlineable", access.strictlyInlineable},
                       {"needs_multi_level_tiling", access.needsMultiLevelTiling},
                       {"branch", access.hasBranch}});
    }
    return {std::move(text), {{"ops", std::move(ops)}}};
}

Shown showTe(const Context &c) {
    const Workload &w = c.loaded.workload;
    return textOnly(printWorkload(w.name, w.ops, w.args));
}

Shown showSketches(const Context &c) {
    const auto sketches = generateSketches(c.loaded.task.dag, c.loaded.task.target);
    std::string text;
    Json list = Json::array();
    for (size_t i = 0; i < sketches.size(); ++i) {
        const auto &sketch = sketches[i];
        const std::string stateText = sketch.state.text();
        text += fmt::format("Sketch {} of {}: {}\n{}\n", i, sketches.size(), fmt::join(sketch.rules, ", "), stateText);
        list.push_back(
            {{"rules", sketch.rules}, {"steps", Json::parse(stepsText(sketch.state.steps()))}, {"text", stateText}});
    }
    return {std::move(text), std::move(list)};
}

BoundedState bounded(const LoopState &state) {
    auto result = inferBounds(state, std::make_shared<ExprArena>());
    if (!result) throw Error(result.why());
    return std::move(result).value();
}

Shown showSteps(const Context &c) {
    const LoopState state = c.chosen().state;
    const std::string stateText = bounded(state).state.text();
    std::string text;
    for (size_t i = 0; i < state.steps().size(); ++i) text += fmt::format("{:3} {}\n", i, stepText(state.steps()[i]));
    text += "\n" + stateText;
    return {std::move(text), {{"steps", Json::parse(stepsText(state.steps()))}, {"text", stateText}}};
}

Shown showScript(const Context &c) {
    const LoopState state = c.chosen().state;
    auto script = scriptOf(c.loaded.task.dag, state.steps());
    if (!script) throw Error(script.why());
    return textOnly(script->empty() ? "# the naive schedule: no primitives\n" : std::move(script).value());
}

Outcome<LoopProgram> lowered(const Context &c) {
    LowerOptions options;
    const ChosenSchedule chosen = c.chosen();
    options.layoutRewrite = chosen.layoutRewrite;
    return lower(chosen.state, c.loaded.task.target, options);
}

LoopProgram loweredProgram(const Context &c) {
    auto program = lowered(c);
    if (!program) throw Error(program.why());
    return std::move(program).value();
}

Shown showLoops(const Context &c) {
    LoopProgram program = loweredProgram(c);
    const auto withoutLanes = loopsWithoutLanes(program);
    program.serialised.insert(program.serialised.end(), withoutLanes.begin(), withoutLanes.end());
    std::string text = printProgram(program);
    Json serialised = Json::array();
    for (const SerialisedLoop &loop : program.serialised) {
        serialised.push_back(serialisedText(loop));
        text += "# " + serialisedText(loop) + "\n";
    }
    return {text, {{"text", text}, {"serial_loops", std::move(serialised)}}};
}

Shown withLinks(const LinkedText &code, const std::string &loops) {
    Json links = Json::array();
    for (const auto &link : code.links) links.push_back({link.textLine, link.programLine});
    return {code.text, {{"text", code.text}, {"links", std::move(links)}, {"loops", loops}}};
}

Shown showC(const Context &c) {
    if (c.loaded.task.target.isGpu())
        throw Error("show: C is written for processors; `--as cuda` shows the kernels of a schedule for a GPU");
    const LoopProgram program = loweredProgram(c);
    return withLinks(emitC(program, c.loaded.task.target), printProgram(program));
}

/// Compiled in a child, where a crash of the code generator, or that it comes to no end, is a sentence.
Disassembly compiledDisassembly(const Context &c) {
    const ChosenSchedule chosen = c.chosen();
    auto disassembly = disassembleSchedule(c.loaded.task, chosen.state.steps(), chosen.layoutRewrite);
    if (!disassembly) throw Error(disassembly.why());
    return std::move(disassembly).value();
}

Shown showIr(const Context &c) {
    const Disassembly disassembly = compiledDisassembly(c);
    return withLinks(disassembly.ir, disassembly.loops);
}

Shown showAssembly(const Context &c) {
    const Disassembly disassembly = compiledDisassembly(c);
    return withLinks(disassembly.assembly, disassembly.loops);
}

const Target &gpuOf(const Context &c, const char *form) {
    const Target &target = c.loaded.task.target;
    if (!target.isGpu())
        throw Error(fmt::format("show: {} is of schedules for GPUs, and the target is a processor: choose a target "
                                "like 'cuda -arch=sm_80'",
                                form));
    return target;
}

Shown shownGpu(GpuForm form) { return {std::move(form.text), std::move(form.json)}; }

Shown showCuda(const Context &c) {
    const Target &target = gpuOf(c, "CUDA text");
    return shownGpu(cudaForm(loweredProgram(c), target));
}

/// By LLVM, which needs nothing of NVIDIA's.
Shown showPtx(const Context &c) {
    gpuOf(c, "PTX");
    const Disassembly disassembly = compiledDisassembly(c);
    Shown shown = withLinks(disassembly.assembly, disassembly.loops);
    shown.json["compilers"] = "LLVM";
    return shown;
}

Shown showSass(const Context &c) {
    const Target &target = gpuOf(c, "SASS");
    return shownGpu(sassForm(loweredProgram(c), target));
}

Shown showLimits(const Context &c) {
    const Target &target = gpuOf(c, "what kernels ask for (limits)");
    const Outcome<LoopProgram> program = lowered(c);
    return shownGpu(program ? limitsForm(&*program, target, {}) : limitsForm(nullptr, target, program.why()));
}

Shown showAssemblySummary(const Context &c) {
    if (c.loaded.task.target.isGpu())
        throw Error(
            "show: asm-summary counts the machine code of processors; `--as limits` tells what NVIDIA's assembler "
            "makes of a schedule for a GPU, `--as sass` its instructions");
    const AssemblySummary summary = compiledDisassembly(c).summary;
    const auto countsJson = [](const InstructionCounts &counts) {
        return Json{{"instructions", counts.instructions},
                    {"fmas", counts.fmas},
                    {"loads", counts.loads},
                    {"stores", counts.stores},
                    {"spill_stores", counts.spillStores},
                    {"spill_reloads", counts.spillReloads}};
    };
    const auto countsText = [](const InstructionCounts &counts) {
        return fmt::format("{:>6} instructions {:>5} FMAs {:>5} loads {:>5} stores {:>4} spills {:>4} reloads",
                           counts.instructions, counts.fmas, counts.loads, counts.stores, counts.spillStores,
                           counts.spillReloads);
    };
    Json json = countsJson(summary.counts);
    json["bytes"] = summary.bytes;
    json["vector_registers"] = summary.vectorRegistersUsed;
    json["gp_registers"] = summary.gpRegistersUsed;
    json["stack_bytes"] = summary.stackBytes;
    json["innermost_loops"] = Json::array();
    std::string text = fmt::format("{} bytes of code, {} vector and {} general registers used, largest frame {} bytes\n"
                                   "{:<24}{}\n",
                                   summary.bytes, summary.vectorRegistersUsed, summary.gpRegistersUsed,
                                   summary.stackBytes, "all", countsText(summary.counts));
    for (const auto &loop : summary.innermostLoops) {
        Json one = countsJson(loop.counts);
        one["first_line"] = loop.firstLine;
        one["last_line"] = loop.lastLine;
        one["depth"] = loop.depth;
        one["program_line"] = loop.programLine;
        json["innermost_loops"].push_back(std::move(one));
        text += fmt::format("{:<24}{}  loops:{}\n", fmt::format("loop, lines {}-{}", loop.firstLine, loop.lastLine),
                            countsText(loop.counts), loop.programLine);
    }
    return {std::move(text), std::move(json)};
}

Shown showFeatures(const Context &c) {
    const BoundedState state = bounded(c.chosen().state);
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const auto nest = buildLoopNest(state, {.forFeatures = true}); // as Ansor counts them
    if (!nest) throw Error(nest.why());
    std::vector<StageFeatures> ansor;
    std::vector<StageFeatures> corrected;
    extractFeatures(*nest, c.loaded.task.target, ansor, FeatureRules::Ansor);
    extractFeatures(*nest, c.loaded.task.target, corrected, FeatureRules::Corrected);
    const auto names = featureNames();
    Json buffers = Json::array();
    Json ansorRows = Json::array();
    Json correctedRows = Json::array();
    std::string text;
    for (size_t r = 0; r < ansor.size(); ++r) {
        buffers.push_back(ansor[r].buffer->name);
        ansorRows.push_back(ansor[r].row);
        correctedRows.push_back(corrected[r].row);
        text += ansor[r].buffer->name + "\n";
        for (size_t f = 0; f < kFeatureCount; ++f) {
            const float value = corrected[r].row[f];
            if (value != 0 || ansor[r].row[f] != 0)
                text += fmt::format("  {:<28} {:>12.5f}{}\n", names[f], value,
                                    value == ansor[r].row[f] ? "" : fmt::format("   Ansor: {:.5f}", ansor[r].row[f]));
        }
    }
    return {std::move(text),
            {{"names", std::vector<std::string>(names.begin(), names.end())},
             {"buffers", std::move(buffers)},
             {"features", std::move(ansorRows)},
             {"corrected", std::move(correctedRows)}}};
}

struct Form {
    const char *name;
    bool ofSchedule; // reads the record
    std::function<Shown(const Context &)> show;
};
const std::vector<Form> &forms() {
    static const std::vector<Form> list = {
        {"dag", false, [](const Context &c) { return textOnly(c.loaded.task.dag->text(DagTextMode::Normal)); }},
        {"simple-dag", false, [](const Context &c) { return textOnly(c.loaded.task.dag->text(DagTextMode::Simple)); }},
        {"key", false, showKey},
        {"access", false, showAccess},
        {"te", false, showTe},
        {"sketches", false, showSketches},
        {"loops", true, showLoops},
        {"c", true, showC},
        {"llvm", true, showIr},
        {"asm", true, showAssembly},
        {"asm-summary", true, showAssemblySummary},
        {"cuda", true, showCuda},
        {"ptx", true, showPtx},
        {"sass", true, showSass},
        {"limits", true, showLimits},
        {"features", true, showFeatures},
        {"steps", true, showSteps},
        {"script", true, showScript},
    };
    return list;
}

} // namespace

std::vector<std::string> showForms() {
    std::vector<std::string> names;
    for (const auto &form : forms()) names.emplace_back(form.name);
    return names;
}

int runShow(const ShowOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const Context context{loaded, options.record, options.workload.json};
    for (const auto &form : forms()) {
        if (options.as != form.name) continue;
        // A schedule that is asked for and is not there is said even where the form does not need it.
        if (!form.ofSchedule) (void)context.chosen();
        const Shown shown = form.show(context);
        const std::string out =
            options.workload.json ? shown.json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" : shown.text;
        writeOutput(out);
    }
    return 0;
}

} // namespace loopscope
