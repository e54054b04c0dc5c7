#pragma once
// One run of Graphviz' `dot`: DOT text in, JSON text out. A process of its own, so that a layout that takes too long
// can be ended at once and a crash of the library costs a message instead of the window.

#include <QByteArray>

#include <atomic>

namespace loopscope {

/// Blocks until dot has ended; looks at `cancelled` every few milliseconds and kills it then. Empty when cancelled.
/// Throws Error when dot is not installed, cannot be started or fails.
QByteArray runDot(const QByteArray &graph, const std::atomic<bool> &cancelled);

} // namespace loopscope
