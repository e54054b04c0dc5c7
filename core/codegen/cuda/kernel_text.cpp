#include "codegen/cuda/kernel_text.h"

#include "base/foreign_text.h"
#include "codegen/cuda/vector_text.h"
#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

/// Stores that loops are written out to at most: compilers take seconds for more, and the instructions of a
/// multiprocessor's cache are far fewer.
constexpr int64_t kMaxWrittenOut = 8192;

bool isPrivate(const Buffer &buffer) {
    return buffer.scope == MemoryScope::Local || buffer.scope == MemoryScope::Register;
}

/// An array of a thread's own is indexed by the loop: it can only be in registers if the loop is written out.
bool indexesPrivate(Stmt stmt, Expr var) {
    bool found = false;
    const auto look = [&](const Buffer &buffer, std::span<const Expr> indices) {
        if (!isPrivate(buffer)) return;
        found = found || std::ranges::any_of(indices, [&](Expr e) { return usesVar(e, var); });
    };
    forEachStmt(stmt, [&](Stmt s) {
        if (s->kind == StmtKind::Store) look(*s->buffer, s->index());
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                if (e->kind == ExprKind::Load) look(static_cast<const Buffer &>(*e->symbol), e->operands());
            });
        });
    });
    return found;
}

/// The one buffer that is stored to inside; null when there are several, or none.
const Buffer *onlyStored(Stmt stmt, bool &init) {
    const Buffer *found = nullptr;
    bool several = false;
    forEachStmt(stmt, [&](Stmt s) {
        if (s->kind != StmtKind::Store) return;
        several = several || (found != nullptr && found != s->buffer);
        init = s->reductionInit;
        found = s->buffer;
    });
    return several ? nullptr : found;
}

class KernelWriter {
  public:
    KernelWriter(CudaText &text, const GpuKernel &kernel)
        : m_text(text), m_lines(text.lines), m_expr(text.expr), m_kernel(kernel), m_vectors(text) {}

    void write(Stmt stmt) {
        switch (stmt->kind) {
        case StmtKind::Block:
            return writeBlock(stmt);
        case StmtKind::For:
            return isBound(stmt) ? writeBound(stmt) : writeLoop(stmt);
        case StmtKind::Store:
            ++m_stores;
            return writeStore(stmt);
        case StmtKind::If:
            m_lines.line("if (" + bareCondition(m_expr.value(stmt->value)) + ") {", at(stmt));
            inside(stmt->children[0]);
            if (stmt->childCount > 1) {
                m_lines.line("} else {");
                inside(stmt->children[1]);
            }
            return m_lines.line("}");
        case StmtKind::Let: {
            const std::string value = m_expr.value(stmt->value);
            const std::string &name = declareLet(stmt->var, stmt->value);
            m_lines.line(fmt::format("const {} {} = {};", letType(stmt->var), name, value), at(stmt));
            write(stmt->children[0]);
            m_expr.forget();
            return;
        }
        case StmtKind::Allocate:
            writeAllocate(*stmt->buffer, at(stmt));
            return write(stmt->children[0]);
        case StmtKind::Barrier:
            return m_lines.line("__syncthreads();", at(stmt));
        }
    }

  private:
    [[nodiscard]] int at(Stmt stmt) const { return m_text.at(stmt); }
    static bool isBound(Stmt loop) { return loop->loop >= LoopKind::BlockX && loop->loop <= LoopKind::ThreadZ; }

    const std::string &declareLet(Expr var, Expr value) {
        const bool whole = !isFloat(var->dtype) && var->dtype != DType::Bool;
        return m_expr.declare(var, whole ? m_expr.rangeOf(value) : Interval::ofType(var->dtype));
    }
    /// A variable of a let keeps the type of its value: narrowing it would be another value.
    [[nodiscard]] std::string_view letType(Expr var) const { return m_expr.valueType(var->dtype); }

    void inside(Stmt stmt) {
        m_lines.deeper();
        write(stmt);
        m_lines.back();
    }

