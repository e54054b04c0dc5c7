#include "views/session/representation_cache.h"

#include "measure/disassembly.h"
#include "views/session/memory.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kMostRepresentations = 24; // schedules; a quarter of a megabyte each

/// The steps of a schedule; empty for the naive one.
Steps stepsOf(const Document &document, const ScheduleRef &ref) {
    const auto number = static_cast<size_t>(ref.number);
    if (ref.kind == ScheduleRef::Kind::Sketch && number < document.sketches.size())
        return document.sketches[number].state.steps();
    if (ref.kind == ScheduleRef::Kind::Trial && number < document.trials.size())
        return document.trials[number].trial.steps.unpack();
    if (ref.kind == ScheduleRef::Kind::Edited && number < document.edited.size())
        return document.edited[number].steps.state().steps();
    return {};
}

int layoutRewriteOf(const Document &document, const ScheduleRef &ref) {
    if (ref.kind != ScheduleRef::Kind::Trial) return 0;
    const auto number = static_cast<size_t>(ref.number);
    return number < document.trials.size() ? document.trials[number].layoutRewrite : 0;
}

bool exists(const Document *document, const ScheduleRef &ref) {
    if (!document || !document->task) return false;
    return document->has(ref);
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

std::shared_ptr<RepresentationCache::Entry> RepresentationCache::entry(const ScheduleRef &ref) {
    const int task = m_documents.current()->taskId;
    const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                    [&](const auto &entry) { return entry->task == task && entry->ref == ref; });
    if (found != m_entries.end()) {
        std::rotate(found, found + 1, m_entries.end());
        return m_entries.back();
    }
    if (m_entries.size() >= kMostRepresentations) {
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

RepresentationsPtr RepresentationCache::of(const ScheduleRef &ref) {
    const Document *document = m_documents.current();
    if (!exists(document, ref)) return nullptr;
    const auto entry = this->entry(ref);
    if (entry->representations || entry->formsJob != 0) return entry->representations;
    entry->formsJob = m_jobs.start(
        QStringLiteral("Lowering %1").arg(scheduleName(ref)), this,
        [task = document->task, ref, steps = stepsOf(*document, ref), layout = layoutRewriteOf(*document, ref),
         name = taskTitle(*document)](JobControl &) {
            return withinMemory(QStringLiteral("lowering the %1 of %2").arg(scheduleName(ref), name), *task,
                                [&] { return makeRepresentations(*task, ref, steps, layout); });
        },
        [this, entry](const RepresentationsPtr &representations) {
            entry->formsJob = 0;
            entry->representations = representations;
            if (isShown(*entry)) Q_EMIT representationsReady(entry->ref);
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
            if (isShown(*entry)) Q_EMIT representationsReady(entry->ref);
        });
    return nullptr;
}

DisassemblyPtr RepresentationCache::disassembly(const ScheduleRef &ref, QString *problem) {
    const Document *document = m_documents.current();
    if (!exists(document, ref)) return nullptr;
    const auto entry = this->entry(ref);
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
        if (isShown(*entry)) Q_EMIT disassemblyReady(entry->ref);
    };
    entry->disassemblyJob = m_jobs.start(
        QStringLiteral("Compiling %1").arg(scheduleName(ref)), this,
        [task = document->task, steps = stepsOf(*document, ref),
         layout = layoutRewriteOf(*document, ref)](JobControl &control) {
            auto disassembly = disassembleSchedule(*task, steps, layout, {}, &control.cancelFlag());
            if (!disassembly) return Made{nullptr, nullptr, qt(disassembly.why())};
            GpuCodePtr gpuCode;
            if (task->target.isGpu()) gpuCode = makeGpuCode(*task, steps, layout, *disassembly, control.cancelFlag());
            return Made{std::make_shared<const Disassembly>(std::move(disassembly).value()), std::move(gpuCode), {}};
        },
        done, [done](const QString &failure) { done({nullptr, nullptr, failure}); });
    return nullptr;
}

GpuCodePtr RepresentationCache::gpuCode(const ScheduleRef &ref) {
    return exists(m_documents.current(), ref) ? entry(ref)->gpuCode : nullptr;
}

/// A cancelled job hands nothing over: who waits for it is told here.
void RepresentationCache::jobCancelled(int job) {
    const auto entries = m_entries;
    for (const auto &entry : entries) {
        const bool shown = isShown(*entry);
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

void RepresentationCache::retryDisassembly(const ScheduleRef &ref) {
    if (!exists(m_documents.current(), ref)) return;
    const auto entry = this->entry(ref);
    entry->disassemblyProblem.clear();
    if (entry->gpuCode && !entry->gpuCode->complete()) { // a tool may be there now
        entry->disassembly = nullptr;
        entry->gpuCode = nullptr;
    }
    disassembly(ref);
}

void RepresentationCache::cancelDisassembly(const ScheduleRef &ref) {
    if (exists(m_documents.current(), ref)) m_jobs.cancel(entry(ref)->disassemblyJob);
}

} // namespace loopscope
