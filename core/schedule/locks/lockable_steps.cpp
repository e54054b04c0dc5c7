#include "schedule/locks/lockable_steps.h"

#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

bool isSeparator(char c) { return c == ' ' || c == '\t' || c == ','; }

/// Of the loops a split makes, outermost first.
std::vector<int64_t> madeLengths(const SplitStep &split, int64_t extent) {
    int64_t product = 1;
    for (const int64_t length : split.lengths) product *= length; // 0 while one is open
    const int64_t rest = extent > 0 && product > 0 ? (extent + product - 1) / product : 0;
    std::vector<int64_t> lengths = split.lengths;
    lengths.insert(split.innerToOuter ? lengths.begin() : lengths.end(), rest);
    return lengths;
}

} // namespace

Outcome<LockableSteps> lockableSteps(const DagPtr &dag, const Steps &steps) {
    // Names are those of the state in front of a step, and of a step that applies: twice through costs less than a copy
    // of each state.
    StepwiseReplay tried(dag, steps.size());
    for (const Step &step : steps)
        if (const Refused refused = tried.apply(step)) return Refusal{refused->sentence()};
    StepwiseReplay replay(dag, steps.size());
    std::vector<LockableStep> named(steps.size());
    const ScriptLabels label = [&](StepId followed) {
        return scriptName(fmt::format("{} {}", named[followed.index()].stage, named[followed.index()].loop));
    };
    for (size_t i = 0; i < steps.size(); ++i) {
        const LoopState &before = replay.state();
        LockableStep &one = named[i];
        const StageId id = stageOf(steps[i]);
        one.stage = scriptStage(before, id);
        if (const auto *split = std::get_if<SplitStep>(&steps[i])) {
            one.loop = scriptLoop(before, id, split->iter);
            const int64_t known = before.stage(id).iters[split->iter.index()].extent;
            one.lengths = madeLengths(*split, known > 0 ? known : split->extent);
        }
        if (const auto *pragma = std::get_if<PragmaStep>(&steps[i]))
            one.line = fmt::format("pragma {} * {}", one.stage, scriptName(pragma->text));
        else
            one.line = scriptLine(before, steps[i], label);
        (void)replay.apply(steps[i]);
    }
    return LockableSteps{std::move(named), std::move(replay).take()};
}

std::vector<LineWord> lineWords(std::string_view line) {
    std::vector<LineWord> words;
    size_t at = 0;
    while (at < line.size()) {
        if (isSeparator(line[at])) {
            ++at;
            continue;
        }
        const size_t begin = at;
        bool quoted = false;
        for (; at < line.size() && (quoted || !isSeparator(line[at])); ++at) {
            if (line[at] == '"') quoted = !quoted;
            if (quoted && line[at] == '\\' && at + 1 < line.size()) ++at;
        }
        at = std::min(at, line.size());
        words.push_back({std::string(line.substr(begin, at - begin)), begin});
    }
    return words;
}

bool sameLine(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto left = lineWords(a);
    const auto right = lineWords(b);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const LineWord &x, const LineWord &y) {
        return x.text == y.text || x.text == "*" || y.text == "*";
    });
}

bool matchesPattern(std::string_view pattern, std::string_view text) {
    size_t p = 0;
    size_t t = 0;
    size_t star = std::string_view::npos;
    size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

} // namespace loopscope
