#include "search/rounds_under_way.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace loopscope {

RoundsUnderWay::~RoundsUnderWay() {
    if (!m_rounds.empty()) endAll();
}

void RoundsUnderWay::endAll() {
    m_watch.stopped = true;
    for (const auto &measured : m_rounds)
        if (measured->thread.joinable()) measured->thread.join();
}

size_t RoundsUnderWay::of(size_t task) const {
    return static_cast<size_t>(std::ranges::count(m_rounds, task, [](const auto &measured) { return measured->task; }));
}

void RoundsUnderWay::measure(Measured &measured, const std::function<void(size_t, TrialStage)> &onStage,
                             const std::function<void(size_t, const Trial &)> &onTrial) {
    measured.search->job().measurer.measure(measured.round->steps, onTrial,
                                            {&m_watch.stopped, &m_watch.paused(), onStage});
}

void RoundsUnderWay::begin(size_t task, TaskSearch &search, std::unique_ptr<TaskRound> round) {
    auto measured = std::make_unique<Measured>();
    measured->task = task;
    measured->search = &search;
    measured->round = std::move(round);
    measured->alone = m_most == 1;
    Measured &mine = *measured;
    m_rounds.push_back(std::move(measured));
    if (mine.alone) return;
    mine.thread = std::thread([this, &mine] {
        const auto add = [&](News news) {
            const std::lock_guard lock(m_mutex);
            mine.news.push_back(std::move(news));
            m_changed.notify_all();
        };
        std::exception_ptr problem;
        try {
            measure(
                mine, [&](size_t index, TrialStage stage) { add(Advance{index, stage}); },
                [&](size_t index, const Trial &trial) { add(End{index, trial}); });
        } catch (...) {
            problem = std::current_exception();
        }
        const std::lock_guard lock(m_mutex);
        mine.problem = problem;
        mine.over = true;
        m_changed.notify_all();
    });
}

void RoundsUnderWay::tell(Measured &measured, const News &news) {
    if (const auto *advance = std::get_if<Advance>(&news))
        measured.search->advanced(*measured.round, advance->index, advance->stage);
    else if (const auto *end = std::get_if<End>(&news))
        measured.search->ended(*measured.round, end->index, end->trial);
}

/// Of the oldest round of each task: what comes of a later one waits until its task has learnt from those before.
/// Whether there was any: the lock is open while it is told, so more may have come without anybody waiting for it.
bool RoundsUnderWay::tellNews(std::unique_lock<std::mutex> &lock) {
    std::set<size_t> tasks;
    bool any = false;
    for (const auto &measured : m_rounds) {
        if (!tasks.insert(measured->task).second) continue;
        while (!measured->news.empty()) {
            const News news = std::move(measured->news.front());
            measured->news.pop_front();
            any = true;
            lock.unlock();
            tell(*measured, news);
            lock.lock();
        }
    }
    return any;
}

size_t RoundsUnderWay::endOldest() {
    Measured &oldest = *m_rounds.front();
    const double begun = m_watch.elapsed();
    if (oldest.alone) {
        measure(
            oldest, [&](size_t index, TrialStage stage) { tell(oldest, Advance{index, stage}); },
            [&](size_t index, const Trial &trial) { tell(oldest, End{index, trial}); });
    } else {
        std::unique_lock lock(m_mutex);
        while (true) {
            if (tellNews(lock)) continue;
            if (oldest.over) break;
            m_changed.wait(lock);
        }
        lock.unlock();
        oldest.thread.join();
        if (oldest.problem) {
            // What later rounds have measured is in no log yet.
            endAll();
            for (const auto &measured : m_rounds)
                for (const News &news : measured->news) tell(*measured, news);
            std::rethrow_exception(oldest.problem);
        }
    }
    oldest.search->waited(m_watch.elapsed() - begun);
    oldest.search->learn(*oldest.round, oldest.alone);
    const size_t task = oldest.task;
    m_rounds.pop_front();
    return task;
}

} // namespace loopscope
