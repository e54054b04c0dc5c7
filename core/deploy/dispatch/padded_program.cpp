#include "deploy/dispatch/padded_program.h"

#include "deploy/dispatch/row_digits.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/affine.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace loopscope {

namespace {

bool isSymbolic(Stmt loop) { return loop->kind == StmtKind::For && loop->extent->kind != ExprKind::IntImm; }

bool hasSymbolicLoop(Stmt stmt) {
    bool found = false;
    forEachStmt(stmt, [&](Stmt one) { found = found || isSymbolic(one); });
    return found;
}

class ProgramPadder {
  public:
    ProgramPadder(const SymbolicProgram &whole, SymbolicProgram &out) : m_whole(whole), m_out(out) {
        for (const SymbolicNumber &number : whole.numbers) m_numbers.insert(number.variable.node());
    }

    /// Empty: `out` is made.
    std::string pad() {
        m_out.symbol = m_whole.symbol;
        for (SymbolicNumber number : m_whole.numbers) {
            number.padded = true;
            m_out.numbers.push_back(number);
        }
        for (const auto &buffer : m_whole.program.buffers) {
            m_out.program.buffers.push_back(std::make_unique<Buffer>(*buffer));
            const Buffer *copy = m_out.program.buffers.back().get();
            m_buffers.emplace(buffer.get(), copy);
            m_out.dims.emplace(copy, m_whole.dims.at(buffer.get()));
        }
        for (ProgramArg arg : m_whole.program.args) {
            for (const SizeForm &dim : m_whole.dims.at(arg.buffer).shape)
                if (!dim.isConstant() && dim != kSize)
                    return fmt::format("a dim of {} is {}", arg.buffer->name, dim.text(m_whole.symbol));
            arg.buffer = m_buffers.at(arg.buffer);
            m_out.program.args.push_back(std::move(arg));
        }
        m_out.program.name = m_whole.program.name;
        m_shifts = findBases();
        m_out.program.root = below(m_whole.program.root);
        return m_why;
    }

  private:
    static constexpr SizeForm kSize = {.factor = 1};

    Stmt fail(std::string why) {
        if (m_why.empty()) m_why = std::move(why);
        return newStmt({}); // an empty block, which nobody sees
    }

    /// Outside of what has constant extents.
    Stmt below(Stmt stmt) {
        if (!m_why.empty()) return stmt;
        const bool open = hasSymbolicLoop(stmt);
        if (!open && stmt->kind != StmtKind::Block && stmt->kind != StmtKind::Allocate) return tiles(stmt);
        if (stmt->kind == StmtKind::Store) return tiles(stmt);
        if (stmt->kind == StmtKind::If || stmt->kind == StmtKind::Let)
            return fail("a condition stands around the loops over tiles");
        if (isSymbolic(stmt)) {
            if (stmt->loop != LoopKind::Serial && stmt->loop != LoopKind::Parallel)
                return fail(fmt::format("the loop {} over tiles runs in lanes", stmt->var->name()));
            if (!isSpatial(stmt)) return fail(fmt::format("the loop {} sums over the size", stmt->var->name()));
        }
        StmtNode node = *copied(stmt, Places::AsTheyAre).node();
        std::vector<Stmt> children;
        for (const Stmt child : stmt->body()) children.push_back(below(child));
        Stmt *const kept = ExprArena::current().allocateArray<Stmt>(children.size());
        std::copy(children.begin(), children.end(), kept);
        node.children = kept;
        return newStmt(node);
    }

    /// Every turn writes elsewhere, or to what is its own.
    [[nodiscard]] bool isSpatial(Stmt loop) const {
        std::unordered_set<const TensorSymbol *> own;
        bool spatial = true;
        forEachStmt(loop->children[0], [&](Stmt one) {
            if (one->kind == StmtKind::Allocate) own.insert(one->buffer);
            if (one->kind != StmtKind::Store || own.contains(one->buffer)) return;
            spatial = spatial && std::ranges::any_of(one->index(), [&](Expr index) { return uses(index, loop->var); });
        });
        return spatial;
    }
    static bool uses(Expr e, Expr var) {
        bool found = false;
        postOrder(e, [&](Expr part) { found = found || part.node() == var.node(); });
        return found;
    }

