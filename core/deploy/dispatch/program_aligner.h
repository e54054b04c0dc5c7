#pragma once
// Walks several loop programs at once that are meant to be one program but for their numbers: the same statements,
// expressions and buffers in the same places, with variables and buffers in one-to-one correspondence. What becomes of
// numbers says whoever derives from it. Internal to dispatch.

#include "codegen/loop_ir/program.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

class ProgramAligner {
  public:
    virtual ~ProgramAligner() = default;
    ProgramAligner(const ProgramAligner &) = delete;
    ProgramAligner &operator=(const ProgramAligner &) = delete;

  protected:
    /// The programs outlive it.
    explicit ProgramAligner(std::vector<const LoopProgram *> programs) : m_programs(std::move(programs)) {}

    /// One program in the thread's current arena, without numbers of its nodes; false: they differ, `why` says where.
    bool align(LoopProgram &out);
    [[nodiscard]] const std::string &why() const { return m_why; }
    bool fail(std::string why);

    /// What stands for the numbers; null, after fail: nothing does.
    virtual Expr number(std::span<const int64_t> values, DType type) = 0;
    virtual Expr number(std::span<const double> values, DType type) = 0;
    /// Makes shape and strides of `joined`, the copy of the first; false, after fail: they do not fit together.
    virtual bool dims(Buffer &joined, std::span<const Buffer *const> buffers) = 0;
    virtual bool kind(std::span<const Stmt> loops, LoopKind &out) = 0;

  private:
    struct JoinedVar {
        std::vector<const ExprNode *> nodes; // by program
        Expr joined;
    };
    struct JoinedBuffer {
        std::vector<const Buffer *> buffers; // by program
        Buffer *joined = nullptr;
    };
    Expr expr(std::span<const Expr> all);
    Expr variable(std::span<const Expr> all);
    Expr bind(std::span<const Expr> all);
    Expr optionalNumber(std::span<const Stmt> loops, Expr StmtNode::*field);
    Stmt stmt(std::span<const Stmt> all);
    bool children(std::span<const Stmt> all, StmtNode &node);
    Buffer *buffer(std::vector<const Buffer *> buffers);
    Buffer *known(std::span<const TensorSymbol *const> symbols);

    std::vector<const LoopProgram *> m_programs;
    LoopProgram *m_out = nullptr;
    std::vector<JoinedVar> m_vars; // in scope
    std::vector<JoinedBuffer> m_buffers;
    std::string m_why;
};

} // namespace loopscope
