// What kernels call while they run: the thread pool (OpenMP's) and memory.
#include "codegen/runtime/loaded_kernel.h"
#include "codegen/runtime/scratch_memory.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace loopscope {

namespace {

std::atomic<int> kernelThreads = 0; // 0: not set, as many as OpenMP gives

/// The processors this process may use, before any of its threads was kept on one.
const std::vector<int> &processors() {
    static const std::vector<int> found = [] {
        std::vector<int> all;
        cpu_set_t allowed;
        if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0) return all;
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &allowed)) all.push_back(cpu);
        return all;
    }();
    return found;
}

void moveTo(int processor) {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processor, &own);
    sched_setaffinity(0, sizeof own, &own);
}

/// Keeps pool thread `t` > 0 on the t-th processor the process may use. Left to themselves, two threads of a short
/// kernel can share one processor for whole scheduler slices of 8 ms, which is then all that is measured.
void stayOnProcessor(int64_t t) {
    static thread_local bool done = false;
    if (done || t == 0) return;
    done = true;
    if (static_cast<size_t>(t) < processors().size()) moveTo(processors()[static_cast<size_t>(t)]);
}

void parallelFor(void (*body)(int64_t begin, int64_t end, void *context), int64_t count, void *context) {
    const int wanted = kernelThreads > 0 ? kernelThreads.load() : omp_get_max_threads();
    const int threads = int(std::min<int64_t>(wanted, count));
    if (threads <= 1) {
        if (count > 0) body(0, count, context);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        const int64_t n = omp_get_num_threads();
        const int64_t t = omp_get_thread_num();
        stayOnProcessor(t);
        const int64_t begin = count / n * t + std::min(t, count % n);
        const int64_t end = begin + count / n + (t < count % n ? 1 : 0);
        if (begin < end) body(begin, end, context);
    }
}

ScratchMemory &scratchMemory() {
    static thread_local ScratchMemory memory;
    return memory;
}

void *allocate(int64_t bytes) {
    void *memory = scratchMemory().take(static_cast<size_t>(std::max<int64_t>(bytes, 0)));
    if (!memory) _Exit(137);
    return memory;
}

void release(void *memory) { scratchMemory().giveBack(memory); }

constexpr LoopscopeRuntime runtime = {parallelFor, allocate, release};

} // namespace

void setKernelThreads(int threads) {
    kernelThreads = threads;
    (void)processors();
}

CallerStays::CallerStays() {
    static_assert(sizeof(cpu_set_t) <= sizeof m_before);
    if (kernelThreads == 1 || processors().size() < 2) return;
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof before, &before) != 0) return;
    std::memcpy(m_before.data(), &before, sizeof before);
    m_moved = true;
    moveTo(processors().front());
}

CallerStays::~CallerStays() {
    if (!m_moved) return;
    cpu_set_t before;
    std::memcpy(&before, m_before.data(), sizeof before);
    sched_setaffinity(0, sizeof before, &before);
}

const LoopscopeRuntime &kernelRuntime() { return runtime; }

} // namespace loopscope
