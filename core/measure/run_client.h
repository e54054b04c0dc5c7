#pragma once
// The measurer's side of the runner: gives it the task's inputs and reference, one request at a time, and replaces it
// when it fails.

#include "isolate/child_process.h"
#include "measure/messages.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace loopscope {

class RunClient {
  public:
    /// The reference may take `referenceTimeout` seconds.
    RunClient(SpawnThread &spawner, std::string path, SetupMessage setup, double referenceTimeout);
    ~RunClient();
    RunClient(const RunClient &) = delete;
    RunClient &operator=(const RunClient &) = delete;

    /// Nothing when cancelled. Throws Error when inputs and reference, or a runner, cannot be had.
    std::optional<RunReply> run(const RunRequest &request, const std::atomic<bool> *cancel);
    /// Starts the runner as well, which may have something to say. False when cancelled.
    bool prepare(const std::atomic<bool> *cancel) { return haveReference(cancel) && haveRunner(cancel); }
    [[nodiscard]] const std::string &note() const { return m_note; }

  private:
    /// Computes inputs and reference, in a worker of its own, unless that is done; false when cancelled, after which it
    /// stands still until the next call. Throws Error, or ReferenceTimeout.
    bool haveReference(const std::atomic<bool> *cancel);
    ChildProcess::Wait waitForReference(std::string &message, const std::atomic<bool> *cancel);
    /// False when cancelled.
    bool haveRunner(const std::atomic<bool> *cancel);

    SpawnThread &m_spawner;
    std::string m_path;
    SetupMessage m_setup;
    int m_dataFd = -1;
    double m_referenceTimeout;
    std::unique_ptr<ChildProcess> m_reference; // while it computes
    double m_referenceSeconds = 0;             // for which it has been computing
    bool m_haveReference = false;
    std::unique_ptr<ChildProcess> m_runner;
    std::string m_note; // of the runner
};

} // namespace loopscope
