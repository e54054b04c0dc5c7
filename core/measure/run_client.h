#pragma once
// The measurer's side of the runner: gives it inputs and reference of each task, one request at a time, and replaces it
// when it fails.

#include "base/isolate/child_process.h"
#include "measure/messages.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace loopscope {

class RunClient {
  public:
    /// The reference of a task may take `referenceTimeout` seconds.
    RunClient(SpawnThread &spawner, std::string path, double referenceTimeout);
    ~RunClient();
    RunClient(const RunClient &) = delete;
    RunClient &operator=(const RunClient &) = delete;

    /// `setup.task` is what the task's requests name. Starts nothing. `dataFd`: what its kernels run on, when that is
    /// made already (measure/answer/reference_data.h); closed in the end.
    void add(SetupMessage setup, int dataFd = -1);
    /// Nothing when cancelled. Throws Error when inputs and reference, or a runner, cannot be had. `answersFd`: for
    /// RunRequest::answers.
    /// What somebody ended is tried again; nothing is said of a candidate for it.
    std::optional<RunReply> run(const RunRequest &request, const std::atomic<bool> *cancel, int answersFd = -1);
    /// Starts the runner as well, which may have something to say. False when cancelled.
    bool prepare(int task, const std::atomic<bool> *cancel) {
        return haveReference(m_tasks.at(task), cancel) && haveRunner(m_tasks.at(task), cancel);
    }
    [[nodiscard]] const std::string &note() const { return m_note; }

  private:
    std::optional<RunReply> runOnce(const RunRequest &request, const std::atomic<bool> *cancel, int answersFd);
    struct TaskData {
        SetupMessage setup;
        int dataFd = -1;
        std::unique_ptr<ChildProcess> reference; // while it computes
        double referenceSeconds = 0;             // for which it has been computing
        bool haveReference = false;
        bool known = false; // to the runner there is
    };
    /// Computes inputs and reference, in a worker of its own, unless that is done; false when cancelled, after which it
    /// stands still until the next call. Throws Error, or ReferenceTimeout.
    bool haveReference(TaskData &task, const std::atomic<bool> *cancel);
    ChildProcess::Wait waitForReference(TaskData &task, std::string &message, const std::atomic<bool> *cancel);
    /// A runner that knows the task; false when cancelled.
    bool haveRunner(TaskData &task, const std::atomic<bool> *cancel);
    void loseRunner();

    SpawnThread &m_spawner;
    std::string m_path;
    double m_referenceTimeout;
    std::map<int, TaskData> m_tasks;
    std::unique_ptr<ChildProcess> m_runner;
    std::string m_note; // of the runner
};

} // namespace loopscope
