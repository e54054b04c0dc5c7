#pragma once
// Small kernels written by hand, right ones and such as no lowering should make: two blocks of 32 threads (or as many
// as said), A and C in global memory, S in shared memory.

#include "codegen/loop_ir/program.h"
#include "harness/executed_kernels.h"

namespace loopscope {

class HandKernel {
  public:
    explicit HandKernel(int64_t blocks = 2, int64_t threads = 32, DType type = DType::Float32)
        : m_scope(m_program.arena), m_blocks(blocks), m_threads(threads), b(makeVar("b")), t(makeVar("t")),
          A(buffer("A", {blocks * threads}, MemoryScope::Argument, type)),
          C(buffer("C", {blocks * threads}, MemoryScope::Argument, type)),
          S(buffer("S", {threads}, MemoryScope::Shared, type)) {
        m_program.args = {{&A, false, A.shape, {}}, {&C, true, C.shape, {}}};
        A.argIndex = 0;
        C.argIndex = 1;
    }

    Buffer &buffer(const std::string &name, std::vector<int64_t> shape, MemoryScope scope,
                   DType type = DType::Float32) {
        auto made = std::make_unique<Buffer>();
        made->name = name;
        made->dtype = type;
        made->shape = shape;
        made->scope = scope;
        made->strides.assign(shape.size(), 1);
        for (size_t d = shape.size(); d-- > 1;) made->strides[d - 1] = made->strides[d] * shape[d];
        m_program.buffers.push_back(std::move(made));
        return *m_program.buffers.back();
    }

    static Expr number(int64_t value) { return makeInt(value); }
    [[nodiscard]] Expr global() const { return b * m_threads + t; }
    static Expr read(const Buffer &from, Expr at) { return makeLoad(from, std::array{at}); }
    static Stmt write(const Buffer &to, Expr at, Expr value) { return makeStore(to, std::array{at}, value, {}); }
    static Stmt loop(Expr var, Expr extent, Stmt body, LoopKind kind = LoopKind::Serial) {
        StmtNode node;
        node.kind = StmtKind::For;
        node.loop = kind;
        node.var = var;
        node.extent = extent;
        return makeFor(node, body);
    }

    /// What a thread does becomes a kernel of the blocks; with `shared` S exists.
    [[nodiscard]] Stmt kernel(const std::vector<Stmt> &body, bool shared = true) const {
        const Stmt threads = loop(t, number(m_threads), makeBlock(body), LoopKind::ThreadX);
        return loop(b, number(m_blocks), shared ? makeAllocate(S, threads) : threads, LoopKind::BlockX);
    }
    const LoopProgram &whole(Stmt root) {
        m_program.root = root;
        numberNodes(m_program);
        return m_program;
    }
    const LoopProgram &program(const std::vector<Stmt> &body, bool shared = true) {
        return whole(kernel(body, shared));
    }

  private:
    static LoopProgram withArena() {
        LoopProgram program;
        program.arena = std::make_shared<ExprArena>();
        return program;
    }
    LoopProgram m_program = withArena();
    ArenaScope m_scope;
    int64_t m_blocks;
    int64_t m_threads;

  public:
    Expr b, t;
    Buffer &A, &C, &S;
};

} // namespace loopscope
