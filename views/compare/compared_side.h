#pragma once
// One side of a comparison: what is known of its schedule, the text of each tab, and how lines of that text and what is
// selected in the window belong together. Plain data and functions.

#include "compare/aligned_steps.h"
#include "dag/compute_dag.h"
#include "views/compare/aligned_text.h"
#include "views/session/representation_cache.h"
#include "views/session/representations.h"
#include "views/session/selection.h"
#include "views/text/code_language.h"

#include <optional>
#include <set>

namespace loopscope {

enum class CompareTab : uint8_t { Loops, Steps, C, Assembly };
CodeLanguage languageOf(CompareTab tab);

/// What a tab shows: a name of a pass where loops are compared, empty or "state" for the state itself.
inline const QString kStatePass = QStringLiteral("state");

struct ComparedSide {
    ScheduleRef ref;
    RepresentationsPtr forms;
    DisassemblyPtr disassembly; // asked for only where a tab needs it
    QString disassemblyProblem;

    [[nodiscard]] bool hasProgram() const { return forms && !forms->passes.empty(); }
    /// None with a sentence while it is being made or when there is none.
    [[nodiscard]] std::optional<SideText> text(CompareTab tab, const QString &pass, const DagPtr &dag,
                                               QString &sentence) const;
    /// Its script, a step a line, with the place of each step among those aligned as its key.
    [[nodiscard]] static SideText alignedSteps(const std::vector<StepPair> &pairs, AlignedText::Side side);
    /// What the text is made from: the same again needs no work.
    [[nodiscard]] const void *source(CompareTab tab) const;

    // `lastPass`: links are those of the last pass, and of what is made from it.
    /// Numbers of the lines that stand for what is selected.
    [[nodiscard]] std::set<int> linesOf(CompareTab tab, bool lastPass, const Selected &now) const;
    /// What choosing a line selects; none where it stands for nothing.
    [[nodiscard]] std::optional<Selected> selectionAt(CompareTab tab, bool lastPass, int number, Selected now) const;

  private:
    [[nodiscard]] const LinkedText *linked(CompareTab tab) const; // null: a program, or nothing
};

} // namespace loopscope
