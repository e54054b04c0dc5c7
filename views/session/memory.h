#pragma once
// What is said when there is not enough memory: what was wanted, how much it takes, and of how much. std::bad_alloc
// itself says none of it.

#include "base/outcome.h"
#include "language/task/task.h"

#include <QString>

#include <cstdint>
#include <new>
#include <utility>

namespace loopscope {

/// What all tensors of the DAG take together, intermediate ones included; saturates.
[[nodiscard]] int64_t tensorBytes(const ComputeDag &dag);
/// "There is not enough memory for the search of matmul: its tensors take 4.0 TiB, and this process may have 31.2 GiB,
/// of which 2.1 GiB are in use". `needed` < 0: unknown.
[[nodiscard]] QString outOfMemoryText(const QString &what, int64_t needed = -1);

/// Gives the system back what is allocated no more. The allocator keeps it, so that a window would stay as large as its
/// largest search. Takes some milliseconds.
void returnFreedMemory();

/// Runs `work` for a task; memory that is not there leaves as an Error with the sentence.
template <typename Work> auto withinMemory(const QString &what, const Task &task, Work work) {
    try {
        return work();
    } catch (const std::bad_alloc &) {
        throw Error(outOfMemoryText(what, tensorBytes(*task.dag)).toStdString());
    }
}

} // namespace loopscope
