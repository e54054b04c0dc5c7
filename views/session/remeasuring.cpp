#include "views/session/remeasuring.h"

#include "record/record_writer.h"
#include "search/naive_schedule.h"
#include "search/tuner.h"
#include "views/session/standing.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

const QString kAgainKind = QStringLiteral("measure again"); // of messages

/// What is to be measured, and what came of it.
struct AgainOrder {
    Task task;
    MeasureOptions options;
    std::vector<Steps> candidates;
    std::vector<int> numbers; // of the candidates among the trials
    double naiveSeconds = -1; // < 0: not known yet
    int best = -1;            // number of the best so far
    QString log;
};
struct AgainResult {
    std::vector<Trial> measured; // by candidate
    std::vector<ComparedTime> compared;
};

AgainResult measureAgain(const AgainOrder &order, const MeasurerFactory &make, JobControl &control) {
    AgainResult result;
    const auto measurer = make(order.task, order.options);
    MeasureWatch watch;
    watch.cancel = &control.cancelFlag();
    result.measured.resize(order.candidates.size());
    size_t done = 0;
    measurer->measure(
        order.candidates,
        [&](size_t index, const Trial &trial) {
            result.measured[index] = trial;
            control.progress(static_cast<double>(++done) / static_cast<double>(order.candidates.size()) * 0.6);
        },
        watch);
    double naive = order.naiveSeconds;
    if (naive < 0 && !control.cancelled())
        measurer->measure(
            {naiveSteps(order.task)}, [&](size_t, const Trial &trial) { naive = trial.valid() ? trial.cost() : 0; },
            watch);
    if (control.cancelled()) return result;
    std::vector<Steps> candidates;
    std::vector<int> numbers;
    for (size_t i = 0; i < order.candidates.size(); ++i) {
        if (!result.measured[i].valid()) continue;
        candidates.push_back(order.candidates[i]);
        numbers.push_back(order.numbers[i]);
    }
    if (naiveTakesPart(naive)) {
        candidates.push_back(naiveSteps(order.task));
        numbers.push_back(-1);
    }
    if (candidates.size() < 2) return result;
    const auto samples = measurer->measureInterleaved(candidates, kComparingRounds, watch);
    for (size_t i = 0; i < samples.size(); ++i) {
        const TimeInterval time = quartileInterval(samples[i].seconds, samples[i].least);
        if (!time.known()) continue;
        result.compared.push_back({numbers[i], time});
        for (size_t k = 0; k < order.numbers.size(); ++k)
            if (order.numbers[k] == numbers[i]) result.measured[k].seconds = samples[i].seconds;
    }
    return result;
}

} // namespace

Remeasuring::Remeasuring(DocumentStore &documents, TaskTrials &trials, Messages &messages, Jobs &jobs)
    : m_documents(documents), m_trials(trials), m_messages(messages), m_jobs(jobs) {
    connect(&m_jobs, &Jobs::cancelled, this, [this](int job) {
        if (job == m_job) end();
    });
}

void Remeasuring::end() {
    m_job = 0;
    m_underWay = false;
    Q_EMIT changed();
}

void Remeasuring::start(const std::vector<int> &trials, const MeasurerFactory &make) {
    const Document &document = *m_documents.current();
    AgainOrder order{*document.task, {}, {}, {}, document.naiveSeconds, document.best, document.logPath};
    int layout = -1;
    std::vector<int> wanted = trials;
    if (document.best >= 0 && std::find(wanted.begin(), wanted.end(), document.best) == wanted.end())
        wanted.push_back(document.best);
    for (const int trial : wanted) {
        if (trial < 0 || static_cast<size_t>(trial) >= document.trials.size()) continue;
        const TrialEntry &entry = document.trials[static_cast<size_t>(trial)];
        if (layout >= 0 && entry.layoutRewrite != layout) {
            m_messages.warn(
                QStringLiteral("Trial %1 was measured with another layout rewrite than the others and is left out")
                    .arg(trial + 1));
            continue;
        }
        layout = entry.layoutRewrite;
        order.candidates.push_back(entry.trial.steps.unpack());
        order.numbers.push_back(trial);
    }
    if (order.candidates.empty()) return;
    m_messages.succeeded(kAgainKind);
    m_underWay = true;
    Q_EMIT changed();
    order.task.layoutRewrite = static_cast<LayoutRewrite>(layout);
    order.options.seed = document.setup.options.seed;
    order.options.buildTimeout = document.setup.buildTimeout;
    order.options.runTimeout = document.setup.runTimeout;
    const bool decides = document.best < 0 ||
                         std::find(order.numbers.begin(), order.numbers.end(), document.best) != order.numbers.end();
    m_job = m_jobs.start(
        QStringLiteral("Measuring %1 again").arg(trialCountText(order.candidates.size())), this,
        [order, decides, make](JobControl &control) {
            // Before anything is measured: the log may be in use.
            const auto writer =
                order.log.isEmpty() ? nullptr : writerWhenFree(std8(order.log), {}, control.cancelFlag());
            AgainResult result = measureAgain(order, make, control);
            if (control.cancelled() || !writer) return result;
            for (const auto &trial : result.measured) writer->append(makeRecord(order.task, trial));
            const ComparedTime *winner = nullptr;
            for (const ComparedTime &entry : result.compared)
                if (entry.trial >= 0 && (winner == nullptr || entry.time.seconds < winner->time.seconds))
                    winner = &entry;
            if (!decides || winner == nullptr) return result;
            const auto recordOf = [&](int trial) {
                const auto at = std::find(order.numbers.begin(), order.numbers.end(), trial);
                return makeRecord(order.task, result.measured[static_cast<size_t>(at - order.numbers.begin())]);
            };
            writer->appendVerdict(
                recordOf(winner->trial), winner->time,
                runnerUp(result.compared, winner->trial, [&](int trial) { return recordName(recordOf(trial)); }));
            return result;
        },
        [this, id = document.taskId, numbers = order.numbers, decides](const AgainResult &result) {
            if (TaskState *target = m_documents.task(id)) {
                take(*target, numbers, result.measured);
                takeComparison(*target, result.compared, decides);
                m_trials.updateBest(*target);
                m_trials.tellChanged(*target, numbers);
            }
            end();
        },
        [this](const QString &problem) {
            m_messages.fail(QStringLiteral("Measuring again failed"), problem, kAgainKind);
            end();
        });
}

void Remeasuring::take(TaskState &state, const std::vector<int> &numbers, const std::vector<Trial> &measured) {
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (static_cast<size_t>(numbers[i]) >= state.trials.size()) return; // the trials left meanwhile
        TrialEntry &entry = state.trials[static_cast<size_t>(numbers[i])];
        if (measured[i].valid() && entry.valid()) {
            entry.later.change().again.push_back(measured[i].seconds);
            entry.trial.maxError = measured[i].maxError;
            entry.trial.unstable = measured[i].unstable;
        } else {
            if (entry.valid())
                m_messages.add({Message::Severity::Warning,
                                QStringLiteral("Trial %1 failed when measured again").arg(numbers[i] + 1),
                                qt(measured[i].reason),
                                {},
                                0,
                                0,
                                numbers[i]});
            entry.trial = measured[i];
            LaterFacts &later = entry.later.change();
            later.compared = {};
            later.relative = 0;
        }
        const double flops = state.flops();
        entry.gflops = entry.valid() && flops > 0 ? flops / entry.seconds() * 1e-9 : 0;
    }
}

} // namespace loopscope
