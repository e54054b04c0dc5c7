#pragma once
// GPU loop programs written statement by statement, for tests of what is made of them whatever lowering does.

#include "codegen/loop_ir/program.h"

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace loopscope {

/// While it lives its arena is current, so expressions may be written directly.
class KernelMaker {
  public:
    KernelMaker() : m_arena(std::make_shared<ExprArena>()), m_scope(m_arena) {}

    Buffer &argument(const std::string &name, std::vector<int64_t> shape, DType type = DType::Float32,
                     bool output = false) {
        Buffer &made = buffer(name, std::move(shape), MemoryScope::Argument, type);
        made.argIndex = static_cast<int>(m_program.args.size());
        m_program.args.push_back({&made, output, made.shape, {}});
        return made;
    }
    Buffer &output(const std::string &name, std::vector<int64_t> shape, DType type = DType::Float32) {
        return argument(name, std::move(shape), type, true);
    }
    Buffer &buffer(const std::string &name, std::vector<int64_t> shape, MemoryScope scope,
                   DType type = DType::Float32) {
        auto made = std::make_unique<Buffer>();
        made->name = name;
        made->dtype = type;
        made->scope = scope;
        made->strides.resize(shape.size());
        int64_t stride = 1;
        for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) made->strides[d] = stride;
        made->shape = std::move(shape);
        m_program.buffers.push_back(std::move(made));
        return *m_program.buffers.back();
    }

    static Stmt loop(LoopKind kind, Expr var, int64_t extent, std::initializer_list<Stmt> body, Expr min = {}) {
        StmtNode node;
        node.loop = kind;
        node.var = var;
        node.min = min;
        node.extent = makeInt(extent);
        return makeFor(node, makeBlock(std::vector<Stmt>(body)));
    }
    static Stmt store(const Buffer &to, std::initializer_list<Expr> indices, Expr value, bool init = false) {
        return makeStore(to, std::vector<Expr>(indices), value, {}, init);
    }
    static Expr load(const Buffer &from, std::initializer_list<Expr> indices) {
        return makeLoad(from, std::vector<Expr>(indices));
    }
    static Expr call(Intrinsic intrinsic, DType type, std::initializer_list<Expr> args) {
        return makeCall(intrinsic, type, std::vector<Expr>(args));
    }

    /// Statements one after the other.
    LoopProgram program(std::initializer_list<Stmt> statements) {
        m_program.root = makeBlock(std::vector<Stmt>(statements));
        m_program.arena = m_arena;
        numberNodes(m_program);
        if (const std::string defect = verifyProgram(m_program); !defect.empty()) throw std::runtime_error(defect);
        return std::move(m_program);
    }

  private:
    ArenaPtr m_arena;
    ArenaScope m_scope;
    LoopProgram m_program;
};

/// A kernel of one block of 32 threads, `t`.
class OneBlock : public KernelMaker {
  public:
    const Expr t = makeVar("t");
    LoopProgram of(std::initializer_list<Stmt> body) {
        return program({loop(LoopKind::BlockX, makeVar("b"), 1, {loop(LoopKind::ThreadX, t, 32, body)})});
    }
};

} // namespace loopscope
