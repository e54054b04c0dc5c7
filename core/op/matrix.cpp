#include "op/entry.h"

namespace loopscope {

OperatorTable matrixOperators() {
    return {{.name = "matmul",
             .doc = "Matrix product of the last two axes; those before broadcast, vectors are rows or columns.",
             .inputs = {needed("a"), needed("b")},
             .attributes = {},
             .pattern = PatternKind::OutputFusable},
            {.name = "gemm",
             .doc = "alpha * a * b + beta * c of matrices, a and b transposed where asked; c broadcasts.",
             .inputs = {needed("a"), needed("b"), optional("c")},
             .attributes = {number("alpha", 1.0, "factor of the product"), number("beta", 1.0, "factor of c"),
                            integer("trans_a", 0, "1: a stands transposed"),
                            integer("trans_b", 0, "1: b stands transposed")},
             .pattern = PatternKind::OutputFusable},
            {.name = "dense",
             .doc = "x[M, K] times w[N, K] transposed.",
             .inputs = {needed("x"), needed("w")},
             .attributes = {},
             .pattern = PatternKind::OutputFusable},
            {.name = "bias_add",
             .doc = "x plus one number for each index of an axis.",
             .inputs = {needed("x"), needed("bias")},
             .attributes = {integer("axis", 1, "of x, along which the bias lies")},
             .pattern = PatternKind::Broadcast}};
}

} // namespace loopscope
