// `net show`, `net check`, `net tasks`: what a network is, and what it becomes.

#include "choice.h"
#include "deploy/plan/memory_plan.h"
#include "net_parts.h"
#include "networks/graph/dot.h"
#include "networks/graph/net_text.h"
#include "networks/graph/statement.h"
#include "networks/onnx/import.h"
#include "networks/op/infer_types.h"
#include "networks/partition/fusion_savings.h"
#include "output.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

std::string bytesText(double bytes) {
    if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", bytes / (1 << 20));
    if (bytes >= 1 << 10) return fmt::format("{:.1f} KiB", bytes / (1 << 10));
    return fmt::format("{:.0f} bytes", bytes);
}

std::map<std::string, int> operatorCounts(const GraphFunction &function) {
    std::map<std::string, int> counts;
    for (size_t i = 0; i < function.nodeCount(); ++i) ++counts[function.node(NodeId(i)).op];
    return counts;
}

struct ConstantSize {
    int64_t elements = 0;
    int64_t bytes = 0;
    int count = 0;
};
ConstantSize constantsOf(const GraphFunction &function) {
    ConstantSize size;
    for (size_t i = 0; i < function.valueCount(); ++i)
        if (const HostTensor *constant = function.constant(ValueId(i))) {
            ++size.count;
            size.elements += constant->elements();
            size.bytes += static_cast<int64_t>(constant->byteSize());
        }
    return size;
}

std::string signature(const GraphFunction &function, const std::vector<ValueId> &values) {
    std::vector<std::string> texts;
    for (const ValueId value : values)
        texts.push_back(fmt::format("{}: {}", function.value(value).name, typeText(function.type(value))));
    return fmt::format("{}", fmt::join(texts, ", "));
}

Json signatureJson(const GraphFunction &function, const std::vector<ValueId> &values) {
    Json all = Json::array();
    for (const ValueId value : values)
        all.push_back({{"name", function.value(value).name}, {"type", typeText(function.type(value))}});
    return all;
}

Json functionJson(const GraphFunction &function) {
    const ConstantSize constants = constantsOf(function);
    return {{"nodes", function.nodeCount()},
            {"operators", operatorCounts(function)},
            {"constants", constants.count},
            {"constant_elements", constants.elements},
            {"constant_bytes", constants.bytes}};
}

std::string functionText(const char *what, const GraphFunction &function) {
    const ConstantSize constants = constantsOf(function);
    std::vector<std::string> counts;
    for (const auto &[op, count] : operatorCounts(function)) counts.push_back(fmt::format("{} {}", count, op));
    return fmt::format("{}: {} nodes ({}); {} constants of {}\n", what, function.nodeCount(), fmt::join(counts, ", "),
                       constants.count, bytesText(static_cast<double>(constants.bytes)));
}

void showText(const NetShowOptions &options, const PreparedNetwork &network) {
    const GraphFunction &main = network.imported.main();
    int weight = 0;
    int searchable = 0;
    double flops = 0;
    for (const NetworkTask &task : network.tasks) {
        if (task.flops > 0) flops += task.weight * task.flops;
        if (!task.searchable) continue;
        ++searchable;
        weight += task.weight;
    }
    std::string text = fmt::format("{}\ntakes {}\ngives {}\n", network.imported.name,
                                   signature(main, main.parameters()), signature(main, main.results()));
    text += functionText("as read", main) + functionText("optimised", network.optimised.main());
    text += fmt::format("{} kernels, {} tasks that a search can make faster (they run {} times), {:.3g} GFLOP\n",
                        network.partition.kernels.size(), searchable, weight, flops / 1e9);
    const Json json = {{"name", network.imported.name},
                       {"inputs", signatureJson(main, main.parameters())},
                       {"outputs", signatureJson(main, main.results())},
                       {"imported", functionJson(main)},
                       {"optimised", functionJson(network.optimised.main())},
                       {"kernels", network.partition.kernels.size()},
                       {"tasks", searchable},
                       {"total_weight", weight},
                       {"flops", flops},
                       {"notes", network.notes}};
    writeResult(options, json, text);
}

