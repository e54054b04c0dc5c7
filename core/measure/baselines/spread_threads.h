#pragma once
// Keeps the worker threads of a library on processors of their own. Left alone, a scheduler may wake a worker on the
// processor of the thread that waits for it, where it sits out whole time slices: 8 ms for a 40 us product, as seen on
// virtual machines with two processors. The calling thread stays free, so that threads and processes it makes are too.

#include <vector>

namespace loopscope {

/// Keeps the calling thread on the k-th processor this process may use, counted modulo their number.
void stayOnProcessor(int k);

/// Ids of all threads of this process.
std::vector<int> threadIds();
/// Keeps those threads that are not among `before` on processors 1, 2, ... of those this process may use.
void spreadNewThreads(const std::vector<int> &before);

} // namespace loopscope
