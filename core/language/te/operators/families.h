#pragma once
// The tables operator_library.cpp joins. A new operator is one row in its family's table; a new family is one file, one
// line here and one in operatorTable().

#include "language/te/operators/operator_library.h"

namespace loopscope {

const std::vector<OperatorSpec> &matmulSpecs();
const std::vector<OperatorSpec> &convolutionSpecs();
const std::vector<OperatorSpec> &depthwiseSpecs();
const std::vector<OperatorSpec> &transposedSpecs();
const std::vector<OperatorSpec> &winogradSpecs();
OperatorSpec winogradTiledSpec(); // one of winogradSpecs()
const std::vector<OperatorSpec> &poolingSpecs();
const std::vector<OperatorSpec> &normalizationSpecs();
const std::vector<OperatorSpec> &elementwiseSpecs();
const std::vector<OperatorSpec> &reductionSpecs();
const std::vector<OperatorSpec> &layoutSpecs();

} // namespace loopscope
