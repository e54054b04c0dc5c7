#include "deploy/plan/workspace.h"

#include "base/check.h"
#include "codegen/runtime/large_memory.h"
#include "deploy/plan/lifetimes.h"

#include <algorithm>
#include <cstdlib>

namespace loopscope {

namespace {
constexpr size_t kInFront = kBufferAlignment; // bytes of a piece's own, that keep it aligned
}

Workspace::~Workspace() {
    for (const Block &block : m_blocks) std::free(block.memory);
}

void Workspace::reserve(size_t bytes) {
    for (const Block &block : m_blocks) LOOPSCOPE_CHECK(block.used == 0, "memory is reserved between runs");
    if (!m_blocks.empty() && m_blocks.front().bytes >= bytes) return;
    for (const Block &block : m_blocks) std::free(block.memory);
    m_blocks.clear();
    if (bytes > 0) addBlock(alignedBytes(bytes));
}

bool Workspace::addBlock(size_t bytes) {
    auto *memory = static_cast<std::byte *>(allocateLarge(bytes));
    if (memory == nullptr) return false;
    m_blocks.push_back({memory, bytes, 0, 0});
    return true;
}

void *Workspace::take(size_t bytes) {
    static_assert(sizeof(Piece) <= kInFront);
    const size_t whole = alignedBytes(std::max<size_t>(bytes, 1)) + kInFront;
    size_t number = 0;
    while (number < m_blocks.size() && m_blocks[number].bytes - m_blocks[number].used < whole) ++number;
    if (number == m_blocks.size()) {
        // One that is too small and empty makes way for one that holds as much and more.
        if (!m_blocks.empty() && m_blocks.back().used == 0) {
            std::free(m_blocks.back().memory);
            m_blocks.pop_back();
            --number;
        }
        if (!addBlock(whole)) return nullptr;
    }
    Block &block = m_blocks[number];
    pieceAt(block, block.used) = {number, block.last, false};
    block.last = block.used;
    block.used += whole;
    return block.memory + block.last + kInFront;
}

void Workspace::giveBack(void *memory) {
    auto &piece = *reinterpret_cast<Piece *>(static_cast<std::byte *>(memory) - kInFront);
    Block &block = m_blocks[piece.block];
    piece.free = true;
    while (block.used > 0 && pieceAt(block, block.last).free) {
        block.used = block.last;
        block.last = pieceAt(block, block.used).before;
    }
}

size_t Workspace::reserved() const {
    size_t sum = 0;
    for (const Block &block : m_blocks) sum += block.bytes;
    return sum;
}

} // namespace loopscope
