#pragma once
// Bump allocator for expression and statement nodes. Nodes are trivially destructible and live as long as their arena;
// handles are raw pointers, so building and walking costs what pointers cost. Whoever keeps nodes keeps the arena
// (ComputeDag and LoopProgram hold shared_ptrs to theirs and to those they borrow from).
//
// The node constructors allocate from the thread's current arena, set by an ArenaScope on the stack.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loopscope {

class ExprArena {
  public:
    ExprArena() = default;
    ExprArena(const ExprArena &) = delete;
    ExprArena &operator=(const ExprArena &) = delete;

    void *allocate(size_t bytes, size_t align = 8) {
        m_at = (m_at + align - 1) & ~(align - 1);
        if (m_at + bytes > m_end) [[unlikely]]
            grow(bytes + align);
        m_at = (m_at + align - 1) & ~(align - 1);
        void *result = reinterpret_cast<void *>(m_at);
        m_at += bytes;
        return result;
    }

    template <typename T> T *allocateArray(size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return static_cast<T *>(allocate(sizeof(T) * count, alignof(T)));
    }

    std::string_view copy(std::string_view text);

    /// Forgets every node but keeps the memory: for arenas reused candidate after candidate on one thread.
    void reset();

    /// The thread's current arena; our bug (check) when no ArenaScope is alive.
    static ExprArena &current();

  private:
    friend class ArenaScope;
    void grow(size_t bytes);
    struct Block {
        std::unique_ptr<std::byte[]> memory;
        size_t size;
    };
    std::vector<Block> m_blocks;
    size_t m_block = 0; // index of the block in use + 1
    uintptr_t m_at = 0;
    uintptr_t m_end = 0;
};

using ArenaPtr = std::shared_ptr<ExprArena>;

/// Makes an arena current on this thread for the scope's lifetime; scopes nest.
class ArenaScope {
  public:
    explicit ArenaScope(ExprArena &arena);
    explicit ArenaScope(const ArenaPtr &arena) : ArenaScope(*arena) {}
    ~ArenaScope();
    ArenaScope(const ArenaScope &) = delete;
    ArenaScope &operator=(const ArenaScope &) = delete;

  private:
    ExprArena *m_previous;
};

} // namespace loopscope
