#include "measure/run_report.h"

#include "base/outcome.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace loopscope {

namespace {

struct SampleList {
    uint64_t count;
    double least;
    double seconds[RunReport::kMaxSamples];
};

SampleList *lists(const RunReport *report) {
    auto *after = reinterpret_cast<std::byte *>(const_cast<RunReport *>(report)) + sizeof(RunReport);
    return reinterpret_cast<SampleList *>(after);
}

size_t mappingBytes(size_t kernels) { return sizeof(RunReport) + kernels * sizeof(SampleList); }

// What the signal handler works on. It may run on any thread at any moment and touches nothing else.
RunReport *g_report = nullptr;
const GuardRange *g_guards = nullptr;
size_t g_guardCount = 0;

void noteSignal(int signal, siginfo_t *info, void *) {
    RunReport *report = g_report;
    if (report != nullptr && report->signal == 0) {
        report->signal = signal;
        report->guard = -1;
        if (signal == SIGSYS) report->address = static_cast<uintptr_t>(info->si_syscall);
        if (signal == SIGSEGV || signal == SIGBUS) {
            const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
            report->address = address;
            for (size_t i = 0; i < g_guardCount; ++i) {
                if (address >= g_guards[i].begin && address < g_guards[i].end) report->guard = static_cast<int32_t>(i);
            }
        }
    }
    // The handler is gone after its first call (SA_RESETHAND); returning repeats the fault, which then ends the
    // process. A signal that was sent rather than caused does not repeat itself, nor
    // does a system call that was refused.
    if (info->si_code <= 0 || signal == SIGSYS) ::raise(signal);
}

alignas(64) char g_handlerStack[64 * 1024];

} // namespace

void RunReport::fail(TrialError kind, std::string_view sentence) {
    error = kind;
    const size_t size = std::min(sentence.size(), kReasonBytes - 1);
    std::memcpy(reason, sentence.data(), size);
    reason[size] = '\0';
}

size_t RunReport::sampleCount(size_t kernelIndex) const {
    return std::min<size_t>(lists(this)[kernelIndex].count, kMaxSamples);
}

std::span<const double> RunReport::samples(size_t kernelIndex) const {
    return {lists(this)[kernelIndex].seconds, sampleCount(kernelIndex)};
}

void RunReport::addSample(size_t kernelIndex, double seconds) {
    SampleList &list = lists(this)[kernelIndex];
    if (list.count < kMaxSamples) list.seconds[list.count++] = seconds;
}

double RunReport::least(size_t kernelIndex) const { return lists(this)[kernelIndex].least; }

void RunReport::setLeast(size_t kernelIndex, double seconds) { lists(this)[kernelIndex].least = seconds; }

RunReport *RunReport::make(size_t kernelCount) {
    void *memory =
        ::mmap(nullptr, mappingBytes(kernelCount), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw Error(fmt::format("memory for a run's report cannot be had: {}", std::strerror(errno)));
    auto *report = static_cast<RunReport *>(memory);
    report->guard = -1;
    return report;
}

void RunReport::release(RunReport *report, size_t kernelCount) { ::munmap(report, mappingBytes(kernelCount)); }

void reportSignals(RunReport &report) {
    g_report = &report;
    stack_t stack{};
    stack.ss_sp = g_handlerStack;
    stack.ss_size = sizeof g_handlerStack;
    ::sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_sigaction = noteSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS}) ::sigaction(signal, &action, nullptr);
}

void watchGuards(std::span<const GuardRange> guards) {
    g_guardCount = 0;
    g_guards = guards.data();
    g_guardCount = guards.size();
}

} // namespace loopscope