/// Of a network with control flow: what it holds, function by function.
void showFunctions(const NetShowOptions &options, const ReadNetwork &network) {
    const GraphFunction &main = network.module.main();
    std::string text = fmt::format("{}\ntakes {}\ngives {}\n", network.module.name, signature(main, main.parameters()),
                                   signature(main, main.results()));
    Json functions = Json::array();
    for (const FunctionPtr &function : network.module.functions) {
        text += functionText(fmt::format("function {}", function->name()).c_str(), *function);
        Json one = functionJson(*function);
        one["name"] = function->name();
        functions.push_back(std::move(one));
    }
    text += fmt::format("it has control flow ({}), which is run for reference and has no kernels\n",
                        *firstStatementText(network.module));
    writeResult(options,
                {{"name", network.module.name},
                 {"inputs", signatureJson(main, main.parameters())},
                 {"outputs", signatureJson(main, main.results())},
                 {"functions", functions},
                 {"notes", network.notes}},
                text);
}

void showKernels(const NetShowOptions &options, const PreparedNetwork &network) {
    const GraphFunction &function = network.optimised.main();
    Json json = Json::array();
    std::string text;
    for (size_t k = 0; k < network.partition.kernels.size(); ++k) {
        const Kernel &kernel = network.partition.kernels[k];
        std::vector<std::string> nodes;
        std::vector<std::string> outputs;
        for (const NodeId node : kernel.nodes) nodes.push_back(function.node(node).name);
        for (const ValueId value : kernel.outputs)
            outputs.push_back(fmt::format("{} {}", function.value(value).name, typeText(function.type(value))));
        text +=
            fmt::format("{:4}  {}{}: {}\n      gives {}\n", k, kernel.name, kernel.alias ? " (nothing to compute)" : "",
                        fmt::join(nodes, ", "), fmt::join(outputs, ", "));
        json.push_back({{"name", kernel.name}, {"nodes", nodes}, {"outputs", outputs}, {"alias", kernel.alias}});
    }
    writeResult(options, json, text);
}

void showCuts(const NetShowOptions &options, const PreparedNetwork &network) {
    const GraphFunction &function = network.optimised.main();
    Json json = Json::array();
    std::string text;
    for (const CutEdge &cut : network.partition.cuts) {
        const std::string &from = function.node(cut.producer).name;
        const std::string &to = function.node(cut.consumer).name;
        text += fmt::format("{} | {}: {}\n", from, to, cut.reason);
        json.push_back({{"producer", from}, {"consumer", to}, {"reason", cut.reason}});
    }
    writeResult(options, json, text);
}

void showPasses(const NetShowOptions &options, const PreparedNetwork &network) {
    Json rows = Json::array();
    static constexpr const char *states[] = {"changed", "unchanged", "skipped", "refused"};
    for (const PassRow &row : network.report.rows)
        rows.push_back({{"name", row.name},
                        {"depth", row.depth},
                        {"state", states[static_cast<size_t>(row.state)]},
                        {"why", row.why},
                        {"seconds", row.seconds},
                        {"nodes_before", row.nodesBefore},
                        {"nodes_after", row.nodesAfter},
                        {"bytes_before", row.bytesBefore},
                        {"bytes_after", row.bytesAfter}});
    Json events = Json::array();
    for (const PassEvent &event : network.report.events)
        events.push_back({{"pass", event.pass}, {"node", event.node}, {"into", event.into}, {"what", event.sentence}});
    writeResult(options, {{"passes", rows}, {"events", events}}, network.report.text());
}

void showMemory(const NetShowOptions &options, const PreparedNetwork &network) {
    const GraphFunction &function = network.optimised.main();
    const auto plan = planMemory(function, network.partition);
    if (!plan) throw Error(options.file, 0, 0, plan.why());
    const auto share = [&] {
        return plan->livePeak > 0 ? static_cast<double>(plan->arenaBytes) / static_cast<double>(plan->livePeak) : 1.0;
    };
    std::string text = fmt::format("{} in one arena, {:.3f} times what lives at once; {} without reuse\n",
                                   bytesText(static_cast<double>(plan->arenaBytes)), share(),
                                   bytesText(static_cast<double>(plan->withoutReuse)));
    Json values = Json::array();
    for (const ValueStorage &value : plan->values) {
        const std::string &name = function.value(value.value).name;
        const std::string shares = value.sharesWith.value >= 0 ? function.value(value.sharesWith).name : "";
        values.push_back({{"name", name},
                          {"kind", storageKindName(value.kind)},
                          {"offset", value.offset},
                          {"bytes", value.bytes},
                          {"first", value.first},
                          {"last", value.last},
                          {"shares_with", shares}});
        if (value.kind != StorageKind::Arena) continue;
        text += fmt::format("{:>12} .. {:>12}  kernels {} to {}  {}{}\n", value.offset, value.offset + value.bytes,
                            value.first, value.last, name, shares.empty() ? "" : ", in the place of " + shares);
    }
    writeResult(options,
                {{"arena_bytes", plan->arenaBytes},
                 {"live_peak_bytes", plan->livePeak},
                 {"without_reuse_bytes", plan->withoutReuse},
                 {"values", values}},
                text);
}

} // namespace

