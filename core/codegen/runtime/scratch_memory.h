#pragma once
// Memory for what a kernel computes on its way. What is given back is kept for the next who asks: the system makes
// every fresh page when it is first touched, which costs a kernel that runs again and again more than its arithmetic.

#include <cstddef>
#include <vector>

namespace loopscope {

/// Of one thread, which takes and gives back in any order.
class ScratchMemory {
  public:
    /// Smaller blocks are the C library's, larger ones of which nobody holds any are kept up to `keptBytes`, those that
    /// were given back last first.
    explicit ScratchMemory(size_t keptBytes = size_t{256} << 20) : m_most(keptBytes) {}
    ~ScratchMemory();
    ScratchMemory(const ScratchMemory &) = delete;
    ScratchMemory &operator=(const ScratchMemory &) = delete;

    /// Begins at a multiple of 64, holds anything. Null: there is no more memory.
    [[nodiscard]] void *take(size_t bytes);
    void giveBack(void *memory);
    [[nodiscard]] size_t kept() const;

  private:
    struct Block {
        void *memory = nullptr;
        size_t bytes = 0;
        bool taken = false;
    };
    void dropBeyond(size_t bytes);

    std::vector<Block> m_blocks; // given back earlier: further ahead
    size_t m_most;
};

} // namespace loopscope
