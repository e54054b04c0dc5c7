#include "views/session/hand_measuring.h"

#include "search/naive_schedule.h"
#include "search/target_rules.h"
#include "views/session/measuring.h"
#include "views/session/memory.h"
#include "views/session/text.h"
#include "workbench/tuning_run.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

const QString kByHandKind = QStringLiteral("measure by hand"); // of messages

QString capital(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// The loops of the naive schedule are timed as searches time them, a thread for each element on a GPU.
Steps measuredSteps(const Document &document, const ScheduleRef &ref, const EditedSteps &steps) {
    return ref.kind == Kind::Naive ? naiveSteps(*document.task) : steps.state().steps();
}

} // namespace

QString newLogPath(Settings &settings, const QString &name) {
    const QString chosen = settings.value(QStringLiteral("defaults/log_folder")).toString();
    const QString folder = chosen.isEmpty() ? settings.stateFolder() + QStringLiteral("/logs") : chosen;
    QDir().mkpath(folder);
    const QString stem =
        QStringLiteral("%1/%2-%3")
            .arg(folder, name, QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")));
    QString path = stem + QStringLiteral(".json");
    for (int i = 2; QFileInfo::exists(path); ++i) path = QStringLiteral("%1-%2.json").arg(stem).arg(i);
    return path;
}

void chooseLog(TaskState &state, Settings &settings) {
    if (!state.setup.logPath.isEmpty())
        state.logPath = state.setup.logPath;
    else if (state.logPath.isEmpty())
        state.logPath = newLogPath(settings, state.name);
}

/// What came of one.
struct HandMeasured {
    std::shared_ptr<const Task> task;
    std::optional<Trial> trial; // none: cancelled
    std::optional<Trial> naive; // measured besides, where its time was not known
    QString log;
    int record = -1; // of the trial, in the log
};

HandMeasuring::HandMeasuring(const Parts &parts) : m_parts(parts) {
    connect(&m_parts.jobs, &Jobs::cancelled, this, [this](int job) {
        if (job == m_job) end();
    });
    connect(&m_parts.trials, &TaskTrials::trialsChanged, this, &HandMeasuring::follow);
    connect(&m_parts.trials, &TaskTrials::aboutToDrop, this, &HandMeasuring::forgetTrials);
}

QString HandMeasuring::whyNot(const ScheduleRef &ref) const {
    const Document *shown = m_parts.documents.current();
    if (!shown) return QStringLiteral("open a workload first");
    if (shown->logTask) return QStringLiteral("the workload of this log is not known");
    if (!shown->task) return QStringLiteral("the workload is not understood yet");
    if (measuredOn(shown->setup, shown->task->target) == MeasureOn::Bundle)
        return whyUntimed(shown->setup, shown->task->target);
    if (measuredOn(shown->setup, shown->task->target) == MeasureOn::Fleet)
        return QStringLiteral("trials are measured on nodes of a cluster, which a search alone asks for; choose this "
                              "machine under \u201cMeasure on\u201d");
    const auto steps = m_parts.edits.stepsOf(ref);
    if (!steps) return QStringLiteral("there is no %1 any more").arg(scheduleName(ref));
    if (!steps->state().concrete()) return QStringLiteral("lengths of its splits are still open; choose them first");
    return {};
}

int HandMeasuring::trialOf(const ScheduleRef &ref) const {
    const Document *shown = m_parts.documents.current();
    if (!shown) return -1;
    const auto count = static_cast<int>(shown->trials.size());
    if (ref.kind == Kind::Trial) return ref.number < count ? ref.number : -1;
    const auto steps = m_parts.edits.stepsOf(ref);
    if (!steps || !shown->task) return -1;
    const PackedSteps wanted(measuredSteps(*shown, ref, *steps));
    for (int i = count - 1; i >= 0; --i)
        if (shown->trials[static_cast<size_t>(i)].trial.steps == wanted) return i;
    return -1;
}

void HandMeasuring::add(const ScheduleRef &ref) {
    const Document *shown = m_parts.documents.current();
    const auto steps = shown ? m_parts.edits.stepsOf(ref) : std::nullopt;
    if (!steps || waits(shown->taskId, ref)) return;
    m_queue.push_back({shown->taskId, ref, measuredSteps(*shown, ref, *steps)});
    Q_EMIT changed();
}

void HandMeasuring::link(const ScheduleRef &ref, int trial) {
    const Document *shown = m_parts.documents.current();
    if (!shown || ref.kind != Kind::Edited || trial < 0 || static_cast<size_t>(trial) >= shown->trials.size()) return;
    const TrialEntry &entry = shown->trials[static_cast<size_t>(trial)];
    m_parts.edits.setMeasured(shown->taskId, ref.number,
                              {entry.valid() && !entry.untimed() ? entry.seconds() : 0,
                               entry.valid() ? QString() : qt(entry.trial.reason), trial});
}

bool HandMeasuring::waits(int taskId, const ScheduleRef &ref) const {
    const auto same = [&](const Waiting &one) { return one.taskId == taskId && one.ref == ref; };
    return (m_underWay && same(m_now)) || std::any_of(m_queue.begin(), m_queue.end(), same);
}

QString HandMeasuring::standing(int taskId, const ScheduleRef &ref) const {
    if (m_underWay && m_now.taskId == taskId && m_now.ref == ref) return QStringLiteral("being measured");
    return waits(taskId, ref) ? QStringLiteral("waiting to be measured") : QString();
}

void HandMeasuring::forgetTask(int taskId) {
    std::erase_if(m_queue, [taskId](const Waiting &one) { return one.taskId == taskId; });
}

void HandMeasuring::end() {
    m_job = 0;
    m_underWay = false;
    Q_EMIT changed();
}

void HandMeasuring::next(const MeasurerFactory &make) {
    if (m_underWay || m_queue.empty()) return;
    m_now = std::move(m_queue.front());
    m_queue.pop_front();
    TaskState *state = m_parts.documents.task(m_now.taskId);
    if (!state || !state->task) {
        Q_EMIT changed();
        return;
    }
    chooseLog(*state, m_parts.settings);
    HandMeasured order;
    Task task = *state->task;
    task.layoutRewrite = layoutRewriteOf(state->setup, task.target);
    order.task = std::make_shared<const Task>(std::move(task));
    order.log = state->logPath;
    const MeasureOptions options = measureOptionsOf(state->setup, order.task->target, weightBytesOf(*state));
    const bool naiveToo = state->naiveSeconds < 0 && m_now.ref.kind != Kind::Naive &&
                          whyUntimed(state->setup, order.task->target).isEmpty();
    m_parts.messages.succeeded(kByHandKind);
    m_underWay = true;
    m_job = m_parts.jobs.start(
        QStringLiteral("Measuring the %1").arg(scheduleName(m_now.ref)), this,
        [order, options, make, naiveToo, steps = m_now.steps](JobControl &control) {
            HandMeasured result = order;
            // Before anything is measured: the log may be in use.
            const auto log = TrialLog::open(std8(order.log), {}, &control.cancelFlag());
            if (!log) return result;
            log->startAt(countRecords(log->path()));
            withinMemory(QStringLiteral("measuring %1").arg(QFileInfo(order.log).completeBaseName()), *order.task, [&] {
                const auto measurer = make(*order.task, options);
                MeasureWatch watch;
                watch.cancel = &control.cancelFlag();
                measurer->measure({steps}, [&](size_t, const Trial &trial) { result.trial = trial; }, watch);
                control.progress(naiveToo ? 0.6 : 1.0);
                // There is no ratio without it, and no model says what a share of the best speed means.
                if (naiveToo && !control.cancelled()) result.naive = measureNaive(*measurer, *order.task, watch);
            });
            if (result.trial && !control.cancelled())
                result.record = static_cast<int>(log->append(*order.task, *result.trial));
            return result;
        },
        [this, now = m_now](const HandMeasured &measured) {
            take(now, measured);
            end();
        },
        [this, now = m_now](const QString &problem) {
            m_parts.messages.fail(QStringLiteral("The %1 could not be measured").arg(scheduleName(now.ref)), problem,
                                  kByHandKind);
            tellNode(now, {0, problem, -1});
            end();
        });
    Q_EMIT changed();
}

void HandMeasuring::take(const Waiting &order, const HandMeasured &measured) {
    TaskState *state = m_parts.documents.task(order.taskId);
    if (!state || !measured.trial) return;
    const Trial &trial = *measured.trial;
    if (measured.naive) {
        state->naiveSeconds = measured.naive->valid() ? measured.naive->cost() : -1;
        if (!measured.naive->valid())
            m_parts.messages.warn(QStringLiteral("The naive schedule of %1 was not timed").arg(state->name),
                                  qt(measured.naive->reason));
    }
    const bool timed = trial.valid() && !trial.seconds.empty();
    if (timed && trial.steps.unpack() == naiveSteps(*measured.task)) state->naiveSeconds = trial.cost();
    TrialEntry entry;
    entry.trial = trial;
    entry.mutation = QStringLiteral("by hand");
    entry.elapsed = state->elapsedTotal();
    entry.gflops = timed && state->flops() > 0 ? state->flops() / trial.cost() * 1e-9 : 0;
    entry.logPath = measured.log;
    entry.logRecord = measured.record;
    entry.recordHash = recordHash(makeRecord(*measured.task, trial));
    entry.layoutRewrite = static_cast<int>(measured.task->layoutRewrite);
    const auto number = static_cast<int>(state->trials.size());
    std::vector<TrialEntry> entries;
    entries.push_back(std::move(entry));
    m_parts.trials.add(*state, std::move(entries));
    m_parts.trials.updateBest(*state, number);
    tellNode(order, {timed ? trial.cost() : 0, trial.valid() ? QString() : qt(trial.reason), number});
    if (trial.valid() && !timed)
        m_parts.messages.note(QStringLiteral("The answer of the %1 is right; it was not timed. It is trial %2")
                                  .arg(scheduleName(order.ref))
                                  .arg(number + 1));
    else if (!trial.valid())
        m_parts.messages.add({Message::Severity::Warning,
                              QStringLiteral("The %1 failed when measured").arg(scheduleName(order.ref)),
                              qt(trial.reason),
                              {},
                              0,
                              0,
                              number});
    else
        m_parts.messages.note(QStringLiteral("%1 takes %2; its answer is right. It is trial %3")
                                  .arg(capital(scheduleName(order.ref)), timeText(trial.cost()))
                                  .arg(number + 1));
}

void HandMeasuring::tellNode(const Waiting &order, const EditMeasurement &measured) {
    if (order.ref.kind == Kind::Edited) m_parts.edits.setMeasured(order.taskId, order.ref.number, measured);
}

/// Their times stay with the nodes.
void HandMeasuring::forgetTrials(int taskId) {
    const TaskState *state = m_parts.documents.task(taskId);
    for (size_t i = 0; state && i < state->edited.size(); ++i) {
        EditMeasurement known = state->edited[i].measured;
        if (std::exchange(known.trial, -1) >= 0) m_parts.edits.setMeasured(taskId, static_cast<int>(i), known);
    }
}

/// They were measured again: the nodes that became them have their times.
void HandMeasuring::follow(const std::vector<int> &trials) {
    const Document *shown = m_parts.documents.current();
    if (!shown) return;
    for (size_t i = 0; i < shown->edited.size(); ++i) {
        const EditMeasurement &known = shown->edited[i].measured;
        if (shown->edited[i].dropped || known.trial < 0 || static_cast<size_t>(known.trial) >= shown->trials.size() ||
            std::find(trials.begin(), trials.end(), known.trial) == trials.end())
            continue;
        link({Kind::Edited, static_cast<int>(i)}, known.trial);
    }
}

} // namespace loopscope
