#include "measure/compare/aligned_steps.h"

#include "schedule/bound_inference.h"
#include "schedule/script/schedule_script.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>

namespace loopscope {

namespace {

/// Primitive, stage and loop of a line. A stage has one parallel loop and one vectorized loop mostly, and what it fuses
/// decides the name of the loop behind: there the loop is what changes.
std::string placeOf(const std::string &line) {
    const bool ofTheStage =
        line.starts_with("fuse ") || line.starts_with("parallel ") || line.starts_with("vectorize ");
    size_t end = 0;
    for (int word = 0; word < (ofTheStage ? 2 : 3) && end != std::string::npos; ++word) end = line.find(' ', end + 1);
    return line.substr(0, end);
}

/// Followed steps are called by their numbers until pairs give them labels.
Outcome<std::vector<SpelledStep>> linesOf(const DagPtr &dag, const Steps &steps) {
    StepwiseReplay tried(dag, steps.size()); // a line is written of a step that applies
    for (const Step &step : steps)
        if (const Refused refused = tried.apply(step)) return Refusal{refused->sentence()};
    std::vector<SpelledStep> lines;
    StepwiseReplay replay(dag, steps.size());
    for (const Step &step : steps) {
        SpelledStep line;
        line.text = scriptLine(replay.state(), step);
        (void)replay.apply(step);
        line.place = placeOf(line.text);
        lines.push_back(std::move(line));
    }
    return lines;
}

/// How many lines a list may have for all pairs to be looked at.
constexpr size_t kMaxLines = 2000;

/// The fewest differences; a line changed counts less than one gone and one come.
std::vector<StepPair> pairLines(const std::vector<SpelledStep> &left, const std::vector<SpelledStep> &right) {
    // Cost of the rest from (i, j): a step of one side alone 2, changed 3.
    const size_t width = right.size() + 1;
    std::vector<int> cost((left.size() + 1) * width, 0);
    const auto at = [&](size_t i, size_t j) -> int & { return cost[i * width + j]; };
    const auto meeting = [&](size_t i, size_t j) {
        if (left[i].text == right[j].text) return 0;
        return left[i].place == right[j].place ? 3 : -1;
    };
    for (size_t i = left.size() + 1; i-- > 0;)
        for (size_t j = right.size() + 1; j-- > 0;) {
            if (i == left.size() && j == right.size()) continue;
            int least = INT32_MAX;
            if (i < left.size()) least = std::min(least, at(i + 1, j) + 2);
            if (j < right.size()) least = std::min(least, at(i, j + 1) + 2);
            if (i < left.size() && j < right.size() && meeting(i, j) >= 0)
                least = std::min(least, at(i + 1, j + 1) + meeting(i, j));
            at(i, j) = least;
        }
    std::vector<StepPair> pairs;
    for (size_t i = 0, j = 0; i < left.size() || j < right.size();) {
        StepPair pair;
        const bool meet =
            i < left.size() && j < right.size() && meeting(i, j) >= 0 && at(i, j) == at(i + 1, j + 1) + meeting(i, j);
        if (meet || (i < left.size() && at(i, j) == at(i + 1, j) + 2)) pair.a = static_cast<int>(i);
        if (meet || pair.a < 0) pair.b = static_cast<int>(j);
        if (pair.a >= 0) ++i;
        if (pair.b >= 0) ++j;
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

} // namespace

Outcome<std::vector<StepPair>> alignSteps(const DagPtr &dag, const Steps &a, const Steps &b) {
    if (std::max(a.size(), b.size()) > kMaxLines)
        return Refusal{fmt::format("schedules of more than {} steps are not compared step by step", kMaxLines)};
    const auto left = linesOf(dag, a);
    if (!left) return left.refusal();
    const auto right = linesOf(dag, b);
    if (!right) return right.refusal();
    std::vector<StepPair> pairs = pairLines(*left, *right);
    std::vector<int> pairOfA(a.size());
    std::vector<int> pairOfB(b.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i].a >= 0) pairOfA[static_cast<size_t>(pairs[i].a)] = static_cast<int>(i);
        if (pairs[i].b >= 0) pairOfB[static_cast<size_t>(pairs[i].b)] = static_cast<int>(i);
    }
    // Once more with labels that mean the same line on both sides.
    const auto write = [&](const Steps &steps, const std::vector<int> &pairOf, std::string StepPair::*line) {
        StepwiseReplay replay(dag, steps.size());
        for (size_t i = 0; i < steps.size(); ++i) {
            const auto label = [&](StepId step) {
                pairs[static_cast<size_t>(pairOf[step.index()])].followed = true;
                return fmt::format("p{}", pairOf[step.index()]);
            };
            pairs[static_cast<size_t>(pairOf[i])].*line = scriptLine(replay.state(), steps[i], label);
            (void)replay.apply(steps[i]); // it did before
        }
    };
    write(a, pairOfA, &StepPair::lineA);
    write(b, pairOfB, &StepPair::lineB);
    for (StepPair &pair : pairs) pair.same = pair.a >= 0 && pair.b >= 0 && pair.lineA == pair.lineB;
    return pairs;
}

Outcome<std::vector<StepPair>> alignWords(const std::vector<SpelledStep> &a, const std::vector<SpelledStep> &b) {
    if (std::max(a.size(), b.size()) > kMaxLines)
        return Refusal{fmt::format("schedules of more than {} steps are not compared step by step", kMaxLines)};
    std::vector<StepPair> pairs = pairLines(a, b);
    for (StepPair &pair : pairs) {
        if (pair.a >= 0) pair.lineA = a[static_cast<size_t>(pair.a)].text;
        if (pair.b >= 0) pair.lineB = b[static_cast<size_t>(pair.b)].text;
        pair.same = pair.a >= 0 && pair.b >= 0 && pair.lineA == pair.lineB;
    }
    return pairs;
}

std::string lineChange(const std::string &before, const std::string &after) {
    // Up to the last word that both share.
    size_t same = 0;
    for (size_t i = 0; i <= std::min(before.size(), after.size()); ++i) {
        const auto endsAt = [i](const std::string &line) {
            return i == line.size() || line[i] == ' ' || line[i] == '$'; // which ends the name of a pragma
        };
        if (endsAt(before) && endsAt(after)) same = i;
        if (i == before.size() || i == after.size() || before[i] != after[i]) break;
    }
    while (same > 0 && before[same - 1] == ',') { // a list is told whole
        const size_t space = before.rfind(' ', same - 1);
        same = space == std::string::npos ? 0 : space;
    }
    const auto rest = [same](const std::string &line) {
        const size_t from = same == 0 ? 0 : same + 1;
        return from < line.size() ? line.substr(from) : std::string("nothing");
    };
    std::string shared = before.substr(0, same);
    if (shared.ends_with(" into")) shared.resize(shared.size() - std::string_view(" into").size());
    return fmt::format("{}{}{} \u2192 {}", shared, shared.empty() ? "" : ": ", rest(before), rest(after));
}

std::vector<std::string> differences(const std::vector<StepPair> &pairs) {
    std::vector<std::string> lines;
    for (const StepPair &pair : pairs) {
        if (pair.same) continue;
        lines.push_back(pair.b < 0   ? "no longer: " + pair.lineA
                        : pair.a < 0 ? "new: " + pair.lineB
                                     : lineChange(pair.lineA, pair.lineB));
    }
    return lines;
}

Outcome<Steps> mixedSteps(const DagPtr &dag, const std::vector<StepPair> &pairs, const std::vector<bool> &fromB) {
    std::string script;
    for (size_t i = 0; i < pairs.size(); ++i) {
        const std::string &line = fromB[i] ? pairs[i].lineB : pairs[i].lineA;
        if (!line.empty()) script += fmt::format("p{}: {}\n", i, line);
    }
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) return Refusal{applied.problem->reason};
    if (const auto bounds = inferBounds(applied.state, std::make_shared<ExprArena>()); !bounds) return bounds.refusal();
    return applied.state.steps();
}

} // namespace loopscope
