#include "schedule/schedule_refusal.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
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

/// "parallel of i in C", "bind of i in C to threadIdx.x"
std::string annotated(const ScheduleRefusal &r) {
    if (r.word == annotationText(Annotation::None)) return fmt::format("serial of {}", r.loop.text());
    static constexpr std::array<std::string_view, 4> own = {"parallel", "vectorize", "unroll", "tensorize"};
    return std::find(own.begin(), own.end(), r.word) != own.end()
               ? fmt::format("{} of {}", r.word, r.loop.text())
               : fmt::format("bind of {} to {}", r.loop.text(), r.word);
}

/// What the step replaces or inlines carries a stage.
std::string_view replacedText(const ScheduleRefusal &r) {
    if (r.tag == "CI") return "; move that one first (compute_at or compute_root)";
    return r.tag == "RF" ? ", which the step replaces; factor first, attach afterwards"
                         : ", which the step replaces; cache first, attach afterwards";
}

std::string followedText(const ScheduleRefusal &r) {
    return r.follows.value < 0 ? "a split that is not there any more"
                               : fmt::format("step {}, which does not apply any more", r.follows.value);
}

struct RuleRow {
    ScheduleRule rule;
    std::string_view name;     // for machines: sentences may change, these stay
    std::string_view sentence; // with the words of kWords in braces
};
constexpr RuleRow kRules[] = {
    // What a step names is there.
    {ScheduleRule::StageExists, "stage-exists",
     "{does} names stage {asked}, which does not exist: the state has stages 0 to {limit}"},
    {ScheduleRule::StageHasLoops, "stage-has-loops",
     "{does} needs loops, but {stage} is a placeholder and has none: choose a compute stage"},
    {ScheduleRule::StageNotInlined, "stage-not-inlined",
     "{does} needs loops, but {stage} is inlined into its readers: compute it at root (compute_root) or at a loop "
     "(compute_at) first"},
    {ScheduleRule::LoopExists, "loop-exists", "{does} names loop {asked} of {stage}, which has {loops}"},
    {ScheduleRule::StageNamedIsThere, "stage-named-is-there",
     "{does} is about stage {word}, which is not there any more: name a stage that is, or take the step out"},
    {ScheduleRule::LoopNamedIsThere, "loop-named-is-there",
     "{does} is about loop {word} of {stage}, which is not there any more: name a loop that is, or take the step out"},
    // Stages are no more than a schedule of that many ops may have.
    {ScheduleRule::StageLimit, "stage-limit",
     "{does} would add one more stage to the {asked} there are: a schedule of {beside} ops has at most {limit}"},
    // Annotations.
    {ScheduleRule::LoopKeepsAnnotation, "loop-keeps-annotation",
     "{does} of {loop}: it would lose its annotation {present}; take a loop without annotation, and annotate "
     "afterwards"},
    {ScheduleRule::AnnotatedOnce, "annotated-once",
     "{annotated}: it already is {present}, and a loop is annotated once; annotate another loop"},
    {ScheduleRule::IterationsIndependent, "iterations-independent",
     "{annotated}: it reduces, so its iterations depend on each other; annotate a spatial loop, or unroll this one"},
    {ScheduleRule::ScanGoesInOrder, "scan-goes-in-order",
     "{annotated}: the scan goes along it, and every iteration needs the ones before; annotate another loop, or unroll "
     "this one"},
    {ScheduleRule::ScatteredTermsMeet, "scattered-terms-meet",
     "{annotated}: terms of different iterations may go to one element of {stage}; annotate a spatial loop, or unroll "
     "this one"},
    {ScheduleRule::TensorInstructionKnown, "tensor-instruction-known",
     "{annotated}: no tensor instruction is known here; vectorize or unroll it"},
    {ScheduleRule::PragmaKnown, "pragma-known",
     "pragma on {stage}: \"{word}\" is not known; use auto_unroll_max_step$N with N of 0 or more, or "
     "debug_skip_region"},
    // Memory.
    {ScheduleRule::ScopeNamed, "scope-named", "{does} of {stage} names no memory scope: name one, such as {either}"},
    {ScheduleRule::ReaderNamed, "reader-named",
     "{does} of {stage} names no reader: name the stages that are to read the copy"},
    {ScheduleRule::ReaderReadsStage, "reader-reads-stage",
     "{does} of {stage} cannot redirect {other} to the copy: it does not read that stage; name stages that do"},
    {ScheduleRule::ReaderNamedOnce, "reader-named-once",
     "{does} of {stage} names the reader {other} twice: name each once"},
    {ScheduleRule::NothingAttachedHere, "nothing-attached-here",
     "{does} of {stage}: {other} is attached at its loop {otherLoop}{replaced}"},
    {ScheduleRule::AlignsWholeAxis, "aligns-whole-axis",
     "{does} of {loop}: it is not a whole axis of the stage's tensor; name an unsplit spatial loop, or a reduction "
     "loop, along which nothing moves"},
    {ScheduleRule::AlignmentInRange, "alignment-in-range",
     "{does} of {stage} to factor {asked} and offset {beside}: the factor is 1 or more, the offset 0 or more"},
    // Where a stage is computed.
    {ScheduleRule::ComputedByLoops, "computed-by-loops",
     "{does} of {stage}: it is a placeholder, which nobody computes; {instead}"},
    {ScheduleRule::OutputStaysAtRoot, "output-stays-at-root",
     "{does} of {stage} in {other}: it is an output, and no stage reads it; outputs stay at root"},
    {ScheduleRule::NotInsideItself, "not-inside-itself",
     "compute_at of {stage} at {loop}: that loop is itself computed inside {stage}; choose a loop outside it"},
    {ScheduleRule::ReadAtAttachPoint, "read-at-attach-point",
     "compute_at of {stage} at {loop}: nothing computed in that stage reads it; attach it at a loop of one of its "
     "readers"},
    {ScheduleRule::InlinesNoPlaceholder, "inlines-no-placeholder",
     "{does} of {stage}: it is a placeholder; only what a compute stage computes can be inlined"},
    {ScheduleRule::InlinesNoReduction, "inlines-no-reduction",
     "{does} of {stage}: it reduces over {word}, and a reduction needs loops of its own; compute it at a reader's loop "
     "(compute_at) instead"},
    {ScheduleRule::InlinesNoScan, "inlines-no-scan",
     "{does} of {stage}: it is a scan along {word}, whose elements need the ones before; compute it at a reader's loop "
     "(compute_at) instead"},
    {ScheduleRule::InlinesNoOutput, "inlines-no-output",
     "{does} of {stage}: it is an output and has to be written; inline a stage that others read"},
    {ScheduleRule::InlinedReadsFit, "inlined-reads-fit",
     "{does} of {stage}: what is inlined is computed again at every place where it is read, and a statement would read "
     "more than {limit} elements; keep a stage on the way"},
    {ScheduleRule::CachesNoScan, "caches-no-scan",
     "{does} of {stage}: it is a scan along {word} and reads what it writes, so that is where it is computed; compute "
     "it at a reader's loop (compute_at) instead"},
    // Splits.
    {ScheduleRule::ScanStaysOneLoop, "scan-stays-one-loop",
     "{does} of {loop}: the scan goes along it from one end to the other, so it stays one loop; {does} other loops"},
    {ScheduleRule::LengthInRange, "length-in-range", "{does} of {loop} by {asked}: lengths are 1 to {limit}"},
    {ScheduleRule::LengthGiven, "length-given", "{does} of {loop} gives no length: give at least one"},
    {ScheduleRule::LoopLimit, "loop-limit",
     "{does} of {loop} into {beside} parts: the stage would have {asked} loops, at most {limit} are kept"},
    {ScheduleRule::FollowedStepIsThere, "followed-step-is-there",
     "{does} on {stage} follows {followed}: follow another split, or take the step out"},
    {ScheduleRule::FollowedStepBefore, "followed-step-before",
     "{does} on {stage} follows step {follows}, but only steps 0 to {limit} come before it"},
    {ScheduleRule::FollowedStepIsSplit, "followed-step-is-split",
     "{does} on {stage} follows step {follows}, which is no split but {wordIs}: only a split can be followed"},
    {ScheduleRule::FollowsSomething, "follows-something",
     "{does} on {stage} follows no step: name the splits whose lengths it multiplies"},
    {ScheduleRule::FollowedLevelExists, "followed-level-exists",
     "{does} on {stage} takes length {asked} of step {follows}, which has lengths 0 to {limit}"},
    {ScheduleRule::FollowedPartsExist, "followed-parts-exist",
     "{does} of {loop} into {asked} parts more, but step {follows} has {limit} lengths: follow 1 to {limit} of them, "
     "or {more} for one part more of length 1"},
    // Fusing and reordering.
    {ScheduleRule::FusesSomething, "fuses-something",
     "{does} names no loop of {stage}: name at least one (the empty list is for stages without spatial axes)"},
    {ScheduleRule::FusedConsecutive, "fused-consecutive",
     "{does} of {loop} with {otherLoop} before it: fused loops are consecutive, outermost first; reorder them next to "
     "each other"},
    {ScheduleRule::FusedCarryNothing, "fused-carry-nothing",
     "{does} of {loop} with loops inside it: {other} is attached at it; only the last fused loop may carry attached "
     "stages"},
    {ScheduleRule::FusedOfOneKind, "fused-of-one-kind",
     "{does} of {loop} with {otherLoop}: one is spatial and the other reduces, so the result would have no place to "
     "start the sum; fuse loops of one kind"},
    {ScheduleRule::FusedIterationLimit, "fused-iteration-limit",
     "{does} of {beside} loops from {loop} on: together they have more than {limit} iterations; fuse fewer"},
    {ScheduleRule::FusedNameLimit, "fused-name-limit",
     "{does} of {beside} loops of {stage}: the name of the fused loop would have {asked} characters, at most {limit} "
     "are kept; split and fuse fewer times"},
    {ScheduleRule::OrderListsAll, "order-lists-all",
     "{does} lists {asked} loops, but {stage} has {limit}: list each of them once"},
    {ScheduleRule::OrderListsOnce, "order-lists-once", "{does} lists {loop} twice: a new order lists each loop once"},
    // Factoring a reduction.
    {ScheduleRule::FactorsReduction, "factors-reduction",
     "{does} of {stage}: it does not reduce; name a stage with a reduction"},
    {ScheduleRule::FactorsReductionLoop, "factors-reduction-loop",
     "{does} of {loop}: it is not a reduction loop; name a part of a split reduction loop"},
    {ScheduleRule::FactorsNoScatter, "factors-no-scatter",
     "{does} of {stage}: the places of its terms are computed, so there are no partial results to keep apart; "
     "parallelize a spatial loop"},
    {ScheduleRule::FactorFollowsSplit, "factor-follows-split",
     "{does} of {loop} does not follow the split that made that loop: split the reduction loop in the step right "
     "before, and factor one of the parts"},
    {ScheduleRule::FactorLengthsFilled, "factor-lengths-filled",
     "{does} of {loop} needs the lengths of the split before it: fill them first"},
    {ScheduleRule::FactorPositionInRange, "factor-position-in-range",
     "{does} of {stage} at position {asked}: the factored axis goes between the {limit} spatial axes, at 0 to {limit}"},
};

