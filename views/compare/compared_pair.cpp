#include "views/compare/compared_pair.h"

#include "views/compare/compare_facts.h"
#include "views/session/measured_where.h"
#include "views/session/standing.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr std::array kBothSides{AlignedText::Left, AlignedText::Right};

const TaskState *openTask(const Session &session, int id) {
    for (const Document *document : session.documents().all())
        if (const TaskState *state = taskOf(*document, id)) return state;
    return nullptr;
}

} // namespace

ComparedPair::ComparedPair(Session &session, QObject *parent) : QObject(parent), m_session(session) { follow(); }

void ComparedPair::follow() {
    const Documents &documents = m_session.documents();
    connect(&documents, &Documents::documentChanged, this, [this] {
        check();
        Q_EMIT changed();
    });
    connect(&m_session.trials(), &TaskTrials::trialsReset, this, [this] {
        check();
        Q_EMIT changed();
    });
    connect(&documents, &Documents::documentsChanged, this, [this] { // one that is not shown may have been closed
        const auto before = m_sides;
        check();
        if (before != m_sides) Q_EMIT changed();
    });
    const auto gone = [this](const QString &why) {
        return [this, why](int task) {
            bool any = false;
            for (const auto side : kBothSides) {
                if (!m_sides[side] || m_sides[side]->task != task) continue;
                takeAway(side, why.arg(m_names[side]));
                any = true;
            }
            if (any) Q_EMIT changed();
        };
    };
    connect(&documents, &Documents::taskForgotten, this, gone(tr("%1 is not open any more")));
    connect(&m_session.trials(), &TaskTrials::aboutToDrop, this, [this](int task) {
        for (const auto side : kBothSides)
            if (hasTask(task) && m_sides[side] && m_sides[side]->task == task &&
                m_sides[side]->ref.kind == ScheduleRef::Kind::Trial)
                takeAway(side, tr("the trials that %1 was among were dropped").arg(m_names[side]));
        Q_EMIT changed();
    });
    const auto of = [this](int task, const ScheduleRef &ref) {
        if (has(task, ref)) Q_EMIT changed();
    };
    connect(&m_session.representations(), &RepresentationCache::ready, this, of, Qt::QueuedConnection);
    connect(&m_session.explanations(), &Explanations::ready, this, of, Qt::QueuedConnection);
    connect(
        &documents, &Documents::taskRemade, this,
        [this](int task) {
            if (hasTask(task)) Q_EMIT changed();
        },
        Qt::QueuedConnection);
    connect(&m_session.trials(), &TaskTrials::trialsChanged, this, [this](const std::vector<int> &trials) {
        const Document *document = m_session.document();
        for (const int trial : trials) // pinned, measured again
            if (document != nullptr && has(document->taskId, {ScheduleRef::Kind::Trial, trial}))
                return Q_EMIT changed();
    });
    connect(&m_session.trials(), &TaskTrials::baselineChanged, this, &ComparedPair::changed);
    connect(&m_session.edits(), &EditedSchedules::nodesChanged, this, [this] { // named, measured, dropped
        if (std::any_of(m_sides.begin(), m_sides.end(),
                        [](const auto &side) { return side && side->ref.kind == ScheduleRef::Kind::Edited; }))
            Q_EMIT changed();
    });
}

bool ComparedPair::has(int task, const ScheduleRef &ref) const {
    return std::any_of(m_sides.begin(), m_sides.end(),
                       [&](const auto &side) { return side && side->task == task && side->ref == ref; });
}

bool ComparedPair::hasTask(int task) const {
    return std::any_of(m_sides.begin(), m_sides.end(), [&](const auto &side) { return side && side->task == task; });
}

void ComparedPair::takeAway(AlignedText::Side side, const QString &why) {
    m_sides[side].reset();
    m_whyGone = asSentence(why) + u'.';
}

/// What is gone leaves, and so does what computes something else than what is shown.
void ComparedPair::check() {
    const Document *shown = m_session.document();
    for (const auto side : kBothSides) {
        if (!m_sides[side]) continue;
        const TaskState *of = state(side);
        if (shown == nullptr || of == nullptr || !of->has(m_sides[side]->ref)) {
            takeAway(side, tr("%1 is not there any more").arg(m_names[side]));
        } else if (of->task && shown->task && of->task->key != shown->task->key) {
            takeAway(side, tr("%1 is of %2, and %3 is shown, which computes something else")
                               .arg(m_names[side], taskTitle(*of), taskTitle(*shown)));
        }
    }
    nameSides();
}

void ComparedPair::nameSides() {
    for (const auto side : kBothSides)
        if (state(side) != nullptr) m_names[side] = name(side);
}

TaskSchedule ComparedPair::resolved(const TaskSchedule &schedule) const {
    const Document *shown = m_session.document();
    return {schedule.task != 0 || shown == nullptr ? schedule.task : shown->taskId, schedule.ref};
}

