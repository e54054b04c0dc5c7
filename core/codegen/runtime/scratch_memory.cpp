#include "codegen/runtime/scratch_memory.h"

#include <algorithm>
#include <cstdlib>

namespace loopscope {

namespace {

constexpr size_t kAlignment = 64;
/// From here on the C library maps memory, and unmaps it.
constexpr size_t kLarge = 64 << 10;

} // namespace

ScratchMemory::~ScratchMemory() {
    for (const Block &block : m_blocks) std::free(block.memory);
}

void *ScratchMemory::take(size_t bytes) {
    const size_t rounded = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    if (rounded < kLarge) return std::aligned_alloc(kAlignment, rounded);
    // The smallest that is large enough, but none of which more would lie idle than is used.
    auto best = m_blocks.end();
    for (auto block = m_blocks.begin(); block != m_blocks.end(); ++block)
        if (!block->taken && block->bytes >= rounded && block->bytes / 2 <= rounded &&
            (best == m_blocks.end() || block->bytes < best->bytes))
            best = block;
    if (best != m_blocks.end()) {
        best->taken = true;
        return best->memory;
    }
    void *memory = std::aligned_alloc(kAlignment, rounded);
    if (memory == nullptr) {
        dropBeyond(0);
        memory = std::aligned_alloc(kAlignment, rounded);
    }
    if (memory != nullptr) m_blocks.push_back({memory, rounded, true});
    return memory;
}

void ScratchMemory::giveBack(void *memory) {
    const auto block =
        std::find_if(m_blocks.begin(), m_blocks.end(), [&](const Block &each) { return each.memory == memory; });
    if (block == m_blocks.end()) {
        std::free(memory);
        return;
    }
    block->taken = false;
    std::rotate(block, block + 1, m_blocks.end());
    dropBeyond(m_most);
}

size_t ScratchMemory::kept() const {
    size_t sum = 0;
    for (const Block &block : m_blocks)
        if (!block.taken) sum += block.bytes;
    return sum;
}

void ScratchMemory::dropBeyond(size_t bytes) {
    size_t sum = kept();
    std::erase_if(m_blocks, [&](const Block &block) {
        if (block.taken || sum <= bytes) return false;
        sum -= block.bytes;
        std::free(block.memory);
        return true;
    });
}

} // namespace loopscope
