#include "codegen/loop_ir/shared_layout.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

class Placer {
  public:
    /// `used` bytes are taken by what is allocated around.
    void place(Stmt stmt, int64_t used) {
        if (stmt->kind == StmtKind::Allocate && stmt->buffer->scope == MemoryScope::Shared) {
            const int64_t given = allocatedAt(stmt);
            const int64_t begin = given < 0 ? used : given;
            const int64_t bytes = sharedSizeOf(*stmt->buffer);
            layout.offsets[stmt->buffer] = begin;
            used = std::max(used, begin + bytes);
            all += bytes;
            layout.bytes = std::max(layout.bytes, used);
        }
        for (const Stmt child : stmt->body()) place(child, used);
    }

    SharedLayout layout;
    int64_t all = 0; // if no two buffers shared bytes
};

} // namespace

int64_t sharedSizeOf(const Buffer &buffer) {
    const int64_t bytes = buffer.elements() * dtypeBytes(buffer.dtype);
    return (bytes + kSharedPieceAlignment - 1) / kSharedPieceAlignment * kSharedPieceAlignment;
}

Stmt makeAllocateAt(const Buffer &buffer, int64_t byte, Stmt body) {
    StmtNode node = *makeAllocate(buffer, body).node();
    node.min = makeInt(byte);
    return newStmt(node);
}

int64_t allocatedAt(Stmt allocate) { return allocate->min ? allocate->min->intValue : -1; }

SharedLayout sharedLayoutOf(Stmt kernel) {
    Placer placer;
    placer.place(kernel, 0);
    placer.layout.reused = placer.all > placer.layout.bytes;
    return std::move(placer.layout);
}

} // namespace loopscope
