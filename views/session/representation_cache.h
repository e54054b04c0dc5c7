#pragma once
// Forms and disassemblies of the schedules looked at last, of the current document: made on request, in jobs, and kept,
// so that going back and forth costs nothing.

#include "views/session/document_store.h"
#include "views/session/gpu_code.h"
#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/representations.h"

#include <memory>
#include <vector>

namespace loopscope {

struct Disassembly; // measure/disassembly.h
using DisassemblyPtr = std::shared_ptr<const Disassembly>;

class RepresentationCache : public QObject {
    Q_OBJECT

  public:
    RepresentationCache(DocumentStore &documents, Messages &messages, Jobs &jobs);
    ~RepresentationCache() override;

    /// Null while being made (representationsReady follows); asked for again it costs nothing.
    RepresentationsPtr of(const ScheduleRef &ref);
    /// IR, assembly and its summary; null while being made (disassemblyReady follows). `problem` says why there is
    /// none.
    DisassemblyPtr disassembly(const ScheduleRef &ref, QString *problem = nullptr);
    /// What is known of its machine code beside the disassembly, when it is for a GPU; null before that is there, and
    /// of processors.
    GpuCodePtr gpuCode(const ScheduleRef &ref);
    /// After a failure that may not last (cancelled, worker missing).
    void retryDisassembly(const ScheduleRef &ref);
    /// The wait for it is over: disassemblyReady follows, with "compiling was cancelled" as the problem.
    void cancelDisassembly(const ScheduleRef &ref);
    /// What was made for the task is out of date.
    void forget(int taskId);

  signals:
    void representationsReady(const loopscope::ScheduleRef &ref);
    void disassemblyReady(const loopscope::ScheduleRef &ref);

  private:
    struct Entry;
    /// Made when missing; the oldest that nothing is made for is dropped.
    std::shared_ptr<Entry> entry(const ScheduleRef &ref);
    [[nodiscard]] bool isShown(const Entry &entry) const;
    void jobCancelled(int job);

    DocumentStore &m_documents;
    Messages &m_messages;
    Jobs &m_jobs;
    std::vector<std::shared_ptr<Entry>> m_entries; // the one used last comes last
};

} // namespace loopscope
