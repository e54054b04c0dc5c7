#pragma once
// A time limit as a flag: what can be cancelled can be given a limit too.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace loopscope {

/// Raises one flag when the caller cancels or the time (0: none) is up, so that a measurement under way ends too.
class StopWatch {
  public:
    StopWatch(const std::atomic<bool> *cancel, double limitSeconds)
        : m_thread([this, cancel, limitSeconds] {
              const auto start = std::chrono::steady_clock::now();
              std::unique_lock lock(m_mutex);
              while (!m_done) {
                  if ((cancel && *cancel) ||
                      (limitSeconds > 0 &&
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > limitSeconds))
                      stopped = true;
                  m_wake.wait_for(lock, std::chrono::milliseconds(20));
              }
          }) {}
    ~StopWatch() {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_wake.notify_all();
        m_thread.join();
    }
    std::atomic<bool> stopped{false};

  private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_done = false;
    std::thread m_thread;
};

} // namespace loopscope