    /// Every place along the size in arguments, of a statement and those inside.
    template <typename Visit> void forEachOpenIndex(Stmt stmt, Visit &&visit) const {
        const auto look = [&](const TensorSymbol *symbol, std::span<const Expr> indices) {
            for (size_t d = 0; d < indices.size(); ++d)
                if (isOpen(symbol, d)) visit(indices[d]);
        };
        forEachStmt(stmt, [&](Stmt one) {
            if (one->kind == StmtKind::Store) look(one->buffer, one->index());
            forEachOwnExpr(one, [&](Expr own) {
                postOrder(own, [&](Expr e) {
                    if (e->kind == ExprKind::Load) look(e->symbol, e->operands());
                });
            });
        });
    }

    /// Where tiles begin along the size, and how far behind their last rows are. A tile that reaches beyond the size
    /// can begin earlier then, and compute some rows once more, as they were: nothing in it is guarded.
    struct TileBase {
        LinearForm first;
        Expr begin;
        int64_t span = 0;
    };
    /// Nothing where rows must not be computed twice, as sums grow in them turn by turn; where what lies between stages
    /// goes along the size; or where tiles of one place have several lengths.
    [[nodiscard]] std::optional<std::vector<TileBase>> findBases() {
        for (const ProgramArg &arg : m_whole.program.args)
            if (arg.output && reads(m_whole.program.root, arg.buffer)) return std::nullopt;
        for (const auto &[buffer, dims] : m_whole.dims)
            if (buffer->scope != MemoryScope::Argument && !std::ranges::all_of(dims.shape, &SizeForm::isConstant))
                return std::nullopt;
        m_inner.clear();
        forEachStmt(m_whole.program.root, [&](Stmt one) {
            if (one->kind == StmtKind::For && !isSymbolic(one)) m_inner.emplace(one->var.node(), one->extent->intValue);
        });
        std::vector<TileBase> bases;
        bool alike = true;
        forEachOpenIndex(m_whole.program.root, [&](Expr index) {
            if (!rises(index)) {
                alike = false;
                return;
            }
            const Expr begin = withInner(index, false);
            const auto span = constantDifference(linearForm(withInner(index, true), {}), linearForm(begin, {}));
            const LinearForm first = linearForm(begin, {});
            for (const TileBase &known : bases) {
                const auto between = constantDifference(known.first, first);
                if (!between) continue;
                alike = alike && *between == 0 && span == known.span;
                return;
            }
            alike = alike && span.has_value();
            bases.push_back({first, begin, span.value_or(0)});
        });
        return alike ? std::optional(std::move(bases)) : std::nullopt;
    }

    /// Loops of constant extents: full tiles as they are, others beside them.
    Stmt tiles(Stmt stmt) {
        collectInner(stmt);
        if (!m_why.empty()) return stmt;
        std::vector<Expr> inside;
        forEachOpenIndex(stmt, [&](Expr index) {
            const Expr last = rises(index) ? withInner(index, true) : Expr();
            if (!last) {
                fail("a place does not rise with the loops of its tile");
                return;
            }
            const Expr condition = fold(ExprKind::Lt, last, sizeOf(index->dtype));
            if (std::ranges::none_of(inside, [&](Expr one) { return structurallyEqual(one, condition); }))
                inside.push_back(condition);
        });
        if (!m_why.empty()) return stmt;
        if (inside.empty()) return copied(stmt, Places::AsTheyAre);
        checkRows(stmt);
        if (!m_why.empty()) return stmt;
        const Stmt clamped = copyStmt(copied(stmt, Places::Clamped)); // variables of its own
        if (!m_shifts) {
            Expr all = inside.front();
            for (size_t i = 1; i < inside.size(); ++i) all = fold(ExprKind::And, all, inside[i]);
            return makeIf(all, copied(stmt, Places::AsTheyAre), clamped, true);
        }
        m_named.clear();
        Stmt shifted = copied(stmt, Places::Shifted);
        int64_t rows = 1;
        for (const auto &[base, name] : m_named) {
            const DType type = name->dtype;
            const Expr last = base->begin + makeInt(base->span, type);
            shifted = makeLetStmt(name, maxOf(last - (sizeOf(type) - makeInt(1, type)), makeInt(0, type)), shifted);
            rows = std::max(rows, base->span + 1);
        }
        const DType type = m_named.front().second->dtype;
        return makeIf(fold(ExprKind::Ge, sizeOf(type), makeInt(rows, type)), shifted, clamped, true);
    }

