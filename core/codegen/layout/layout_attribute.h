#pragma once
// Parts of the rewrite: the attribute that says how a result lies, and the ops that bring elements into their order.

#include "codegen/layout/layout.h"
#include "language/te/op.h"

#include <string>
#include <vector>

namespace loopscope {

AttrValue layoutAttribute(const Layout &layout);

/// The indices of an element in a tensor that lies so, from those it has in the tensor itself: its digits.
std::vector<Expr> packedIndices(const Layout &layout, std::span<const Expr> indices);

/// Axes of a tensor that lies so.
std::vector<Axis> packedAxes(const Layout &layout, const std::vector<std::string> &axisNames);
/// The indices that the cell at `axes` has in the tensor itself.
std::vector<Expr> unpackedIndices(const Layout &layout, const std::vector<Axis> &axes);
/// `value` in the cells that have an element, `padding` in the others; `value` itself where all have.
Expr guarded(const Layout &layout, const std::vector<Expr> &unpacked, Expr value, Expr padding);

/// A stage that copies the tensor.
OpPtr layoutCopy(std::string name, const Tensor &tensor, const Layout &layout,
                 const std::vector<std::string> &axisNames);
/// The op with its result laid out so.
OpPtr laidOutProducer(const Op &op, const Layout &layout);

} // namespace loopscope
