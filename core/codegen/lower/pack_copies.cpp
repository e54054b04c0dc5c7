// Copies of a tensor laid out in the order their one reader reads them, as matrix libraries pack panels:
//
//     for k, j: copy[k, j] = Y[k0 + k, j0 + j]            for k, j.2, j.3: copy[j.2, k, j.3] = Y[...]
//     for j.2, k, j.3: ... copy[k, j.2*16 + j.3]    ->    for j.2, k, j.3: ... copy[j.2, k, j.3]
//
// The reader then runs through consecutive cache lines, where rows of the copy would lie a power of two apart.

#include "codegen/lower/index_digits.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/simplify_program.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <string>

namespace loopscope {

namespace {

constexpr int64_t kLongestVectorLoop = 64; // elements of an inner row that is copied in vector registers

/// The digits of every dimension in descending order, when they are a positional system of exactly its size.
bool countsEveryElement(const Buffer &buffer, const std::vector<IndexDigit> &digits) {
    for (size_t d = 0; d < buffer.shape.size(); ++d) {
        std::vector<const IndexDigit *> own;
        for (const IndexDigit &digit : digits)
            if (digit.origin == static_cast<int>(d)) own.push_back(&digit);
        std::sort(own.begin(), own.end(),
                  [](const IndexDigit *a, const IndexDigit *b) { return a->term.scale < b->term.scale; });
        int64_t scale = 1;
        for (const IndexDigit *digit : own) {
            if (digit->term.scale != scale) return false;
            scale *= digit->extent;
        }
        if (scale != buffer.shape[d]) return false;
    }
    return true;
}

bool inRowOrder(const std::vector<IndexDigit> &digits) {
    return std::is_sorted(digits.begin(), digits.end(), [](const IndexDigit &a, const IndexDigit &b) {
        return a.origin != b.origin ? a.origin < b.origin : a.term.scale > b.term.scale;
    });
}

/// The store that alone fills the buffer, with another buffer's elements; null when it is otherwise.
Stmt onlyCopy(Stmt root, const Buffer &buffer) {
    Stmt copy;
    int stores = 0;
    forEachStmt(root, [&](Stmt stmt) {
        if (stmt->kind != StmtKind::Store || stmt->buffer != &buffer) return;
        ++stores;
        copy = stmt;
    });
    const bool bare = stores == 1 && copy->value->kind == ExprKind::Load && copy->value->symbol != &buffer;
    return bare ? copy : Stmt();
}

class CopyPacker : public ProgramSimplifier {
  public:
    CopyPacker(const Buffer &buffer, Stmt copy, const std::vector<IndexDigit> &digits)
        : m_buffer(buffer), m_copy(copy), m_digits(digits), m_values(digitValues(digits)) {}

  protected:
    Stmt visitLoop(Stmt stmt) override {
        const int dimension = dimensionOf(stmt);
        if (dimension < 0) return visitChildren(stmt);
        std::vector<const IndexDigit *> own;
        for (const IndexDigit &digit : m_digits)
            if (digit.origin == dimension) own.push_back(&digit);
        std::sort(own.begin(), own.end(),
                  [](const IndexDigit *a, const IndexDigit *b) { return a->term.scale > b->term.scale; });

        SplitSum whole;
        std::vector<Expr> vars;
        for (const IndexDigit *digit : own) {
            std::string name(stmt->var->name());
            if (own.size() > 1) name += "." + std::to_string(vars.size());
            vars.push_back(makeVar(name));
            bindRange(vars.back(), Interval::upTo(digit->extent));
            SplitTerm term;
            term.base = vars.back();
            term.scale = digit->term.scale;
            term.range = Interval::upTo(digit->extent);
            whole.add(term);
        }
        bindValue(stmt->var, whole);
        Stmt body = visit(stmt->children[0]);
        if (!body) return {};
        for (size_t i = own.size(); i > 0; --i) {
            StmtNode node = *stmt.node();
            node.var = vars[i - 1];
            node.extent = makeInt(own[i - 1]->extent);
            if (i < own.size() && node.loop == LoopKind::Vectorized) node.loop = LoopKind::Serial;
            if (i == own.size() && copiesRow(stmt, body, own[i - 1]->extent)) node.loop = LoopKind::Vectorized;
            if (i > 1) node.unrollMaxStep = -1;
            body = makeFor(node, body);
        }
        return body;
    }

