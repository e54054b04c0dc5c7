#include "schedule/schedule_refusal.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// "shared, local or global"
std::string eitherOf(const std::vector<Suggestion> &legal) {
    std::string text;
    for (const Suggestion &suggestion : legal) {
        const auto *list = std::get_if<LegalWords>(&suggestion);
        if (list == nullptr) continue;
        for (size_t i = 0; i < list->words.size(); ++i)
            text += (i == 0 ? "" : i + 1 < list->words.size() ? ", " : " or ") + list->words[i];
    }
    return text;
}

std::string replacedText(const ScheduleRefusal &r) {
    const std::string_view does = r.tag == "CI" ? "inline" : r.tag == "RF" ? "factor" : "cache";
    std::string text = fmt::format("{} cannot {} {}: {} is attached at its loop {}", r.tag, does, r.stage.text(),
                                   r.otherStage.text(), r.otherLoop.id.value);
    if (r.tag == "CI") return text + "; move that one first (CA or CR)";
    return text + fmt::format(", which the step replaces; {} first, attach afterwards", does);
}

/// One case a rule: a forgotten one does not compile.
std::string withoutNumber(const ScheduleRefusal &r) {
    const auto attach = [&](std::string_view why) {
        return fmt::format("CA cannot attach {} at {}: {}", r.stage.text(), r.loop.text(), why);
    };
    switch (r.rule) {
    // What a step names is there.
    case ScheduleRule::StageExists:
        return fmt::format("{} names stage {}, which does not exist: the state has stages 0 to {}", r.tag, r.asked,
                           r.limit);
    case ScheduleRule::StageHasLoops:
        return fmt::format("{} needs loops, but {} is a placeholder and has none: choose a compute stage", r.tag,
                           r.stage.text());
    case ScheduleRule::StageNotInlined:
        return fmt::format("{} needs loops, but {} is inlined into its readers: compute it at root (CR) or at a loop "
                           "(CA) first",
                           r.tag, r.stage.text());
    case ScheduleRule::LoopExists:
        if (r.limit < 0)
            return fmt::format("{} names loop {} of {}, which has no loops", r.tag, r.asked, r.stage.text());
        return fmt::format("{} names loop {} of {}, which has loops 0 to {}", r.tag, r.asked, r.stage.text(), r.limit);
    case ScheduleRule::StageNamedIsThere:
        return fmt::format("{} is about stage {}, which is not there any more: name a stage that is, or take the step "
                           "out",
                           r.tag, r.word);
    case ScheduleRule::LoopNamedIsThere:
        return fmt::format("{} is about loop {} of {}, which is not there any more: name a loop that is, or take the "
                           "step out",
                           r.tag, r.word, r.stage.text());
    case ScheduleRule::StageLimit:
        return fmt::format("{} would add one more stage to the {} there are: a schedule of {} ops has at most {}",
                           r.tag, r.asked, r.beside, r.limit);
    // Annotations.
    case ScheduleRule::LoopKeepsAnnotation:
        return fmt::format("{} would lose the annotation {} of {}: take a loop without annotation, and annotate "
                           "afterwards",
                           r.tag, r.present, r.loop.text());
    case ScheduleRule::AnnotatedOnce:
        return fmt::format("AN cannot make {} {}: it already is {}, and a loop is annotated once; annotate another "
                           "loop",
                           r.loop.text(), r.word, r.present);
    case ScheduleRule::IterationsIndependent:
        return fmt::format("AN cannot make {} {}: it reduces, so its iterations depend on each other; annotate a "
                           "spatial loop, or unroll this one",
                           r.loop.text(), r.word);
    case ScheduleRule::TensorInstructionKnown:
        return fmt::format("AN cannot make {} {}: no tensor instruction is known here; vectorize or unroll it",
                           r.loop.text(), r.word);
    case ScheduleRule::PragmaKnown:
        return fmt::format("PR does not know the pragma \"{}\" on {}: use auto_unroll_max_step$N with N of 0 or more, "
                           "or debug_skip_region",
                           r.word, r.stage.text());
    // Memory.
    case ScheduleRule::ScopeNamed:
        return fmt::format("{} on {} names no memory scope: name one, such as {}", r.tag, r.stage.text(),
                           eitherOf(r.legal));
    case ScheduleRule::ReaderNamed:
        return fmt::format("CHR on {} names no reader: name the stages that are to read the copy", r.stage.text());
    case ScheduleRule::ReaderReadsStage:
        return fmt::format("CHR cannot redirect {} to a copy of {}: it does not read that stage; name stages that do",
                           r.otherStage.text(), r.stage.text());
    case ScheduleRule::ReaderNamedOnce:
        return fmt::format("CHR on {} names the reader {} twice: name each once", r.stage.text(), r.otherStage.text());
    case ScheduleRule::AlignsWholeAxis:
        return fmt::format("SA cannot align along {}: it is not a whole axis of the stage's tensor; name an unsplit "
                           "spatial loop, or a reduction loop, along which nothing moves",
                           r.loop.text());
    case ScheduleRule::AlignmentInRange:
        return fmt::format("SA cannot align {} to factor {} and offset {}: the factor is 1 or more, the offset 0 or "
                           "more",
                           r.stage.text(), r.asked, r.beside);
    // Where a stage is computed.
    case ScheduleRule::NothingAttachedHere:
        return replacedText(r);
    case ScheduleRule::ComputedByLoops:
        return fmt::format("{} cannot move {}: it is a placeholder, which nobody computes; {}", r.tag, r.stage.text(),
                           r.tag == "CA" ? "cache it (CHR) and move the copy" : "name a compute stage");
    case ScheduleRule::OutputStaysAtRoot:
        return fmt::format("CA cannot move {} into {}: it is an output, and no stage reads it; outputs stay at root",
                           r.stage.text(), r.otherStage.text());
    case ScheduleRule::NotInsideItself:
        return attach(fmt::format("that loop is itself computed inside {}; choose a loop outside it", r.stage.text()));
    case ScheduleRule::ReadAtAttachPoint:
        return attach("nothing computed in that stage reads it; attach it at a loop of one of its readers");
    case ScheduleRule::InlinesNoPlaceholder:
        return fmt::format(
            "CI cannot inline {}: it is a placeholder; only what a compute stage computes can be inlined",
            r.stage.text());
    case ScheduleRule::InlinesNoReduction:
        return fmt::format("CI cannot inline {}: it reduces over {}, and a reduction needs loops of its own; compute "
                           "it at a reader's loop (CA) instead",
                           r.stage.text(), r.word);
    case ScheduleRule::InlinesNoOutput:
        return fmt::format(
            "CI cannot inline {}: it is an output and has to be written; inline a stage that others read",
            r.stage.text());
    case ScheduleRule::InlinedReadsFit:
        return fmt::format("CI cannot inline {}: what is inlined is computed again at every place where it is read, "
                           "and a statement would read more than {} elements; keep a stage on the way",
                           r.stage.text(), r.limit);
    // Splits.
    case ScheduleRule::LengthInRange:
        return fmt::format("{} cannot split {} by {}: lengths are 1 to {}", r.tag, r.loop.text(), r.asked, r.limit);
    case ScheduleRule::LengthGiven:
        return fmt::format("{} gives no length for {}: give at least one", r.tag, r.loop.text());
    case ScheduleRule::LoopLimit:
        return fmt::format("{} cannot split {} into {} parts: the stage would have {} loops, at most {} are kept",
                           r.tag, r.loop.text(), r.beside, r.asked, r.limit);
    case ScheduleRule::FollowedStepIsThere:
        return fmt::format("{} on {} follows {}: follow another SP, or take the step out", r.tag, r.stage.text(),
                           r.follows.value < 0
                               ? "an SP that is not there any more"
                               : fmt::format("step {}, which does not apply any more", r.follows.value));
    case ScheduleRule::FollowedStepBefore:
        return fmt::format("{} on {} follows step {}, but only steps 0 to {} come before it", r.tag, r.stage.text(),
                           r.follows.value, r.limit);
    case ScheduleRule::FollowedStepIsSplit:
        return fmt::format("{} on {} follows step {}, which is {}: only an SP can be followed", r.tag, r.stage.text(),
                           r.follows.value, r.word);
    case ScheduleRule::FollowsSomething:
        return fmt::format("{} on {} follows no step: name the SPs whose lengths it multiplies", r.tag, r.stage.text());
    case ScheduleRule::FollowedLevelExists:
        return fmt::format("{} on {} takes length {} of step {}, which has lengths 0 to {}", r.tag, r.stage.text(),
                           r.asked, r.follows.value, r.limit);
    case ScheduleRule::FollowedPartsExist:
        return fmt::format("{} splits {} into {} parts more, but step {} has {} lengths: follow 1 to {} of them, or {} "
                           "for one part more of length 1",
                           r.tag, r.loop.text(), r.asked, r.follows.value, r.limit, r.limit, r.limit + 1);
    // Fusing and reordering.
    case ScheduleRule::FusesSomething:
        return fmt::format("FU names no loop of {}: name at least one (the empty list is for stages without spatial "
                           "axes)",
                           r.stage.text());
    case ScheduleRule::FusedConsecutive:
        return fmt::format("FU cannot fuse {} with loop {} before it: fused loops are consecutive, outermost first; "
                           "reorder (RE) them next to each other",
                           r.loop.text(), r.otherLoop.id.value);
    case ScheduleRule::FusedCarryNothing:
        return fmt::format("FU cannot fuse {} with loops inside it: {} is attached at it; only the last fused loop may "
                           "carry attached stages",
                           r.loop.text(), r.otherStage.text());
    case ScheduleRule::FusedOfOneKind:
        return fmt::format("FU cannot fuse {} with {}: one is spatial and the other reduces, so the result would have "
                           "no place to start the sum; fuse loops of one kind",
                           r.loop.text(), r.otherLoop.text());
    case ScheduleRule::FusedIterationLimit:
        return fmt::format("FU cannot fuse {} loops from {} on: together they have more than {} iterations; fuse fewer",
                           r.beside, r.loop.text(), r.limit);
    case ScheduleRule::FusedNameLimit:
        return fmt::format("FU cannot fuse {} loops of {}: the name of the fused loop would have {} characters, at "
                           "most {} are kept; split and fuse fewer times",
                           r.beside, r.stage.text(), r.asked, r.limit);
    case ScheduleRule::OrderListsAll:
        return fmt::format("RE lists {} loops, but {} has {}: list each of them once", r.asked, r.stage.text(),
                           r.limit);
    case ScheduleRule::OrderListsOnce:
        return fmt::format("RE lists {} twice: a new order lists each loop once", r.loop.text());
    // Factoring a reduction.
    case ScheduleRule::FactorsReduction:
        return fmt::format("RF cannot factor {}: it does not reduce; name a stage with a reduction", r.stage.text());
    case ScheduleRule::FactorsReductionLoop:
        return fmt::format("RF cannot factor {}: it is not a reduction loop; name a part of a split reduction loop",
                           r.loop.text());
    case ScheduleRule::FactorFollowsSplit:
        return fmt::format("RF on {} does not follow the SP that made that loop: split the reduction loop in the step "
                           "right before RF, and factor one of the parts",
                           r.loop.text());
    case ScheduleRule::FactorLengthsFilled:
        return fmt::format("RF on {} needs the lengths of the split before it: fill them first", r.loop.text());
    case ScheduleRule::FactorPositionInRange:
        return fmt::format("RF cannot put the factored axis of {} at position {}: it goes between the {} spatial axes, "
                           "at 0 to {}",
                           r.stage.text(), r.asked, r.limit, r.limit);
    }
    return {};
}

} // namespace

std::string NamedStage::text() const { return fmt::format("stage {} ({})", id.value, name); }

std::string NamedLoop::text() const { return fmt::format("loop {} ({}) of {}", id.value, name, stage.text()); }

std::string ScheduleRefusal::sentence() const {
    const std::string text = withoutNumber(*this);
    return step.value < 0 ? text : fmt::format("step {}: {}", step.value, text);
}

} // namespace loopscope
