#pragma once
// Which ONNX operators are imported, and how: a row for each operator and version of the operator set from which on it
// has this form. A family of operators is a file with its table; handlers.cpp joins them.

#include "networks/onnx/node_import.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct OnnxHandler {
    std::string_view op;
    int64_t since; // first version with this form; it holds until the next row of the operator
    size_t minInputs;
    size_t maxInputs;
    /// Attributes that it may have, "axis:i mode:s=DCR|CRD": i and f one number, s text, t tensor, I, F and S lists;
    /// behind = the values that are supported.
    std::string_view attributes;
    Translated (*translate)(NodeImport &node);
};

/// The name of an operator of ours as a template argument, which a literal cannot be.
struct OpName {
    char text[24] = {};
    template <size_t n> consteval OpName(const char (&literal)[n]) {
        for (size_t i = 0; i < n; ++i) text[i] = literal[i];
    }
};

constexpr size_t kAnyNumber = SIZE_MAX;

std::span<const OnnxHandler> elementwiseHandlers();   // elementwise_handlers.cpp
std::span<const OnnxHandler> activationHandlers();    // activation_handlers.cpp
std::span<const OnnxHandler> binaryHandlers();        // binary_handlers.cpp
std::span<const OnnxHandler> windowHandlers();        // window_handlers.cpp
std::span<const OnnxHandler> matrixHandlers();        // matrix_handlers.cpp
std::span<const OnnxHandler> derivedHandlers();       // derived_handlers.cpp
std::span<const OnnxHandler> einsumHandlers();        // einsum_handler.cpp
std::span<const OnnxHandler> normalizationHandlers(); // normalization_handlers.cpp
std::span<const OnnxHandler> reductionHandlers();     // reduction_handlers.cpp
std::span<const OnnxHandler> shapeHandlers();         // shape_handlers.cpp
std::span<const OnnxHandler> joiningHandlers();       // joining_handlers.cpp
std::span<const OnnxHandler> resizeHandlers();        // resize_handlers.cpp
std::span<const OnnxHandler> constantHandlers();      // constant_handlers.cpp
std::span<const OnnxHandler> sortingHandlers();       // sorting_handlers.cpp

/// A value in the type that sums of its elements are computed in (language/expr/half.h); itself where that is its own.
Outcome<ValueId> widened(NodeImport &node, ValueId value);
/// What was computed in that type as the result of the node, in the type of its first input.
Translated finishRounded(NodeImport &node, std::string_view op, std::vector<ValueId> inputs,
                         Attributes attributes = {});

/// The handler of an operator at a version, or a sentence that says why there is none.
Outcome<const OnnxHandler *> findHandler(const std::string &op, const std::string &domain, int64_t opset);

/// What is wrong with a node whatever its inputs are: their number, attributes that the handler does not know, that are
/// of another kind, or have a value that is not supported. Every one of them.
std::vector<std::string> wrongWith(const onnx::NodeProto &proto, const OnnxHandler &handler);

} // namespace loopscope
