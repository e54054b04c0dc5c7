#pragma once
// Why a step does not apply, as a value: the rule it breaks, which step, stage and loop are meant, and what would be
// legal instead. The sentence people read is printed from it, and a window can offer the cure. Names are kept beside
// the numbers, so that a refusal outlives the state it speaks of.

#include "base/outcome.h"
#include "schedule/loop_state.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loopscope {

enum class ScheduleRule : uint8_t {
    // What a step names is there.
    StageExists,
    StageHasLoops,   // no placeholder
    StageNotInlined, // an inlined stage has no loops
    LoopExists,
    StageNamedIsThere, // of edited lists (edit_steps.h): no step before it makes it any more
    LoopNamedIsThere,  // the same of a loop
    // Stages are no more than a schedule of that many ops may have.
    StageLimit,
    // Annotations.
    LoopKeepsAnnotation, // the step would lose it
    AnnotatedOnce,
    IterationsIndependent,
    ScanGoesInOrder,    // its iterations need the ones before
    ScatteredTermsMeet, // its iterations may write one element
    TensorInstructionKnown,
    PragmaKnown,
    // Memory.
    ScopeNamed,
    ReaderNamed,
    ReaderReadsStage,
    ReaderNamedOnce,
    NothingAttachedHere, // what the step replaces or inlines carries no stage
    AlignsWholeAxis,
    AlignmentInRange,
    // Where a stage is computed.
    ComputedByLoops, // a placeholder is not
    OutputStaysAtRoot,
    NotInsideItself,
    ReadAtAttachPoint,
    InlinesNoPlaceholder,
    InlinesNoReduction,
    InlinesNoScan,
    InlinesNoOutput,
    InlinedReadsFit,
    CachesNoScan,
    // Splits.
    ScanStaysOneLoop, // also where loops are fused
    LengthInRange,
    LengthGiven,
    LoopLimit,
    FollowedStepIsThere, // of edited lists: what it followed was taken out, or does not apply
    FollowedStepBefore,
    FollowedStepIsSplit,
    FollowsSomething,
    FollowedLevelExists,
    FollowedPartsExist,
    // Fusing and reordering.
    FusesSomething,
    FusedConsecutive,
    FusedCarryNothing, // but the last
    FusedOfOneKind,
    FusedIterationLimit,
    FusedNameLimit,
    OrderListsAll,
    OrderListsOnce,
    // Factoring a reduction.
    FactorsReduction,
    FactorsReductionLoop,
    FactorsNoScatter,
    FactorFollowsSplit,
    FactorLengthsFilled,
    FactorPositionInRange,
};

/// "fused-consecutive": a rule as machines read it.
std::string ruleName(ScheduleRule rule);

// --- What would be legal ------------------------------------------------------------------------------------------
// The first five stand in for what the step names or gives; ApplyFirst is a step in front of it.

struct LegalStages {
    std::vector<StageId> stages;
    bool operator==(const LegalStages &) const = default;
};
struct LegalLoops {
    StageId stage;
    std::vector<IterId> loops;
    bool operator==(const LegalLoops &) const = default;
};
struct LegalAttachPoints {
    std::vector<AttachPoint> points;
    bool operator==(const LegalAttachPoints &) const = default;
};
/// Steps that can be followed.
struct LegalSources {
    std::vector<StepId> steps;
    bool operator==(const LegalSources &) const = default;
};
struct LegalNumbers {
    int64_t least = 0;
    int64_t most = 0;
    std::vector<int64_t> sensible = {}; // of them, ascending: those that divide the loop; empty = all alike
    bool operator==(const LegalNumbers &) const = default;
};
struct LegalAnnotations {
    std::vector<Annotation> annotations;
    bool operator==(const LegalAnnotations &) const = default;
};
/// Memory scopes, or texts of a pragma.
struct LegalWords {
    std::vector<std::string> words;
    bool operator==(const LegalWords &) const = default;
};
/// Applied in front, this step takes the reason away. The refused step's numbers are those in front of it.
struct ApplyFirst {
    Step step;
    bool operator==(const ApplyFirst &) const = default;
};
using Suggestion = std::variant<LegalStages, LegalLoops, LegalAttachPoints, LegalSources, LegalNumbers,
                                LegalAnnotations, LegalWords, ApplyFirst>;

// --- The refusal --------------------------------------------------------------------------------------------------

/// Names are those of scripts: "C~2" is the second of that name.
struct NamedStage {
    StageId id; // -1: none
    std::string name;
    [[nodiscard]] std::string text() const; // "conv"
};
struct NamedLoop {
    NamedStage stage;
    IterId id; // -1: none
    std::string name;
    [[nodiscard]] std::string text() const; // "i.1 in conv"
};

struct ScheduleRefusal {
    ScheduleRule rule = ScheduleRule::StageExists;
    std::string_view tag;  // kind of the step: "SP"
    StepId step;           // its number in the list; -1 when it was applied alone
    NamedStage stage;      // that the rule is about
    NamedLoop loop;        // the same of a loop; its stage may be another one
    NamedStage otherStage; // a reader, a stage in the way, the stage to attach at
    NamedLoop otherLoop;
    StepId follows;      // the step followed
    int64_t asked = 0;   // what breaks the rule: a number, length, extent, count
    int64_t limit = 0;   // that it breaks
    int64_t beside = 0;  // a second number of the sentence, as the rule's has it
    std::string word;    // annotation, pragma, axis or name asked for
    std::string present; // annotation there is
    std::vector<Suggestion> legal;

    /// What, where, which rule, what would be legal, in the words of scripts; "step 4: " in front where the number is
    /// known.
    [[nodiscard]] std::string sentence() const;
    operator Refusal() const { return {sentence()}; } // where a sentence is all that is asked for
};
using Refused = std::optional<ScheduleRefusal>;

} // namespace loopscope
