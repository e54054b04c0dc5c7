#include "codegen/layout/access_nest.h"

#include "codegen/layout/layout_attribute.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "language/expr/affine.h"
#include "schedule/bound_inference.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace loopscope {

namespace {

class NestReader {
  public:
    NestReader(const LoopState &state, AccessNest &nest) : m_state(state), m_nest(nest) {}

    void read(Stmt stmt, int around) {
        switch (stmt->kind) {
        case StmtKind::For:
            return readLoop(stmt, around);
        case StmtKind::Store: {
            const Op *op = opOf(stmt->stage);
            for (const Expr index : stmt->index()) loads(index, around, op);
            loads(stmt->value, around, op);
            add(*stmt->buffer, stmt->index(), true, around, op);
            return;
        }
        case StmtKind::If:
        case StmtKind::Let:
            // A guard reads nothing; what a condition of the workload reads, it reads.
            loads(stmt->value, around, nullptr);
            break;
        default:
            break;
        }
        for (const Stmt child : stmt->body()) read(child, around);
    }

  private:
    [[nodiscard]] const Op *opOf(StageId stage) const {
        return stage.value < 0 ? nullptr : m_state.stage(stage).op.get();
    }

    void readLoop(Stmt stmt, int around) {
        const int64_t extent = std::max<int64_t>(constantExtent(stmt), 1);
        m_nest.loops.push_back({.parent = around,
                                .extent = extent,
                                .vectorized = stmt->loop == LoopKind::Vectorized,
                                .name = stmt->iterName == nullptr ? "" : stmt->iterName});
        const int loop = static_cast<int>(m_nest.loops.size()) - 1;
        m_loopOf[stmt->var.node()] = loop;
        m_ranges.push_back({stmt->var.node(), Interval::upTo(extent)});
        for (const Stmt child : stmt->body()) read(child, loop);
        m_ranges.pop_back();
    }

    void loads(Expr e, int around, const Op *op) {
        for (const Expr operand : e->operands()) loads(operand, around, op);
        if (e->kind == ExprKind::Load) add(static_cast<const Buffer &>(*e->symbol), e->operands(), false, around, op);
    }

    int tensorOf(const Buffer &buffer) {
        const auto found = m_tensorOf.find(&buffer);
        if (found != m_tensorOf.end()) return found->second;
        NestTensor tensor{.name = buffer.name,
                          .shape = buffer.regionExtent.empty() ? buffer.shape : buffer.regionExtent,
                          .elementBytes = dtypeBytes(buffer.dtype),
                          .movable = buffer.regionExtent.empty() || buffer.regionExtent == buffer.shape};
        if (const Op *op = opOf(buffer.stage))
            for (const auto &output : op->outputs)
                if (tensorText(*output) == buffer.name || op->outputs.size() == 1) tensor.tensor = output.get();
        if (tensor.tensor == nullptr)
            for (const OpPtr &op : m_state.dag()->ops())
                for (const auto &output : op->outputs)
                    if (op->isPlaceholder() && tensorText(*output) == buffer.name) tensor.tensor = output.get();
        m_nest.tensors.push_back(std::move(tensor));
        const int number = static_cast<int>(m_nest.tensors.size()) - 1;
        m_tensorOf[&buffer] = number;
        return number;
    }

    /// Adds the summands of factor x e.
    void addParts(AxisIndex &parts, Expr e, int64_t factor) {
        const LinearForm form = linearForm(e, m_ranges);
        IndexPart sum{.constant = form.constant, .scale = factor};
        for (const LinearTerm &term : form.terms) {
            const auto loop = m_loopOf.find(term.atom.node());
            if (loop != m_loopOf.end()) {
                sum.terms.emplace_back(loop->second, term.coefficient);
                continue;
            }
            addAtom(parts, term.atom, factor * term.coefficient);
        }
        parts.push_back(std::move(sum));
    }

    void addAtom(AxisIndex &parts, Expr atom, int64_t factor) {
        const bool divides = (atom->kind == ExprKind::FloorDiv || atom->kind == ExprKind::FloorMod) &&
                             atom->arg(1)->kind == ExprKind::IntImm && atom->arg(1)->intValue > 0;
        if (divides) {
            AxisIndex inner;
            addParts(inner, atom->arg(0), 1);
            if (inner.size() == 1 && inner[0].scale == 1 && !inner[0].anywhere) {
                IndexPart part = inner[0];
                const int64_t by = atom->arg(1)->intValue;
                if (atom->kind == ExprKind::FloorDiv)
                    part.step *= by;
                else if (part.modulus == 0 || part.step * by < part.modulus)
                    part.modulus = part.step * by;
                part.scale = factor;
                parts.push_back(std::move(part));
                return;
            }
        }
        // Ends of a clamp move with what is between them, but at the border.
        if (atom->kind == ExprKind::Min || atom->kind == ExprKind::Max) {
            for (const bool second : {false, true})
                if (atom->arg(second ? 1 : 0)->kind == ExprKind::IntImm)
                    return addParts(parts, atom->arg(second ? 0 : 1), factor);
        }
        if (atom->kind == ExprKind::Cast && !containsLoad(atom)) return addParts(parts, atom->arg(0), factor);
        IndexPart unknown{.scale = factor, .anywhere = true};
        std::set<int> loops;
        postOrder(atom, [&](Expr e) {
            const auto loop = m_loopOf.find(e.node());
            if (loop != m_loopOf.end()) loops.insert(loop->second);
        });
        for (const int loop : loops) unknown.terms.emplace_back(loop, 1);
        parts.push_back(std::move(unknown));
    }

