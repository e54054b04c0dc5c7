#pragma once
// A node on its way to tensor expressions: what the families of this module share. Each family hands in a table of
// functions, by the operator's name; kernel_dag.cpp joins them. Read by them alone.

#include "language/te/operators/building.h"
#include "networks/op/operator_use.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

class Emission {
  public:
    /// A tensor for each input, null where there is none or its elements are not read.
    Emission(const OperatorUse &use, std::vector<const Tensor *> inputs, std::vector<TensorType> outputs,
             std::vector<OpPtr> &ops);

    [[nodiscard]] const OperatorUse &use() const { return m_use; }
    [[nodiscard]] size_t inputCount() const { return m_inputs.size(); }
    [[nodiscard]] bool has(size_t input) const { return input < m_inputs.size() && m_inputs[input] != nullptr; }
    [[nodiscard]] const Tensor &input(size_t input = 0) const { return *m_inputs[input]; }
    [[nodiscard]] const std::vector<const Tensor *> &inputs() const { return m_inputs; }
    [[nodiscard]] size_t outputCount() const { return m_outputs.size(); }
    [[nodiscard]] DType outType(size_t output = 0) const { return m_outputs[output].dtype; }
    /// Of an output, static.
    [[nodiscard]] std::vector<int64_t> outDims(size_t output = 0) const;
    /// Values of an integer input that the expression depends on; refused where they are not constant.
    [[nodiscard]] std::vector<int64_t> constantIntegers(size_t input) const;
    /// 1 where the input is a constant of the network, which may be stored in another layout; for `layout_free`.
    [[nodiscard]] int64_t layoutFree(size_t input) const { return m_use.constant(input) != nullptr ? 1 : 0; }

    /// An attribute with an entry for each of `count` dimensions, all `fallback` where it is empty.
    [[nodiscard]] std::vector<int64_t> perDimension(std::string_view attribute, size_t count, int64_t fallback) const;

    /// Arguments of a product in the library whose weights are input 1: those of free layout, sums of narrow floats in
    /// float32.
    [[nodiscard]] NamedArgs productArgs(NamedArgs args = {}) const;

    /// An operator of the library.
    const Tensor &call(std::string_view name, const std::vector<ArgValue> &positional, const NamedArgs &named = {});
    const Tensor &add(OpPtr op);
    /// A compute over `shape` with axes PREFIX0, PREFIX1, ...
    const Tensor &compute(const std::string &name, const std::vector<int64_t> &shape,
                          const std::function<Expr(const std::vector<Expr> &)> &body, std::string_view prefix = "ax",
                          std::string tag = "injective");
    /// Of rank 0, as TVM keeps the constants of a graph.
    const Tensor &literal(double value, DType type);
    const Tensor &padded(const Tensor &data, const std::vector<int64_t> &before, const std::vector<int64_t> &after,
                         const std::string &name, Expr value, std::string_view prefix);
    /// The tensor in the type that sums of its elements are computed in; itself where that is its own.
    const Tensor &widened(const Tensor &tensor);
    /// `result` plus a vector with an element for each index of the axis, where input `bias` is there.
    const Tensor *plusBias(const Tensor *result, size_t bias, size_t axis = 1);
    [[noreturn]] void refuse(const std::string &sentence) const;

  private:
    const OperatorUse &m_use;
    std::vector<const Tensor *> m_inputs;
    std::vector<TensorType> m_outputs;
    std::vector<OpPtr> &m_ops;
};

/// The element of `tensor` that stands at `index` of a larger shape it is broadcast to, aligned at the last dimension.
Expr loadBroadcast(const Tensor &tensor, const std::vector<int64_t> &shape, const std::vector<Expr> &index);
/// `index`, counted from the end where it is negative and kept inside [0, extent), as int32.
Expr placeInside(Expr index, int64_t extent);

/// One tensor for each output; throws Error with a sentence where it cannot.
using Emit = std::vector<const Tensor *> (*)(Emission &);
using EmitTable = std::vector<std::pair<std::string_view, Emit>>;

EmitTable elementwiseEmissions();   // elementwise.cpp
EmitTable binaryEmissions();        // binary.cpp
EmitTable convolutionEmissions();   // convolution.cpp
EmitTable winogradEmissions();      // winograd.cpp
EmitTable matrixEmissions();        // matrix.cpp
EmitTable poolingEmissions();       // pooling.cpp
EmitTable normalizationEmissions(); // normalization.cpp
EmitTable reductionEmissions();     // reduction.cpp
EmitTable movingEmissions();        // moving.cpp
EmitTable indexingEmissions();      // indexing.cpp
EmitTable resizeEmissions();        // resize.cpp

} // namespace loopscope
