// A loop program as one C17 function. A statement of the program becomes one line (with its pragma or closing brace),
// so the links are simply noted while writing.

#include "codegen/c/reference_source.h"
#include "codegen/kernel_code.h"

#include "codegen/c/c_expr.h"
#include "codegen/llvm/prefetch_plan.h"
#include "codegen/llvm/unroll_plan.h"
#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

// Characters of the statements that compilers write out where they unroll. The time they take grows faster: GCC takes a
// minute for 600 000 of the statements of a matrix product.
constexpr int64_t kMaxWritten = 65'536;
constexpr int64_t kLanes = 8; // that a compiler makes a vector of; what is left over it writes out one by one

struct Line {
    std::string text;
    int programLine = 0;
};

class CWriter {
  public:
    explicit CWriter(const LoopProgram &program, CFloats floats = CFloats::AsTyped)
        : m_program(program), m_expr(m_names, floats), m_reference(floats == CFloats::Wide) {
        printProgram(program, &m_lineOf);
        if (!m_reference) m_prefetches.emplace(program, UnrollPlan(program));
    }

    LinkedText run() {
        const std::string name = m_names.unique(m_program.name);
        std::string head = std::string(m_reference ? "static " : "") + "void " + name + "(";
        for (const ProgramArg &arg : m_program.args) {
            if (head.back() != '(') head += ", ";
            if (!arg.output) head += "const ";
            head += std::string(cStorageName(arg.buffer->dtype)) + " *restrict " + m_expr.nameOf(*arg.buffer);
        }
        line(head + ") {", 1);
        ++m_depth;
        for (const ProgramArg &arg : m_program.args)
            if (!touches(m_program.root, arg.buffer)) line("(void)" + m_expr.nameOf(*arg.buffer) + ";", 0);
        write(m_program.root);
        --m_depth;
        line("}", 0);
        return assemble();
    }

  private:
    void line(const std::string &text, int programLine) {
        m_lines.push_back({std::string(static_cast<size_t>(m_depth) * 4, ' ') + text, programLine});
    }
    [[nodiscard]] int at(Stmt stmt) const { return m_lineOf.at(stmt->id); }

    LinkedText assemble() const {
        std::vector<Line> all = {{"#include <math.h>", 0},   {"#include <stdbool.h>", 0}, {"#include <stdint.h>", 0},
                                 {"#include <stdlib.h>", 0}, {"#include <string.h>", 0},  {"", 0}};
        const std::vector<std::string> helpers = m_expr.helpers();
        for (const std::string &helper : helpers) all.push_back({helper, 0});
        if (!helpers.empty()) all.push_back({"", 0});
        if (m_asksAhead)
            for (const char *row : {"#ifdef __GNUC__", "#define LOOPSCOPE_ASK_FOR(address) __builtin_prefetch(address)",
                                    "#else", "#define LOOPSCOPE_ASK_FOR(address) ((void)0)", "#endif", ""})
                all.push_back({row, 0});
        for (const std::string &row : m_expr.tables()) all.push_back({row, 0});
        if (!m_expr.tables().empty()) all.push_back({"", 0});
        for (const ProgramArg &arg : m_program.args)
            if (!arg.packing.empty()) all.push_back({packingComment(arg), 0});
        all.insert(all.end(), m_lines.begin(), m_lines.end());
        LinkedText code;
        for (size_t i = 0; i < all.size(); ++i) {
            code.text += all[i].text + "\n";
            if (all[i].programLine > 0) code.links.push_back({static_cast<int>(i) + 1, all[i].programLine});
        }
        return code;
    }

