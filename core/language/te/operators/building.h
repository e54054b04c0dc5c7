#pragma once
// What the operator families share: axes, loads, sums, padding, and the arguments most of them take.

#include "language/te/operators/operator_library.h"

#include <initializer_list>
#include <vector>

namespace loopscope {

inline Axis makeAxis(std::string_view name, int64_t extent) { return {makeVar(name), extent}; }
/// PREFIX0, PREFIX1, ... over the shape.
std::vector<Axis> numberedAxes(std::string_view prefix, const std::vector<int64_t> &shape);
std::vector<Expr> varsOf(const std::vector<Axis> &axes);

Expr load(const Tensor &tensor, const std::vector<Expr> &indices);
inline Expr load(const Tensor &tensor, std::initializer_list<Expr> indices) {
    return load(tensor, std::vector<Expr>(indices));
}
Expr load(const Tensor &tensor, const std::vector<Axis> &axes);
Expr zeroOf(DType type);
Expr constantOf(double value, DType type);

Reduction reductionOver(ReduceKind kind, std::vector<Axis> axes, DType type);
/// axes: output axes; sum of `source` over `reduceAxes`.
OpPtr sumOp(std::string name, std::vector<Axis> axes, std::vector<Axis> reduceAxes, Expr source, Attrs attrs = {},
            std::string tag = {});

/// Pairs of a place and a value, of which the greatest (least) stays, and of equal ones the first (last). Of floats,
/// what is no number is more than any; TVM's, which has no word for that, depends on the order.
Combiner placeOfExtreme(bool largest, bool last, DType type);

/// A matrix of constants as nested selects over (i % rows, j % columns): a tensor that needs no memory once inlined.
OpPtr constMatrixOp(std::string name, const std::vector<std::vector<double>> &matrix, DType type);

/// Pads with `value`; axes are PREFIX0... A copy where nothing is padded, as in TVM.
const Tensor &padTensor(OperatorCall &call, const Tensor &data, const std::vector<int64_t> &before,
                        const std::vector<int64_t> &after, const std::string &name, Expr value = {},
                        std::string_view prefix = "i");

/// {"layout_free_placeholders": weight} when the call asks for it and the weight is a placeholder.
Attrs weightAttrs(const OperatorCall &call, const Tensor &weight);

/// The type of the result: `out_dtype`, or the data's own.
DType outType(const OperatorCall &call, const Tensor &data);

/// Output size of a window of `kernel` (dilated) sliding over `in` padded values; refuses a window larger than that.
int64_t windowOutput(const OperatorCall &call, int64_t in, int64_t padBefore, int64_t padAfter, int64_t kernel,
                     int64_t stride, int64_t dilation);

OperatorArg tensorArg(std::string name);
OperatorArg intArg(std::string name, int64_t fallback);
OperatorArg intsArg(std::string name, int64_t fallback);
OperatorArg textArg(std::string name, std::string fallback);
OperatorArg outDtypeArg();
OperatorArg styleArg();
OperatorArg layoutFreeArg(int64_t fallback = 1);

} // namespace loopscope
