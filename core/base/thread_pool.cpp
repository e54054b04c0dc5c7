#include "base/thread_pool.h"

namespace loopscope {

ThreadPool::ThreadPool(int threads) {
    int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
    for (int worker = 1; worker < wanted; ++worker) m_threads.emplace_back([this, worker] { run(worker); });
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_start.notify_all();
    for (auto &thread : m_threads) thread.join();
}

void ThreadPool::forEach(size_t count, const std::function<void(size_t, int)> &work, size_t grain) {
    {
        const std::lock_guard lock(m_mutex);
        m_work = &work;
        m_count = count;
        m_grain = grain == 0 ? 1 : grain;
        m_next = 0;
        m_failure = nullptr;
        m_busy = static_cast<int>(m_threads.size());
        ++m_generation;
    }
    m_start.notify_all();
    drain(0);
    std::unique_lock lock(m_mutex);
    m_done.wait(lock, [this] { return m_busy == 0; });
    m_work = nullptr;
    if (m_failure) std::rethrow_exception(m_failure);
}

void ThreadPool::run(int worker) {
    unsigned seen = 0;
    while (true) {
        {
            std::unique_lock lock(m_mutex);
            m_start.wait(lock, [&] { return m_quit || m_generation != seen; });
            if (m_quit) return;
            seen = m_generation;
        }
        drain(worker);
        const std::lock_guard lock(m_mutex);
        if (--m_busy == 0) m_done.notify_all();
    }
}

void ThreadPool::drain(int worker) {
    try {
        while (true) {
            const size_t begin = m_next.fetch_add(m_grain);
            if (begin >= m_count) return;
            const size_t end = begin + m_grain < m_count ? begin + m_grain : m_count;
            for (size_t i = begin; i < end; ++i) (*m_work)(i, worker);
        }
    } catch (...) {
        const std::lock_guard lock(m_mutex);
        if (!m_failure) m_failure = std::current_exception();
        m_next = m_count; // the others stop at their next grain
    }
}

} // namespace loopscope
