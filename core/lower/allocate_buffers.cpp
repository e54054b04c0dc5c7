#include "lower/passes.h"
#include "lower/simplify_program.h"

#include "check.h"
#include "loop_ir/walk.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int64_t kStackBytes = 16 * 1024;      // largest single buffer on a thread's stack
constexpr int64_t kStackTotalBytes = 64 * 1024; // of all buffers of a kernel

class StoragePlacer : public ProgramSimplifier {
  public:
    Stmt run(Stmt root) {
        Stmt body = visit(root);
        return allocateHere(body, 0);
    }

  protected:
    Stmt visitStore(Stmt stmt) override {
        const std::vector<Expr> indices = rebased(*stmt->buffer, stmt->index());
        StmtNode node = *makeStore(*stmt->buffer, indices, (*this)(stmt->value), stmt->stage).node();
        node.reductionInit = stmt->reductionInit;
        return newStmt(node);
    }

    Stmt visitAllocate(Stmt stmt) override {
        m_waiting.push_back(stmt->buffer);
        return visit(stmt->children[0]);
    }

    Stmt visitLoop(Stmt stmt) override {
        if (stmt->loop != LoopKind::Parallel) return visitChildren(stmt);
        const size_t outside = m_waiting.size();
        const Stmt body = visit(stmt->children[0]);
        if (!body) return {};
        const Stmt allocated = allocateHere(body, outside);
        return withChildren(stmt, {&allocated, 1});
    }

    Expr rewriteLoad(Expr load) override {
        const std::vector<Expr> indices = rebased(static_cast<const Buffer &>(*load->symbol), load->operands());
        return makeLoad(*load->symbol, indices);
    }

  private:
    std::vector<Expr> rebased(const Buffer &buffer, std::span<const Expr> indices) {
        std::vector<Expr> result;
        for (size_t d = 0; d < indices.size(); ++d) {
            if (buffer.regionMin.empty() || !buffer.regionMin[d]) {
                result.push_back((*this)(indices[d]));
                continue;
            }
            SplitSum index;
            index.add(sum(indices[d]));
            index.add(sum(buffer.regionMin[d]), -1);
            result.push_back(write(index, DType::Int32));
        }
        return result;
    }

    /// Wraps `body` in the allocations met since `outside`, the first outermost.
    Stmt allocateHere(Stmt body, size_t outside) {
        for (size_t i = m_waiting.size(); i > outside; --i) body = makeAllocate(*m_waiting[i - 1], body);
        m_waiting.resize(outside);
        return body;
    }

    std::vector<const Buffer *> m_waiting;
};

void setStrides(Buffer &buffer, const Stage &stage) {
    int64_t stride = 1;
    for (size_t d = buffer.shape.size(); d > 0; --d) {
        if (stage.storageAlignFactor > 1 && stage.storageAlignIter == static_cast<int>(d - 1)) {
            const int64_t misses = stage.storageOffset + stage.storageAlignFactor - stride % stage.storageAlignFactor;
            stride += misses % stage.storageAlignFactor;
        }
        buffer.strides[d - 1] = stride;
        stride *= buffer.shape[d - 1];
    }
}

} // namespace

void allocateBuffers(LoopProgram &program, const PassContext &context) {
    program.root = StoragePlacer().run(program.root);
    int64_t onStack = 0;
    for (const auto &buffer : program.buffers) {
        if (buffer->scope == MemoryScope::Argument) continue;
        LOOPSCOPE_CHECK(buffer->regionExtent.size() == buffer->shape.size(), "a buffer without a region");
        buffer->shape = buffer->regionExtent;
        buffer->regionMin.clear();
        buffer->regionExtent.clear();
        setStrides(*buffer, context.state.stage(StageId(buffer->stage)));
        const int64_t bytes = buffer->elements() * dtypeBytes(buffer->dtype);
        const bool small = bytes <= kStackBytes && onStack + bytes <= kStackTotalBytes;
        buffer->scope = small ? MemoryScope::Stack : MemoryScope::Heap;
        if (small) onStack += bytes;
    }
    numberNodes(program);
}

} // namespace loopscope
