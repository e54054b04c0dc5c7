// A symbolic program made ready for code: the size becomes an argument, numbers are computed from it once, first of
// all, and buffers whose strides depend on it are addressed by their own arithmetic.

#include "deploy/dispatch/symbolic_program.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

namespace loopscope {

namespace {

/// Beyond it a buffer of a thread's does not lie on its stack.
constexpr int64_t kMaxStackBytes = 32 << 10;

class SizedProgram {
  public:
    SizedProgram(const SymbolicProgram &symbolic, int64_t bound, int64_t lanes)
        : m_symbolic(symbolic), m_bound(bound), m_lanes(lanes), m_numbers(symbolic.numbers) {}

    LoopProgram make(std::shared_ptr<const void> keepAlive) {
        LoopProgram out;
        out.arena = std::make_shared<ExprArena>();
        const ArenaScope scope(out.arena);
        out.name = m_symbolic.program.name;
        out.keepAlive = std::move(keepAlive);
        findRegistersWithoutNumbers();
        for (const auto &buffer : m_symbolic.program.buffers) out.buffers.push_back(placed(*buffer));
        for (ProgramArg arg : m_symbolic.program.args) {
            for (size_t d = 0; d < arg.originalShape.size(); ++d)
                if (arg.packing.empty() && d < arg.buffer->shape.size())
                    arg.originalShape[d] = rangeOf(m_symbolic.dims.at(arg.buffer).shape[d], m_bound).most;
            arg.buffer = m_buffers.at(arg.buffer).buffer;
            out.args.push_back(std::move(arg));
        }
        auto sizes = std::make_unique<Buffer>();
        sizes->name = m_symbolic.symbol;
        sizes->dtype = DType::Int64;
        sizes->shape = {1};
        sizes->strides = {1};
        sizes->argIndex = static_cast<int>(out.args.size());
        out.args.push_back({sizes.get(), false, {1}, {}});
        const Stmt body = rewritten(m_symbolic.program.root);
        out.root = withNumbers(*sizes, body);
        out.buffers.push_back(std::move(sizes));
        numberNodes(out);
        return out;
    }

  private:
    struct Placed {
        const Buffer *buffer = nullptr;
        std::vector<Expr> strides; // int64; empty: the buffer keeps its dims
    };

    /// Registers have no index that is known at run time alone: such a buffer has to lie on the stack.
    void findRegistersWithoutNumbers() {
        std::unordered_set<const ExprNode *> varying;
        for (const SymbolicNumber &number : m_symbolic.numbers) varying.insert(number.variable.node());
        const auto varies = [&](Expr e) {
            bool found = false;
            postOrder(
                e, [&](Expr part) { found = found || (part->kind == ExprKind::Var && varying.contains(part.node())); });
            return found;
        };
        const auto look = [&](const TensorSymbol *symbol, std::span<const Expr> indices) {
            if (std::ranges::any_of(indices, varies)) m_indexed.insert(symbol);
        };
        forEachStmt(m_symbolic.program.root, [&](Stmt stmt) {
            if (stmt->kind == StmtKind::For && stmt->extent->kind != ExprKind::IntImm) varying.insert(stmt->var.node());
            if (stmt->kind == StmtKind::Store) look(stmt->buffer, stmt->index());
            forEachOwnExpr(stmt, [&](Expr own) {
                postOrder(own, [&](Expr e) {
                    if (e->kind == ExprKind::Load) look(e->symbol, e->operands());
                });
            });
        });
    }

    std::unique_ptr<Buffer> placed(const Buffer &buffer) {
        const SymbolicProgram::Dims &forms = m_symbolic.dims.at(&buffer);
        auto made = std::make_unique<Buffer>(buffer);
        Placed place;
        place.buffer = made.get();
        const bool fixedStrides = std::ranges::all_of(forms.strides, &SizeForm::isConstant);
        const bool fixedShape = std::ranges::all_of(forms.shape, &SizeForm::isConstant);
        const bool padded = m_symbolic.tile > 1 && buffer.scope != MemoryScope::Argument;
        const int64_t bound = padded ? m_symbolic.padded(m_bound) : m_bound;
        for (size_t d = 0; d < forms.shape.size(); ++d) made->shape[d] = rangeOf(forms.shape[d], bound).most;
        if (!fixedStrides) {
            for (const SizeForm &stride : forms.strides) place.strides.push_back(number(stride, DType::Int64, padded));
            made->shape = {maxElements(forms, bound)};
            made->strides = {1};
        }
        if (made->scope == MemoryScope::Register && (!fixedShape || !fixedStrides || m_indexed.contains(&buffer)))
            made->scope = MemoryScope::Stack;
        if (made->scope == MemoryScope::Stack && made->elements() * dtypeBytes(made->dtype) > kMaxStackBytes)
            made->scope = MemoryScope::Heap;
        m_buffers.emplace(&buffer, std::move(place));
        return made;
    }

