// `net strategies` and `net pin`: which implementation each operator of a network gets, why, and what the user wants
// instead.

#include "base/nearest_name.h"
#include "choice.h"
#include "deploy/network/strategy_choice.h"
#include "measure/baselines/baseline_process.h"
#include "net_parts.h"
#include "networks/op/operator.h"
#include "networks/strategy/compatible_strategies.h"
#include "networks/strategy/usual_strategies.h"
#include "output.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

/// Those that are asked for, or pinned, and that kernels can be left to here, are as good as named by -libs.
void addLibraries(const NetPlanOptions &options, const Pins &pins, StrategyTarget &target) {
    if (std::ranges::find(target.keys, "cpu") == target.keys.end()) return;
    for (const BaselineKind kind : allBaselines()) {
        const std::string name(baselineName(kind));
        const bool pinned =
            std::ranges::any_of(pins, [&](const auto &pin) { return pin.second.ends_with("." + name); });
        const bool asked = std::ranges::find(options.libraries, name) != options.libraries.end();
        if (target.has(name) || (!pinned && !asked)) continue;
        if (const auto process = BaselineProcess::start(kind))
            target.libraries.push_back(name);
        else
            sayNotes({fmt::format("{} is not offered: {}", name, process.why())});
    }
}

/// `rule`: of --rule or --strategies. `logs`: whose records decide.
StrategyRequest strategyRequest(const NetPlanOptions &options, const std::string &rule, const Pins &pins) {
    StrategyRequest request;
    const bool compatible = rule == "compatible";
    request.table = compatible ? compatibleStrategies() : usualStrategies();
    request.target = strategyTarget(options.target);
    if (!compatible) addLibraries(options, pins, request.target);
    NetworkStrategyOptions &choice = request.options;
    // With Ansor, TVM's logs do not decide.
    choice.settings.measured = rule == "measured";
    choice.settings.guards = !compatible;
    choice.settings.worst = *accuracyFromName(options.accuracy);
    choice.pins = pins;
    choice.fusion = fusionOf(options);
    if (!choice.settings.measured || options.logs.empty()) return request;
    choice.logs = options.logs;
    choice.measuredOn = parseTarget(options.target);
    return request;
}

/// The strategy as it is registered: no clause has a value.
int showOperator(const NetStrategiesOptions &options) {
    const StrategyRequest request = strategyRequest(options, options.rule, {});
    const StrategyTarget &target = request.target;
    if (findOperator(options.op) == nullptr) {
        std::vector<std::string> names;
        for (const Operator *one : allOperators()) names.push_back(one->name);
        const std::string near = suggestion(options.op, names);
        throw UsageError(fmt::format("--operator {}: there is no such operator{}", options.op,
                                     near.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : near));
    }
    const StrategyTable::Found found = request.table.find(options.op, target);
    if (found.registered == nullptr)
        throw Error(fmt::format("there is no implementation of {} for target '{}'", options.op, target.text));
    const std::string &key = found.registered->key;
    std::string text =
        fmt::format("{} for {}: strategy of {}\n", options.op, target.text, key.empty() ? "all targets" : "key " + key);
    if (!found.note.empty()) text += fmt::format("  {}\n", found.note);
    Json all = Json::array();
    for (const Specialisation &one : found.registered->strategy.specialisations()) {
        text += fmt::format("  {}\n", conditionText(one.condition));
        Json clauses = Json::array();
        for (const Clause &clause : one.condition) clauses.push_back({{"text", clause.text}, {"value", nullptr}});
        Json implementations = Json::array();
        for (const Implementation &of : one.implementations) {
            text += fmt::format("      {} (level {}, {}, {}{})\n", of.name, of.level, accuracyName(of.accuracy),
                                scheduleKindName(of.schedule), of.needs.empty() ? "" : ", needs " + of.needs.front());
            implementations.push_back({{"name", of.name},
                                       {"level", of.level},
                                       {"accuracy", accuracyName(of.accuracy)},
                                       {"schedule", scheduleKindName(of.schedule)},
                                       {"needs", of.needs},
                                       {"evidence", nullptr}});
        }
        all.push_back({{"condition", conditionText(one.condition)},
                       {"clauses", std::move(clauses)},
                       {"implementations", std::move(implementations)}});
    }
    writeResult(options,
                {{"node", nullptr},
                 {"operator", options.op},
                 {"target", target.text},
                 {"key", key},
                 {"specialisations", std::move(all)},
                 {"chosen", nullptr},
                 {"because", nullptr}},
                text);
    return 0;
}

