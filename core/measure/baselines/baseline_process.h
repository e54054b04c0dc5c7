#pragma once
// A library in a process of its own. Libraries abort on processors they do not know, crash, and never return; here each
// of these is a refusal with its reason, the program and the other libraries go on. Timing stays fair: the process
// holds its operands in private memory and reads its own clock; only the order to run crosses the border.

#include "base/isolate/child_process.h"
#include "measure/baselines/baseline.h"

#include <memory>
#include <string>

namespace loopscope {

struct BaselineReply;
struct BaselineRequest;

class BaselineProcess {
  public:
    /// Starts the process and opens the library in it. Throws Error when loopscope-worker (see workerProgram) cannot
    /// be started; whatever the library lacks or does is a refusal.
    static Outcome<std::unique_ptr<BaselineProcess>> start(BaselineKind kind, const std::string &workerPath = {});
    ~BaselineProcess();
    BaselineProcess(const BaselineProcess &) = delete;
    BaselineProcess &operator=(const BaselineProcess &) = delete;

    [[nodiscard]] BaselineKind kind() const { return m_kind; }
    /// "oneDNN 2.6.3", "BLIS 0.9.0 (zen3)"
    [[nodiscard]] const std::string &name() const { return m_name; }
    /// How long idle workers of this library may keep a core busy after a call with several threads.
    [[nodiscard]] double restSeconds() const { return m_restSeconds; }
    /// The process is gone; every further order is refused with the reason it went.
    [[nodiscard]] bool died() const { return !m_child; }

    // `buffers` are copied by `prepare`, and the result back by `compute`, which runs once. Each replaces what was
    // prepared before.
    /// The library's own name for the implementation it chose.
    Outcome<std::string> prepare(const BaselineProblem &problem, const BaselineBuffers &buffers, int threads);
    Outcome<size_t> compute(float *out); // elements written
    /// Seconds of `calls` calls, after one that is not timed.
    Outcome<double> time(int64_t calls);

  private:
    BaselineProcess(BaselineKind kind, const std::string &path);
    Outcome<BaselineReply> ask(const BaselineRequest &request, const char *doing);

    BaselineKind m_kind;
    std::string m_name;
    double m_restSeconds = 0;
    int m_file = -1; // the operands, which both processes have open
    size_t m_outOffset = 0;
    size_t m_outBytes = 0;
    std::string m_end; // why there is no process any more
    SpawnThread m_spawner;
    std::unique_ptr<ChildProcess> m_child;
};

} // namespace loopscope