    void write(Stmt stmt) {
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) write(child);
            return;
        case StmtKind::For:
            return writeFor(stmt);
        case StmtKind::Store:
            return writeStore(stmt);
        case StmtKind::If:
            line("if (" + bareCondition(m_expr.value(stmt->value)) + ") {", at(stmt));
            inside(stmt->children[0]);
            if (stmt->childCount > 1) {
                line("} else {", 0);
                inside(stmt->children[1]);
            }
            return line("}", 0);
        case StmtKind::Let: {
            const std::string value = m_expr.value(stmt->value);
            const std::string &name = m_expr.declare(stmt->var, Interval::ofType(stmt->var->dtype));
            line(fmt::format("const {} {} = {};", m_expr.valueType(stmt->var->dtype), name, value), at(stmt));
            write(stmt->children[0]);
            m_expr.forget();
            return;
        }
        case StmtKind::Allocate:
            return writeAllocate(stmt);
        case StmtKind::Barrier:
            return;
        }
    }

    /// Variables that the value begins with are declared: written out where they are used, texts could double with
    /// each.
    void writeStore(Stmt stmt) {
        Expr value = stmt->value;
        const bool declares = value->kind == ExprKind::Let;
        if (declares) {
            line("{", 0);
            ++m_depth;
        }
        int declared = 0;
        for (; value->kind == ExprKind::Let; value = value->arg(2), ++declared) {
            const Expr var = value->arg(0);
            const std::string text = m_expr.value(value->arg(1));
            const std::string &name = m_expr.declare(var, Interval::ofType(var->dtype));
            line(fmt::format("const {} {} = {};", m_expr.valueType(var->dtype), name, text), at(stmt));
        }
        std::string element = m_expr.element(*stmt->buffer, stmt->index());
        element += " = " + m_expr.stored(*stmt->buffer, value) + ";";
        m_written += static_cast<int64_t>(element.size());
        line(element, at(stmt));
        for (; declared > 0; --declared) m_expr.forget();
        if (!declares) return;
        --m_depth;
        line("}", 0);
    }

    void inside(Stmt stmt) {
        ++m_depth;
        write(stmt);
        --m_depth;
    }

    /// Of weights, at the beginning of an iteration.
    void writePrefetches(const StmtNode &loop) {
        if (!m_prefetches) return;
        ExprArena arena;
        const ArenaScope scope(arena);
        for (const WeightPrefetch &prefetch : m_prefetches->of(loop)) {
            Substitution first;
            for (const Expr inner : prefetch.inner) first.emplace_back(inner.node(), makeInt(0, inner->dtype));
            std::vector<Expr> indices;
            for (const Expr index : prefetch.load->operands()) indices.push_back(substitute(index, first));
            const std::string element = m_expr.element(*prefetch.buffer, indices);
            for (int i = 0; i < prefetch.lines; ++i)
                line(fmt::format("LOOPSCOPE_ASK_FOR((const char *)&{} + {});", element,
                                 kPrefetchAhead + i * kCacheLineBytes),
                     0);
            m_asksAhead = true;
        }
    }

    void writeFor(Stmt stmt) {
        const Interval trips = m_expr.rangeOf(stmt->extent);
        Interval range = {0, trips.max - 1};
        std::string first = "0";
        std::string end = m_expr.value(stmt->extent);
        if (stmt->min) {
            first = m_expr.value(stmt->min);
            range = range + m_expr.rangeOf(stmt->min);
            const bool constant = stmt->min->kind == ExprKind::IntImm && stmt->extent->kind == ExprKind::IntImm;
            end = constant ? std::to_string(stmt->min->intValue + stmt->extent->intValue) : first + " + " + end;
        }
        if (end.find_first_not_of("0123456789-") != std::string::npos) {
            const std::string bound = m_names.unique(std::string(stmt->var->name()) + "_end");
            line("const int64_t " + bound + " = " + end + ";", at(stmt));
            end = bound;
        }
        const std::string &var = m_expr.declare(stmt->var, range);
        if (stmt->loop == LoopKind::Parallel) line("#pragma omp parallel for schedule(static)", at(stmt));
        if (stmt->loop == LoopKind::Vectorized && lanesAreIndependent(stmt)) line("#pragma omp simd", at(stmt));
        const size_t begin = m_lines.size();
        line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", var, first, end), at(stmt));
        const int64_t before = std::exchange(m_written, 0);
        ++m_depth;
        writePrefetches(*stmt.node());
        --m_depth;
        inside(stmt->children[0]);
        m_written = before + unrolled(stmt, begin, m_written);
        m_expr.forget();
        line("}", 0);
    }

    /// Asks for a loop to be unrolled, from the inside out, as long as what is written out stays short enough to be
    /// compiled. `length`: of the loop's body as it is written out; returns that of the loop.
    int64_t unrolled(Stmt loop, size_t pragma, int64_t length) {
        if (loop->extent->kind != ExprKind::IntImm) return length;
        const int64_t extent = std::clamp<int64_t>(loop->extent->intValue, 1, kMaxWritten + 1);
        if (loop->loop == LoopKind::Vectorized) return length * (extent / kLanes + extent % kLanes);
        if (loop->loop != LoopKind::Unrolled || length * extent > kMaxWritten) return length;
        Line asked = m_lines[pragma];
        const size_t blanks = asked.text.find_first_not_of(' ');
        asked.text.resize(blanks);
        asked.text += fmt::format("#pragma GCC unroll {}", extent);
        m_lines.insert(m_lines.begin() + static_cast<ptrdiff_t>(pragma), std::move(asked));
        return length * extent;
    }

    /// Every store inside moves with the lane.
    static bool lanesAreIndependent(Stmt loop) { return storesMove(loop->children[0], loop->var); }
    static bool storesMove(Stmt stmt, Expr var) {
        if (stmt->kind == StmtKind::For && stmt->loop == LoopKind::Parallel) return false; // not inside `simd`
        if (stmt->kind == StmtKind::Store)
            return std::any_of(stmt->index().begin(), stmt->index().end(), [&](Expr e) { return usesVar(e, var); });
        return std::all_of(stmt->body().begin(), stmt->body().end(),
                           [&](Stmt child) { return storesMove(child, var); });
    }

    void writeAllocate(Stmt stmt) {
        const Buffer &buffer = *stmt->buffer;
        const std::string_view type = m_expr.storageType(buffer);
        const std::string &name = m_expr.nameOf(buffer);
        const int64_t bytes = (buffer.elements() * dtypeBytes(buffer.dtype) + 63) / 64 * 64;
        if (buffer.scope != MemoryScope::Heap) {
            line(fmt::format("_Alignas(64) {} {}[{}];", type, name, buffer.elements()), at(stmt));
            write(stmt->children[0]);
            return;
        }
        line(fmt::format("{} *const restrict {} = aligned_alloc(64, {});", type, name, bytes), at(stmt));
        line(fmt::format("if ({} == NULL) abort();", name), at(stmt));
        write(stmt->children[0]);
        line(fmt::format("free({});", name), at(stmt));
    }

    const LoopProgram &m_program;
    CNames m_names;
    CExprWriter m_expr;
    bool m_reference;
    std::optional<PrefetchPlan> m_prefetches; // none of references
    bool m_asksAhead = false;
    std::map<int, int> m_lineOf;
    std::vector<Line> m_lines;
    int64_t m_written = 0; // characters of the statements written so far, as often as compilers write them
    int m_depth = 0;
};

} // namespace

LinkedText emitC(const LoopProgram &program, const Target &) { return CWriter(program).run(); }

std::string emitReferenceC(const LoopProgram &program) { return CWriter(program, CFloats::Wide).run().text; }

} // namespace loopscope
