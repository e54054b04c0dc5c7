#include "views/session/representation_cache.h"

#include "measure/disassembly.h"
#include "views/session/memory.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxRepresentations = 24; // schedules; a quarter of a megabyte each

/// The steps of a schedule; empty for the naive one.
Steps stepsOf(const TaskState &state, const ScheduleRef &ref) {
    const auto number = static_cast<size_t>(ref.number);
    if (ref.kind == ScheduleRef::Kind::Sketch && number < state.sketches.size())
        return state.sketches[number].state.steps();
    if (ref.kind == ScheduleRef::Kind::Trial && number < state.trials.size())
        return state.trials[number].trial.steps.unpack();
    if (ref.kind == ScheduleRef::Kind::Edited && number < state.edited.size())
        return state.edited[number].steps.state().steps();
    return {};
}

int layoutRewriteOf(const TaskState &state, const ScheduleRef &ref) {
    if (ref.kind != ScheduleRef::Kind::Trial) return 0;
    const auto number = static_cast<size_t>(ref.number);
    return number < state.trials.size() ? state.trials[number].layoutRewrite : 0;
}

bool exists(const TaskState *state, const ScheduleRef &ref) {
    if (!state || !state->task) return false;
    return state->has(ref);
}

} // namespace

struct RepresentationCache::Entry {
    int task = 0; // TaskState::taskId
    ScheduleRef ref;
    RepresentationsPtr representations;
    DisassemblyPtr disassembly;
    GpuCodePtr gpuCode;
    QString disassemblyProblem;
    int formsJob = 0;       // under way; 0 none
    int disassemblyJob = 0; // the same
};

RepresentationCache::RepresentationCache(DocumentStore &documents, Messages &messages, Jobs &jobs)
    : m_documents(documents), m_messages(messages), m_jobs(jobs) {
    connect(&m_jobs, &Jobs::cancelled, this, &RepresentationCache::jobCancelled);
}

RepresentationCache::~RepresentationCache() = default;

bool RepresentationCache::isShown(const Entry &entry) const {
    return m_documents.current() && entry.task == m_documents.current()->taskId;
}

int RepresentationCache::shownTask() const {
    const Document *shown = m_documents.current();
    return shown != nullptr ? shown->taskId : 0;
}

void RepresentationCache::tellForms(const Entry &entry) {
    if (isShown(entry)) Q_EMIT representationsReady(entry.ref);
    if (entry.task != 0) Q_EMIT ready(entry.task, entry.ref);
}

void RepresentationCache::tellCode(const Entry &entry) {
    if (isShown(entry)) Q_EMIT disassemblyReady(entry.ref);
    if (entry.task != 0) Q_EMIT ready(entry.task, entry.ref);
}

std::shared_ptr<RepresentationCache::Entry> RepresentationCache::entry(int task, const ScheduleRef &ref) {
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const auto &entry) { return entry->task == task && entry->ref == ref; });
    if (found != m_entries.end()) {
        std::rotate(found, found + 1, m_entries.end());
        return m_entries.back();
    }
    if (m_entries.size() >= kMaxRepresentations) {
        const auto idle = std::find_if(m_entries.begin(), m_entries.end(), [](const auto &entry) {
            return entry->formsJob == 0 && entry->disassemblyJob == 0;
        });
        if (idle != m_entries.end()) m_entries.erase(idle);
    }
    auto made = std::make_shared<Entry>();
    made->task = task;
    made->ref = ref;
    m_entries.push_back(made);
    return made;
}

void RepresentationCache::forget(int taskId) {
    std::vector<int> jobs;
    for (const auto &entry : m_entries) {
        if (entry->task != taskId) continue;
        jobs.push_back(entry->formsJob);
        jobs.push_back(entry->disassemblyJob);
        entry->task = 0; // a job that ends all the same finds nobody
    }
    std::erase_if(m_entries, [](const auto &entry) { return entry->task == 0; });
    for (const int job : jobs) m_jobs.cancel(job);
}

RepresentationsPtr RepresentationCache::of(const ScheduleRef &ref) { return of(shownTask(), ref); }

