#pragma once
// Memory for what kernels compute on their way, of one thread: given out and taken back like a stack, as kernels do,
// and kept, so that after the first run there is nothing left to allocate.

#include <cstddef>
#include <memory>
#include <vector>

namespace loopscope {

class Workspace {
  public:
    Workspace() = default;
    ~Workspace();
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;

    /// From now on there is room for so many bytes at once. Nothing may be taken meanwhile.
    void reserve(size_t bytes);
    /// Begins at a multiple of 64, holds anything. Null: there is no more memory.
    [[nodiscard]] void *take(size_t bytes);
    /// The last that was taken, of those that were not given back.
    void giveBack(void *memory);
    [[nodiscard]] size_t reserved() const;

  private:
    struct Block {
        std::byte *memory = nullptr;
        size_t bytes = 0;
        size_t used = 0;
    };
    bool addBlock(size_t bytes);

    std::vector<Block> m_blocks; // filled one after the other
    size_t m_current = 0;
};

} // namespace loopscope