void ComparedPair::set(const TaskSchedule &left, const TaskSchedule &right) {
    m_whyGone.clear();
    m_sides = {resolved(left), resolved(right)};
    nameSides();
    Q_EMIT changed();
}

void ComparedPair::choose(AlignedText::Side side, const TaskSchedule &schedule) {
    m_whyGone.clear();
    m_sides[side] = resolved(schedule);
    const auto other = side == AlignedText::Left ? AlignedText::Right : AlignedText::Left;
    const TaskState *one = state(side);
    const TaskState *two = state(other);
    if (one != nullptr && two != nullptr && one->task && two->task && one->task->key != two->task->key)
        takeAway(other, tr("%1 is of %2, and %3 of %4, which computes something else")
                            .arg(m_names[other], taskTitle(*two), scheduleName(*one, schedule.ref), taskTitle(*one)));
    nameSides();
    Q_EMIT changed();
}

void ComparedPair::swap() {
    std::swap(m_sides[0], m_sides[1]);
    std::swap(m_names[0], m_names[1]);
    Q_EMIT changed();
}

std::optional<ScheduleRef> ComparedPair::shownRef(AlignedText::Side side) const {
    const Document *shown = m_session.document();
    const auto &of = m_sides[side];
    return of && shown != nullptr && of->task == shown->taskId ? std::optional(of->ref) : std::nullopt;
}

const TaskState *ComparedPair::state(AlignedText::Side side) const {
    return m_sides[side] ? openTask(m_session, m_sides[side]->task) : nullptr;
}

bool ComparedPair::complete() const {
    return std::all_of(kBothSides.begin(), kBothSides.end(), [this](AlignedText::Side side) {
        const TaskState *of = state(side);
        return of != nullptr && of->task;
    });
}

bool ComparedPair::acrossTasks() const { return m_sides[0] && m_sides[1] && m_sides[0]->task != m_sides[1]->task; }

bool ComparedPair::acrossKinds() const {
    return complete() &&
           state(AlignedText::Left)->task->target.isGpu() != state(AlignedText::Right)->task->target.isGpu();
}

QString ComparedPair::name(AlignedText::Side side) const {
    const TaskState *of = state(side);
    if (of == nullptr) return {};
    const QString own = scheduleName(*of, m_sides[side]->ref);
    return acrossTasks() || !shownRef(side) ? tr("%1 on %2").arg(own, targetName(*of)) : own;
}

QString ComparedPair::verdict() const {
    if (!complete()) return {};
    const TaskState &left = *state(AlignedText::Left);
    if (!acrossTasks()) return speedVerdict(left, m_sides[0]->ref, m_sides[1]->ref);
    std::array<QString, 2> told;
    int timed = 0;
    for (const auto side : kBothSides) {
        const auto seconds = timedSeconds(*state(side), m_sides[side]->ref);
        const QString where = measuredWhere(*state(side), m_sides[side]->ref);
        if (seconds) ++timed;
        told[side] = seconds ? QStringLiteral("%1 %2").arg(timeText(*seconds), where) : tr("not timed");
    }
    if (timed == 0) return tr("Different targets, and neither was timed");
    return tr("Different machines, so no ratio: %1 | %2").arg(told[0], told[1]);
}

ComparedSide ComparedPair::known(AlignedText::Side side, CompareTab tab) const {
    const TaskState &of = *state(side);
    const int task = of.taskId;
    const ScheduleRef &ref = m_sides[side]->ref;
    RepresentationCache &cache = m_session.representations();
    ComparedSide known;
    known.ref = ref;
    known.ofShown = shownRef(side).has_value();
    known.gpu = of.task->target.isGpu();
    known.name = name(side);
    known.forms = cache.of(task, ref);
    if (takesCode(tab)) {
        known.disassembly = cache.disassembly(task, ref, &known.disassemblyProblem);
        known.gpuCode = cache.gpuCode(task, ref);
    }
    if (tab == CompareTab::Facts) {
        known.explained = m_session.explanations().of(task, ref);
        known.told = timingFacts(of, ref);
    }
    if (ref.kind == ScheduleRef::Kind::Edited && of.has(ref)) {
        const EditedSteps &steps = of.edited[static_cast<size_t>(ref.number)].steps;
        for (size_t step = 0; step < steps.size(); ++step)
            if (!steps.refused(step)) known.rows.push_back(static_cast<int>(step));
    }
    return known;
}

std::optional<TaskSchedule> ComparedPair::counterpart() const {
    const Document *shown = m_session.document();
    if (shown == nullptr) return std::nullopt;
    const TaskState *most = nullptr;
    for (const TaskState *other : tasksLike(m_session.documents().all(), *shown))
        if (most == nullptr || other->trials.size() > most->trials.size()) most = other;
    if (most == nullptr) return std::nullopt;
    const int first = most->best >= 0 ? most->best : rankedFirst(*most);
    if (first < 0) return TaskSchedule{most->taskId, {}};
    return TaskSchedule{most->taskId, {ScheduleRef::Kind::Trial, first}};
}

} // namespace loopscope
