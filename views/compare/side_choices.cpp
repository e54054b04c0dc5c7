#include "views/compare/side_choices.h"

#include "views/compare/compare_facts.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

ScheduleRef trialRef(int number) { return {Kind::Trial, number}; }

/// A list that grows by groups, each behind a line.
class ChoiceList {
  public:
    explicit ChoiceList(const TaskState &state) : m_state(&state) {}

    void of(const TaskState &state) { m_state = &state; }
    void put(const ScheduleRef &ref, const QString &text) {
        if (m_between && !m_choices.empty()) m_choices.push_back({});
        m_between = false;
        m_choices.push_back({text, TaskSchedule{m_state->taskId, ref}});
    }
    void heading(const QString &text) {
        if (!m_choices.empty()) m_choices.push_back({});
        m_between = false;
        m_choices.push_back({text, {}});
    }
    void group() { m_between = true; }
    [[nodiscard]] QString named(int trial) const {
        return QStringLiteral("%1   %2").arg(scheduleName(trialRef(trial)), scheduleFacts(*m_state, trialRef(trial)));
    }
    [[nodiscard]] std::vector<SideChoice> take() { return std::move(m_choices); }

  private:
    const TaskState *m_state;
    std::vector<SideChoice> m_choices;
    bool m_between = false;
};

void putPinned(ChoiceList &list, const TaskState &state) {
    constexpr int kMost = 40;
    list.group();
    for (size_t t = 0, listed = 0; t < state.trials.size() && listed < kMost; ++t) {
        if (!state.trials[t].pinned) continue;
        ++listed;
        list.put(trialRef(static_cast<int>(t)), QObject::tr("pinned: %1").arg(list.named(static_cast<int>(t))));
    }
}

/// All with a name or pin, and the newest.
void putEdited(ChoiceList &list, const TaskState &state, const ScheduleRef &besides) {
    constexpr size_t kMost = 12;
    list.group();
    for (size_t n = state.edited.size(), others = 0; n-- > 0;) {
        const EditNode &node = state.edited[n];
        const ScheduleRef ref{Kind::Edited, static_cast<int>(n)};
        const bool kept = node.pinned || !node.name.isEmpty();
        if (node.dropped || ref == besides || (!kept && others >= kMost)) continue;
        ++others;
        list.put(ref, QStringLiteral("%1   %2").arg(scheduleName(state, ref), node.did));
    }
}

void putShown(ChoiceList &list, const TaskState &state, const Selected &now) {
    const ScheduleRef &selected = now.schedule;
    if (scheduleExists(state, selected))
        list.put(selected, QObject::tr("selected: %1").arg(scheduleName(state, selected)));
    if (state.best >= 0)
        list.put(trialRef(state.best), QObject::tr("the best: %1").arg(scheduleName(trialRef(state.best))));
    list.put({}, scheduleName({}));
    constexpr size_t kSketches = 30;
    for (size_t s = 0; s < state.sketches.size() && s < kSketches; ++s) {
        const ScheduleRef ref{Kind::Sketch, static_cast<int>(s)};
        list.put(ref, scheduleName(ref));
    }
    putPinned(list, state);
    putEdited(list, state, selected);
    list.group();
    constexpr size_t kTogether = 20;
    for (size_t i = 0; i < now.trials.size() && i < kTogether; ++i)
        if (scheduleExists(state, trialRef(now.trials[i])))
            list.put(trialRef(now.trials[i]), list.named(now.trials[i]));
}

/// The trials that promise most: by their times, and where there are none, by the score they were picked by.
std::vector<int> foremost(const TaskState &state, size_t most) {
    std::vector<int> trials;
    for (size_t t = 0; t < state.trials.size(); ++t)
        if (state.trials[t].valid()) trials.push_back(static_cast<int>(t));
    const auto place = [&](int trial) {
        const TrialEntry &entry = state.trials[static_cast<size_t>(trial)];
        const double score = std::isfinite(entry.predicted) ? entry.predicted : -std::numeric_limits<double>::max();
        return std::make_pair(standing(state, trial), -score);
    };
    std::stable_sort(trials.begin(), trials.end(), [&](int a, int b) { return place(a) < place(b); });
    trials.resize(std::min(trials.size(), most));
    return trials;
}

void putOther(ChoiceList &list, const TaskState &state) {
    list.of(state);
    list.heading(QObject::tr("On %1 (%2)").arg(targetName(state), taskProgressText(state)));
    constexpr size_t kForemost = 10;
    const std::vector<int> first = foremost(state, kForemost);
    const int ranked = rankedFirst(state);
    for (const int trial : first)
        list.put(trialRef(trial), trial == state.best ? QObject::tr("the best: %1").arg(list.named(trial))
                                  : trial == ranked   ? QObject::tr("ranked first: %1").arg(list.named(trial))
                                                      : list.named(trial));
    list.put({}, scheduleName({}));
    constexpr size_t kSketches = 6;
    for (size_t s = 0; s < state.sketches.size() && s < kSketches; ++s) {
        const ScheduleRef ref{Kind::Sketch, static_cast<int>(s)};
        list.put(ref, scheduleName(ref));
    }
    putPinned(list, state);
    putEdited(list, state, {});
}

NamedSide sideOf(const TaskState &state, const QString &words) {
    if (const auto ref = scheduleNamed(state, words)) return {TaskSchedule{state.taskId, *ref}, {}};
    return {{},
            QObject::tr("there is no \u2018%1\u2019: type a trial from 1 to %2, \u2018best\u2019, \u2018naive\u2019, "
                        "\u2018sketch 0\u2019 or \u2018edited 1\u2019")
                .arg(words)
                .arg(state.trials.size())};
}

} // namespace

std::vector<SideChoice> sideChoices(const Documents &documents, const Selected &now) {
    const Document *shown = documents.current();
    if (shown == nullptr || !shown->task) return {};
    ChoiceList list(*shown);
    putShown(list, *shown, now);
    for (const TaskState *other : tasksLike(documents.all(), *shown)) putOther(list, *other);
    return list.take();
}

NamedSide sideNamed(const Documents &documents, const QString &text) {
    const Document *shown = documents.current();
    if (shown == nullptr) return {{}, QObject::tr("nothing is open")};
    const TaskState *of = shown;
    QString words = text.trimmed();
    const qsizetype on = words.lastIndexOf(QStringLiteral(" on "));
    if (on > 0 && words.lastIndexOf(u')') < on) { // a name given to a schedule may hold the word
        const QString target = words.mid(on + 4).trimmed();
        words = words.left(on);
        std::vector<const TaskState *> tasks = tasksLike(documents.all(), *shown);
        tasks.insert(tasks.begin(), shown);
        std::vector<const TaskState *> meant;
        QStringList all;
        for (const TaskState *task : tasks) {
            const QString name = targetName(*task);
            all << name;
            if (name == target || task->source.targetText == target) return sideOf(*task, words);
            if (name.startsWith(target, Qt::CaseInsensitive)) meant.push_back(task);
        }
        if (meant.size() != 1)
            return {{},
                    meant.empty()
                        ? QObject::tr("nothing of this computation is open for \u2018%1\u2019, but for %2")
                              .arg(target, all.join(QStringLiteral(", ")))
                        : QObject::tr("\u2018%1\u2019 may be any of %2").arg(target, all.join(QStringLiteral(", ")))};
        of = meant.front();
    }
    return sideOf(*of, words);
}

} // namespace loopscope