    /// What lies beyond the size is computed of other rows, so that nothing else may depend on which row it is.
    void checkRows(Stmt stmt) {
        m_rows.clear();
        forEachOpenIndex(stmt, [&](Expr index) {
            for (const VarDigits &digits : digitsOf(index)) m_rows.push_back(digits);
        });
        forEachStmt(stmt, [&](Stmt one) {
            if (one->value) checkRowsIn(one->value);
            if (one->kind == StmtKind::Store) checkRowsAt(one->buffer, one->index());
        });
    }
    void checkRowsIn(Expr value) {
        if (shareDigits(digitsOf(value), m_rows)) fail("the number of a row is computed with");
        postOrder(value, [&](Expr part) {
            if (part->kind == ExprKind::Load) checkRowsAt(part->symbol, part->operands());
        });
    }
    void checkRowsAt(const TensorSymbol *symbol, std::span<const Expr> indices) {
        if (static_cast<const Buffer *>(symbol)->scope != MemoryScope::Argument) return;
        for (size_t d = 0; d < indices.size(); ++d)
            if (!isOpen(symbol, d) && shareDigits(digitsOf(indices[d]), m_rows))
                fail(fmt::format("{} has a place for each row along a dim that is no size", symbol->name));
    }

    /// The index less what its tile begins earlier.
    Expr shifted(Expr index) {
        const LinearForm first = linearForm(withInner(index, false), {});
        for (const TileBase &base : *m_shifts) {
            if (constantDifference(base.first, first) != 0) continue;
            const auto named = std::ranges::find(m_named, &base, &std::pair<const TileBase *, Expr>::first);
            if (named != m_named.end()) return index - named->second;
            m_named.emplace_back(&base, makeVar(fmt::format("shift_{}", m_shiftCount++), index->dtype));
            return index - m_named.back().second;
        }
        fail("a tile begins where none was found");
        return index;
    }

    /// Variables of the loops inside, and whether numbers stand where they may.
    void collectInner(Stmt stmt) {
        m_inner.clear();
        forEachStmt(stmt, [&](Stmt one) {
            if (one->kind == StmtKind::For) {
                if (one->min) fail(fmt::format("the loop {} does not begin at 0", one->var->name()));
                m_inner.emplace(one->var.node(), one->extent->intValue);
            }
            if (one->kind == StmtKind::Let) fail("a name stands for a value in a tile");
            for (const Expr index : one->index()) checkIndex(index);
            if (one->value) checkValue(one->value);
        });
    }
    void checkValue(Expr value) {
        if (m_numbers.contains(value.node())) fail("the size is computed with");
        const bool load = value->kind == ExprKind::Load;
        for (const Expr operand : value->operands()) load ? checkIndex(operand) : checkValue(operand);
    }
    /// A number takes fused loops over tiles apart, and does nothing else.
    void checkIndex(Expr index) {
        if (m_numbers.contains(index.node())) fail("a place is counted by the size");
        if (index->kind == ExprKind::Load) return checkValue(index);
        const bool division = index->kind == ExprKind::FloorDiv || index->kind == ExprKind::FloorMod;
        if (division && m_numbers.contains(index->arg(1).node())) {
            postOrder(index->arg(0), [&](Expr part) {
                const bool outer = part->kind == ExprKind::IntImm || part->kind == ExprKind::FloorDiv ||
                                   part->kind == ExprKind::FloorMod || m_numbers.contains(part.node()) ||
                                   (part->kind == ExprKind::Var && !m_inner.contains(part.node()));
                if (!outer) fail("the size divides places in a tile");
            });
            return;
        }
        for (const Expr operand : index->operands()) checkIndex(operand);
    }

    /// The index with inner variables at their last value, or their first.
    [[nodiscard]] Expr withInner(Expr index, bool last) const {
        return rewriteBottomUp(index, [&](Expr e) {
            const auto inner = e->kind == ExprKind::Var ? m_inner.find(e.node()) : m_inner.end();
            return inner == m_inner.end() ? e : makeInt(last ? inner->second - 1 : 0, e->dtype);
        });
    }
    [[nodiscard]] bool rises(Expr e) const {
        bool inner = false;
        postOrder(e, [&](Expr part) { inner = inner || m_inner.contains(part.node()); });
        if (!inner || e->kind == ExprKind::Var) return true;
        const auto constant = [](Expr one) { return one->kind == ExprKind::IntImm && one->intValue > 0; };
        switch (e->kind) {
        case ExprKind::Add:
            return rises(e->arg(0)) && rises(e->arg(1));
        case ExprKind::Mul:
        case ExprKind::FloorDiv:
            return constant(e->arg(1)) && rises(e->arg(0));
        case ExprKind::Cast:
            return rises(e->arg(0));
        default:
            return false;
        }
    }

