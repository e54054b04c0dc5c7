#include "schedule/grouping/grouping_json.h"

#include "schedule/steps_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> nodeNames(const Pipeline &pipeline, const std::vector<int> &nodes) {
    std::vector<std::string> names;
    for (const int node : nodes) names.push_back(pipeline.nodeName(node));
    return names;
}

std::vector<std::string> inlinedNames(const Grouping &grouping, const Group &group) {
    std::vector<std::string> names;
    for (const int stage : grouping.pipeline.byName)
        if (group.inlined[static_cast<size_t>(stage)])
            names.push_back(grouping.pipeline.stages[static_cast<size_t>(stage)].name);
    return names;
}

/// Axes that are not tiled are left out.
std::vector<std::pair<std::string, int64_t>> tileOf(const Pipeline &pipeline, const Group &group) {
    std::vector<std::pair<std::string, int64_t>> tile;
    const auto &loops = pipeline.node(group.output).loops;
    for (size_t i = 0; i < loops.size(); ++i)
        if (group.tile[i] > 0) tile.emplace_back(loops[i].name, group.tile[i]);
    return tile;
}

Json groupJson(const Grouping &grouping, const Group &group, const GroupPlan &plan) {
    Json tile = Json::object();
    for (const auto &[axis, size] : tileOf(grouping.pipeline, group)) tile[axis] = size;
    Json order = Json::array();
    Json vector = nullptr;
    Json parallel = Json::array();
    for (const PlannedLoop &loop : plan.output.loops) {
        order.push_back(loop.name);
        if (loop.vector) vector = {{"loop", loop.name}, {"lanes", loop.extent}};
    }
    for (size_t i = plan.output.loops.size(); i-- > 0;)
        if (plan.output.loops[i].parallel) parallel.push_back(plan.output.loops[i].name);
    return {{"output", grouping.pipeline.nodeName(group.output)},
            {"members", nodeNames(grouping.pipeline, group.members)},
            {"inlined", inlinedNames(grouping, group)},
            {"tile", std::move(tile)},
            {"order", std::move(order)},
            {"vector", std::move(vector)},
            {"parallel", std::move(parallel)}};
}

Json totalsJson(const GroupingTotals &totals) { return {{"arith", totals.arith}, {"memory", totals.memory}}; }

std::string totalsText(const GroupingTotals &totals) {
    return fmt::format("{} operations, {} for memory", totals.arith, totals.memory);
}

} // namespace

std::string_view groupingModeName(GroupingMode mode) {
    switch (mode) {
    case GroupingMode::Compat:
        return "compat";
    case GroupingMode::Fixed:
        return "fixed";
    }
    return "";
}

nlohmann::ordered_json groupingJson(const Grouping &grouping, const std::vector<GroupPlan> &plans,
                                    const GroupedSchedule &schedule) {
    const Pipeline &pipeline = grouping.pipeline;
    Json inlined = Json::array();
    Json merges = Json::array();
    for (const GroupMerge &merge : grouping.merges) {
        const std::string &producer = pipeline.stages[static_cast<size_t>(merge.producer)].name;
        if (merge.inlining) {
            inlined.push_back({{"stage", producer},
                               {"into", nodeNames(pipeline, merge.consumers)},
                               {"benefit", merge.benefit.value_or(0)}});
        } else {
            // Of a stage with updates several nodes may read it; they are one consumer.
            const int consumer = merge.consumers.back();
            merges.push_back({{"producer", producer},
                              {"consumer", pipeline.stageOf(consumer).name},
                              {"benefit", merge.benefit.value_or(0)}});
        }
    }
    Json groups = Json::array();
    for (size_t i = 0; i < plans.size(); ++i) groups.push_back(groupJson(grouping, grouping.groups[i], plans[i]));
    return {{"machine",
             {{"parallelism", grouping.machine.parallelism},
              {"last_level_cache", grouping.machine.lastLevelCache},
              {"balance", grouping.machine.balance},
              {"vector_bytes", grouping.machine.vectorBytes},
              {"integer_vector_bytes", grouping.machine.integerVectorBytes}}},
            {"mode", groupingModeName(grouping.mode)},
            {"pre_inlined", grouping.preInlined},
            {"inlined", std::move(inlined)},
            {"merges", std::move(merges)},
            {"groups", std::move(groups)},
            {"totals", {{"before", totalsJson(grouping.before)}, {"after", totalsJson(grouping.after)}}},
            {"steps", Json::parse(stepsText(schedule.state.steps()))},
            {"notes", schedule.notes}};
}

std::string groupingText(const Grouping &grouping, const std::vector<GroupPlan> &plans) {
    const Pipeline &pipeline = grouping.pipeline;
    std::string text =
        fmt::format("machine {}, mode {}\n", machineParametersText(grouping.machine), groupingModeName(grouping.mode));
    if (!grouping.preInlined.empty())
        text += fmt::format("inlined before grouping: {}\n", fmt::join(grouping.preInlined, ", "));
    for (const GroupMerge &merge : grouping.merges)
        text += fmt::format("{} {} {} {}: saves {}\n", merge.inlining ? "inlined" : "merged",
                            pipeline.stages[static_cast<size_t>(merge.producer)].name, "into",
                            fmt::join(nodeNames(pipeline, merge.consumers), ", "), merge.benefit.value_or(0));
    for (size_t i = 0; i < plans.size(); ++i) {
        const Group &group = grouping.groups[i];
        text += fmt::format("group {}", pipeline.nodeName(group.output));
        if (group.members.size() > 1) {
            std::vector<std::string> others;
            for (const NestPlan &member : plans[i].members) others.push_back(pipeline.nodeName(member.node));
            if (!others.empty()) text += fmt::format(", with {}", fmt::join(others, ", "));
            const auto inlined = inlinedNames(grouping, group);
            if (!inlined.empty()) text += fmt::format(", inlined {}", fmt::join(inlined, ", "));
        }
        text += "\n  tile";
        const auto tile = tileOf(pipeline, group);
        for (const auto &[axis, size] : tile) text += fmt::format(" {} {}", axis, size);
        if (tile.empty()) text += " none";
        if (!plans[i].output.loops.empty()) text += "\n  loops";
        for (size_t k = plans[i].output.loops.size(); k-- > 0;) {
            const PlannedLoop &loop = plans[i].output.loops[k];
            text +=
                fmt::format(" {}{}{}", loop.name, loop.parallel ? " (parallel)" : "", loop.vector ? " (vector)" : "");
        }
        text += fmt::format("\n  cost {} operations, {} for memory, {} parallel\n", group.cost.arith, group.cost.memory,
                            group.cost.parallelism);
    }
    return text + fmt::format("before {}\nafter  {}\n", totalsText(grouping.before), totalsText(grouping.after));
}

} // namespace loopscope
