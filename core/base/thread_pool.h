#pragma once
// Worker threads for scoring a population: `forEach` splits index ranges over all threads and waits. The caller's
// thread works too, so a pool of one thread runs everything inline. Results must be written by index, which makes the
// outcome independent of the number of threads.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace loopscope {

class ThreadPool {
  public:
    /// `threads` <= 0: as many as the machine has.
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    [[nodiscard]] int threads() const { return static_cast<int>(m_threads.size()) + 1; }

    /// Calls work(i, worker) for every i in [0, count); worker in [0, threads()). The first exception is rethrown.
    void forEach(size_t count, const std::function<void(size_t index, int worker)> &work, size_t grain = 1);

  private:
    void run(int worker);
    void drain(int worker);

    std::vector<std::thread> m_threads;
    std::mutex m_mutex;
    std::condition_variable m_start;
    std::condition_variable m_done;
    const std::function<void(size_t, int)> *m_work = nullptr;
    size_t m_count = 0;
    size_t m_grain = 1;
    std::atomic<size_t> m_next{0};
    int m_busy = 0;
    unsigned m_generation = 0;
    bool m_quit = false;
    std::exception_ptr m_failure;
};

} // namespace loopscope
