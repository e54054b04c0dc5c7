#include "search/explain/schedule_facts.h"

#include "search/features/feature_table.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace loopscope {

std::string kindsText(const InstructionMix &mix) {
    std::string kinds;
    for (const auto &[kind, count] : namedKinds(mix))
        if (count > 0) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
    return kinds;
}

std::string vectorsText(const HotBlock &hot) {
    return hot.vectorBits > 0 ? fmt::format("vectors of {} bits", hot.vectorBits) : "no arithmetic on vectors";
}

std::string spillsText(const HotBlock &hot) {
    return hot.spillStores + hot.spillReloads > 0
               ? fmt::format("{} spills, {} reloads", hot.spillStores, hot.spillReloads)
               : "nothing spilled";
}

std::string portText(const BusyPort &port, const PortPressure &pressure) {
    return fmt::format("{} {:.0f} %", port.name, 100 * port.cycles / std::max(pressure.cycles, 1e-9));
}

std::string loopText(const ExplainedLoop &loop) {
    if (loop.name.empty()) return loop.stageName + " =";
    std::string text;
    if (loop.kind != LoopKind::Serial) text += fmt::format("{} ", loopKindName(loop.kind));
    text += loop.stageName + " " + loop.name;
    if (loop.extent > 0) text += fmt::format(" ({})", loop.extent);
    return text;
}

std::string boundText(const ExplainedLoop &loop) {
    if (loop.spent.empty()) return {};
    const CycleShare &most = loop.spent.front();
    return fmt::format("{} {:.0f} %", cycleKindName(most.kind), 100 * most.share);
}

std::string featureText(size_t feature, float value) {
    const FeatureInfo &info = featureTable()[feature];
    return fmt::format("{}: {:.4g} ({})", info.name, value, info.meaning);
}

ScheduleFacts codeFacts(const HotBlock &hot, const std::string &hotProblem, const AssemblySummary &all,
                        const std::string &loop) {
    ScheduleFacts facts;
    const auto add = [&](std::string key, std::string text) { facts.push_back({std::move(key), std::move(text)}); };
    add("hot", "Hottest block");
    if (!hotProblem.empty()) {
        add("hot problem", "  none: " + hotProblem);
    } else {
        add("loop", hot.loop ? fmt::format("  loop {}, {:.6g} iterations", loop, hot.iterations)
                             : std::string("  a whole function: no loop is left"));
        add("vectors", "  " + vectorsText(hot));
        add("spills", "  " + spillsText(hot));
        add("memory", fmt::format("  {} read memory, {} write it", hot.memoryReads, hot.memoryWrites));
        add("instructions", fmt::format("Its instructions: {}", hot.mix.total()));
        for (const auto &[kind, count] : namedKinds(hot.mix))
            if (count > 0) add("kind " + std::string(kind), fmt::format("  {:>5} {}", count, kind));
        if (!hot.pressureProblem.empty()) {
            add("pressure problem", "No throughput: " + hot.pressureProblem);
        } else {
            const PortPressure &pressure = hot.pressure;
            add("model", "Its throughput with all data in L1, by the model of " + pressure.model);
            add("cycles", fmt::format("  {:.1f} cycles an iteration", pressure.cycles));
            add("throughput",
                fmt::format("  {:.2f} instructions a cycle", pressure.instructions / std::max(pressure.cycles, 1e-9)));
            add("bound", "  bound by " + pressure.bound);
            for (const BusyPort &port : pressure.ports)
                if (200 * port.cycles >= pressure.cycles) // others are idle, as far as can be told
                    add("port " + port.name, "    " + portText(port, pressure));
        }
    }
    add("all", "All of the code");
    add("bytes", fmt::format("  {} bytes", all.bytes));
    add("all instructions", fmt::format("  {} instructions", all.counts.instructions));
    add("vector registers", fmt::format("  {} vector registers", all.vectorRegistersUsed));
    add("all spills", fmt::format("  {} spills, {} reloads", all.counts.spillStores, all.counts.spillReloads));
    add("stack", fmt::format("  {} bytes of stack", all.stackBytes));
    return facts;
}

ScheduleFacts loopFacts(const ScheduleExplanation &explained) {
    ScheduleFacts facts;
    const bool estimated = explained.cycles > 0;
    facts.push_back(
        {"loops",
         fmt::format("Loops{}{}", estimated ? ": part of the estimated cycles, what most go to" : "",
                     explained.predicted ? (estimated ? "; added to the score" : ": added to the score") : "")});
    if (explained.predicted)
        facts.push_back(
            {"score", fmt::format("  score {:.3f}: {:.3f} before a feature is seen, {:+.3f} for {} stored",
                                  explained.score, explained.base, explained.rowCount, explained.rows.size())});
    for (const ExplainedLoop &loop : explained.loops) {
        std::string text(2 + 2 * static_cast<size_t>(loop.depth), ' ');
        text += loopText(loop);
        if (estimated) {
            text += fmt::format("  {:.1f} %", 100 * loop.cycles);
            if (const std::string bound = boundText(loop); !bound.empty()) text += fmt::format(" [{}]", bound);
        }
        if (loop.contribution != 0) text += fmt::format("  {:+.3f}", loop.contribution);
        facts.push_back({"loop " + loop.stageName + " " + loop.name, std::move(text)});
    }
    return facts;
}

std::pair<ScheduleFacts, ScheduleFacts> featureFacts(const ScheduleExplanation &a, const ScheduleExplanation &b,
                                                     size_t most) {
    const bool predicted = a.predicted && b.predicted;
    const std::vector<FeatureDifference> differences = featureDifferences(a, b, most);
    std::pair<ScheduleFacts, ScheduleFacts> sides;
    const ScheduleFact head{"features", differences.empty() ? "No feature differs"
                                        : predicted         ? "What makes most difference to the model"
                                                            : "Features that differ most"};
    sides.first.push_back(head);
    sides.second.push_back(head);
    for (const FeatureDifference &one : differences) {
        const std::string key = fmt::format("feature {} {}", one.buffer, one.feature);
        const auto text = [&](float value, double contribution) {
            return fmt::format("  {}{} {}", predicted ? fmt::format("{:>+7.3f}  ", contribution) : "", one.buffer,
                               featureText(one.feature, value));
        };
        sides.first.push_back({key, text(one.a, one.contributionA)});
        sides.second.push_back({key, text(one.b, one.contributionB)});
    }
    return sides;
}

} // namespace loopscope
