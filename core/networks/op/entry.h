#pragma once
// How the tables of the families are written, and who hands them in. Read by catalogue.cpp and the families alone.

#include "networks/op/operator.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

inline InputSpec needed(std::string name) { return {std::move(name), false, false}; }
inline InputSpec optional(std::string name) { return {std::move(name), true, false}; }
inline InputSpec variadic(std::string name) { return {std::move(name), false, true}; }

inline AttributeSpec integer(std::string name, int64_t fallback, std::string doc) {
    return {std::move(name), AttributeKind::Integer, fallback, std::move(doc)};
}
inline AttributeSpec number(std::string name, double fallback, std::string doc) {
    return {std::move(name), AttributeKind::Number, fallback, std::move(doc)};
}
inline AttributeSpec text(std::string name, std::string fallback, std::string doc) {
    return {std::move(name), AttributeKind::Text, std::move(fallback), std::move(doc)};
}
/// An empty list where it is not given.
inline AttributeSpec integers(std::string name, std::string doc) {
    return {std::move(name), AttributeKind::Integers, std::vector<int64_t>{}, std::move(doc)};
}
inline AttributeSpec numbers(std::string name, std::string doc) {
    return {std::move(name), AttributeKind::Numbers, std::vector<double>{}, std::move(doc)};
}
/// The same attribute, which must be given.
inline AttributeSpec given(AttributeSpec spec) {
    return {std::move(spec.name), spec.kind, std::nullopt, std::move(spec.doc)};
}

using OperatorTable = std::vector<Operator>;
OperatorTable elementwiseOperators();   // elementwise.cpp
OperatorTable binaryOperators();        // binary.cpp
OperatorTable convolutionOperators();   // convolution.cpp
OperatorTable winogradOperators();      // winograd.cpp
OperatorTable poolingOperators();       // pooling.cpp
OperatorTable normalizationOperators(); // normalization.cpp
OperatorTable matrixOperators();        // matrix.cpp
OperatorTable reductionOperators();     // reduction.cpp
OperatorTable shapeOperators();         // shape.cpp
OperatorTable joiningOperators();       // joining.cpp
OperatorTable indexingOperators();      // indexing.cpp
OperatorTable resizeOperators();        // pad_resize.cpp
OperatorTable constantOperators();      // constants.cpp
OperatorTable sortingOperators();       // sorting.cpp

} // namespace loopscope