RepresentationsPtr RepresentationCache::of(int task, const ScheduleRef &ref) {
    const TaskState *state = std::as_const(m_documents).task(task);
    if (!exists(state, ref)) return nullptr;
    const auto entry = this->entry(task, ref);
    if (entry->representations || entry->formsJob != 0) return entry->representations;
    entry->formsJob = m_jobs.start(
        QStringLiteral("Lowering %1").arg(scheduleName(ref)), this,
        [task = state->task, ref, steps = stepsOf(*state, ref), layout = layoutRewriteOf(*state, ref),
         name = taskTitle(*state)](JobControl &) {
            return withinMemory(QStringLiteral("lowering the %1 of %2").arg(scheduleName(ref), name), *task,
                                [&] { return makeRepresentations(*task, ref, steps, layout); });
        },
        [this, entry](const RepresentationsPtr &representations) {
            entry->formsJob = 0;
            entry->representations = representations;
            tellForms(*entry);
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
            tellForms(*entry);
        });
    return nullptr;
}

DisassemblyPtr RepresentationCache::disassembly(const ScheduleRef &ref, QString *problem) {
    return disassembly(shownTask(), ref, problem);
}

DisassemblyPtr RepresentationCache::disassembly(int taskId, const ScheduleRef &ref, QString *problem) {
    const TaskState *state = std::as_const(m_documents).task(taskId);
    if (!exists(state, ref)) return nullptr;
    const auto entry = this->entry(taskId, ref);
    if (problem) *problem = entry->disassemblyProblem;
    if (entry->disassembly || entry->disassemblyJob != 0 || !entry->disassemblyProblem.isEmpty())
        return entry->disassembly;
    struct Made {
        DisassemblyPtr disassembly;
        GpuCodePtr gpuCode;
        QString problem;
    };
    const auto done = [this, entry](const Made &made) {
        entry->disassemblyJob = 0;
        entry->disassembly = made.disassembly;
        entry->gpuCode = made.gpuCode;
        entry->disassemblyProblem = made.problem;
        tellCode(*entry);
    };
    entry->disassemblyJob = m_jobs.start(
        QStringLiteral("Compiling %1").arg(scheduleName(ref)), this,
        [task = state->task, steps = stepsOf(*state, ref), layout = layoutRewriteOf(*state, ref)](JobControl &control) {
            auto disassembly = disassembleSchedule(*task, steps, layout, {}, &control.cancelFlag());
            if (!disassembly) return Made{nullptr, nullptr, qt(disassembly.why())};
            GpuCodePtr gpuCode;
            if (task->target.isGpu()) gpuCode = makeGpuCode(*task, steps, layout, *disassembly, control.cancelFlag());
            return Made{std::make_shared<const Disassembly>(std::move(disassembly).value()), std::move(gpuCode), {}};
        },
        done, [done](const QString &failure) { done({nullptr, nullptr, failure}); });
    return nullptr;
}

GpuCodePtr RepresentationCache::gpuCode(const ScheduleRef &ref) { return gpuCode(shownTask(), ref); }

GpuCodePtr RepresentationCache::gpuCode(int task, const ScheduleRef &ref) {
    return exists(std::as_const(m_documents).task(task), ref) ? entry(task, ref)->gpuCode : nullptr;
}

/// A cancelled job hands nothing over: who waits for it is told here.
void RepresentationCache::jobCancelled(int job) {
    const auto entries = m_entries;
    for (const auto &entry : entries) {
        if (entry->formsJob == job) {
            auto representations = std::make_shared<Representations>();
            representations->ref = entry->ref;
            representations->refusal = QStringLiteral("lowering was cancelled");
            entry->formsJob = 0;
            entry->representations = representations;
            tellForms(*entry);
        }
        if (entry->disassemblyJob == job) {
            entry->disassemblyJob = 0;
            entry->disassemblyProblem = QStringLiteral("compiling was cancelled");
            tellCode(*entry);
        }
    }
}

void RepresentationCache::retryDisassembly(const ScheduleRef &ref) {
    if (!exists(m_documents.current(), ref)) return;
    const auto entry = this->entry(shownTask(), ref);
    entry->disassemblyProblem.clear();
    if (entry->gpuCode && !entry->gpuCode->complete()) { // a tool may be there now
        entry->disassembly = nullptr;
        entry->gpuCode = nullptr;
    }
    disassembly(ref);
}

void RepresentationCache::cancelDisassembly(const ScheduleRef &ref) {
    if (exists(m_documents.current(), ref)) m_jobs.cancel(entry(shownTask(), ref)->disassemblyJob);
}

} // namespace loopscope
