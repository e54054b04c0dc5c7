#include "views/session/remeasuring.h"

#include "views/session/measuring.h"
#include "views/session/standing.h"
#include "views/session/text.h"
#include "workbench/measure_again.h"

#include <algorithm>

namespace loopscope {

namespace {

const QString kAgainKind = QStringLiteral("measure again"); // of messages

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
    AgainOrder order{*document.task, {}, {}, document.naiveSeconds};
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
    const MeasureOptions options = measureOptionsOf(document.setup, order.task.target, weightBytesOf(document));
    order.decides = document.best < 0 || std::ranges::find(order.numbers, document.best) != order.numbers.end();
    m_job = m_jobs.start(
        QStringLiteral("Measuring %1 again").arg(trialCountText(order.candidates.size())), this,
        [order, options, make, path = std8(document.logPath)](JobControl &control) {
            // Before anything is measured: the log may be in use.
            const auto log = TrialLog::open(path, {}, &control.cancelFlag());
            MeasureWatch watch;
            watch.cancel = &control.cancelFlag();
            return log ? measureAgain(order, *make(order.task, options), *log, watch,
                                      [&](double share) { control.progress(share); })
                       : AgainResult();
        },
        [this, id = document.taskId, numbers = order.numbers, decides = order.decides](const AgainResult &result) {
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
