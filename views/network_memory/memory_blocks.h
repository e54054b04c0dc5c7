#pragma once
// The memory plan of a network as rectangles: kernels in the order they run from left to right, the arena from top to
// bottom, a rectangle for each value from its maker to its last reader. Pure.

#include "views/session/network_kernels.h"

#include <QRectF>
#include <QString>

#include <vector>

namespace loopscope {

struct MemoryBlock {
    QRectF rect;
    QString name;
    QString tip; // rich text
    int64_t bytes = 0;
    bool taken = false;            // it lies where an input of its kernel was
    std::set<std::string> sources; // of the kernel that makes it
};

struct MemoryBlocks {
    std::vector<MemoryBlock> blocks;
    QRectF arena;               // all of it
    std::vector<double> levels; // of bytes, from the top: where rules stand
    std::vector<QString> levelTexts;
    double column = 0; // width of a kernel
    /// "arena 6.9 MiB, of which 6.9 MiB are needed at once; 43.2 MiB without reuse".
    QString sentence;
};

/// Of kernels with a memory plan.
MemoryBlocks memoryBlocks(const NetworkKernels &kernels);

} // namespace loopscope
