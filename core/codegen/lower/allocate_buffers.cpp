#include "codegen/lower/memory_refusal.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/simplify_program.h"
#include "codegen/lower/thread_counts.h"

#include "base/check.h"
#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace loopscope {

namespace {

constexpr int64_t kStackBytes = 16 * 1024;      // largest single buffer on a thread's stack
constexpr int64_t kStackTotalBytes = 64 * 1024; // of all buffers of a kernel

/// Whether a buffer met inside is allocated right inside a loop of that kind, anew for each of its iterations.
using Holds = bool (*)(LoopKind loop, const Buffer &buffer);

class StoragePlacer : public ProgramSimplifier {
  public:
    explicit StoragePlacer(Holds holds) : m_holds(holds) {}

    Stmt run(Stmt root) {
        Stmt body = visit(root);
        return allocateHere(body, 0, [](const Buffer &) { return true; });
    }

  protected:
    Stmt visitStore(Stmt stmt) override {
        m_used.insert(stmt->buffer);
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
        const size_t outside = m_waiting.size();
        const Stmt body = visit(stmt->children[0]);
        if (!body) return {};
        const Stmt allocated =
            allocateHere(body, outside, [&](const Buffer &buffer) { return m_holds(stmt->loop, buffer); });
        return withChildren(stmt, {&allocated, 1});
    }

    Expr rewriteLoad(Expr load) override {
        const auto &buffer = static_cast<const Buffer &>(*load->symbol);
        m_used.insert(&buffer);
        const std::vector<Expr> indices = rebased(buffer, load->operands());
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

    /// Wraps `body` in those allocations met since `outside` that belong here, the first outermost. What nothing in it
    /// uses has no place: a stage whose statements went away (a tensor that nobody reads, held in shared memory).
    template <typename Here> Stmt allocateHere(Stmt body, size_t outside, const Here &here) {
        for (size_t i = m_waiting.size(); i > outside; --i)
            if (here(*m_waiting[i - 1]) && m_used.contains(m_waiting[i - 1]))
                body = makeAllocate(*m_waiting[i - 1], body);
        const auto from = m_waiting.begin() + static_cast<ptrdiff_t>(outside);
        m_waiting.erase(std::remove_if(from, m_waiting.end(), [&](const Buffer *buffer) { return here(*buffer); }),
                        m_waiting.end());
        return body;
    }

    Holds m_holds;
    std::vector<const Buffer *> m_waiting;
    std::unordered_set<const Buffer *> m_used;
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

/// Places the intermediates and shrinks them to their regions.
void place(LoopProgram &program, const PassContext &context, Holds holds) {
    program.root = StoragePlacer(holds).run(program.root);
    for (const auto &buffer : program.buffers) {
        if (buffer->scope == MemoryScope::Argument) continue;
        LOOPSCOPE_CHECK(buffer->regionExtent.size() == buffer->shape.size(), "a buffer without a region");
        buffer->shape = buffer->regionExtent;
        buffer->regionMin.clear();
        buffer->regionExtent.clear();
        if (buffer->stage.value >= 0) setStrides(*buffer, context.state.stage(buffer->stage));
    }
    numberNodes(program);
}

int64_t bytesOf(const Buffer &buffer) { return buffer.elements() * dtypeBytes(buffer.dtype); }

/// The first kernel that needs more local memory than a thread of the target has.
std::optional<Refusal> localMemoryExceeded(Stmt stmt, const PassContext &context) {
    if (stmt->kind == StmtKind::For && (isBlockAxis(stmt->loop) || isThreadAxis(stmt->loop))) {
        int64_t bytes = 0;
        forEachStmt(stmt, [&](Stmt s) {
            if (s->kind == StmtKind::Allocate && s->buffer->scope == MemoryScope::Local) bytes += bytesOf(*s->buffer);
        });
        const int most = context.target.hardware.maxLocalMemoryPerBlock;
        if (most > 0 && bytes > most) return memoryRefusal(context, stmt, MemoryScope::Local, bytes, most);
        return std::nullopt;
    }
    for (const Stmt child : stmt->body())
        if (std::optional<Refusal> refused = localMemoryExceeded(child, context)) return refused;
    return std::nullopt;
}

} // namespace

void allocateBuffers(LoopProgram &program, const PassContext &context) {
    place(program, context, [](LoopKind loop, const Buffer &) { return loop == LoopKind::Parallel; });
    int64_t onStack = 0;
    for (const auto &buffer : program.buffers) {
        if (buffer->scope == MemoryScope::Argument) continue;
        const int64_t bytes = bytesOf(*buffer);
        const bool small = bytes <= kStackBytes && onStack + bytes <= kStackTotalBytes;
        buffer->scope = small ? MemoryScope::Stack : MemoryScope::Heap;
        if (small) onStack += bytes;
    }
}

std::optional<Refusal> allocateGpuBuffers(LoopProgram &program, const PassContext &context) {
    place(program, context, [](LoopKind loop, const Buffer &buffer) {
        return (isBlockAxis(loop) && buffer.scope == MemoryScope::Shared) ||
               (isThreadAxis(loop) && buffer.scope == MemoryScope::Local);
    });
    return localMemoryExceeded(program.root, context);
}

} // namespace loopscope
