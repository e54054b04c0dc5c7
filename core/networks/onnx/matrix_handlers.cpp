#include "networks/onnx/handlers.h"

namespace loopscope {

namespace {

Translated matMul(NodeImport &node) { return node.finish("matmul", {node.in(0), node.in(1)}); }

/// The attribute `broadcast` of early versions only permits what c may always do.
Translated gemm(NodeImport &node) {
    return node.finish("gemm", {node.in(0), node.in(1), node.in(2)},
                       {{"alpha", node.number("alpha", 1.0)},
                        {"beta", node.number("beta", 1.0)},
                        {"trans_a", node.integer("transA", 0)},
                        {"trans_b", node.integer("transB", 0)}});
}

constexpr OnnxHandler kMatrix[] = {
    {"MatMul", 1, 2, 2, "", matMul},
    {"Gemm", 1, 3, 3, "alpha:f beta:f transA:i=0|1 transB:i=0|1 broadcast:i=0|1", gemm},
    {"Gemm", 7, 3, 3, "alpha:f beta:f transA:i=0|1 transB:i=0|1", gemm},
    {"Gemm", 11, 2, 3, "alpha:f beta:f transA:i=0|1 transB:i=0|1", gemm},
};

} // namespace

std::span<const OnnxHandler> matrixHandlers() { return kMatrix; }

} // namespace loopscope
