// Forms and disassemblies of schedules: what is made on request.

#include "views/session/representation_cache.h"

#include "measure/disassembly.h"
#include "timing/machine_peaks.h"
#include "views/session/memory.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

std::shared_ptr<Session::RepresentationCache::Entry> Session::RepresentationCache::entry(int task,
                                                                                         const ScheduleRef &ref) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto &entry) { return entry->task == task && entry->ref == ref; });
    if (found != entries.end()) {
        std::rotate(found, found + 1, entries.end());
        return entries.back();
    }
    if (entries.size() >= kMost) {
        const auto idle = std::find_if(entries.begin(), entries.end(), [](const auto &entry) {
            return entry->formsJob == 0 && entry->disassemblyJob == 0;
        });
        if (idle != entries.end()) entries.erase(idle);
    }
    auto made = std::make_shared<Entry>();
    made->task = task;
    made->ref = ref;
    entries.push_back(made);
    return made;
}

void Session::forgetRepresentations(int taskId) {
    std::vector<int> jobs;
    for (const auto &entry : m_representations->entries) {
        if (entry->task != taskId) continue;
        jobs.push_back(entry->formsJob);
        jobs.push_back(entry->disassemblyJob);
        entry->task = 0; // a job that ends all the same finds nobody
    }
    std::erase_if(m_representations->entries, [](const auto &entry) { return entry->task == 0; });
    for (const int job : jobs) m_jobs.cancel(job);
}

Steps Session::stepsOf(const ScheduleRef &ref) const {
    if (!m_current) return {};
    const auto number = static_cast<size_t>(ref.number);
    if (ref.kind == ScheduleRef::Kind::Sketch && number < m_current->sketches.size())
        return m_current->sketches[number].state.steps();
    if (ref.kind == ScheduleRef::Kind::Trial && number < m_current->trials.size())
        return m_current->trials[number].trial.steps;
    return {};
}

int Session::layoutRewriteOf(const ScheduleRef &ref) const {
    if (!m_current || ref.kind != ScheduleRef::Kind::Trial) return 0;
    const auto number = static_cast<size_t>(ref.number);
    return number < m_current->trials.size() ? m_current->trials[number].layoutRewrite : 0;
}

bool Session::exists(const ScheduleRef &ref) const {
    if (!m_current || !m_current->task) return false;
    if (ref.kind == ScheduleRef::Kind::Naive) return true;
    const size_t count = ref.kind == ScheduleRef::Kind::Sketch ? m_current->sketches.size() : m_current->trials.size();
    return ref.number >= 0 && static_cast<size_t>(ref.number) < count;
}

RepresentationsPtr Session::representations(const ScheduleRef &ref) {
    if (!exists(ref)) return nullptr;
    const auto entry = m_representations->entry(m_current->taskId, ref);
    if (entry->representations || entry->formsJob != 0) return entry->representations;
    entry->formsJob = m_jobs.start(
        QStringLiteral("Lowering %1").arg(scheduleName(ref)), this,
        [task = m_current->task, ref, steps = stepsOf(ref), layout = layoutRewriteOf(ref),
         name = taskTitle(*m_current)](JobControl &) {
            return withinMemory(QStringLiteral("lowering the %1 of %2").arg(scheduleName(ref), name), *task,
                                [&] { return makeRepresentations(*task, ref, steps, layout); });
        },
        [this, entry](const RepresentationsPtr &representations) {
            entry->formsJob = 0;
            entry->representations = representations;
            if (m_current && entry->task == m_current->taskId) Q_EMIT representationsReady(entry->ref);
        },
        [this, entry](const QString &problem) {
            auto representations = std::make_shared<Representations>();
            representations->ref = entry->ref;
            representations->refusal = problem;
            entry->formsJob = 0;
            entry->representations = representations;
            // Lowered after all, the job of that title succeeds.
            m_messages.fail(QStringLiteral("%1 cannot be lowered").arg(scheduleName(entry->ref)), problem,
                            QStringLiteral("Lowering %1").arg(scheduleName(entry->ref)));
            if (m_current && entry->task == m_current->taskId) Q_EMIT representationsReady(entry->ref);
        });
    return nullptr;
}

DisassemblyPtr Session::disassembly(const ScheduleRef &ref, QString *problem) {
    if (!exists(ref)) return nullptr;
    const auto entry = m_representations->entry(m_current->taskId, ref);
    if (problem) *problem = entry->disassemblyProblem;
    if (entry->disassembly || entry->disassemblyJob != 0 || !entry->disassemblyProblem.isEmpty())
        return entry->disassembly;
    struct Made {
        DisassemblyPtr disassembly;
        QString problem;
    };
    const auto done = [this, entry](const Made &made) {
        entry->disassemblyJob = 0;
        entry->disassembly = made.disassembly;
        entry->disassemblyProblem = made.problem;
        if (m_current && entry->task == m_current->taskId) Q_EMIT disassemblyReady(entry->ref);
    };
    entry->disassemblyJob = m_jobs.start(
        QStringLiteral("Compiling %1").arg(scheduleName(ref)), this,
        [task = m_current->task, steps = stepsOf(ref), layout = layoutRewriteOf(ref)](JobControl &control) {
            auto disassembly = disassembleSchedule(*task, steps, layout, {}, &control.cancelFlag());
            if (!disassembly) return Made{nullptr, qt(disassembly.why())};
            return Made{std::make_shared<const Disassembly>(std::move(disassembly).value()), {}};
        },
        done,
        [done](const QString &failure) {
            done({nullptr, failure});
        });
    return nullptr;
}

/// A cancelled job hands nothing over: who waits for it is told here.
void Session::jobCancelled(int job) {
    if (job == m_peaksJob) {
        m_peaksJob = 0;
        Q_EMIT peaksReady();
    }
    if (job == m_remeasureJob) {
        m_remeasureJob = 0;
        m_remeasuring = false;
        Q_EMIT searchChanged();
    }
    readingCancelled(job);
    if (std::erase_if(m_understanding, [job](const auto &reading) { return reading.second == job; }) > 0)
        openPendingLogs();
    for (auto it = m_sketchJobs.begin(); it != m_sketchJobs.end(); ++it) {
        if (it->second != job) continue;
        if (TaskState *state = taskOf(it->first)) {
            state->sketchProblem = QStringLiteral("their derivation was cancelled");
            if (isShown(*state)) Q_EMIT sketchesChanged();
        }
        m_sketchJobs.erase(it);
        break;
    }
    const auto entries = m_representations->entries;
    for (const auto &entry : entries) {
        const bool shown = m_current && entry->task == m_current->taskId;
        if (entry->formsJob == job) {
            auto representations = std::make_shared<Representations>();
            representations->ref = entry->ref;
            representations->refusal = QStringLiteral("lowering was cancelled");
            entry->formsJob = 0;
            entry->representations = representations;
            if (shown) Q_EMIT representationsReady(entry->ref);
        }
        if (entry->disassemblyJob == job) {
            entry->disassemblyJob = 0;
            entry->disassemblyProblem = QStringLiteral("compiling was cancelled");
            if (shown) Q_EMIT disassemblyReady(entry->ref);
        }
    }
}

void Session::retryDisassembly(const ScheduleRef &ref) {
    if (!exists(ref)) return;
    m_representations->entry(m_current->taskId, ref)->disassemblyProblem.clear();
    disassembly(ref);
}

void Session::cancelDisassembly(const ScheduleRef &ref) {
    if (exists(ref)) m_jobs.cancel(m_representations->entry(m_current->taskId, ref)->disassemblyJob);
}

} // namespace loopscope