NetworkStrategies decided(const NetChoosingOptions &options, const GraphFunction &function, const Pins &pins) {
    if (!options.logs.empty() && options.rule != "measured")
        throw UsageError(fmt::format("--log decides only under --rule measured, not under {}", options.rule));
    const StrategyRequest request = strategyRequest(options, options.rule, pins);
    ThreadPool pool(0);
    auto strategies = decideStrategies(function, request.table, request.target, request.options, pool);
    if (!strategies) throw Error(options.file, 0, 0, strategies.why());
    return std::move(strategies).value();
}

Pins pinsOf(const NetFileOptions &options) {
    const std::string path = pinsPath(options.file);
    Pins pins = readPins(path);
    if (!pins.empty()) sayLine(fmt::format("pins of {} are applied", path));
    return pins;
}

} // namespace

/// Pins count whatever is asked for: where there is no rule, the rest stays as it stands, which is the highest level.
std::optional<StrategyRequest> strategiesOf(const NetPlanOptions &options) {
    if (options.strategies == "try") return std::nullopt;
    const Pins pins = pinsOf(options);
    if (options.strategies.empty() && pins.empty()) return std::nullopt;
    return strategyRequest(options, options.strategies.empty() ? "level" : options.strategies, pins);
}

std::optional<StrategyRequest> triedStrategies(const NetPlanOptions &options) {
    if (options.strategies != "try") return std::nullopt;
    return strategyRequest(options, "level", {});
}

int netStrategies(const NetStrategiesOptions &options) {
    if (options.file.empty()) {
        if (options.op.empty()) throw UsageError("net strategies takes a network or --operator NAME");
        return showOperator(options);
    }
    const PreparedNetwork network = prepareNetwork(networkChoice(options));
    sayNotes(network.notes);
    const NetworkStrategies strategies = decided(options, network.optimised.main(), pinsOf(options));
    sayNotes(strategies.notes);
    Json all = Json::array();
    std::string text;
    std::map<std::string, int> counts;
    for (const Decision &decision : strategies.decisions) {
        if (!options.op.empty() && decision.op != options.op) continue;
        all.push_back(decision.json());
        text += decision.text();
        ++counts[decision.dispatchText()];
    }
    if (counts.empty() && !options.op.empty())
        throw UsageError(fmt::format("--operator {}: the optimised network has no such operator", options.op));
    text += "Chosen:\n";
    for (const auto &[name, count] : counts) text += fmt::format("  {:4} x {}\n", count, name);
    writeResult(options, all, text);
    return 0;
}

int netPin(const NetPinOptions &options) {
    const std::string path = pinsPath(options.file);
    Pins pins = readPins(path);
    if (options.node.empty() != options.implementation.empty() && !options.remove)
        throw UsageError("net pin takes NODE and IMPLEMENTATION, or NODE --remove, or neither to list pins");
    if (options.remove && (options.node.empty() || !options.implementation.empty()))
        throw UsageError("net pin --remove takes the NODE alone");
    if (options.remove) {
        if (pins.erase(options.node) == 0) throw UsageError(fmt::format("{} is not pinned in {}", options.node, path));
        writePins(path, pins);
    } else if (!options.node.empty()) {
        // Whether it may be chosen at all is said now, not when the network is built.
        pins[options.node] = options.implementation;
        const PreparedNetwork network = prepareNetwork(networkChoice(options));
        decided(options, network.optimised.main(), pins);
        writePins(path, pins);
    }
    std::string text = pins.empty() ? fmt::format("{} has no pins\n", options.file) : path + ":\n";
    for (const auto &[node, implementation] : pins) text += fmt::format("  {}: {}\n", node, implementation);
    writeResult(options, {{"file", path}, {"pins", pins}}, text);
    return 0;
}

} // namespace loopscope