    /// Parts that compute one stage each say which.
    void writeBlock(Stmt block) {
        const Buffer *before = nullptr;
        bool initBefore = false;
        for (const Stmt child : block->body()) {
            bool init = false;
            const Buffer *stored = onlyStored(child, init);
            if (stored != nullptr && (stored != before || init != initBefore))
                m_lines.line(fmt::format("// {}{}", commentText(stored->name), init ? ", to begin with" : ""));
            if (stored != nullptr) {
                before = stored;
                initBefore = init;
            }
            write(child);
        }
    }

    /// A loop that the hardware runs: its variable is the number of the block or thread.
    void writeBound(Stmt loop) {
        const std::string &var = m_expr.declare(loop->var, Interval::upTo(constantExtent(loop)));
        if (usesVar(loop->children[0], loop->var))
            m_lines.line(
                fmt::format("const int {} = {}; // 0 .. {}", var, loopKindName(loop->loop), loop->extent->intValue),
                at(loop));
        write(loop->children[0]);
        m_expr.forget();
    }

    void writeLoop(Stmt loop) {
        if (loop->loop == LoopKind::Vectorized && m_vectors.write(loop)) {
            ++m_stores;
            return;
        }
        const Interval trips = m_expr.rangeOf(loop->extent);
        Interval range = {0, trips.max - 1};
        std::string first = "0";
        std::string end = m_expr.value(loop->extent);
        if (loop->min) {
            first = m_expr.value(loop->min);
            range = range + m_expr.rangeOf(loop->min);
            const bool constant = loop->min->kind == ExprKind::IntImm && loop->extent->kind == ExprKind::IntImm;
            end = constant ? std::to_string(loop->min->intValue + loop->extent->intValue) : first + " + " + end;
        }
        const std::string_view type = m_expr.indexType(range + Interval{0, 1});
        if (end.find_first_not_of("0123456789-") != std::string::npos) {
            const std::string bound = m_text.names.unique(std::string(loop->var->name()) + "_end");
            m_lines.line(fmt::format("const {} {} = {};", type, bound, end), at(loop));
            end = bound;
        }
        const std::string &var = m_expr.declare(loop->var, range);
        const size_t begin = m_lines.mark();
        m_lines.line(fmt::format("for ({1} {0} = {2}; {0} < {3}; ++{0}) {{", var, type, first, end), at(loop));
        const int64_t before = std::exchange(m_stores, 0);
        inside(loop->children[0]);
        const int64_t length = std::exchange(m_stores, before);
        m_stores += unrolled(loop, begin, length);
        m_expr.forget();
        m_text.names.giveBack(var);
        m_lines.line("}");
    }

    /// Asks for the loop to be written out, from the inside out, as long as what becomes of it stays short enough.
    /// `length`: stores of the body; returns those of the loop.
    int64_t unrolled(Stmt loop, size_t head, int64_t length) {
        const int64_t extent = constantExtent(loop);
        if (extent < 0 || length > kMaxWrittenOut / std::max<int64_t>(extent, 1)) return length;
        const bool asked =
            loop->loop == LoopKind::Unrolled || loop->loop == LoopKind::VThread || loop->loop == LoopKind::Vectorized;
        if (!asked && !indexesPrivate(loop->children[0], loop->var)) return length;
        m_lines.insertBefore(head, "#pragma unroll");
        return length * extent;
    }

    /// Variables that the value begins with are declared: written out where they are used, texts could double with
    /// each.
    void writeStore(Stmt stmt) {
        Expr value = stmt->value;
        const bool declares = value->kind == ExprKind::Let;
        if (declares) {
            m_lines.line("{");
            m_lines.deeper();
        }
        int declared = 0;
        for (; value->kind == ExprKind::Let; value = value->arg(2), ++declared) {
            const std::string text = m_expr.value(value->arg(1));
            const std::string &name = declareLet(value->arg(0), value->arg(1));
            m_lines.line(fmt::format("const {} {} = {};", letType(value->arg(0)), name, text), at(stmt));
        }
        const std::string element = m_expr.element(*stmt->buffer, stmt->index());
        m_lines.line(element + " = " + m_expr.stored(*stmt->buffer, value) + ";", at(stmt));
        for (; declared > 0; --declared) m_expr.forget();
        if (!declares) return;
        m_lines.back();
        m_lines.line("}");
    }

