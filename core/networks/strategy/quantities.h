#pragma once
// What conditions may be about, by operator: the named quantities of a node.

#include "networks/op/operator_use.h"
#include "networks/strategy/choose.h"

namespace loopscope {

/// Of every node: `rank` and `floating` (1 or 0) of its first input. Beside that
///   conv: n, ci, h, w, co, kh, kw, oh, ow, stride_h, stride_w, dilation_h, dilation_w, group, space (spatial axes;
///   with
///     others than two there is no h, w, kh ...), constant_weight, channels_last (0: networks are channels first)
///   dense, matmul, gemm of two dimensions: m, k, n, constant_weight, trans_a and trans_b (gemm)
///   softmax: rows, columns; reductions: elements
/// Inputs and the output have types; `outDims` are those of the first output.
Quantities quantitiesOf(const OperatorUse &use, const Dims &outDims);

/// Of a node of a function whose values have types.
StrategySubject subjectOf(const GraphFunction &function, const Node &node);

} // namespace loopscope