int netShow(const NetShowOptions &options) {
    NetworkChoice choice = networkChoice(options);
    choice.layouts = layoutsOf(options);
    if (options.as == "layouts" && !choice.layouts)
        throw UsageError("--as layouts is about what --layouts choose, measure or nhwc decides; keep decides nothing");
    const bool graph = options.as == "net" || options.as == "dot";
    if (!options.stage.empty() && !graph) throw UsageError("--stage is about --as net and --as dot");
    // As it was read, where nothing was asked for that the passes are followed by.
    if (graph && (options.stage == "imported" || (options.stage.empty() && !choice.layouts))) {
        const ReadNetwork read = readNetwork(choice);
        sayNotes(read.notes);
        const std::string text = options.as == "net" ? netText(read.module) : dotText(read.module.main());
        writeResult(options, Json(text), text);
        return 0;
    }
    ReadNetwork read = readNetwork(choice);
    if (options.as == "text" && firstStatementText(read.module)) {
        sayNotes(read.notes);
        showFunctions(options, read);
        return 0;
    }
    const PreparedNetwork network = prepareNetwork(std::move(read), choice);
    if (options.as == "text") {
        sayNotes(network.notes);
        showText(options, network);
    } else if (options.as == "kernels") {
        showKernels(options, network);
    } else if (options.as == "cuts") {
        showCuts(options, network);
    } else if (options.as == "passes") {
        showPasses(options, network);
    } else if (options.as == "layouts") {
        sayNotes(network.notes);
        writeResult(options, network.layouts->json(), network.layouts->text());
    } else if (options.as == "memory") {
        showMemory(options, network);
    } else if (options.as == "net") {
        const std::string text = netText(network.optimised);
        writeResult(options, Json(text), text);
    } else {
        const GraphFunction &function = network.optimised.main();
        DotOptions dot;
        for (size_t i = 0; i < function.nodeCount(); ++i)
            dot.groups.push_back(fmt::format("{}: {}", network.partition.kernelOf[i],
                                             network.partition.kernels[network.partition.kernelOf[i]].name));
        const std::string text = dotText(function, dot);
        writeResult(options, Json(text), text);
    }
    return 0;
}

int netCheck(const NetFileOptions &options) {
    const NetworkChoice choice = networkChoice(options);
    std::vector<OnnxProblem> problems;
    std::string hint;
    if (std::filesystem::path(options.file).extension() == ".net") {
        const ParsedNet parsed = loadNet(options.file, {choice.dims.begin(), choice.dims.end()});
        const std::vector<FunctionFacts> facts = inferFacts(parsed.module);
        for (size_t i = 0; i < facts.size(); ++i) {
            const GraphFunction &function = *parsed.module.functions[i];
            for (const OpProblem &problem : facts[i].problems) {
                OnnxProblem one;
                one.reason = fmt::format("function {}: {}", function.name(), problem.sentence);
                if (problem.node.value >= 0) {
                    const Node &node = function.node(problem.node);
                    one.node = node.name;
                    one.op = node.op;
                    one.reason = parsed.places.error(function.name(), problem.node, problem.sentence).what();
                }
                problems.push_back(std::move(one));
            }
        }
    } else {
        ImportOptions imported;
        imported.dims = choice.dims;
        const ImportResult result = importOnnx(options.file, imported);
        problems = result.problems;
        hint = symbolsHint(result);
    }
    Json json = Json::array();
    std::string text;
    for (const OnnxProblem &problem : problems) {
        json.push_back({{"node", problem.node},
                        {"operator", problem.op},
                        {"opset", problem.opset > 0 ? Json(problem.opset) : Json(nullptr)},
                        {"reason", problem.reason}});
        text += (problem.opset > 0 ? problemText(problem) : problem.reason) + "\n";
    }
    if (!problems.empty() && !hint.empty()) text += hint + "\n";
    if (problems.empty()) text = options.file + ": nothing is wrong, and all of it is supported\n";
    writeResult(options, {{"problems", json}}, text);
    return problems.empty() ? 0 : 1;
}

