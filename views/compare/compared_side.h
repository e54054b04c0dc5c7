#pragma once
// One side of a comparison: what is known of its schedule, the text of each tab, and how lines of that text and what is
// selected in the window belong together. Plain data and functions.

#include "language/dag/compute_dag.h"
#include "search/explain/schedule_facts.h"
#include "views/compare/aligned_text.h"
#include "views/session/explanations.h"
#include "views/session/gpu_code.h"
#include "views/session/representation_cache.h"
#include "views/session/representations.h"
#include "views/session/selection.h"
#include "views/text/code_language.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

/// For a GPU C is CUDA C++, assembly PTX, and there is machine code below it, beside which a processor has its
/// assembly.
enum class CompareTab : uint8_t { Loops, Steps, C, LlvmIr, Assembly, Machine, Facts };
inline constexpr int kCompareTabs = static_cast<int>(CompareTab::Facts) + 1;
QString tabTitle(CompareTab tab, bool gpu);
/// "C | CUDA" where the sides are for different kinds of targets.
QString tabTitle(CompareTab tab, bool leftGpu, bool rightGpu);
CodeLanguage languageOf(CompareTab tab, bool gpu);
/// It takes machine code, which is compiled for it.
bool takesCode(CompareTab tab);

/// What a tab shows: a name of a pass where loops are compared, empty or "state" for the state itself.
inline const QString kStatePass = QStringLiteral("state");

struct ComparedSide {
    ScheduleRef ref;
    bool ofShown = true; // its task is the one the window shows: `ref` is what the selection calls it
    bool gpu = false;    // what it is for
    QString name;
    RepresentationsPtr forms;
    DisassemblyPtr disassembly; // asked for only where a tab needs it
    GpuCodePtr gpuCode;         // the same, for a GPU
    QString disassemblyProblem;
    ExplainedPtr explained; // the same
    ScheduleFacts told;     // what it was measured on, and its time; the same
    /// Where each step stands in the list that somebody edits, in which some are refused; empty: all apply.
    std::vector<int> rows;

    [[nodiscard]] bool hasProgram() const { return forms && !forms->passes.empty(); }
    [[nodiscard]] int rowOf(int step) const {
        return rows.empty() || step < 0 ? step : rows[static_cast<size_t>(step)];
    }
    /// None with a sentence while it is being made or when there is none. Empty for steps and facts, whose texts need
    /// both sides (side_texts.h).
    [[nodiscard]] std::optional<SideText> text(CompareTab tab, const QString &pass, QString &sentence) const;
    /// What the text is made from: the same again needs no work.
    [[nodiscard]] std::pair<const void *, const void *> source(CompareTab tab) const;
    /// What its lines are of, a key a line: a stage where its code begins, nothing elsewhere. By these, code in
    /// different languages is laid beside each other.
    [[nodiscard]] std::vector<std::string> landmarks(CompareTab tab, const QString &pass,
                                                     const std::string &text) const;

    // `lastPass`: links are those of the last pass, and of what is made from it.
    /// Numbers of the lines that stand for what is selected.
    [[nodiscard]] std::set<int> linesOf(CompareTab tab, bool lastPass, const Selected &now) const;
    /// What choosing a line selects; none where it stands for nothing.
    [[nodiscard]] std::optional<Selected> selectionAt(CompareTab tab, bool lastPass, int number, Selected now) const;

  private:
    [[nodiscard]] const LinkedText *linked(CompareTab tab) const; // null: a program, or nothing
};

} // namespace loopscope
