#include "views/session/scheduling.h"

#include "schedule/grouping/machine_parameters.h"
#include "search/grouping_scheduler.h"
#include "search/locks/group_locks.h"
#include "search/search_control.h"
#include "views/session/text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

const QString kKind = QStringLiteral("scheduling"); // of messages

/// Ends the grouping when its job is cancelled.
class CancelledWith final : public SearchObserver {
  public:
    CancelledWith(const JobControl &job, SearchControl &control) : m_job(job), m_control(control) {}
    void on(const SearchEvent & /*event*/) override {
        if (m_job.cancelled()) m_control.cancel();
    }

  private:
    const JobControl &m_job;
    SearchControl &m_control;
};

} // namespace

struct Scheduling::Made {
    std::shared_ptr<const Task> task;
    std::optional<Steps> steps;
    std::string refusal; // why there are none
    QString did;         // in words
    std::vector<StageGroup> groups;
    std::vector<std::string> notes; // where the steps differ from what was planned
};

Scheduling::Scheduling(const SchedulingParts &parts) : m_parts(parts) {
    connect(&m_parts.locks, &Locks::changed, this, &Scheduling::changed);
}

Scheduling::~Scheduling() = default;

const Scheduling::Made *Scheduling::made() const {
    const TaskState *state = std::as_const(m_parts.documents).current();
    return state != nullptr && m_made && m_made->task == state->task ? m_made.get() : nullptr;
}

void Scheduling::whenGrouped(std::function<void(const Made &)> then) {
    const TaskState *state = std::as_const(m_parts.documents).current();
    if (state == nullptr || !state->task)
        return m_parts.messages.warn(tr("There is nothing to schedule: open a workload first."), {}, kKind);
    if (const Made *known = made()) return then(*known);
    if (m_grouping != state->task) m_waiting.clear(); // of a task that was left meanwhile
    m_waiting.push_back(std::move(then));
    if (m_grouping == state->task) return;
    m_grouping = state->task;
    const auto work = [task = state->task](JobControl &job) {
        auto result = std::make_shared<Made>();
        result->task = task;
        GroupingScheduler scheduler;
        SearchControl control;
        CancelledWith observer(job, control);
        const auto grouped = scheduler.schedule(*task, observer, &control);
        if (!grouped) {
            result->refusal = grouped.why();
            return result;
        }
        result->steps = grouped->steps();
        const Grouping &grouping = scheduler.result()->grouping;
        result->did = tr("grouped, %1, machine %2")
                          .arg(grouping.mode == GroupingMode::Compat ? tr("compat") : tr("fixed"),
                               qt(machineParametersText(grouping.machine)));
        result->groups = stageGroups(grouping);
        result->notes = scheduler.result()->notes;
        return result;
    };
    m_parts.jobs.start(
        tr("Grouping the stages of %1").arg(state->name), this, work,
        [this](const std::shared_ptr<Made> &result) { take(result); },
        [this, of = state->task](const QString &sentence) {
            if (m_grouping == of) m_grouping.reset();
            m_parts.messages.fail(tr("The stages could not be grouped"), sentence, kKind);
        });
}

void Scheduling::take(std::shared_ptr<const Made> result) {
    if (m_grouping != result->task) return; // another is grouped meanwhile
    m_grouping.reset();
    m_made = std::move(result);
    const auto waiting = std::exchange(m_waiting, {});
    if (const Made *shown = made())
        for (const auto &then : waiting) then(*shown);
    Q_EMIT changed();
}

void Scheduling::byGrouping() {
    whenGrouped([this](const Made &made) {
        if (!made.steps)
            return m_parts.messages.warn(tr("There is no grouped schedule: %1").arg(qt(made.refusal)), {}, kKind);
        m_parts.messages.succeeded(kKind);
        for (const std::string &note : made.notes) m_parts.messages.note(asSentence(qt(note)));
        m_parts.edits.edit({}, EditedSteps(made.task->dag, *made.steps), made.did);
    });
}

void Scheduling::naively() { m_parts.selection.selectSchedule({}); }

const SearchBeginning &Scheduling::beginning() const {
    static const SearchBeginning none;
    const TaskState *state = std::as_const(m_parts.documents).current();
    return state != nullptr ? state->beginning : none;
}