    /// The size itself, not the multiple.
    Expr sizeOf(DType type) {
        for (const SymbolicNumber &known : m_out.numbers)
            if (!known.padded && known.form == kSize && known.variable->dtype == type) return known.variable;
        m_out.numbers.push_back({makeVar(fmt::format("{}_rows", m_whole.symbol), type), kSize, false, false});
        return m_out.numbers.back().variable;
    }

    [[nodiscard]] bool isOpen(const TensorSymbol *symbol, size_t dim) const {
        const auto *buffer = static_cast<const Buffer *>(symbol);
        return buffer->scope == MemoryScope::Argument && !m_whole.dims.at(buffer).shape[dim].isConstant();
    }

    enum class Places : uint8_t { AsTheyAre, Clamped, Shifted };

    Expr copied(Expr e, Places places) {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            std::vector<Expr> indices(node->operands().begin(), node->operands().end());
            for (size_t d = 0; d < indices.size(); ++d) {
                if (places == Places::AsTheyAre || !isOpen(node->symbol, d)) continue;
                const DType type = indices[d]->dtype;
                indices[d] = places == Places::Shifted ? shifted(indices[d])
                                                       : minOf(indices[d], sizeOf(type) - makeInt(1, type));
            }
            return makeLoad(*m_buffers.at(static_cast<const Buffer *>(node->symbol)), indices);
        });
    }

    Stmt copied(Stmt stmt, Places places) {
        StmtNode node = *withOwnExprs(stmt, [&](Expr e) { return copied(e, places); }).node();
        if (node.buffer != nullptr) node.buffer = m_buffers.at(node.buffer);
        if (stmt->kind == StmtKind::Store && places == Places::Shifted) {
            Expr *const indices = ExprArena::current().allocateArray<Expr>(node.indexCount);
            for (uint32_t d = 0; d < node.indexCount; ++d)
                indices[d] = isOpen(stmt->buffer, d) ? shifted(node.indices[d]) : node.indices[d];
            node.indices = indices;
        }
        Stmt *const children = ExprArena::current().allocateArray<Stmt>(stmt->childCount);
        for (uint32_t i = 0; i < stmt->childCount; ++i) children[i] = copied(stmt->children[i], places);
        node.children = children;
        const Stmt made = newStmt(node);
        if (places != Places::Clamped || stmt->kind != StmtKind::Store) return made;
        Stmt guarded = made;
        for (size_t d = 0; d < stmt->index().size(); ++d)
            if (isOpen(stmt->buffer, d))
                guarded = makeIf(fold(ExprKind::Lt, node.index()[d], sizeOf(node.index()[d]->dtype)), guarded);
        return guarded;
    }

    const SymbolicProgram &m_whole;
    SymbolicProgram &m_out;
    std::unordered_set<const ExprNode *> m_numbers;
    std::unordered_map<const Buffer *, const Buffer *> m_buffers;
    std::unordered_map<const ExprNode *, int64_t> m_inner; // extents of loops in the tile, by variable
    std::vector<VarDigits> m_rows;                         // of the tile, that say which row it is
    std::optional<std::vector<TileBase>> m_shifts;
    std::vector<std::pair<const TileBase *, Expr>> m_named; // of the tile
    int m_shiftCount = 0;
    std::string m_why;
};

} // namespace

Outcome<SymbolicProgramPtr> paddedProgram(const SymbolicProgramPtr &whole, int64_t tile) {
    auto padded = std::make_shared<SymbolicProgram>();
    padded->tile = tile;
    padded->base = whole;
    padded->program.arena = std::make_shared<ExprArena>();
    padded->program.keepAlive = whole;
    const ArenaScope scope(padded->program.arena);
    if (std::string why = ProgramPadder(*whole, *padded).pad(); !why.empty()) return Refusal{std::move(why)};
    numberNodes(padded->program);
    return SymbolicProgramPtr(std::move(padded));
}

} // namespace loopscope
