#pragma once
// The tables operator_library.cpp joins. A new operator is one row in its family's table; a new family is one file, one
// line here and one in operatorTable().

#include "te/operators/operator_library.h"

namespace loopscope {

const std::vector<OperatorSpec> &matmulOperators();
const std::vector<OperatorSpec> &convolutionOperators();
const std::vector<OperatorSpec> &depthwiseOperators();
const std::vector<OperatorSpec> &transposedOperators();
const std::vector<OperatorSpec> &winogradOperators();
const std::vector<OperatorSpec> &poolingOperators();
const std::vector<OperatorSpec> &normalizationOperators();
const std::vector<OperatorSpec> &elementwiseOperators();
const std::vector<OperatorSpec> &reductionOperators();
const std::vector<OperatorSpec> &layoutOperators();

} // namespace loopscope
