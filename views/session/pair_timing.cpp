#include "views/session/pair_timing.h"

#include "views/session/measuring.h"
#include "views/session/schedule_steps.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxPairs = 50;
const QString kPairKind = QStringLiteral("compare"); // of messages

TimedPair inverse(const TimedPair &pair) {
    TimedPair other;
    other.first = pair.second;
    other.second = pair.first;
    for (const double ratio : pair.ratios) other.ratios.push_back(1 / ratio);
    other.interval = ratioInterval(other.ratios);
    return other;
}

std::optional<Steps> stepsToTime(const TaskState &state, const ScheduleRef &ref) {
    if (ref.kind == ScheduleRef::Kind::Trial) { // one that failed may not apply either
        if (!state.has(ref)) return std::nullopt;
        return state.trials[static_cast<size_t>(ref.number)].trial.steps.unpack();
    }
    const auto steps = editableSteps(state, ref);
    return steps ? std::optional(steps->state().steps()) : std::nullopt;
}

/// How the weights of both arrive; -1: they differ.
int layoutToTime(const TaskState &state, const ScheduleRef &a, const ScheduleRef &b) {
    std::optional<int> layout;
    for (const ScheduleRef &ref : {a, b}) {
        if (ref.kind != ScheduleRef::Kind::Trial) continue;
        const int own = state.trials[static_cast<size_t>(ref.number)].layoutRewrite;
        if (layout && *layout != own) return -1;
        layout = own;
    }
    return layout.value_or(state.setup.layoutRewrite);
}

/// Why one of the two has no time: measured alone it says so.
QString whyNoTime(Measurer &measurer, const Steps &a, const Steps &b, const MeasureWatch &watch,
                  const std::string &otherwise) {
    for (const Steps *steps : {&a, &b}) {
        QString reason;
        measurer.measure(
            {*steps},
            [&](size_t, const Trial &trial) {
                if (!trial.valid()) reason = qt(trial.reason);
            },
            watch);
        if (!reason.isEmpty())
            return QStringLiteral("%1: %2").arg(
                steps == &a ? QStringLiteral("the left one fails") : QStringLiteral("the right one fails"), reason);
    }
    return qt(otherwise);
}

} // namespace

PairTiming::PairTiming(const Parts &parts)
    : m_documents(parts.documents), m_messages(parts.messages), m_jobs(parts.jobs) {
    connect(&m_jobs, &Jobs::cancelled, this, [this](int job) {
        if (job == m_job) end();
    });
}

QString PairTiming::whyNot(const TaskSchedule &a, const TaskSchedule &b) const {
    const TaskState *state = std::as_const(m_documents).task(a.task);
    const TaskState *other = std::as_const(m_documents).task(b.task);
    if (state == nullptr || other == nullptr || state->task == nullptr || other->task == nullptr)
        return tr("the workload is not understood yet");
    if (state != other)
        return tr("%1 is for %2 and %3 for %4: what runs on different machines cannot be timed in turn, so each has "
                  "its own time")
            .arg(scheduleName(*state, a.ref), targetName(*state), scheduleName(*other, b.ref), targetName(*other));
    if (const QString why = whyUntimed(state->setup, state->task->target); !why.isEmpty()) return why;
    for (const ScheduleRef &ref : {a.ref, b.ref}) {
        const auto steps = stepsToTime(*state, ref);
        if (!steps) return tr("there is no %1 any more").arg(scheduleName(ref));
        const auto applied = replay(state->task->dag, *steps);
        if (!applied) return tr("%1 does not apply: %2").arg(scheduleName(ref), qt(applied.why()));
        if (!applied->concrete()) return tr("lengths of %1 are still open").arg(scheduleName(ref));
    }
    if (layoutToTime(*state, a.ref, b.ref) < 0) return tr("they were measured with different layout rewrites");
    return {};
}

bool PairTiming::identical(const TaskSchedule &a, const TaskSchedule &b) const {
    const TaskState *state = std::as_const(m_documents).task(a.task);
    if (state == nullptr || a.task != b.task) return false;
    const auto left = stepsToTime(*state, a.ref);
    const auto right = stepsToTime(*state, b.ref);
    return left && right && *left == *right;
}

