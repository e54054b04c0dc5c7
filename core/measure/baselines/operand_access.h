#pragma once
// How the one reduction of a workload reads a placeholder, with the stages in between (padding, dilation,
// transposition) seen through. Values between the parts of recognise.cpp.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/expr/affine.h"

#include <optional>
#include <vector>

namespace loopscope {

/// The axes of the reducing op: spatial ones first, then reduce axes, as one list.
struct NestAxes {
    explicit NestAxes(const Op &reducer);
    [[nodiscard]] size_t size() const { return extents.size(); }
    [[nodiscard]] bool isReduce(int axis) const { return size_t(axis) >= spatialCount; }
    /// The axis this variable is, or -1.
    [[nodiscard]] int find(Expr var) const;

    const Op *op;
    size_t spatialCount;
    std::vector<Expr> vars;
    std::vector<int64_t> extents;
    /// An axis of extent 1 is given the range [0, 1], so that it stays visible in linear forms: the kernel axes of a
    /// 1x1 convolution are what tells it from a product. Wider ranges only make the analysis more careful.
    std::vector<VarRange> ranges;
};

/// The element is read only where value is a multiple of divisor; elsewhere it counts as zero.
struct DivisibleWhere {
    LinearForm value;
    int64_t divisor = 1;
};

struct OperandAccess {
    const Tensor *tensor = nullptr;    // placeholder
    std::vector<LinearForm> indices;   // one per dimension, over the nest's axes
    std::vector<DivisibleWhere> holes; // the gaps a dilated operand has
    bool padded = false;               // reads outside the tensor count as zero

    /// Elements between neighbours along a dimension.
    [[nodiscard]] int64_t stride(size_t dimension) const;
    /// Whether the axis occurs in any index.
    [[nodiscard]] bool uses(const NestAxes &nest, int axis) const;
};

/// Follows a factor of the reduction's source to its placeholder. The conditions met on the way must say "inside the
/// tensor" or "at a multiple"; any other is refused.
Outcome<OperandAccess> resolveOperand(Expr factor, const NestAxes &nest);

} // namespace loopscope
