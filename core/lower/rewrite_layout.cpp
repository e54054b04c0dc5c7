// Weights laid out in the order the tiled loops read them. Seen from the lowered nest: the indices of the
// one load are sums of digits, one for every loop that moves through the weight,
//
//     W[k.0*16 + k.1, floordiv(v, 4)*8 + j.3]        v: a fused loop
//
// and the packed tensor has one dimension for each digit, in loop order: P[floordiv(v, 4), k.0, k.1, j.3]. What a
// non-dividing tile adds is zero.

#include "lower/passes.h"
#include "lower/simplify_program.h"

#include "loop_ir/walk.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

constexpr int64_t kLargestGrowth = 2; // packed elements per original element

struct Digit {
    int origin = 0;
    SplitTerm term;
    size_t loop = 0; // position of its loop in the nest
    int64_t extent = 1;
};

/// An op that reads the placeholder itself names it as free; another placeholder may have the same name.
bool isLayoutFree(const ComputeDag &dag, const Tensor *placeholder) {
    for (size_t i = 0; i < dag.size(); ++i) {
        const auto attr = dag.op(i).attrs.find("layout_free_placeholders");
        if (attr == dag.op(i).attrs.end()) continue;
        const auto *one = std::get_if<std::string>(&attr->second);
        const auto *several = std::get_if<std::vector<std::string>>(&attr->second);
        const bool named =
            one ? *one == placeholder->name
                : several && std::find(several->begin(), several->end(), placeholder->name) != several->end();
        const auto &loads = dag.access(i).loads;
        if (named &&
            std::any_of(loads.begin(), loads.end(), [&](const LoadAccess &load) { return load.tensor == placeholder; }))
            return true;
    }
    return false;
}

/// Finds the loads of one buffer and, where there is just one, the digits of its indices.
class DigitFinder : public ProgramSimplifier {
  public:
    explicit DigitFinder(const Buffer *buffer) : m_buffer(buffer) {}
    std::vector<Digit> find(Stmt root) {
        visit(root);
        if (m_loads != 1) m_digits.clear();
        return std::move(m_digits);
    }

  protected:
    Stmt visitLoop(Stmt stmt) override {
        m_loops.push_back(stmt->var.node());
        const Stmt result = visitChildren(stmt);
        m_loops.pop_back();
        return result;
    }

    Expr rewriteLoad(Expr load) override {
        if (load->symbol == m_buffer && m_loads++ == 0 && !readDigits(load)) m_digits.clear();
        return Simplifier::rewriteLoad(load);
    }

  private:
    bool readDigits(Expr load) {
        for (uint32_t d = 0; d < load->argCount; ++d) {
            const SplitSum index = sum(load->arg(d));
            if (index.constant != 0) return false;
            for (const SplitTerm &term : index.all()) {
                const auto loop = std::find(m_loops.begin(), m_loops.end(), term.base.node());
                const Interval values = term.values();
                if (loop == m_loops.end() || term.scale < 1 || values.min != 0) return false;
                m_digits.push_back({static_cast<int>(d), term, static_cast<size_t>(loop - m_loops.begin()),
                                    values.max / term.scale + 1});
            }
        }
        std::stable_sort(m_digits.begin(), m_digits.end(), [](const Digit &a, const Digit &b) {
            return a.loop != b.loop ? a.loop < b.loop : a.term.lower > b.term.lower;
        });
        return true;
    }

    const Buffer *m_buffer;
    int m_loads = 0;
    std::vector<const ExprNode *> m_loops;
    std::vector<Digit> m_digits;
};

/// Every load of the weight reads the packed buffer.
Stmt readPacked(Stmt stmt, const Buffer *from, const Buffer &packed, std::span<const Expr> indices) {
    const Stmt own = withOwnExprs(stmt, [&](Expr e) {
        return rewriteBottomUp(e, [&](Expr node) {
            return node->kind == ExprKind::Load && node->symbol == from ? makeLoad(packed, indices) : node;
        });
    });
    std::vector<Stmt> children;
    for (const Stmt child : own->body()) children.push_back(readPacked(child, from, packed, indices));
    return withChildren(own, children);
}

Buffer &addPacked(LoopProgram &program, const Buffer &weight, std::span<const Digit> digits) {
    auto packed = std::make_unique<Buffer>();
    packed->name = weight.name + ".packed";
    packed->dtype = weight.dtype;
    for (const Digit &digit : digits) packed->shape.push_back(digit.extent);
    packed->strides.resize(digits.size());
    int64_t stride = 1;
    for (size_t d = digits.size(); d > 0; --d) {
        packed->strides[d - 1] = stride;
        stride *= digits[d - 1].extent;
    }
    program.buffers.push_back(std::move(packed));
    return *program.buffers.back();
}

