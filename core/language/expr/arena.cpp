#include "language/expr/arena.h"

#include "base/check.h"
#include "base/outcome.h"

#include <algorithm>
#include <cstring>

namespace loopscope {

namespace {
thread_local ExprArena *t_current = nullptr;
constexpr size_t kBlockBytes = 32 * 1024;
constexpr size_t kLargestBlock = 1024 * 1024;
constexpr size_t kMaxBytes = size_t{512} << 20; // of one arena; the largest real workloads need a few MiB
} // namespace

void ExprArena::grow(size_t bytes) {
    while (m_block < m_blocks.size() && m_blocks[m_block].size < bytes) ++m_block;
    if (m_block == m_blocks.size()) {
        size_t held = 0;
        for (const Block &block : m_blocks) held += block.size;
        if (held + bytes > kMaxBytes)
            throw Error(
                "the expressions of this workload and schedule take more than 512 MiB; unroll and inline less, or "
                "give parts of long expressions stages of their own");
        // An eighth more each time, so that few blocks make up many megabytes and little is held for nothing.
        const size_t size = std::max(bytes, std::clamp(held / 8, kBlockBytes, kLargestBlock));
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