namespace {

/// The better mode against the compatible one, and why concats that are still copied are.
std::string differenceText(const GraphFunction &function, const Partition &partition) {
    if (partition.mode == FusionMode::Compatible) return {};
    const FusionTraffic before = fusionTraffic(function, partitionFunction(function, FusionMode::Compatible));
    const FusionTraffic after = fusionTraffic(function, partition);
    std::string text = fmt::format(
        "compatible would run {} kernels, better runs {}; {} concats copy nothing ({} less to move), and between all "
        "kernels {} are moved instead of {}\n",
        before.running, after.running, after.joined, bytesText(static_cast<double>(after.joinBytes)),
        bytesText(static_cast<double>(after.bytes)), bytesText(static_cast<double>(before.bytes)));
    std::map<std::string, int> copied;
    for (const Kernel &kernel : partition.kernels)
        if (!kernel.whyCopied.empty()) ++copied[kernel.whyCopied];
    for (const auto &[why, times] : copied) text += fmt::format("  {} x copied: {}\n", times, why);
    return text;
}

} // namespace

int netTasks(const NetPlanOptions &options) {
    const Target target = networkTarget(options);
    NetworkChoice choice = networkChoice(options);
    choice.strategies = strategiesOf(options);
    choice.layouts = layoutsOf(options);
    const PreparedNetwork network = prepareNetwork(choice);
    sayNotes(network.notes);
    if (const std::string open = openDims(network.imported.main()); !open.empty()) sayNotes({open});
    const TaskRecords records = recordsOfTasks(network.tasks, target, options.logs);
    sayNotes(records.notes);
    Json tasks = Json::array();
    Json simple = Json::array();
    std::string text;
    std::string simpleText;
    int total = 0;
    for (size_t i = 0; i < network.tasks.size(); ++i) {
        const NetworkTask &task = network.tasks[i];
        Json one = {{"name", task.name},
                    {"key", task.key},
                    {"weight", task.weight},
                    {"flops", task.flops >= 0 ? Json(task.flops) : Json(nullptr)}};
        if (!task.searchable) {
            one["why_not"] = task.whyNot;
            simple.push_back(std::move(one));
            simpleText += fmt::format("  {:3} x {}: {}\n", task.weight, task.name, task.whyNot);
            continue;
        }
        total += task.weight;
        const auto &record = records.best[i];
        one["record"] = record ? Json{{"log", record->log},
                                      {"number", record->number},
                                      {"name", record->name},
                                      {"seconds", record->seconds}}
                               : Json(nullptr);
        if (!record) one["why_no_record"] = records.whyNot[i];
        tasks.push_back(std::move(one));
        text += fmt::format(
            "{:3} x {}: {:.4g} GFLOP, {}\n      {}\n", task.weight, task.name, std::max(task.flops, 0.0) / 1e9,
            record ? timeText(record->seconds) + speedText(task.flops, record->seconds) : "no record", task.key);
    }
    const GraphFunction &function = network.optimised.main();
    const FusionTraffic traffic = fusionTraffic(function, network.partition);
    const size_t kernels = network.partition.kernels.size() - traffic.joined;
    text += fmt::format("{} kernels; {} tasks, which run {} times\n", kernels, tasks.size(), total);
    text += differenceText(function, network.partition);
    if (!simpleText.empty()) text += "Not tasks:\n" + simpleText;
    if (!options.logs.empty()) {
        const double seconds = records.seconds(network.tasks);
        text += fmt::format("{} of the tasks have a record; their kernels take {} together\n", records.found(),
                            timeText(seconds));
    }
    writeResult(options,
                {{"kernels", kernels},
                 {"tasks", tasks},
                 {"total_weight", total},
                 {"simple", simple},
                 {"joined", traffic.joined},
                 {"bytes_between_kernels", traffic.bytes}},
                text);
    return 0;
}

} // namespace loopscope