    void writeAllocate(const Buffer &buffer, int programLine) {
        const std::string type(m_expr.storageType(buffer));
        const std::string &name = m_expr.nameOf(buffer);
        if (buffer.scope != MemoryScope::Shared)
            return m_lines.line(fmt::format("{} {}[{}];", type, name, buffer.elements()), programLine);
        if (!m_kernel.sharesOnePiece())
            return m_lines.line(fmt::format("__shared__ __align__({}) {} {}[{}];", kSharedPieceAlignment, type, name,
                                            buffer.elements()),
                                programLine);
        std::string after;
        for (const Buffer *other : m_kernel.sharedBuffers)
            if (sharesBytes(*other, buffer))
                after += (after.empty() ? ", in turn with " : ", ") + m_expr.nameOf(*other);
        m_lines.line(fmt::format("{0} *const {1} = ({0} *)(shared_memory + {2}); // {3} elements{4}", type, name,
                                 m_kernel.shared.offsets.at(&buffer), buffer.elements(), after),
                     programLine);
    }

    [[nodiscard]] bool sharesBytes(const Buffer &a, const Buffer &b) const {
        const auto at = [&](const Buffer &buffer) { return m_kernel.shared.offsets.at(&buffer); };
        return &a != &b && at(a) < at(b) + sharedSizeOf(b) && at(b) < at(a) + sharedSizeOf(a);
    }

    CudaText &m_text;
    TextLines &m_lines;
    CExprWriter &m_expr;
    const GpuKernel &m_kernel;
    VectorText m_vectors;
    int64_t m_stores = 0; // written so far, those in loops that are written out as often
};

std::string aboutKernel(const GpuKernel &kernel) {
    std::vector<std::string> written;
    for (const KernelParameter &parameter : kernel.parameters)
        if (parameter.written) written.push_back(parameter.buffer->name);
    const auto extents = [](const std::array<int64_t, 3> &counts) {
        std::string text = std::to_string(counts[0]);
        for (size_t i = 1; i < 3; ++i)
            if (counts[1] * counts[2] > 1 && (i == 1 || counts[2] > 1)) text += " x " + std::to_string(counts[i]);
        return text;
    };
    const std::string threads = extents(kernel.launch.threads);
    const std::string blocks = extents(kernel.launch.blocks);
    return fmt::format("// {}: {} block{} of {} thread{}{}", commentText(fmt::format("{}", fmt::join(written, ", "))),
                       blocks, blocks == "1" ? "" : "s", threads, threads == "1" ? "" : "s",
                       kernel.shared.bytes > 0 ? fmt::format(" with {} bytes of shared memory", kernel.shared.bytes)
                                               : "");
}

} // namespace

std::string parameterList(CExprWriter &expr, const std::vector<KernelParameter> &parameters) {
    std::string list;
    for (const KernelParameter &parameter : parameters) {
        if (!list.empty()) list += ", ";
        if (!parameter.written) list += "const ";
        list += fmt::format("{} *__restrict__ {}", expr.storageType(*parameter.buffer), expr.nameOf(*parameter.buffer));
    }
    return list;
}

void writeKernel(CudaText &text, const GpuKernel &kernel) {
    int64_t threads = 1;
    for (const int64_t extent : kernel.launch.threads) threads *= extent;
    text.lines.line(aboutKernel(kernel));
    const std::string parameters = parameterList(text.expr, kernel.parameters);
    text.names.openFunction();
    text.lines.line(
        fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", threads, kernel.name, parameters),
        text.at(kernel.root));
    text.lines.deeper();
    if (kernel.asksForShared())
        text.lines.line(fmt::format("extern __shared__ __align__({}) unsigned char shared_memory[]; // {} bytes",
                                    kSharedPieceAlignment, kernel.shared.bytes));
    else if (kernel.sharesOnePiece())
        text.lines.line(fmt::format("__shared__ __align__({}) unsigned char shared_memory[{}];", kSharedPieceAlignment,
                                    kernel.shared.bytes));
    KernelWriter(text, kernel).write(kernel.root);
    text.lines.back();
    text.lines.line("}");
    text.names.closeFunction();
}

} // namespace loopscope
