// Weights laid out in the order the tiled loops read them. Seen from the lowered nest: the indices of the
// one load are sums of digits, one for every loop that moves through the weight,
//
//     W[k.0*16 + k.1, floordiv(v, 4)*8 + j.3]        v: a fused loop
//
// and the packed tensor has one dimension for each digit, in loop order: P[floordiv(v, 4), k.0, k.1, j.3]. What a
// non-dividing tile adds is zero.

#include "codegen/lower/index_digits.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/simplify_program.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

constexpr int64_t kLargestGrowth = 2; // packed elements per original element

Buffer &addPacked(LoopProgram &program, const Buffer &weight, std::span<const IndexDigit> digits) {
    auto packed = std::make_unique<Buffer>();
    packed->name = weight.name + ".packed";
    packed->dtype = weight.dtype;
    for (const IndexDigit &digit : digits) packed->shape.push_back(digit.extent);
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
Stmt packingNest(const Buffer &weight, const Buffer &packed, std::span<const IndexDigit> digits) {
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
    Stmt body = makeStore(packed, vars, value, StageId());
    const auto wrap = [&](Expr var, int64_t extent, LoopKind kind) {
        StmtNode node;
        node.loop = kind;
        node.var = var;
        node.iterName = var->text;
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
bool alreadyInOrder(const Buffer &weight, std::span<const IndexDigit> digits) {
    int64_t last = -1;
    for (const IndexDigit &digit : digits) {
        if (digit.origin <= last || digit.extent != weight.shape[static_cast<size_t>(digit.origin)]) return false;
        last = digit.origin;
    }
    return true;
}

void rewriteOne(LoopProgram &program, ProgramArg &arg, bool insideKernel) {
    const Buffer &weight = *arg.buffer;
    const std::vector<IndexDigit> digits = digitsOfOnlyLoad(program.root, weight);
    if (digits.empty() || alreadyInOrder(weight, digits)) return;
    int64_t elements = 1;
    for (const IndexDigit &digit : digits) elements *= digit.extent;
    if (elements > kLargestGrowth * weight.elements()) return;

    Buffer &packed = addPacked(program, weight, digits);
    const std::vector<Expr> indices = digitValues(digits);
    program.root = withLoadsMoved(program.root, weight, packed, indices);
    if (insideKernel) {
        packed.scope = MemoryScope::Heap;
        const std::array<Stmt, 2> both = {packingNest(weight, packed, digits), program.root};
        program.root = makeAllocate(packed, makeBlock(both));
        return;
    }
    packed.argIndex = weight.argIndex;
    packed.stage = weight.stage;
    packed.layoutFree = true; // weights all the same
    arg.buffer = &packed;
    for (const IndexDigit &digit : digits) arg.packing.push_back({digit.origin, digit.term.scale, digit.extent});
    std::erase_if(program.buffers, [&](const auto &buffer) { return buffer.get() == &weight; });
}

} // namespace

void rewriteLayouts(LoopProgram &program, const PassContext &context) {
    if (context.layoutRewrite == 0) return;
    for (ProgramArg &arg : program.args) {
        if (arg.output || !arg.buffer->layoutFree) continue;
        rewriteOne(program, arg, context.layoutRewrite == 1);
    }
    simplifyProgram(program);
}

std::optional<Refusal> rewriteGpuLayouts(LoopProgram &program, const PassContext &context) {
    if (context.layoutRewrite == 1)
        return Refusal{
            "layout rewrite 1 packs weights inside the program, for which there are no kernels yet on a GPU; "
            "0 (none) and 2 (packed by the caller) are legal"};
    rewriteLayouts(program, context);
    return std::nullopt;
}

} // namespace loopscope
