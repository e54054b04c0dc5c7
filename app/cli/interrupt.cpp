#include "interrupt.h"

#include <csignal>
#include <unistd.h>

namespace loopscope {

namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free); // a signal handler may store to it

constexpr int kInterruptedCode = 130; // as shells have it

void raiseInterrupted(int) {
    if (g_interrupted.exchange(true)) _exit(kInterruptedCode);
}

SearchControl g_search;

void cancelSearch(int) {
    if (g_search.cancelled()) _exit(kInterruptedCode);
    g_search.cancel();
}

} // namespace

void endOnSignals(void (*handler)(int)) {
    struct sigaction action{};
    action.sa_handler = handler;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before{};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

SearchControl &searchControl() { return g_search; }

void cancelOnSignals() { endOnSignals(cancelSearch); }

void watchForInterrupts() { endOnSignals(raiseInterrupted); }

const std::atomic<bool> &interruptFlag() { return g_interrupted; }

} // namespace loopscope
