// Names of the rules, for machines: sentences may change, these stay.

#include "script/schedule_script.h"

namespace loopscope {

/// One case a rule: a forgotten one does not compile.
std::string ruleName(ScheduleRule rule) {
    switch (rule) {
    case ScheduleRule::StageExists:
        return "stage-exists";
    case ScheduleRule::StageHasLoops:
        return "stage-has-loops";
    case ScheduleRule::StageNotInlined:
        return "stage-not-inlined";
    case ScheduleRule::LoopExists:
        return "loop-exists";
    case ScheduleRule::StageNamedIsThere:
        return "stage-named-is-there";
    case ScheduleRule::LoopNamedIsThere:
        return "loop-named-is-there";
    case ScheduleRule::StageLimit:
        return "stage-limit";
    case ScheduleRule::LoopKeepsAnnotation:
        return "loop-keeps-annotation";
    case ScheduleRule::AnnotatedOnce:
        return "annotated-once";
    case ScheduleRule::IterationsIndependent:
        return "iterations-independent";
    case ScheduleRule::ScanGoesInOrder:
        return "scan-goes-in-order";
    case ScheduleRule::ScatteredTermsMeet:
        return "scattered-terms-meet";
    case ScheduleRule::TensorInstructionKnown:
        return "tensor-instruction-known";
    case ScheduleRule::PragmaKnown:
        return "pragma-known";
    case ScheduleRule::ScopeNamed:
        return "scope-named";
    case ScheduleRule::ReaderNamed:
        return "reader-named";
    case ScheduleRule::ReaderReadsStage:
        return "reader-reads-stage";
    case ScheduleRule::ReaderNamedOnce:
        return "reader-named-once";
    case ScheduleRule::NothingAttachedHere:
        return "nothing-attached-here";
    case ScheduleRule::AlignsWholeAxis:
        return "aligns-whole-axis";
    case ScheduleRule::AlignmentInRange:
        return "alignment-in-range";
    case ScheduleRule::ScanStaysOneLoop:
        return "scan-stays-one-loop";
    case ScheduleRule::CachesNoScan:
        return "caches-no-scan";
    case ScheduleRule::ComputedByLoops:
        return "computed-by-loops";
    case ScheduleRule::OutputStaysAtRoot:
        return "output-stays-at-root";
    case ScheduleRule::NotInsideItself:
        return "not-inside-itself";
    case ScheduleRule::ReadAtAttachPoint:
        return "read-at-attach-point";
    case ScheduleRule::InlinesNoPlaceholder:
        return "inlines-no-placeholder";
    case ScheduleRule::InlinesNoReduction:
        return "inlines-no-reduction";
    case ScheduleRule::InlinesNoScan:
        return "inlines-no-scan";
    case ScheduleRule::InlinesNoOutput:
        return "inlines-no-output";
    case ScheduleRule::InlinedReadsFit:
        return "inlined-reads-fit";
    case ScheduleRule::LengthInRange:
        return "length-in-range";
    case ScheduleRule::LengthGiven:
        return "length-given";
    case ScheduleRule::LoopLimit:
        return "loop-limit";
    case ScheduleRule::FollowedStepIsThere:
        return "followed-step-is-there";
    case ScheduleRule::FollowedStepBefore:
        return "followed-step-before";
    case ScheduleRule::FollowedStepIsSplit:
        return "followed-step-is-split";
    case ScheduleRule::FollowsSomething:
        return "follows-something";
    case ScheduleRule::FollowedLevelExists:
        return "followed-level-exists";
    case ScheduleRule::FollowedPartsExist:
        return "followed-parts-exist";
    case ScheduleRule::FusesSomething:
        return "fuses-something";
    case ScheduleRule::FusedConsecutive:
        return "fused-consecutive";
    case ScheduleRule::FusedCarryNothing:
        return "fused-carry-nothing";
    case ScheduleRule::FusedOfOneKind:
        return "fused-of-one-kind";
    case ScheduleRule::FusedIterationLimit:
        return "fused-iteration-limit";
    case ScheduleRule::FusedNameLimit:
        return "fused-name-limit";
    case ScheduleRule::OrderListsAll:
        return "order-lists-all";
    case ScheduleRule::OrderListsOnce:
        return "order-lists-once";
    case ScheduleRule::FactorsReduction:
        return "factors-reduction";
    case ScheduleRule::FactorsReductionLoop:
        return "factors-reduction-loop";
    case ScheduleRule::FactorsNoScatter:
        return "factors-no-scatter";
    case ScheduleRule::FactorFollowsSplit:
        return "factor-follows-split";
    case ScheduleRule::FactorLengthsFilled:
        return "factor-lengths-filled";
    case ScheduleRule::FactorPositionInRange:
        return "factor-position-in-range";
    }
    return {};
}

} // namespace loopscope
