#pragma once
// Forms and disassemblies of the schedules looked at last: made on request, in jobs, and kept, so that going back and
// forth costs nothing. Most views ask for those of the task shown; a comparison may ask for those of another, too.

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
    // The same of any task that is open (TaskState::taskId); `ready` follows.
    RepresentationsPtr of(int task, const ScheduleRef &ref);
    DisassemblyPtr disassembly(int task, const ScheduleRef &ref, QString *problem = nullptr);
    GpuCodePtr gpuCode(int task, const ScheduleRef &ref);
    /// What was made for the task is out of date.
    void forget(int taskId);

  signals:
    // Of the task shown.
    void representationsReady(const loopscope::ScheduleRef &ref);
    void disassemblyReady(const loopscope::ScheduleRef &ref);
    void ready(int task, const loopscope::ScheduleRef &ref); // forms or machine code, of whichever task

  private:
    struct Entry;
    /// Made when missing; the oldest that nothing is made for is dropped.
    std::shared_ptr<Entry> entry(int task, const ScheduleRef &ref);
    [[nodiscard]] bool isShown(const Entry &entry) const;
    [[nodiscard]] int shownTask() const; // 0: none
    void tellForms(const Entry &entry);
    void tellCode(const Entry &entry);
    void jobCancelled(int job);

    DocumentStore &m_documents;
    Messages &m_messages;
    Jobs &m_jobs;
    std::vector<std::shared_ptr<Entry>> m_entries; // the one used last comes last
};

} // namespace loopscope