constexpr bool inOrder() {
    for (size_t i = 0; i < std::size(kRules); ++i)
        if (kRules[i].rule != static_cast<ScheduleRule>(i)) return false;
    return true;
}
static_assert(std::size(kRules) == static_cast<size_t>(ScheduleRule::FactorPositionInRange) + 1 && inOrder(),
              "each rule has a row, in the order of the enumeration");

struct SentenceWord {
    std::string_view name;
    std::string (*text)(const ScheduleRefusal &r);
};
using R = const ScheduleRefusal &;
constexpr SentenceWord kWords[] = {
    {"does", [](R r) { return std::string(primitiveOf(r.tag)); }},
    {"stage", [](R r) { return r.stage.text(); }},
    {"loop", [](R r) { return r.loop.text(); }},
    {"other", [](R r) { return r.otherStage.text(); }},
    {"otherLoop", [](R r) { return r.otherLoop.name; }},
    {"asked", [](R r) { return std::to_string(r.asked); }},
    {"limit", [](R r) { return std::to_string(r.limit); }},
    {"more", [](R r) { return std::to_string(r.limit + 1); }},
    {"beside", [](R r) { return std::to_string(r.beside); }},
    {"word", [](R r) { return r.word; }},
    {"wordIs", [](R r) { return std::string(primitiveOf(r.word)); }},
    {"present", [](R r) { return r.present; }},
    {"annotated", [](R r) { return annotated(r); }},
    {"either", [](R r) { return eitherOf(r.legal); }},
    {"follows", [](R r) { return std::to_string(r.follows.value); }},
    {"followed", [](R r) { return followedText(r); }},
    {"replaced", [](R r) { return std::string(replacedText(r)); }},
    {"loops", [](R r) { return r.limit < 0 ? "no loops" : fmt::format("loops 0 to {}", r.limit); }},
    {"instead",
     [](R r) {
         return std::string(r.tag == "CA" ? "cache it (cache_read) and move the copy" : "name a compute stage");
     }},
};

std::string withoutNumber(const ScheduleRefusal &r) {
    std::string text;
    std::string_view rest = kRules[static_cast<size_t>(r.rule)].sentence;
    for (size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        const size_t close = rest.find('}', open);
        const std::string_view name = rest.substr(open + 1, close - open - 1);
        const auto *word = std::ranges::find(kWords, name, &SentenceWord::name);
        LOOPSCOPE_CHECK(word != std::end(kWords), std::string(name));
        text.append(rest.substr(0, open)).append(word->text(r));
        rest.remove_prefix(close + 1);
    }
    return text.append(rest);
}

} // namespace

std::string ruleName(ScheduleRule rule) { return std::string(kRules[static_cast<size_t>(rule)].name); }

std::string NamedStage::text() const { return name; }

std::string NamedLoop::text() const { return fmt::format("{} in {}", name, stage.text()); }

std::string ScheduleRefusal::sentence() const {
    const std::string text = withoutNumber(*this);
    return step.value < 0 ? text : fmt::format("step {}: {}", step.value, text);
}

} // namespace loopscope
