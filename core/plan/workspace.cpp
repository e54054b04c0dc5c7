#include "plan/workspace.h"

#include "check.h"
#include "plan/lifetimes.h"

#include <algorithm>
#include <cstdlib>

namespace loopscope {

Workspace::~Workspace() {
    for (const Block &block : m_blocks) std::free(block.memory);
}

void Workspace::reserve(size_t bytes) {
    for (const Block &block : m_blocks) LOOPSCOPE_CHECK(block.used == 0, "memory is reserved between runs");
    if (!m_blocks.empty() && m_blocks.front().bytes >= bytes) return;
    for (const Block &block : m_blocks) std::free(block.memory);
    m_blocks.clear();
    m_current = 0;
    if (bytes > 0) addBlock(alignedBytes(bytes));
}

bool Workspace::addBlock(size_t bytes) {
    auto *memory = static_cast<std::byte *>(std::aligned_alloc(kBufferAlignment, bytes));
    if (memory == nullptr) return false;
    m_blocks.push_back({memory, bytes, 0});
    return true;
}

void *Workspace::take(size_t bytes) {
    const size_t rounded = alignedBytes(std::max<size_t>(bytes, 1));
    while (m_current < m_blocks.size() && m_blocks[m_current].bytes - m_blocks[m_current].used < rounded) {
        // One that is too small and empty makes way: what comes later is as large again.
        if (m_blocks[m_current].used == 0 && m_current + 1 == m_blocks.size()) {
            std::free(m_blocks[m_current].memory);
            m_blocks.pop_back();
            break;
        }
        ++m_current;
    }
    if (m_current == m_blocks.size() && !addBlock(rounded)) return nullptr;
    Block &block = m_blocks[m_current];
    void *memory = block.memory + block.used;
    block.used += rounded;
    return memory;
}

void Workspace::giveBack(void *memory) {
    auto *at = static_cast<std::byte *>(memory);
    for (size_t i = m_blocks.size(); i-- > 0;) {
        Block &block = m_blocks[i];
        if (at < block.memory || at >= block.memory + block.bytes) continue;
        block.used = static_cast<size_t>(at - block.memory);
        m_current = i;
        return;
    }
    LOOPSCOPE_CHECK(false, "memory is given back that nobody took");
}

size_t Workspace::reserved() const {
    size_t sum = 0;
    for (const Block &block : m_blocks) sum += block.bytes;
    return sum;
}

} // namespace loopscope