std::optional<PairFacts> PairTiming::of(const TaskSchedule &a, const TaskSchedule &b) const {
    for (auto pair = m_known.rbegin(); a.task == b.task && pair != m_known.rend(); ++pair) {
        if (pair->task != a.task) continue;
        if (pair->a == a.ref && pair->b == b.ref) return pair->facts;
        if (!(pair->a == b.ref && pair->b == a.ref) || !pair->facts.timed) continue;
        PairFacts turned;
        turned.timed = inverse(*pair->facts.timed);
        return turned;
    }
    return std::nullopt;
}

bool PairTiming::underWay(const TaskSchedule &a, const TaskSchedule &b) const {
    return m_job != 0 && m_now.task == a.task && m_now.task == b.task &&
           ((m_now.a == a.ref && m_now.b == b.ref) || (m_now.a == b.ref && m_now.b == a.ref));
}

double PairTiming::progress() const {
    for (const JobInfo &job : m_jobs.running())
        if (job.id == m_job) return std::max(0.0, job.progress);
    return 0;
}

void PairTiming::start(Asked asked, const TaskSchedule &a, const TaskSchedule &b, const MeasurerFactory &make) {
    const TaskState &state = *std::as_const(m_documents).task(a.task);
    Task task = *state.task;
    task.layoutRewrite = static_cast<LayoutRewrite>(layoutToTime(state, a.ref, b.ref));
    const MeasureOptions options = measureOptionsOf(state.setup, task.target, weightBytesOf(state));
    m_messages.succeeded(kPairKind);
    m_now = {state.taskId, a.ref, b.ref, of(a, b).value_or(PairFacts{})};
    const bool explain = asked == Asked::Explain;
    const QString title = explain ? tr("Explaining %1 against %2") : tr("Timing %1 against %2");
    m_job = m_jobs.start(
        title.arg(scheduleName(a.ref), scheduleName(b.ref)), this,
        [task, options, make, explain, pair = m_now, left = *stepsToTime(state, a.ref),
         right = *stepsToTime(state, b.ref)](JobControl &control) {
            Pair result = pair;
            PairFacts &facts = result.facts;
            facts.failure.clear();
            const auto measurer = make(task, options);
            MeasureWatch watch;
            watch.cancel = &control.cancelFlag();
            const PairOptions timing;
            const double ofTiming = explain ? 0.2 : 1;
            if (!explain || !facts.timed) {
                const auto timed = timePair(*measurer, left, right, timing, watch,
                                            [&](int done) { control.progress(ofTiming * done / timing.repeats); });
                if (timed)
                    facts.timed = *timed;
                else
                    facts.failure = whyNoTime(*measurer, left, right, watch, timed.why());
            }
            if (!explain || !facts.failure.isEmpty()) return result;
            const auto aligned = alignSteps(task.dag, left, right);
            if (!aligned) {
                facts.failure = qt(aligned.why());
                return result;
            }
            facts.steps = *aligned;
            const auto explained =
                explainDifference(task.dag, *measurer, facts.steps, {}, watch, [&](size_t done, size_t all) {
                    control.progress(ofTiming + (1 - ofTiming) * static_cast<double>(done) /
                                                    static_cast<double>(std::max<size_t>(all, 1)));
                });
            if (explained)
                facts.explained = *explained;
            else
                facts.failure = qt(explained.why());
            return result;
        },
        [this](const Pair &pair) {
            take(pair);
            end();
        },
        [this](const QString &problem) {
            Pair pair = m_now;
            pair.facts.failure = problem;
            take(pair);
            end();
        });
    Q_EMIT changed();
}

void PairTiming::take(const Pair &pair) {
    if (m_now.task != pair.task) return; // forgotten meanwhile
    if (!pair.facts.failure.isEmpty())
        m_messages.fail(tr("%1 and %2 could not be compared").arg(scheduleName(pair.a), scheduleName(pair.b)),
                        pair.facts.failure, kPairKind);
    std::erase_if(m_known,
                  [&](const Pair &known) { return known.task == pair.task && known.a == pair.a && known.b == pair.b; });
    m_known.push_back(pair);
    if (m_known.size() > kMaxPairs) m_known.pop_front();
}

void PairTiming::end() {
    m_job = 0;
    m_now = {};
    Q_EMIT changed();
}

void PairTiming::forget(int taskId) {
    std::erase_if(m_known, [taskId](const Pair &known) { return known.task == taskId; });
    if (m_job != 0 && m_now.task == taskId) cancel();
    Q_EMIT changed();
}

} // namespace loopscope