/// packed[...] = weight[...] (0 outside of it), the outer dimensions fused into one parallel loop.
Stmt packingNest(const Buffer &weight, const Buffer &packed, std::span<const Digit> digits) {
    const size_t rank = digits.size();
    const size_t fused = rank >= 5 ? 3 : rank >= 3 ? 2 : 1;
    int64_t together = 1;
    for (size_t d = 0; d < fused; ++d) together *= digits[d].extent;
    std::vector<Expr> vars(rank);
    const Expr outer = makeVar("pack");
    int64_t inner = 1;
    for (size_t d = fused; d > 0; --d) {
        const Expr quotient = floorDiv(outer, inner);
        vars[d - 1] = d == 1 ? quotient : floorMod(quotient, digits[d - 1].extent);
        inner *= digits[d - 1].extent;
    }
    for (size_t d = fused; d < rank; ++d) vars[d] = makeVar("p" + std::to_string(d));

    std::vector<Expr> place(weight.shape.size());
    std::vector<int64_t> reach(weight.shape.size(), 1);
    for (size_t d = 0; d < rank; ++d) {
        const auto origin = static_cast<size_t>(digits[d].origin);
        const Expr part = vars[d] * digits[d].term.scale;
        place[origin] = place[origin] ? place[origin] + part : part;
        reach[origin] += (digits[d].extent - 1) * digits[d].term.scale;
    }
    Expr inside;
    for (size_t o = 0; o < place.size(); ++o) {
        if (!place[o]) place[o] = makeInt(0);
        if (reach[o] <= weight.shape[o]) continue;
        const Expr condition = fold(ExprKind::Lt, place[o], makeInt(weight.shape[o]));
        inside = inside ? logicalAnd(inside, condition) : condition;
    }
    Expr value = makeLoad(weight, place);
    const Expr zero = isFloat(weight.dtype) ? makeFloat(0, weight.dtype) : makeInt(0, weight.dtype);
    if (inside) value = ifThenElse(inside, value, zero);
    Stmt body = makeStore(packed, vars, value, -1);
    const auto wrap = [&](Expr var, int64_t extent, LoopKind kind) {
        StmtNode node;
        node.loop = kind;
        node.var = var;
        node.iter = var->text;
        node.extent = makeInt(extent);
        body = makeFor(node, body);
    };
    const bool copiesRows = !inside && weight.strides[static_cast<size_t>(digits[rank - 1].origin)] == 1;
    for (size_t d = rank; d > fused; --d)
        wrap(vars[d - 1], digits[d - 1].extent,
             d == rank && copiesRows && digits[d - 1].term.scale == 1 ? LoopKind::Vectorized : LoopKind::Serial);
    wrap(outer, together, LoopKind::Parallel);
    return body;
}

/// The packed order is the one the weight has.
bool alreadyInOrder(const Buffer &weight, std::span<const Digit> digits) {
    int64_t last = -1;
    for (const Digit &digit : digits) {
        if (digit.origin <= last || digit.extent != weight.shape[static_cast<size_t>(digit.origin)]) return false;
        last = digit.origin;
    }
    return true;
}

void rewriteOne(LoopProgram &program, ProgramArg &arg, bool insideKernel) {
    const Buffer &weight = *arg.buffer;
    const std::vector<Digit> digits = DigitFinder(&weight).find(program.root);
    if (digits.empty() || alreadyInOrder(weight, digits)) return;
    int64_t elements = 1;
    for (const Digit &digit : digits) elements *= digit.extent;
    if (elements > kLargestGrowth * weight.elements()) return;

    Buffer &packed = addPacked(program, weight, digits);
    std::vector<Expr> indices;
    for (const Digit &digit : digits) {
        SplitTerm unscaled = digit.term;
        unscaled.scale = 1;
        SplitSum index;
        index.add(unscaled);
        indices.push_back(write(index, DType::Int32));
    }
    program.root = readPacked(program.root, &weight, packed, indices);
    if (insideKernel) {
        packed.scope = MemoryScope::Heap;
        const std::array<Stmt, 2> both = {packingNest(weight, packed, digits), program.root};
        program.root = makeAllocate(packed, makeBlock(both));
        return;
    }
    packed.argIndex = weight.argIndex;
    packed.stage = weight.stage;
    arg.buffer = &packed;
    for (const Digit &digit : digits) arg.packing.push_back({digit.origin, digit.term.scale, digit.extent});
    std::erase_if(program.buffers, [&](const auto &buffer) { return buffer.get() == &weight; });
}

} // namespace

void rewriteLayouts(LoopProgram &program, const PassContext &context) {
    if (context.layoutRewrite == 0) return;
    const ComputeDag &dag = *context.state.dag();
    for (size_t i = 0; i < program.args.size(); ++i) {
        ProgramArg &arg = program.args[i];
        if (arg.output || !isLayoutFree(dag, dag.args()[i])) continue;
        rewriteOne(program, arg, context.layoutRewrite == 1);
    }
    simplifyProgram(program);
}

} // namespace loopscope
