#pragma once
// Memory for what kernels compute on their way, of one thread: given out like a stack and kept, so that after the first
// run there is nothing left to allocate. What is given back out of turn becomes free with what was taken after it.

#include <cstddef>
#include <vector>

namespace loopscope {

class Workspace {
  public:
    Workspace() = default;
    ~Workspace();
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;

    /// From now on there is room for so many bytes at once (64 more for each piece). Nothing may be taken meanwhile.
    void reserve(size_t bytes);
    /// Begins at a multiple of 64, holds anything. Null: there is no more memory.
    [[nodiscard]] void *take(size_t bytes);
    void giveBack(void *memory);
    [[nodiscard]] size_t reserved() const;

  private:
    /// In front of every piece.
    struct Piece {
        size_t block = 0;
        size_t before = 0; // where the piece in front of it begins
        bool free = false;
    };
    struct Block {
        std::byte *memory = nullptr;
        size_t bytes = 0;
        size_t used = 0;
        size_t last = 0; // where the last piece begins; nothing is used: meaningless
    };
    bool addBlock(size_t bytes);
    static Piece &pieceAt(const Block &block, size_t at) { return *reinterpret_cast<Piece *>(block.memory + at); }

    std::vector<Block> m_blocks;
};

} // namespace loopscope
