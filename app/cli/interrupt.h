#pragma once
// Ctrl-C, and the signals that ask for the same: a command that takes long ends at its next safe point, says so in a
// sentence, and leaves nothing half written. The second one ends the program at once (children die with it).

#include "search/search_control.h"

#include <atomic>

namespace loopscope {

/// Has the signals call `handler`; a hang-up that is ignored (nohup) stays ignored.
void endOnSignals(void (*handler)(int));

/// Of the one search that a command runs.
SearchControl &searchControl();
/// From now on they cancel it.
void cancelOnSignals();

/// From now on they raise interruptFlag().
void watchForInterrupts();
/// Never raised in commands that do not watch.
const std::atomic<bool> &interruptFlag();

} // namespace loopscope
