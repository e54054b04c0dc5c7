#pragma once
// How far the search of a network has come: its tasks with their times, whose turn it is and why, and how the time of
// the whole fell. Plain data; NetworkTuning alone changes it.

#include "search/choice_group.h"
#include "search/search_control.h"
#include "views/session/document.h"

#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// What a search of a network is asked to do.
struct NetworkTuningSetup {
    int trials = 64;             // of each task, those of the log included
    double timeLimitSeconds = 0; // 0: none
    QString order = QStringLiteral("gain");
    int trialsPerRound = 0; // 0: as the search has it
    bool onNodes = false;   // of a cluster, instead of this machine
    QString nodes = {};     // what is asked of Slurm (measure/fleet/slurm.h)
    bool operator==(const NetworkTuningSetup &) const = default;
};

/// One of the tasks that are searched.
struct NetworkTaskProgress {
    size_t number = 0; // in NetworkKernels::tasks
    std::string key = {};
    QString name = {}; // of its own among them
    double weight = 1;
    double flops = 0;
    double floorSeconds = 0; // no kernel can be faster; 0: not known
    int known = 0;           // trials of the log
    int trials = 0;          // of this search
    int failed = 0;          // of them
    double best = 0;         // seconds; 0: none yet
    double gain = -1;        // seconds of the whole that its next round is expected to gain; < 0: not known
    int rounds = 0;          // that are under way
    QString whyNone = {};    // why the log has nothing of it
};

struct NetworkTimePoint {
    int trials = 0;     // of all tasks, in this search
    double elapsed = 0; // seconds of it
    double seconds = 0; // of the network
};

struct NetworkProgress {
    SearchState state = SearchState::Idle;
    QString phase;
    std::vector<NetworkTaskProgress> tasks; // empty: nothing was searched yet, and no log looked at
    std::vector<TaskChoiceGroup> groups;    // of `tasks`, that are forms of one node
    int picked = -1;                        // of `tasks`, the one that got the last round
    QString why;                            // it and no other
    int trials = 0;                         // of all tasks, in this search
    int failed = 0;
    double elapsed = 0;
    QString ended;                           // how it ended, a sentence
    std::vector<NetworkTimePoint> estimated; // once every task has a time
    std::vector<NetworkTimePoint> measured;  // the whole, run and timed
    QString logPath;                         // empty: one of its own when it begins

    [[nodiscard]] bool underWay() const {
        return state == SearchState::Running || state == SearchState::Pausing || state == SearchState::Paused ||
               state == SearchState::Stopping;
    }
    /// By the key of a task of the network; null when it is not searched.
    [[nodiscard]] const NetworkTaskProgress *of(const std::string &key) const;
    /// How far each task is behind other forms of its nodes, and which is ahead; none for tasks in no group.
    [[nodiscard]] std::vector<std::vector<FormStanding>> forms() const;
    /// The arm of a group that is ahead; nothing while none has all of its kernels.
    [[nodiscard]] std::optional<size_t> leading(size_t group) const;
    /// Kernels of the tasks that have a time, each as often as it runs; of forms that are behind, none.
    [[nodiscard]] double seconds() const;
    /// Every kernel of the network has a time, or one of its forms does.
    [[nodiscard]] bool complete(const std::map<std::string, TaskSteering> &steered) const;
    [[nodiscard]] size_t timed() const; // tasks that have one
    /// Trials there will be, those of the log left out; of tasks that go on.
    /// Tasks that have a round beside the one that was picked last, where several are measured at a time.
    [[nodiscard]] size_t besides() const;
    [[nodiscard]] int wanted(const NetworkTuningSetup &setup, const std::map<std::string, TaskSteering> &steered) const;
};

/// The nodes: "conv1 and 3 more like it".
QString groupText(const TaskChoiceGroup &group);

} // namespace loopscope
