#pragma once
// Code that may do anything, run in a copy of this process (a fork): what it needs is there already, without copying,
// and whatever it does, faults and endless loops included, ends with the copy. The copy may compute and answer; it has
// no rights, no open files, and asks the system for nothing else.
//
// A copy has the one thread that made it. Whoever holds a lock on another thread meanwhile holds it there for ever, so
// this is for programs that do one thing at a time (loopscope-cli, loopscope-worker). A program with a life of its own,
// as the window, starts a worker, which does the same.

#include "base/isolate/system_calls.h"
#include "base/outcome.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace loopscope {

/// Memory that this process and its copies share, zero at first.
class SharedMemory {
  public:
    /// Throws Error when there is not so much.
    explicit SharedMemory(size_t bytes);
    ~SharedMemory();
    SharedMemory(const SharedMemory &) = delete;
    SharedMemory &operator=(const SharedMemory &) = delete;
    [[nodiscard]] std::byte *data() const { return m_data; }
    [[nodiscard]] size_t size() const { return m_size; }

  private:
    std::byte *m_data = nullptr;
    size_t m_size = 0;
};

struct CopyRequest {
    /// In the copy, on a thread of its own. What it returns comes back, and what it throws as a refusal.
    std::function<std::string()> work;
    /// In the copy, before it is confined: what opens libraries.
    std::function<void()> prepare = {};
    bool confined = true;
    SystemCallList calls = SystemCallList::Kernel;
    /// Here, again and again: a sentence ends the copy, and is why. Empty: it may go on.
    std::function<std::string()> overdue = {};
    const std::atomic<bool> *cancel = nullptr;
};

struct CopyEnd {
    enum class Kind : uint8_t {
        Answer,    // `text` is what the work returned
        Refusal,   // `text` is what it threw
        Died,      // `text` is how it ended: "was ended by segmentation fault (SIGSEGV)"
        Overdue,   // `text` is the sentence
        Cancelled, // `text` is empty
    };
    Kind kind = Kind::Died;
    std::string text;
};

/// Tried in a copy: a sentence when copies run without a filter of system calls, else empty.
std::string whyNoFilter();

/// Runs it to its end. Throws Error when no process can be made.
CopyEnd runInCopy(const CopyRequest &request);

} // namespace loopscope