    [[nodiscard]] static int64_t maxElements(const SymbolicProgram::Dims &forms, int64_t bound) {
        int64_t most = 1;
        for (int64_t size = 1; size <= bound; ++size) {
            int64_t last = 0;
            for (size_t d = 0; d < forms.shape.size(); ++d)
                last += (std::max<int64_t>(forms.shape[d].at(size), 1) - 1) * forms.strides[d].at(size);
            most = std::max(most, last + 1);
        }
        return most;
    }

    Expr number(const SizeForm &form, DType type, bool padded) {
        if (form.isConstant()) return makeInt(form.offset, type);
        for (const SymbolicNumber &known : m_numbers)
            if (known.form == form && known.padded == padded && known.variable->dtype == type) return known.variable;
        m_numbers.push_back(
            {makeVar(fmt::format("{}_{}", m_symbolic.symbol, m_numbers.size()), type), form, padded, false});
        return m_numbers.back().variable;
    }

    [[nodiscard]] std::vector<Expr> address(const Placed &place, std::span<const Expr> indices) const {
        std::vector<Expr> result(indices.begin(), indices.end());
        if (place.strides.empty()) return result;
        Expr offset = makeInt(0, DType::Int64);
        for (size_t d = 0; d < indices.size(); ++d)
            offset = offset + castTo(DType::Int64, indices[d]) * place.strides[d];
        return {offset};
    }

    [[nodiscard]] Expr rewritten(Expr e) const {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            const Placed &place = m_buffers.at(static_cast<const Buffer *>(node->symbol));
            return makeLoad(*place.buffer, address(place, node->operands()));
        });
    }

    Stmt rewritten(Stmt stmt) {
        StmtNode node = *withOwnExprs(stmt, [&](Expr e) { return rewritten(e); }).node();
        if (stmt->kind == StmtKind::Store || stmt->kind == StmtKind::Allocate) {
            const Placed &place = m_buffers.at(stmt->buffer);
            node.buffer = place.buffer;
            if (stmt->kind == StmtKind::Store) {
                const std::vector<Expr> indices = address(place, node.index());
                Expr *const kept = ExprArena::current().allocateArray<Expr>(indices.size());
                std::copy(indices.begin(), indices.end(), kept);
                node.indices = kept;
                node.indexCount = static_cast<uint32_t>(indices.size());
            }
        }
        Stmt *const children = ExprArena::current().allocateArray<Stmt>(stmt->childCount);
        for (uint32_t i = 0; i < stmt->childCount; ++i) children[i] = rewritten(stmt->children[i]);
        node.children = children;
        if (stmt->kind != StmtKind::For || node.extent->kind == ExprKind::IntImm) return newStmt(node);
        if (node.loop == LoopKind::Vectorized) return inVectors(node);
        children[0] = takenApartOnce(children[0], node.var);
        return newStmt(node);
    }

    /// Fused loops over so many tiles as the size says are taken apart by divisions, which no compiler moves out of the
    /// loops inside: the divisor might be 0. Here they are done once a turn.
    [[nodiscard]] static Stmt takenApartOnce(Stmt body, Expr var) {
        std::unordered_set<const ExprNode *> inner;
        forEachStmt(body, [&](Stmt one) {
            if (one->var) inner.insert(one->var.node());
        });
        std::vector<std::pair<Expr, Expr>> known; // division, name
        const auto isSuch = [&](Expr e) {
            const bool division = e->kind == ExprKind::FloorDiv || e->kind == ExprKind::FloorMod;
            if (!division || e->arg(1)->kind == ExprKind::IntImm) return false;
            bool uses = false;
            bool outer = true;
            postOrder(e, [&](Expr part) {
                uses = uses || part.node() == var.node();
                outer = outer && part->kind != ExprKind::Load && !inner.contains(part.node());
            });
            return uses && outer;
        };
        const auto named = [&](const auto &self, Expr e) -> Expr {
            if (isSuch(e)) {
                for (const auto &[division, name] : known)
                    if (structurallyEqual(division, e)) return name;
                known.emplace_back(e, makeVar(fmt::format("{}_{}", var->name(), known.size()), e->dtype));
                return known.back().second;
            }
            if (e->argCount == 0) return e;
            std::vector<Expr> operands;
            for (const Expr operand : e->operands()) operands.push_back(self(self, operand));
            return std::ranges::equal(operands, e->operands(), {}, &Expr::node, &Expr::node)
                       ? e
                       : withOperands(e, operands);
        };
        const auto visit = [&](const auto &self, Stmt stmt) -> Stmt {
            StmtNode node = *withOwnExprs(stmt, [&](Expr e) { return named(named, e); }).node();
            Stmt *const children = ExprArena::current().allocateArray<Stmt>(stmt->childCount);
            for (uint32_t i = 0; i < stmt->childCount; ++i) children[i] = self(self, stmt->children[i]);
            node.children = children;
            return newStmt(node);
        };
        Stmt result = visit(visit, body);
        while (!known.empty()) {
            result = makeLetStmt(known.back().second, known.back().first, result);
            known.pop_back();
        }
        return result;
    }

