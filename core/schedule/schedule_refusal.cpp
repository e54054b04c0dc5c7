#include "schedule/schedule_refusal.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

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

/// The step as scripts name it, which is how people know it; annotations are told by annotated().
std::string_view primitiveOf(std::string_view wanted) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> names = {
        {{"AN", "annotate"},
         {"FU", "fuse"},
         {"PR", "pragma"},
         {"RE", "reorder"},
         {"SP", "split"},
         {"FSP", "follow_split"},
         {"FFSP", "follow_fused_split"},
         {"SA", "storage_align"},
         {"CA", "compute_at"},
         {"CI", "compute_inline"},
         {"CR", "compute_root"},
         {"CHR", "cache_read"},
         {"CHW", "cache_write"},
         {"RF", "rfactor"}}};
    for (const auto &[tag, name] : names)
        if (tag == wanted) return name;
    return wanted;
}

std::string_view primitive(const ScheduleRefusal &r) { return primitiveOf(r.tag); }

/// "parallel of i in C", "bind of i in C to threadIdx.x"
std::string annotated(const ScheduleRefusal &r) {
    if (r.word == annotationText(Annotation::None)) return fmt::format("serial of {}", r.loop.text());
    static constexpr std::array<std::string_view, 4> own = {"parallel", "vectorize", "unroll", "tensorize"};
    return std::find(own.begin(), own.end(), r.word) != own.end()
               ? fmt::format("{} of {}", r.word, r.loop.text())
               : fmt::format("bind of {} to {}", r.loop.text(), r.word);
}

std::string replacedText(const ScheduleRefusal &r) {
    std::string text = fmt::format("{} of {}: {} is attached at its loop {}", primitive(r), r.stage.text(),
                                   r.otherStage.text(), r.otherLoop.name);
    if (r.tag == "CI") return text + "; move that one first (compute_at or compute_root)";
    return text +
           fmt::format(", which the step replaces; {} first, attach afterwards", r.tag == "RF" ? "factor" : "cache");
}