    Stmt visitStore(Stmt stmt) override {
        if (stmt->buffer != &m_buffer) return ProgramSimplifier::visitStore(stmt);
        std::vector<Expr> indices;
        for (const IndexDigit &digit : m_digits) {
            const auto d = static_cast<size_t>(digit.origin);
            SplitSum part = floorDiv(sum(stmt->indices[d]), digit.term.scale, DType::Int32);
            if (digit.term.scale * digit.extent < m_buffer.shape[d]) part = floorMod(part, digit.extent, DType::Int32);
            indices.push_back(write(part, DType::Int32));
        }
        return newStmt(*makeStore(m_buffer, indices, (*this)(stmt->value), stmt->stage).node());
    }

    Expr rewriteLoad(Expr load) override {
        return load->symbol == &m_buffer ? makeLoad(m_buffer, m_values) : Simplifier::rewriteLoad(load);
    }

  private:
    /// The dimension of the copy that the loop alone runs through; -1 when there is none.
    int dimensionOf(Stmt loop) const {
        const bool splittable = loop->loop != LoopKind::Parallel && !loop->min && constantExtent(loop) > 1;
        for (uint32_t d = 0; splittable && d < m_copy->indexCount; ++d) {
            if (!m_copy->indices[d].is(loop->var) || constantExtent(loop) != m_buffer.shape[d]) continue;
            return reads(loop, &m_buffer) ? -1 : static_cast<int>(d);
        }
        return -1;
    }

    /// `body` copies consecutive elements to consecutive places as `loop` goes on.
    bool copiesRow(Stmt loop, Stmt body, int64_t extent) const {
        const Expr from = m_copy->value;
        if (body->kind != StmtKind::Store || loop->loop != LoopKind::Serial || extent > kLongestVectorLoop)
            return false;
        if (from->argCount == 0 || !m_copy->indices[m_copy->indexCount - 1].is(loop->var)) return false;
        for (uint32_t a = 0; a + 1 < from->argCount; ++a)
            if (usesVar(from->arg(a), loop->var)) return false;
        const Expr last = from->arg(from->argCount - 1);
        if (last.is(loop->var)) return true;
        return last->kind == ExprKind::Add && last->arg(1).is(loop->var) && !usesVar(last->arg(0), loop->var);
    }

    const Buffer &m_buffer;
    Stmt m_copy;
    const std::vector<IndexDigit> &m_digits;
    std::vector<Expr> m_values;
};

bool packOne(LoopProgram &program, Buffer &buffer) {
    if (buffer.scope == MemoryScope::Argument || buffer.shape.empty() || !isRowMajor(buffer)) return false;
    const Stmt copy = onlyCopy(program.root, buffer);
    if (!copy) return false;
    const std::vector<IndexDigit> digits = digitsOfOnlyLoad(program.root, buffer);
    if (digits.empty() || inRowOrder(digits) || !countsEveryElement(buffer, digits)) return false;
    // Rows of the copy become rows again: elements are moved in runs, never one by one.
    const IndexDigit &innermost = digits.back();
    if (innermost.origin + 1 != static_cast<int>(buffer.shape.size()) || innermost.term.scale != 1) return false;

    program.root = CopyPacker(buffer, copy, digits).visit(program.root);
    buffer.shape.clear();
    for (const IndexDigit &digit : digits) buffer.shape.push_back(digit.extent);
    buffer.strides.assign(digits.size(), 1);
    for (size_t d = digits.size() - 1; d > 0; --d) buffer.strides[d - 1] = buffer.strides[d] * buffer.shape[d];
    return true;
}

} // namespace

void packCopies(LoopProgram &program, const PassContext &) {
    bool changed = false;
    for (const auto &buffer : program.buffers) changed = packOne(program, *buffer) || changed;
    if (changed) simplifyProgram(program);
}

} // namespace loopscope