    /// Lanes are counted when code is made: whole vectors first, then one of which not all lanes act.
    [[nodiscard]] Stmt inVectors(const StmtNode &loop) const {
        const Expr lanes = makeInt(m_lanes, loop.var->dtype);
        const Expr whole = floorDiv(loop.extent, lanes);
        const auto vectorAt = [&](Expr first, bool guarded) {
            StmtNode vector = loop;
            vector.var = makeVar(loop.var->name(), loop.var->dtype);
            vector.min = Expr();
            vector.extent = lanes;
            const Expr turn = first + vector.var;
            Stmt body = substituteStmt(loop.children[0], {{loop.var.node(), loop.min ? loop.min + turn : turn}});
            if (guarded) body = makeIf(fold(ExprKind::Lt, turn, loop.extent), body);
            return makeFor(vector, body);
        };
        StmtNode vectors = loop;
        vectors.loop = LoopKind::Serial;
        vectors.var = makeVar(loop.var->name(), loop.var->dtype);
        vectors.min = Expr();
        vectors.extent = whole;
        const Stmt both[] = {makeFor(vectors, vectorAt(vectors.var * lanes, false)),
                             makeIf(fold(ExprKind::Lt, whole * lanes, loop.extent), vectorAt(whole * lanes, true))};
        return makeBlock(both);
    }

    /// Ranges are what code generation knows of a number; without them its indices would have no form.
    [[nodiscard]] static Expr within(Expr value, SizeRange range) {
        return minOf(maxOf(value, makeInt(range.least, DType::Int64)), makeInt(range.most, DType::Int64));
    }

    [[nodiscard]] Stmt withNumbers(const Buffer &sizes, Stmt body) const {
        const Expr size = makeVar(m_symbolic.symbol, DType::Int64);
        const Expr multiple = makeVar(m_symbolic.symbol + "_padded", DType::Int64);
        const Expr tile = makeInt(m_symbolic.tile, DType::Int64);
        for (size_t i = m_numbers.size(); i-- > 0;) {
            const auto &[variable, form, padded, reciprocal] = m_numbers[i];
            const SizeRange range = rangeOf(form, padded ? m_symbolic.padded(m_bound) : m_bound);
            Expr value = within(form.over(padded ? multiple : size), range);
            if (reciprocal) // rounded once more, as it was where the size was known
                value = makeBinary(ExprKind::Div, makeFloat(1, DType::Float64), castTo(DType::Float64, value));
            body = makeLetStmt(variable, castTo(variable->dtype, value), body);
        }
        if (m_symbolic.tile > 1)
            body = makeLetStmt(multiple, floorDiv(size + (tile - makeInt(1, DType::Int64)), tile) * tile, body);
        const Expr zero[] = {makeInt(0)};
        return makeLetStmt(size, within(makeLoad(sizes, zero), {1, m_bound}), body);
    }

    const SymbolicProgram &m_symbolic;
    int64_t m_bound;
    int64_t m_lanes;
    std::vector<SymbolicNumber> m_numbers;
    std::unordered_map<const Buffer *, Placed> m_buffers;
    std::unordered_set<const TensorSymbol *> m_indexed; // by what is known at run time alone
};

} // namespace

LoopProgram programForSizes(const SymbolicProgramPtr &symbolic, int64_t bound, int64_t lanes) {
    return SizedProgram(*symbolic, bound, lanes).make(symbolic);
}

} // namespace loopscope
