#include "schedule/script/schedule_script.h"
#include "schedule/script/script_words.h"
#include "schedule/step_fields.h"
#include "schedule/stepwise_replay.h"

#include <fmt/format.h>
#include <set>

namespace loopscope {

namespace {

class LineWriter {
  public:
    LineWriter(const LoopState &state, const ScriptLabels &labels) : m_state(state), m_labels(labels) {}

    std::string operator()(const AnnotateStep &s) const {
        std::string text = fmt::format("{} {}", primitiveOf(s), loopOf(s.stage, s.iter));
        if (primitiveOf(s) == "bind") text += fmt::format(" {}", annotationText(s.annotation));
        return text;
    }
    std::string operator()(const FuseStep &s) const {
        const std::string list = loops(s.stage, s.iters);
        return fmt::format("fuse {}{}{}", stage(s.stage), list.empty() ? "" : " ", list);
    }
    std::string operator()(const PragmaStep &s) const {
        // Of the whole stage, whichever loop it names.
        const bool there = s.iter.value >= 0 && s.iter.index() < m_state.stage(s.stage).iters.size();
        return fmt::format("pragma {} {} {}", stage(s.stage),
                           there ? scriptLoop(m_state, s.stage, s.iter) : fmt::format("@{}", s.iter.value),
                           scriptName(s.text));
    }
    std::string operator()(const ReorderStep &s) const {
        const std::string list = loops(s.stage, s.order);
        return fmt::format("reorder {}{}{}", stage(s.stage), list.empty() ? "" : " ", list);
    }
    std::string operator()(const SplitStep &s) const {
        std::string lengths;
        for (const int64_t length : s.lengths)
            lengths += (lengths.empty() ? "" : ", ") + (length == kUnfilled ? "?" : fmt::format("{}", length));
        // What the state knows of the loop needs no words.
        const int64_t known = m_state.stage(s.stage).iters[s.iter.index()].extent;
        return fmt::format("split {}{} into {}{}", loopOf(s.stage, s.iter),
                           s.extent == known ? "" : fmt::format(" of {}", s.extent), s.innerToOuter ? "" : "outer ",
                           lengths);
    }
    std::string operator()(const FollowSplitStep &s) const {
        return fmt::format("follow_split {} like {} parts {}", loopOf(s.stage, s.iter), m_labels(s.source), s.parts);
    }
    std::string operator()(const FollowFusedSplitStep &s) const {
        return fmt::format("follow_fused_split {} like {} level {}{}", loopOf(s.stage, s.iter), labelsOf(s.sources),
                           s.level, s.factor ? "" : " outer");
    }
    std::string operator()(const StorageAlignStep &s) const {
        return fmt::format("storage_align {} {} {}", loopOf(s.stage, s.iter), s.factor, s.offset);
    }
    std::string operator()(const ComputeAtStep &s) const {
        return fmt::format("compute_at {} {}", stage(s.stage), loopOf(s.target, s.targetIter));
    }
    std::string operator()(const ComputeInlineStep &s) const { return "compute_inline " + stage(s.stage); }
    std::string operator()(const ComputeRootStep &s) const { return "compute_root " + stage(s.stage); }
    std::string operator()(const CacheReadStep &s) const {
        std::string readers;
        for (const StageId reader : s.readers) readers += (readers.empty() ? "" : ", ") + stage(reader);
        return fmt::format("cache_read {} {} {}", stage(s.stage), scriptName(s.scope), readers);
    }
    std::string operator()(const CacheWriteStep &s) const {
        return fmt::format("cache_write {} {}", stage(s.stage), scriptName(s.scope));
    }
    std::string operator()(const RfactorStep &s) const {
        return fmt::format("rfactor {} at {}", loopOf(s.stage, s.iter), s.factorIter);
    }

  private:
    [[nodiscard]] std::string stage(StageId id) const { return scriptStage(m_state, id); }
    [[nodiscard]] std::string loopOf(StageId id, IterId loop) const {
        return fmt::format("{} {}", stage(id), scriptLoop(m_state, id, loop));
    }
    [[nodiscard]] std::string loops(StageId id, const std::vector<IterId> &list) const {
        std::string text;
        for (const IterId loop : list) text += (text.empty() ? "" : ", ") + scriptLoop(m_state, id, loop);
        return text;
    }

    [[nodiscard]] std::string labelsOf(const std::vector<StepId> &steps) const {
        std::string text;
        for (const StepId step : steps) text += (text.empty() ? "" : ", ") + m_labels(step);
        return text;
    }

    const LoopState &m_state;
    const ScriptLabels &m_labels;
};

std::string_view annotating(Annotation annotation) {
    switch (annotation) {
    case Annotation::None:
        return "serial";
    case Annotation::Unroll:
        return "unroll";
    case Annotation::Vectorize:
        return "vectorize";
    case Annotation::Parallel:
        return "parallel";
    case Annotation::Tensorize:
        return "tensorize";
    case Annotation::VThread:
    case Annotation::BlockX:
    case Annotation::ThreadX:
    case Annotation::BlockY:
    case Annotation::ThreadY:
    case Annotation::BlockZ:
    case Annotation::ThreadZ:
        return "bind";
    }
    return {};
}

std::set<int> followedSteps(const Steps &steps) {
    std::set<int> followed;
    for (const Step &step : steps) visitSources(step, [&](StepId source) { followed.insert(source.value); });
    return followed;
}

} // namespace

std::string_view primitiveOf(const Step &step) {
    return std::visit(StepVisitor{
                          [](const AnnotateStep &s) { return annotating(s.annotation); },
                          [](const FuseStep &) { return std::string_view("fuse"); },
                          [](const PragmaStep &) { return std::string_view("pragma"); },
                          [](const ReorderStep &) { return std::string_view("reorder"); },
                          [](const SplitStep &) { return std::string_view("split"); },
                          [](const FollowSplitStep &) { return std::string_view("follow_split"); },
                          [](const FollowFusedSplitStep &) { return std::string_view("follow_fused_split"); },
                          [](const StorageAlignStep &) { return std::string_view("storage_align"); },
                          [](const ComputeAtStep &) { return std::string_view("compute_at"); },
                          [](const ComputeInlineStep &) { return std::string_view("compute_inline"); },
                          [](const ComputeRootStep &) { return std::string_view("compute_root"); },
                          [](const CacheReadStep &) { return std::string_view("cache_read"); },
                          [](const CacheWriteStep &) { return std::string_view("cache_write"); },
                          [](const RfactorStep &) { return std::string_view("rfactor"); },
                      },
                      step);
}

std::string numberedLabel(StepId step) { return fmt::format("s{}", step.value); }

std::string scriptLine(const LoopState &before, const Step &step, const ScriptLabels &labels) {
    return std::visit(LineWriter(before, labels), step);
}

Outcome<std::string> scriptOf(const DagPtr &dag, const Steps &steps) {
    const std::set<int> followed = followedSteps(steps);
    // A line is written from the state in front of its step, and of a step that applies: twice through costs less than
    // a copy of each state.
    StepwiseReplay tried(dag, steps.size());
    for (const Step &step : steps)
        if (const Refused refused = tried.apply(step)) return Refusal{refused->sentence()};
    StepwiseReplay replay(dag, steps.size());
    std::string text;
    for (size_t i = 0; i < steps.size(); ++i) {
        if (followed.contains(static_cast<int>(i))) text += numberedLabel(StepId(i)) + ": ";
        text += scriptLine(replay.state(), steps[i]) + "\n";
        (void)replay.apply(steps[i]);
    }
    return text;
}

} // namespace loopscope
