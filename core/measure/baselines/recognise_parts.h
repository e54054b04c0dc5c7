#pragma once
// The kinds of problem recognise.cpp tries: those with two operands are given both, those that reduce whole rows of
// one operand the op of the result.

#include "base/outcome.h"
#include "measure/baselines/baseline_problem.h"
#include "measure/baselines/operand_access.h"

#include <optional>

namespace loopscope {

struct RecognisedConv {
    ConvProblem problem;
    int channelAxis = -1; // of the nest: the output channel
};

/// Whether some index moves with an output axis and a reduce axis at once, as only a convolution's data does.
bool slides(const OperandAccess &access, const NestAxes &nest);
Outcome<RecognisedConv> recogniseConv(const OperandAccess &data, const OperandAccess &weights, const NestAxes &nest);

struct RecognisedMatmul {
    MatmulProblem problem;
    bool swapped = false;        // the second operand is the left one
    std::vector<int> columnAxes; // of the nest: those that make up n
};

Outcome<RecognisedMatmul> recogniseMatmul(const OperandAccess &first, const OperandAccess &second,
                                          const NestAxes &nest);

/// A problem without weights or tail.
struct RecognisedRows {
    BaselineProblem problem;
    const Tensor *data = nullptr;
};

// Nothing when `out` is not a quotient by a sum, or a root, at all: it may still be the tail of a product.
std::optional<Outcome<RecognisedRows>> recogniseSoftmax(const Op &out);
std::optional<Outcome<RecognisedRows>> recogniseNorm(const Op &out);

} // namespace loopscope