    void add(const Buffer &buffer, std::span<const Expr> indices, bool store, int around, const Op *op) {
        NestAccess access{.tensor = tensorOf(buffer), .around = around, .store = store, .op = op};
        std::set<int> used;
        for (size_t d = 0; d < indices.size(); ++d) {
            AxisIndex parts;
            addParts(parts, indices[d], 1);
            if (d < buffer.regionMin.size() && buffer.regionMin[d]) subtract(parts, buffer.regionMin[d]);
            for (const IndexPart &part : parts)
                for (const auto &term : part.terms) used.insert(term.first);
            access.index.push_back(std::move(parts));
        }
        for (int loop = around; loop >= 0; loop = m_nest.loops[static_cast<size_t>(loop)].parent)
            if (used.contains(loop)) {
                access.loop = loop;
                break;
            }
        m_nest.accesses.push_back(std::move(access));
    }

    /// A part of a tensor that is allocated anew begins at 0.
    void subtract(AxisIndex &parts, Expr min) {
        const LinearForm form = linearForm(min, m_ranges);
        for (IndexPart &part : parts) {
            if (part.step != 1 || part.modulus != 0 || part.scale != 1 || part.anywhere) continue;
            for (const LinearTerm &term : form.terms) {
                const auto loop = m_loopOf.find(term.atom.node());
                if (loop == m_loopOf.end()) continue;
                const auto same = std::find_if(part.terms.begin(), part.terms.end(),
                                               [&](const auto &other) { return other.first == loop->second; });
                if (same != part.terms.end() && (same->second -= term.coefficient) == 0) part.terms.erase(same);
            }
            part.constant -= form.constant;
            return;
        }
    }

    const LoopState &m_state;
    AccessNest &m_nest;
    std::map<const ExprNode *, int> m_loopOf;
    std::map<const Buffer *, int> m_tensorOf;
    std::vector<VarRange> m_ranges;
};

/// Two parts that differ in the constant alone, if at all.
bool sameButConstant(const IndexPart &a, const IndexPart &b) {
    return a.terms == b.terms && a.modulus == b.modulus && a.step == b.step && a.scale == b.scale &&
           a.anywhere == b.anywhere;
}

bool neighbours(const NestAccess &a, const NestAccess &b) {
    if (a.tensor != b.tensor || a.around != b.around || a.op != b.op) return false;
    for (size_t d = 0; d < a.index.size(); ++d) {
        if (a.index[d].size() != b.index[d].size()) return false;
        for (size_t i = 0; i < a.index[d].size(); ++i)
            if (!sameButConstant(a.index[d][i], b.index[d][i])) return false;
    }
    return true;
}

void widen(IndexPart &part, const IndexPart &other) {
    const int64_t low = std::min(part.constant, other.constant);
    const int64_t high = std::max(part.constant + part.spread, other.constant + other.spread);
    const int64_t between = std::abs(other.constant - part.constant);
    if (between > 0) part.grain = part.spread == 0 ? between : std::gcd(part.grain, between);
    part.constant = low;
    part.spread = high - low;
}

} // namespace

std::vector<int> AccessNest::pathOf(int loop) const {
    std::vector<int> path;
    for (int at = loop; at >= 0; at = loops[static_cast<size_t>(at)].parent) path.push_back(at);
    std::reverse(path.begin(), path.end());
    return path;
}

bool AccessNest::inside(int loop, int node) const {
    for (int at = loop; at >= 0; at = loops[static_cast<size_t>(at)].parent)
        if (at == node) return true;
    return node < 0;
}

bool AccessNest::dependsOn(const NestAccess &access, int loop) const {
    for (const AxisIndex &index : access.index)
        for (const IndexPart &part : index)
            for (const auto &term : part.terms)
                if (term.first == loop) return true;
    return false;
}

double AccessNest::tripsOf(int loop) const {
    double trips = 1;
    for (int at = loop; at >= 0; at = loops[static_cast<size_t>(at)].parent)
        trips *= static_cast<double>(loops[static_cast<size_t>(at)].extent);
    return trips;
}

