#include "measure/baselines/spread_threads.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <sched.h>
#include <unistd.h>

namespace loopscope {

namespace {

/// `thread` 0: the calling one. A thread that has ended, or a system that refuses, leaves things as they were.
void pin(int thread, int k) {
    cpu_set_t allowed;
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0) return;
    std::vector<int> processors;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed)) processors.push_back(cpu);
    if (processors.size() < 2) return;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processors[size_t(k) % processors.size()], &own);
    sched_setaffinity(thread, sizeof own, &own);
}

} // namespace

void stayOnProcessor(int k) { pin(0, k); }

std::vector<int> threadIds() {
    std::vector<int> ids;
    std::error_code failure;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task", failure))
        ids.push_back(std::stoi(entry.path().filename().string()));
    std::sort(ids.begin(), ids.end());
    return ids;
}

void spreadNewThreads(const std::vector<int> &before) {
    int k = 0;
    for (const int id : threadIds())
        if (!std::binary_search(before.begin(), before.end(), id)) pin(id, ++k);
}

} // namespace loopscope