void Scheduling::begin(Steps steps, const QString &name) {
    TaskState *state = m_parts.documents.current();
    if (state == nullptr) return;
    m_parts.messages.succeeded(kKind);
    state->beginning.schedule = std::move(steps);
    state->beginning.name = name;
    Q_EMIT changed();
}

void Scheduling::beginWith(const ScheduleRef &ref) {
    const TaskState *state = std::as_const(m_parts.documents).current();
    const auto steps = m_parts.edits.stepsOf(ref);
    if (state == nullptr || !steps)
        return m_parts.messages.warn(tr("There is no schedule to begin with: open a workload first."), {}, kKind);
    const QString name = scheduleName(*state, ref);
    if (!steps->state().concrete())
        return m_parts.messages.warn(
            tr("A search cannot begin with %1, whose lengths are open: complete it, or choose another").arg(name), {},
            kKind);
    begin(steps->state().steps(), name);
}

void Scheduling::beginWithGrouping() {
    whenGrouped([this](const Made &made) {
        if (!made.steps)
            return m_parts.messages.warn(tr("There is no grouped schedule: %1").arg(qt(made.refusal)), {}, kKind);
        begin(*made.steps, tr("the grouped schedule"));
    });
}

void Scheduling::beginSampled() {
    TaskState *state = m_parts.documents.current();
    if (state == nullptr || !state->beginning.schedule) return;
    state->beginning.schedule.reset();
    state->beginning.name.clear();
    Q_EMIT changed();
}

void Scheduling::confineTo(const QString &output) {
    whenGrouped([this, output](const Made &made) {
        const auto refuse = [&](const std::string &why) {
            m_parts.messages.warn(tr("The search cannot be confined to the group %1: %2").arg(output, qt(why)), {},
                                  kKind);
        };
        if (!made.steps) return refuse(made.refusal);
        const auto stages = stagesOfGroup(made.task->dag, made.groups, std8(output));
        if (!stages) return refuse(stages.why());
        const auto outside = locksOutside(made.task->dag, *made.steps, *stages);
        if (!outside) return refuse(outside.why());
        release();
        TaskState *state = m_parts.documents.current();
        ScheduleLocks locks = state->locks;
        for (const ScheduleLock &lock : outside->all()) locks.add(lock);
        if (const auto kept = locks.keptBy(made.task->dag, *made.steps); !kept) return refuse(kept.why());
        state->beginning = {made.steps, tr("the grouped schedule"), output, outside->all()};
        m_parts.messages.succeeded(kKind);
        if (outside->empty())
            Q_EMIT changed(); // the group is all there is
        else
            m_parts.locks.replace(locks, *made.steps);
    });
}

/// Whether there was something to take away.
bool Scheduling::release() {
    TaskState *state = m_parts.documents.current();
    if (state == nullptr || state->beginning.group.isEmpty()) return false;
    for (const ScheduleLock &lock : state->beginning.outside) state->locks.remove(lock);
    state->beginning.group.clear();
    state->beginning.outside.clear();
    return true;
}

void Scheduling::searchAll() {
    if (release()) Q_EMIT m_parts.locks.changed();
}

QString Scheduling::confinedTo() const {
    const TaskState *state = std::as_const(m_parts.documents).current();
    if (state == nullptr) return {};
    const std::vector<ScheduleLock> &outside = state->beginning.outside;
    const bool kept =
        std::ranges::all_of(outside, [&](const ScheduleLock &lock) { return state->locks.contains(lock); });
    return kept ? state->beginning.group : QString();
}

std::vector<NamedGroup> Scheduling::groups() const {
    std::vector<NamedGroup> named;
    if (const Made *known = made(); known != nullptr && known->steps)
        for (const StageGroup &group : known->groups) named.push_back({qt(group.output), qt(group.text())});
    return named;
}

QString Scheduling::whyNoGroups() const {
    const Made *known = made();
    return known != nullptr && !known->steps ? qt(known->refusal) : QString();
}

void Scheduling::findGroups() {
    const TaskState *state = std::as_const(m_parts.documents).current();
    if (state != nullptr && state->task) whenGrouped([](const Made &) {});
}

} // namespace loopscope
