#include "codegen/cuda/shared_layout.h"

#include <algorithm>

namespace loopscope {

namespace {

class Placer {
  public:
    /// `used` bytes are taken by what is allocated around.
    void place(Stmt stmt, int64_t used) {
        if (stmt->kind == StmtKind::Allocate && stmt->buffer->scope == MemoryScope::Shared) {
            const int64_t bytes = stmt->buffer->elements() * dtypeBytes(stmt->buffer->dtype);
            const int64_t whole = (bytes + kSharedPieceAlignment - 1) / kSharedPieceAlignment * kSharedPieceAlignment;
            layout.offsets[stmt->buffer] = used;
            used += whole;
            all += whole;
            layout.bytes = std::max(layout.bytes, used);
        }
        for (const Stmt child : stmt->body()) place(child, used);
    }

    SharedLayout layout;
    int64_t all = 0; // if no two buffers shared bytes
};

} // namespace

SharedLayout sharedLayoutOf(Stmt kernel) {
    Placer placer;
    placer.place(kernel, 0);
    placer.layout.oneBlock = placer.layout.dynamic() || placer.all > placer.layout.bytes;
    return std::move(placer.layout);
}

} // namespace loopscope
