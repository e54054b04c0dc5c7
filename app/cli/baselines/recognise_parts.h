#pragma once
// The two kinds of problem recognise.cpp tries, each given both operands of the sum.

#include "baselines/baseline_problem.h"
#include "baselines/operand_access.h"
#include "outcome.h"

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

} // namespace loopscope
