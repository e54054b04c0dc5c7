#pragma once
// The catalogue of operators: what each name of a node means. An entry says which inputs and attributes the operator
// has, which types its outputs have, what they are (in double precision, for reference), and how it may be fused. One
// file a family hands in a table of entries; catalogue.cpp joins them. Semantics are those of the latest ONNX opset
// that Debian 12 knows (17), with constant parameters as attributes; importers translate older forms.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "language/tensor/wide_tensor.h"
#include "networks/graph/function.h"
#include "networks/op/operator_use.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// How an operator may be joined with others in a kernel. The order counts: what is larger restricts more (numbers as
/// in TVM's operator fusion).
enum class PatternKind : uint8_t {
    Elementwise = 0,
    Broadcast = 1,
    Injective = 2,
    Reduction = 3,
    OutputFusable = 4, // complex itself; takes elementwise consumers: conv, matmul, pooling
    Tuple = 7,
    Opaque = 8,
};

/// Of how many elements of an integer tensor it is worth knowing what they are.
constexpr int64_t kMaxKnownElements = 1024;

struct InferredOutput {
    TensorType type;
    /// Elements of a small integer tensor (rank 0 or 1) where they are known: shapes that are computed with.
    std::optional<Dims> elements = std::nullopt;
};

struct Operator {
    std::string name;
    std::string doc; // one line
    std::vector<InputSpec> inputs;
    std::vector<AttributeSpec> attributes;
    size_t minOutputs = 1;
    size_t maxOutputs = 1; // SIZE_MAX: any number
    PatternKind pattern = PatternKind::Opaque;
    /// Not made into a kernel: `evaluate` is how it is computed, on the host, wherever the network runs.
    bool host = false;
    /// Refuses inputs that do not fit, with one sentence that names dims and attribute values.
    Outcome<std::vector<InferredOutput>> (*infer)(const OperatorUse &use) = nullptr;
    /// All types are known and static. One value per output; refuses what it cannot compute (an index outside).
    Outcome<std::vector<WideTensor>> (*evaluate)(const OperatorUse &use, std::span<const WideTensor *const> inputs,
                                                 ThreadPool &pool) = nullptr;
};

/// Null when there is none of this name.
const Operator *findOperator(std::string_view name);
/// All, in alphabetical order.
std::vector<const Operator *> allOperators();

/// Of a node: a broadcast whose inputs all have the shape of the result is elementwise.
PatternKind patternOf(const GraphFunction &function, const Node &node);

} // namespace loopscope
