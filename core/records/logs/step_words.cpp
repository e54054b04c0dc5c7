#include "records/logs/step_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <variant>

namespace loopscope {

namespace {

std::string numbersText(const auto &ids) {
    std::string text;
    for (const auto &id : ids) text += fmt::format("{}{}", text.empty() ? "" : ", ", id.value);
    return text;
}

std::string loopText(StageId stage, IterId iter) { return fmt::format("loop {} of stage {}", iter.value, stage.value); }

std::string lengthsText(const SplitStep &step) {
    std::string text = step.innerToOuter ? "?" : "";
    for (const int64_t length : step.lengths) {
        if (!text.empty()) text += " x ";
        text += length == kUnfilled ? "?" : std::to_string(length);
    }
    return step.innerToOuter ? text : text + " x ?";
}

SpelledStep wordsAt(std::string place, const std::string &rest) {
    std::string text = place + rest;
    return {std::move(text), std::move(place)};
}

} // namespace

SpelledStep stepWords(const Step &step) {
    return std::visit(
        StepVisitor{
            [](const AnnotateStep &s) {
                return wordsAt(fmt::format("annotate {}", loopText(s.stage, s.iter)),
                               fmt::format(" as {}", annotationText(s.annotation)));
            },
            [](const FuseStep &s) {
                return wordsAt(fmt::format("fuse loops of stage {}", s.stage.value), ": " + numbersText(s.iters));
            },
            [](const PragmaStep &s) {
                return wordsAt(fmt::format("pragma at {}", loopText(s.stage, s.iter)), ": " + s.text);
            },
            [](const ReorderStep &s) {
                return wordsAt(fmt::format("reorder loops of stage {}", s.stage.value), " to " + numbersText(s.order));
            },
            [](const SplitStep &s) {
                const std::string extent = s.extent > 0 ? fmt::format(" (extent {})", s.extent) : std::string();
                return wordsAt("split " + loopText(s.stage, s.iter), fmt::format("{} into {}", extent, lengthsText(s)));
            },
            [](const FollowSplitStep &s) {
                return wordsAt("split " + loopText(s.stage, s.iter),
                               fmt::format(" as step {} does, into {} parts", s.source.value, s.parts + 1));
            },
            [](const FollowFusedSplitStep &s) {
                return wordsAt("split " + loopText(s.stage, s.iter),
                               fmt::format(" by level {} of steps {} multiplied, as {}", s.level,
                                           numbersText(s.sources), s.factor ? "inner length" : "outer length"));
            },
            [](const StorageAlignStep &s) {
                return wordsAt("align storage at " + loopText(s.stage, s.iter),
                               fmt::format(" to {} elements, offset {}", s.factor, s.offset));
            },
            [](const ComputeAtStep &s) {
                return wordsAt(fmt::format("compute stage {}", s.stage.value),
                               " at " + loopText(s.target, s.targetIter));
            },
            [](const ComputeInlineStep &s) {
                return wordsAt(fmt::format("compute stage {}", s.stage.value), " inline");
            },
            [](const ComputeRootStep &s) {
                return wordsAt(fmt::format("compute stage {}", s.stage.value), " at root");
            },
            [](const CacheReadStep &s) {
                return wordsAt(fmt::format("read stage {} through a cache", s.stage.value),
                               fmt::format(" in {}, in stages {}", s.scope, numbersText(s.readers)));
            },
            [](const CacheWriteStep &s) {
                return wordsAt(fmt::format("write stage {} through a cache", s.stage.value), " in " + s.scope);
            },
            [](const RfactorStep &s) {
                return wordsAt("factor the reduction by " + loopText(s.stage, s.iter),
                               fmt::format(", as spatial axis {}", s.factorIter));
            }},
        step);
}

std::vector<SpelledStep> stepWords(const Steps &steps) {
    std::vector<SpelledStep> words;
    words.reserve(steps.size());
    for (const Step &step : steps) words.push_back(stepWords(step));
    return words;
}

} // namespace loopscope
