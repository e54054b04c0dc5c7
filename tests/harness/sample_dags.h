#pragma once
// DAGs for tests, built through the C++ interface so that they need neither parser nor operator library. Names are
// those of Ansor's own test suites, so texts and keys agree with logs.

#include "language/dag/compute_dag.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace loopscope {

/// Collects ops in one arena; the DAG it builds owns everything. While a builder lives its arena is current, so
/// expressions may be written directly.
class DagBuilder {
  public:
    DagBuilder() : m_arena(std::make_shared<ExprArena>()), m_scope(m_arena) {}

    const Tensor &placeholder(const std::string &name, std::vector<int64_t> shape, DType dtype = DType::Float32);
    const Tensor &compute(const std::string &name, std::vector<Axis> axes, Expr value, Attrs attrs = {});
    const Tensor &reduce(const std::string &name, std::vector<Axis> axes, ReduceKind kind, std::vector<Axis> reduceAxes,
                         Expr source, Attrs attrs = {});
    /// All outputs of a multi-output op.
    std::vector<const Tensor *> computeTuple(const std::string &name, std::vector<Axis> axes, std::vector<Expr> body,
                                             std::optional<Reduction> reduction);
    /// All outputs of an op that was made elsewhere, such as a scan.
    std::vector<const Tensor *> add(OpPtr op);

    /// Arguments: placeholders in the order made, then the outputs.
    DagPtr build(const std::vector<const Tensor *> &outputs, const std::string &name = "sample");

  private:
    ArenaPtr m_arena;
    ArenaScope m_scope;
    std::vector<OpPtr> m_ops;
    std::vector<const Tensor *> m_placeholders;
};

Axis axis(const std::string &name, int64_t extent);
std::vector<Axis> axes(const std::vector<std::string> &names, const std::vector<int64_t> &extents);
Expr load(const Tensor &tensor, std::initializer_list<Expr> indices);

/// C(i, j) += A[i, k]*B[k, j]
DagPtr matmulDag(int64_t n = 512, int64_t m = 512, int64_t k = 512);
/// X, Y, Z(b, i, j)
DagPtr batchMatmulDag(int64_t batch, int64_t n, int64_t m, int64_t k);
/// D = A*B, E = D*C; all n x n
DagPtr matmulChainDag(int64_t n = 512);
/// matmul, bias, relu
DagPtr matmulBiasReluDag(int64_t n = 512, int64_t m = 512, int64_t k = 512);
/// data, pad_temp, kernel, conv2d_nchw, bias, T_add, compute
DagPtr conv2dBiasReluNchwDag(int64_t n = 1, int64_t h = 7, int64_t w = 7, int64_t co = 512, int64_t ci = 512,
                             int64_t k = 3, int64_t stride = 1, int64_t pad = 1);
/// p0, pad_temp, p1, conv2d_nhwc, p2, T_add, T_relu
DagPtr conv2dBiasReluNhwcDag(int64_t h = 56, int64_t w = 56, int64_t ci = 64, int64_t co = 128, int64_t k = 3,
                             int64_t stride = 2, int64_t pad = 1);
/// inputs, PadInput, weight, conv2d_nhwc with the `floordiv(co, CO)*CI` index of Ansor's suite
DagPtr conv2dNhwcDag(int64_t n, int64_t h, int64_t w, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad);
DagPtr conv1dNlcDag(int64_t n, int64_t l, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad);
DagPtr depthwiseNhwcDag(int64_t n = 1, int64_t h = 112, int64_t w = 112, int64_t c = 32, int64_t k = 3,
                        int64_t stride = 1, int64_t pad = 1);
/// conv, bias_add, bn_mul, bn_add, relu
DagPtr convBnReluNhwcDag(int64_t n = 1, int64_t h = 224, int64_t w = 224, int64_t ci = 3, int64_t co = 64,
                         int64_t k = 7, int64_t stride = 2, int64_t pad = 3);
/// A, T_softmax_maxelem, T_softmax_exp, T_softmax_expsum, T_softmax_norm
DagPtr softmaxDag(int64_t rows = 256, int64_t columns = 256);
/// (index, value) of the largest element of every row: one op with two outputs
DagPtr argmaxDag(int64_t rows = 64, int64_t columns = 100);
/// B(i) min= A[i, k]
DagPtr rowMinDag(int64_t rows = 10, int64_t columns = 1024);
/// B = A + 1; C = B*2; D = exp(C): a chain of element-wise ops
DagPtr elementwiseDag(int64_t n = 64, int64_t m = 64);

} // namespace loopscope
