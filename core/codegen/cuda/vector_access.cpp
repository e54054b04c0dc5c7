#include "codegen/cuda/vector_access.h"

#include "language/expr/simplify.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

bool LaneAccess::asWords(DType type) const { return contiguous && wordBytes > dtypeBytes(type); }

LaneAccess laneAccess(const Buffer &buffer, std::span<const Expr> indices, Expr var, int64_t extent, VarRanges ranges) {
    LaneAccess access;
    ExprArena arena;
    const ArenaScope scope(arena);
    Simplifier simplifier;
    for (const VarRange &known : ranges) simplifier.bindRange(Expr(known.var), known.range);
    simplifier.bindRange(var, Interval::upTo(extent));
    SplitSum offset;
    for (size_t d = 0; d < indices.size(); ++d) offset.add(simplifier.sum(indices[d]), buffer.strides[d]);
    int64_t steps = 0;
    int64_t others = offset.constant; // what all else is a multiple of
    for (const SplitTerm &term : offset.all()) {
        if (!usesVar(term.base, var)) {
            others = std::gcd(others, term.scale);
            continue;
        }
        if (!term.base.is(var) || term.lower != 1 || term.upper != 0) return access;
        steps += term.scale;
    }
    if (steps == 0) {
        access.invariant = true;
        return access;
    }
    if (steps != 1) return access;
    access.contiguous = true;
    const int64_t bytes = dtypeBytes(buffer.dtype);
    const int64_t aligned = std::gcd(std::gcd(others * bytes, extent * bytes), int64_t{buffer.alignment});
    access.wordBytes = bytes;
    for (int64_t word = bytes; word <= kWidestWord && aligned % word == 0; word *= 2) access.wordBytes = word;
    return access;
}

std::string wordType(DType type, int64_t bytes) {
    if (type == DType::Float64) return "double2";
    if (type == DType::Int64) return "longlong2";
    const std::string lanes = bytes == 4 ? "" : std::to_string(bytes / 4);
    if (type == DType::Float32) return "float" + lanes;
    if (bytes == 2) return "unsigned short";
    return (type == DType::Int32 ? "int" : bytes == 4 ? "unsigned int" : "uint") + lanes;
}

} // namespace loopscope