void joinNeighbours(AccessNest &nest) {
    std::vector<NestAccess> joined;
    for (NestAccess &access : nest.accesses) {
        const auto same = std::find_if(joined.begin(), joined.end(),
                                       [&](const NestAccess &other) { return neighbours(access, other); });
        if (same == joined.end()) {
            joined.push_back(std::move(access));
            continue;
        }
        bool equal = true;
        for (size_t d = 0; d < access.index.size(); ++d)
            for (size_t i = 0; i < access.index[d].size(); ++i) {
                equal = equal && access.index[d][i].constant == same->index[d][i].constant;
                widen(same->index[d][i], access.index[d][i]);
            }
        same->updates = same->updates || (equal && access.store && !same->store);
        same->store = same->store || access.store;
        if (!equal || access.store) ++same->count;
    }
    nest.accesses = std::move(joined);
}

void holdResults(AccessNest &nest) {
    constexpr int64_t kRegisterBytes = 1024; // half of what 32 registers of 64 bytes hold
    for (NestAccess &access : nest.accesses) {
        if (!access.updates) continue;
        int64_t tile = nest.tensors[static_cast<size_t>(access.tensor)].elementBytes;
        for (int loop = access.around; loop >= 0 && tile <= kRegisterBytes;
             loop = nest.loops[static_cast<size_t>(loop)].parent)
            if (nest.dependsOn(access, loop))
                tile *= nest.loops[static_cast<size_t>(loop)].extent;
            else
                access.held = loop;
    }
}

Outcome<AccessNest> accessNestOf(const LoopState &state) {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const auto bounded = inferBounds(state, arena);
    if (!bounded) return bounded.refusal();
    const auto program = buildLoopNest(bounded.value());
    if (!program) return program.refusal();
    AccessNest nest;
    bool bound = false;
    forEachStmt(program->root,
                [&](Stmt stmt) { bound = bound || (stmt->kind == StmtKind::For && stmt->loop >= LoopKind::BlockX); });
    if (bound)
        return Refusal{"layout: the loops of the schedule are bound to a GPU's blocks and threads; layouts are judged "
                       "by the caches of a processor (--target llvm)"};
    NestReader(state, nest).read(program->root, -1);
    joinNeighbours(nest);
    holdResults(nest);
    return nest;
}

AccessNest copyNestOf(const Layout &layout, int64_t elementBytes, bool blocked) {
    AccessNest nest;
    nest.tensors = {{.name = "from", .shape = layout.shape(), .elementBytes = elementBytes},
                    {.name = "to", .shape = layout.physicalShape(), .elementBytes = elementBytes}};
    const size_t rank = layout.pieces().size();
    // Where the last axis of what is read ends: the piece that walks along its rows.
    size_t reads = rank;
    for (size_t p = 0; p < rank; ++p)
        if (layout.pieces()[p].axis + 1 == static_cast<int>(layout.shape().size()) && layout.pieces()[p].step == 1)
            reads = p;
    constexpr int64_t kBlock = 16;
    const auto isBlocked = [&](size_t p) {
        return blocked && reads + 1 < rank && (p == reads || p + 1 == rank) && layout.cellsOf(p) > kBlock;
    };
    std::vector<std::vector<std::pair<int, int64_t>>> terms(rank); // loops of each piece
    const auto addLoop = [&](size_t p, int64_t extent, int64_t coefficient) {
        nest.loops.push_back({.parent = static_cast<int>(nest.loops.size()) - 1, .extent = extent});
        terms[p].emplace_back(static_cast<int>(nest.loops.size()) - 1, coefficient);
    };
    for (size_t p = 0; p < rank; ++p)
        if (isBlocked(p))
            addLoop(p, (layout.cellsOf(p) + kBlock - 1) / kBlock, kBlock);
        else if (p != reads || !blocked || reads + 1 >= rank)
            addLoop(p, layout.cellsOf(p), 1);
    for (size_t p = 0; p < rank; ++p)
        if (isBlocked(p))
            addLoop(p, kBlock, 1);
        else if (p == reads && blocked && reads + 1 < rank)
            addLoop(p, layout.cellsOf(p), 1);
    const int innermost = static_cast<int>(nest.loops.size()) - 1;
    NestAccess from{.tensor = 0, .loop = innermost, .around = innermost};
    for (size_t d = 0; d < layout.shape().size(); ++d) {
        IndexPart part;
        for (size_t p = 0; p < rank; ++p)
            if (layout.pieces()[p].axis == static_cast<int>(d))
                for (const auto &[loop, coefficient] : terms[p])
                    part.terms.emplace_back(loop, coefficient * layout.pieces()[p].step);
        from.index.push_back({std::move(part)});
    }
    NestAccess to{.tensor = 1, .loop = innermost, .around = innermost, .store = true};
    for (size_t p = 0; p < rank; ++p) to.index.push_back({IndexPart{.terms = terms[p]}});
    nest.accesses = {std::move(from), std::move(to)};
    return nest;
}

} // namespace loopscope
