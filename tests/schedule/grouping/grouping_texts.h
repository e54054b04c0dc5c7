#pragma once
// What a grouping decided, as text that tests compare: merges, groups, totals, loops, what a point costs.

#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "schedule/grouping/group.h"
#include "schedule/grouping/group_evaluation.h"
#include "schedule/grouping/image_bounds.h"
#include "schedule/grouping/loop_plan.h"
#include "schedule/grouping/machine_parameters.h"

#include <QtTest>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace loopscope {

inline DagPtr samplePipeline(const char *name, const ParamOverrides &overrides = {}) {
    return ComputeDag::fromWorkload(
        loadWorkload(std::string(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/") + name + ".te", overrides));
}

inline DagPtr written(const std::string &text) { return ComputeDag::fromWorkload(parseWorkload(text, "test.te")); }

inline Grouping grouped(const DagPtr &dag, const char *machine = "16,16M,40", bool runtimeClamps = false) {
    Pipeline pipeline = pipelineOf(dag);
    if (runtimeClamps) boundImagesAtRunTime(pipeline);
    return groupPipeline(std::move(pipeline), parseMachineParameters(machine).value());
}

/// Merges, groups and totals, a line each.
inline std::string decisions(const Grouping &grouping) {
    const Pipeline &pipeline = grouping.pipeline;
    std::string text;
    if (!grouping.preInlined.empty()) text += fmt::format("early {}\n", fmt::join(grouping.preInlined, " "));
    for (const GroupMerge &merge : grouping.merges) {
        text += fmt::format("{} {} >", merge.inlining ? "inline" : "merge",
                            pipeline.stages[static_cast<size_t>(merge.producer)].name);
        for (const int consumer : merge.consumers) text += " " + pipeline.nodeName(consumer);
        text += fmt::format(" {}\n", merge.benefit.value_or(0));
    }
    for (const Group &group : grouping.groups) {
        text += "group " + pipeline.nodeName(group.output);
        const auto &loops = pipeline.node(group.output).loops;
        for (size_t i = 0; i < loops.size(); ++i)
            if (group.tile[i] > 0) text += fmt::format(" {}={}", loops[i].name, group.tile[i]);
        text += "\n";
    }
    return text + fmt::format("{} / {} -> {} / {}\n", grouping.before.arith, grouping.before.memory,
                              grouping.after.arith, grouping.after.memory);
}

/// The loops of every nest, innermost first: "by: x_i_vi* x_i_vo y_i x_o| y_o|; bx at x_o: ...".
inline std::string nests(const Grouping &grouping) {
    const auto nest = [&](const NestPlan &plan) {
        std::string text = grouping.pipeline.nodeName(plan.node);
        if (plan.attachedTo >= 0) text += " at " + plan.attachedAt;
        text += ":";
        for (const PlannedLoop &loop : plan.loops)
            text += fmt::format(" {}{}{}", loop.name, loop.vector ? "*" : "", loop.parallel ? "|" : "");
        return text + "\n";
    };
    std::string text;
    for (const GroupPlan &plan : planLoops(grouping)) {
        text += nest(plan.output);
        for (const NestPlan &member : plan.members) text += "  " + nest(member);
    }
    return text;
}

inline std::string pointCosts(const Grouping &grouping) {
    GroupEvaluation evaluation(grouping.pipeline, grouping.machine);
    const std::vector<bool> nobody(grouping.pipeline.stages.size(), false);
    std::string text;
    for (const int stage : grouping.pipeline.byName) {
        if (grouping.pipeline.stages[static_cast<size_t>(stage)].removed) continue;
        for (const int node : grouping.pipeline.stages[static_cast<size_t>(stage)].nodes) {
            const PointCost &cost = evaluation.pointCost(node, nobody);
            text += fmt::format("{} {}/{}\n", grouping.pipeline.nodeName(node), cost.arith, cost.allBytes());
        }
    }
    return text;
}

inline void compare(const std::string &got, const std::string &expected) {
    QCOMPARE(QString::fromStdString(got), QString::fromStdString(expected));
}

} // namespace loopscope
