#include "expr/arena.h"

#include "check.h"

#include <algorithm>
#include <cstring>

namespace loopscope {

namespace {
thread_local ExprArena *t_current = nullptr;
constexpr size_t kBlockBytes = 32 * 1024;
} // namespace

void ExprArena::grow(size_t bytes) {
    while (m_block < m_blocks.size() && m_blocks[m_block].size < bytes) ++m_block;
    if (m_block == m_blocks.size()) {
        const size_t size = std::max(bytes, kBlockBytes);
        m_blocks.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
    }
    m_at = reinterpret_cast<uintptr_t>(m_blocks[m_block].memory.get());
    m_end = m_at + m_blocks[m_block].size;
    ++m_block;
}

std::string_view ExprArena::copy(std::string_view text) {
    char *memory = allocateArray<char>(text.size() + 1);
    if (!text.empty()) std::memcpy(memory, text.data(), text.size());
    memory[text.size()] = '\0';
    return {memory, text.size()};
}

void ExprArena::reset() {
    m_block = 0;
    m_at = 0;
    m_end = 0;
}

ExprArena &ExprArena::current() {
    LOOPSCOPE_CHECK(t_current != nullptr, "an expression was built outside any ArenaScope");
    return *t_current;
}

ArenaScope::ArenaScope(ExprArena &arena) : m_previous(t_current) { t_current = &arena; }
ArenaScope::~ArenaScope() { t_current = m_previous; }

} // namespace loopscope
