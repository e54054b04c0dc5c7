#pragma once
// A list of steps that a person edits. A step means stages and loops by their names and the steps it follows by
// identity, so that those behind an edit keep their meaning: they are found again and renumbered. A step that no longer
// applies stays where it is, marked with its refusal, and the steps behind it go on without it. What it meant is kept:
// once the edit that took its loop away is undone, it applies again.
//
// A network's list has thousands of steps on thousands of stages: of the states between them a few are kept, and the
// others made anew from the nearest.

#include "schedule/schedule_refusal.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

class EditedSteps {
  public:
    explicit EditedSteps(const DagPtr &dag, const Steps &steps = {});

    [[nodiscard]] size_t size() const { return m_entries.size(); }
    /// Stages and loops have the numbers of the state in front of it, followed steps those of this list; what is not
    /// there (the step is refused then) has the number it was given with.
    [[nodiscard]] const Step &step(size_t at) const { return m_entries[at].step; }
    [[nodiscard]] const Refused &refused(size_t at) const { return m_entries[at].refused; }
    /// The state in front of step `at`; of size(): made by all steps that apply. Its steps() are those that do,
    /// numbered among themselves.
    [[nodiscard]] LoopState before(size_t at) const;
    [[nodiscard]] const LoopState &state() const { return m_state; }
    /// What step `at` makes of before(at); that itself where it is refused. To walk over all of them.
    [[nodiscard]] LoopState after(size_t at, LoopState before) const;
    /// How many steps in front of `at` apply.
    [[nodiscard]] size_t appliedBefore(size_t at) const;
    /// How many steps there are in front of the first refused one.
    [[nodiscard]] size_t legalPrefix() const;

    // The numbers in `step` are those of before(at), and of this list.
    void insert(size_t at, const Step &step); // in front of step `at`
    void change(size_t at, const Step &step);
    void erase(size_t at);
    void move(size_t from, size_t to); // is step `to` afterwards

    struct Name {
        std::string text;
        int occurrence = -1; // among the stages, or loops of the stage, of that name; -1: the number is all there is
    };
    /// What a step's numbers stand for, in the order in which they are visited.
    struct Meaning {
        std::vector<Name> stages;
        std::vector<Name> loops;
        std::vector<int> sources; // steps of the list; -1: none of them, kGone: one that was taken out
    };
    static constexpr int kGone = -2;
    // A list that is written down and read back, refused steps included: for each step what it means, then append() in
    // the same order. A meaning that is none of the step's is refused.
    [[nodiscard]] Meaning meaning(size_t at) const;
    [[nodiscard]] bool append(const Step &step, const Meaning &meaning);

  private:
    struct Entry {
        int id = 0;
        Step given;
        Step step;
        Meaning meaning;
        Refused refused = std::nullopt;
    };

    void checkPosition(size_t at, size_t end) const;
    [[nodiscard]] Meaning meaningOf(const Step &step, size_t at, const LoopState &state) const;
    /// Numbers the entry's step anew for the state in front of it.
    [[nodiscard]] Refused renumber(size_t at, const LoopState &state);
    /// The step as it is applied: followed steps counted among those that apply.
    [[nodiscard]] Step applicable(size_t at) const;
    void inListNumbers(ScheduleRefusal &refusal, size_t at) const;
    void replayFrom(size_t first);
    void goOnFrom(size_t first); // the state is the one in front of it

    std::vector<Entry> m_entries;
    std::vector<LoopState> m_kept; // in front of the entries 0, 64, 128, ...
    LoopState m_state;             // behind the last
    int m_nextId = 0;
};

} // namespace loopscope