/// One case a rule: a forgotten one does not compile.
std::string withoutNumber(const ScheduleRefusal &r) {
    const std::string_view does = primitive(r);
    const auto attach = [&](std::string_view why) {
        return fmt::format("compute_at of {} at {}: {}", r.stage.text(), r.loop.text(), why);
    };
    switch (r.rule) {
    // What a step names is there.
    case ScheduleRule::StageExists:
        return fmt::format("{} names stage {}, which does not exist: the state has stages 0 to {}", does, r.asked,
                           r.limit);
    case ScheduleRule::StageHasLoops:
        return fmt::format("{} needs loops, but {} is a placeholder and has none: choose a compute stage", does,
                           r.stage.text());
    case ScheduleRule::StageNotInlined:
        return fmt::format("{} needs loops, but {} is inlined into its readers: compute it at root (compute_root) or "
                           "at a loop (compute_at) first",
                           does, r.stage.text());
    case ScheduleRule::LoopExists:
        if (r.limit < 0)
            return fmt::format("{} names loop {} of {}, which has no loops", does, r.asked, r.stage.text());
        return fmt::format("{} names loop {} of {}, which has loops 0 to {}", does, r.asked, r.stage.text(), r.limit);
    case ScheduleRule::StageNamedIsThere:
        return fmt::format("{} is about stage {}, which is not there any more: name a stage that is, or take the step "
                           "out",
                           does, r.word);
    case ScheduleRule::LoopNamedIsThere:
        return fmt::format("{} is about loop {} of {}, which is not there any more: name a loop that is, or take the "
                           "step out",
                           does, r.word, r.stage.text());
    case ScheduleRule::StageLimit:
        return fmt::format("{} would add one more stage to the {} there are: a schedule of {} ops has at most {}", does,
                           r.asked, r.beside, r.limit);
    // Annotations.
    case ScheduleRule::LoopKeepsAnnotation:
        return fmt::format("{} of {}: it would lose its annotation {}; take a loop without annotation, and annotate "
                           "afterwards",
                           does, r.loop.text(), r.present);
    case ScheduleRule::AnnotatedOnce:
        return fmt::format("{}: it already is {}, and a loop is annotated once; annotate another loop", annotated(r),
                           r.present);
    case ScheduleRule::IterationsIndependent:
        return fmt::format("{}: it reduces, so its iterations depend on each other; annotate a spatial loop, or unroll "
                           "this one",
                           annotated(r));
    case ScheduleRule::ScanGoesInOrder:
        return fmt::format("{}: the scan goes along it, and every iteration needs the ones before; annotate another "
                           "loop, or unroll this one",
                           annotated(r));
    case ScheduleRule::ScatteredTermsMeet:
        return fmt::format("{}: terms of different iterations may go to one element of {}; annotate a spatial loop, or "
                           "unroll this one",
                           annotated(r), r.stage.text());
    case ScheduleRule::TensorInstructionKnown:
        return fmt::format("{}: no tensor instruction is known here; vectorize or unroll it", annotated(r));
    case ScheduleRule::PragmaKnown:
        return fmt::format("pragma on {}: \"{}\" is not known; use auto_unroll_max_step$N with N of 0 or more, or "
                           "debug_skip_region",
                           r.stage.text(), r.word);
    // Memory.
    case ScheduleRule::ScopeNamed:
        return fmt::format("{} of {} names no memory scope: name one, such as {}", does, r.stage.text(),
                           eitherOf(r.legal));
    case ScheduleRule::ReaderNamed:
        return fmt::format("{} of {} names no reader: name the stages that are to read the copy", does, r.stage.text());
    case ScheduleRule::ReaderReadsStage:
        return fmt::format("{} of {} cannot redirect {} to the copy: it does not read that stage; name stages that do",
                           does, r.stage.text(), r.otherStage.text());
    case ScheduleRule::ReaderNamedOnce:
        return fmt::format("{} of {} names the reader {} twice: name each once", does, r.stage.text(),
                           r.otherStage.text());
    case ScheduleRule::AlignsWholeAxis:
        return fmt::format("{} of {}: it is not a whole axis of the stage's tensor; name an unsplit spatial loop, or a "
                           "reduction loop, along which nothing moves",
                           does, r.loop.text());
    case ScheduleRule::AlignmentInRange:
        return fmt::format("{} of {} to factor {} and offset {}: the factor is 1 or more, the offset 0 or more", does,
                           r.stage.text(), r.asked, r.beside);
    // Where a stage is computed.
    case ScheduleRule::NothingAttachedHere:
        return replacedText(r);
    case ScheduleRule::ComputedByLoops:
        return fmt::format("{} of {}: it is a placeholder, which nobody computes; {}", does, r.stage.text(),
                           r.tag == "CA" ? "cache it (cache_read) and move the copy" : "name a compute stage");
    case ScheduleRule::OutputStaysAtRoot:
        return fmt::format("{} of {} in {}: it is an output, and no stage reads it; outputs stay at root", does,
                           r.stage.text(), r.otherStage.text());
    case ScheduleRule::NotInsideItself:
        return attach(fmt::format("that loop is itself computed inside {}; choose a loop outside it", r.stage.text()));
    case ScheduleRule::ReadAtAttachPoint:
        return attach("nothing computed in that stage reads it; attach it at a loop of one of its readers");
    case ScheduleRule::InlinesNoPlaceholder:
        return fmt::format("{} of {}: it is a placeholder; only what a compute stage computes can be inlined", does,
                           r.stage.text());
    case ScheduleRule::InlinesNoReduction:
        return fmt::format("{} of {}: it reduces over {}, and a reduction needs loops of its own; compute it at a "
                           "reader's loop (compute_at) instead",
                           does, r.stage.text(), r.word);
    case ScheduleRule::InlinesNoScan:
        return fmt::format("{} of {}: it is a scan along {}, whose elements need the ones before; compute it at a "
                           "reader's loop (compute_at) instead",
                           does, r.stage.text(), r.word);
    case ScheduleRule::InlinesNoOutput:
        return fmt::format("{} of {}: it is an output and has to be written; inline a stage that others read", does,
                           r.stage.text());
    case ScheduleRule::InlinedReadsFit:
        return fmt::format("{} of {}: what is inlined is computed again at every place where it is read, and a "
                           "statement would read more than {} elements; keep a stage on the way",
                           does, r.stage.text(), r.limit);
    case ScheduleRule::CachesNoScan:
        return fmt::format("{} of {}: it is a scan along {} and reads what it writes, so that is where it is computed; "
                           "compute it at a reader's loop (compute_at) instead",
                           does, r.stage.text(), r.word);
    // Splits.
    case ScheduleRule::ScanStaysOneLoop:
        return fmt::format("{} of {}: the scan goes along it from one end to the other, so it stays one loop; {} "
                           "other loops",
                           does, r.loop.text(), does);
    case ScheduleRule::LengthInRange:
        return fmt::format("{} of {} by {}: lengths are 1 to {}", does, r.loop.text(), r.asked, r.limit);
    case ScheduleRule::LengthGiven:
        return fmt::format("{} of {} gives no length: give at least one", does, r.loop.text());
    case ScheduleRule::LoopLimit:
        return fmt::format("{} of {} into {} parts: the stage would have {} loops, at most {} are kept", does,
                           r.loop.text(), r.beside, r.asked, r.limit);
    case ScheduleRule::FollowedStepIsThere:
        return fmt::format("{} on {} follows {}: follow another split, or take the step out", does, r.stage.text(),
                           r.follows.value < 0
                               ? "a split that is not there any more"
                               : fmt::format("step {}, which does not apply any more", r.follows.value));
    case ScheduleRule::FollowedStepBefore:
        return fmt::format("{} on {} follows step {}, but only steps 0 to {} come before it", does, r.stage.text(),
                           r.follows.value, r.limit);
    case ScheduleRule::FollowedStepIsSplit:
        return fmt::format("{} on {} follows step {}, which is no split but {}: only a split can be followed", does,
                           r.stage.text(), r.follows.value, primitiveOf(r.word));
    case ScheduleRule::FollowsSomething:
        return fmt::format("{} on {} follows no step: name the splits whose lengths it multiplies", does,
                           r.stage.text());
    case ScheduleRule::FollowedLevelExists:
        return fmt::format("{} on {} takes length {} of step {}, which has lengths 0 to {}", does, r.stage.text(),
                           r.asked, r.follows.value, r.limit);
    case ScheduleRule::FollowedPartsExist:
        return fmt::format("{} of {} into {} parts more, but step {} has {} lengths: follow 1 to {} of them, or {} for "
                           "one part more of length 1",
                           does, r.loop.text(), r.asked, r.follows.value, r.limit, r.limit, r.limit + 1);
    // Fusing and reordering.
    case ScheduleRule::FusesSomething:
        return fmt::format("{} names no loop of {}: name at least one (the empty list is for stages without spatial "
                           "axes)",
                           does, r.stage.text());
    case ScheduleRule::FusedConsecutive:
        return fmt::format("{} of {} with {} before it: fused loops are consecutive, outermost first; reorder them "
                           "next to each other",
                           does, r.loop.text(), r.otherLoop.name);
    case ScheduleRule::FusedCarryNothing:
        return fmt::format("{} of {} with loops inside it: {} is attached at it; only the last fused loop may carry "
                           "attached stages",
                           does, r.loop.text(), r.otherStage.text());
    case ScheduleRule::FusedOfOneKind:
        return fmt::format("{} of {} with {}: one is spatial and the other reduces, so the result would have no place "
                           "to start the sum; fuse loops of one kind",
                           does, r.loop.text(), r.otherLoop.name);
    case ScheduleRule::FusedIterationLimit:
        return fmt::format("{} of {} loops from {} on: together they have more than {} iterations; fuse fewer", does,
                           r.beside, r.loop.text(), r.limit);
    case ScheduleRule::FusedNameLimit:
        return fmt::format("{} of {} loops of {}: the name of the fused loop would have {} characters, at most {} are "
                           "kept; split and fuse fewer times",
                           does, r.beside, r.stage.text(), r.asked, r.limit);
    case ScheduleRule::OrderListsAll:
        return fmt::format("{} lists {} loops, but {} has {}: list each of them once", does, r.asked, r.stage.text(),
                           r.limit);
    case ScheduleRule::OrderListsOnce:
        return fmt::format("{} lists {} twice: a new order lists each loop once", does, r.loop.text());
    // Factoring a reduction.
    case ScheduleRule::FactorsReduction:
        return fmt::format("{} of {}: it does not reduce; name a stage with a reduction", does, r.stage.text());
    case ScheduleRule::FactorsReductionLoop:
        return fmt::format("{} of {}: it is not a reduction loop; name a part of a split reduction loop", does,
                           r.loop.text());
    case ScheduleRule::FactorsNoScatter:
        return fmt::format("{} of {}: the places of its terms are computed, so there are no partial results to keep "
                           "apart; parallelize a spatial loop",
                           does, r.stage.text());
    case ScheduleRule::FactorFollowsSplit:
        return fmt::format("{} of {} does not follow the split that made that loop: split the reduction loop in the "
                           "step right before, and factor one of the parts",
                           does, r.loop.text());
    case ScheduleRule::FactorLengthsFilled:
        return fmt::format("{} of {} needs the lengths of the split before it: fill them first", does, r.loop.text());
    case ScheduleRule::FactorPositionInRange:
        return fmt::format("{} of {} at position {}: the factored axis goes between the {} spatial axes, at 0 to {}",
                           does, r.stage.text(), r.asked, r.limit, r.limit);
    }
    return {};
}

} // namespace

std::string NamedStage::text() const { return name; }

std::string NamedLoop::text() const { return fmt::format("{} in {}", name, stage.text()); }

std::string ScheduleRefusal::sentence() const {
    const std::string text = withoutNumber(*this);
    return step.value < 0 ? text : fmt::format("step {}: {}", step.value, text);
}

} // namespace loopscope
