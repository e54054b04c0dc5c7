#pragma once
// Networks from ONNX files. Every operator of every version of the operator set that is supported is translated into
// the operators of our catalogue (networks/op/operator.h), with types inferred on the way by our own rules. Only the
// messages are read with protobuf; nothing else here knows ONNX.

#include "language/tensor/host_tensor.h"
#include "networks/graph/module.h"
#include "networks/onnx/problem.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct ImportOptions {
    /// Numbers for symbolic dims of the file (its `dim_param`): {"batch", 1}. Dims without a name are called after
    /// their input: "x_0" is the first of x.
    std::map<std::string, int64_t> dims;
    /// Inputs that are the same in every run, by name: they become constants, not parameters. Shapes that a file
    /// wants as an input can be used by import that way.
    std::map<std::string, HostTensor> constants;
    /// No value of the network may be larger, whether it is stored or computed.
    int64_t maxTensorBytes = int64_t{1} << 40;
};

struct ImportResult {
    /// The function "main", and one for each graph of an If or a Loop; all their values have types. Nothing when there
    /// are problems.
    std::optional<Module> module;
    std::vector<OnnxProblem> problems;
    /// What is odd about the file without keeping it from being imported: shapes it declares for values and
    /// outputs that are not theirs.
    std::vector<OnnxProblem> notes;
    /// Dims of the inputs that have no number, by the names under which ImportOptions::dims gives them one.
    std::vector<std::string> symbols;
};

/// Throws Error when the file cannot be read; everything that is wrong with what it holds is a problem.
ImportResult importOnnx(const std::string &path, const ImportOptions &options = {});
/// Of a model in memory. Data outside of it is looked for in `folder`; an empty one refuses such data.
ImportResult importOnnxBytes(std::span<const std::byte> bytes, const std::string &folder = {},
                             const ImportOptions &options = {});
/// Throws Error with every problem, a line each, when there are any.
Module loadOnnx(const std::string &path, const ImportOptions &options = {});

/// What the inputs of a file are declared as, by name, with numbers for dims as ImportOptions has them; inputs that are
/// no tensors of a known rank are left out. Throws Error when the file cannot be read.
std::map<std::string, TensorType> onnxInputTypes(const std::string &path, const std::map<std::string, int64_t> &dims);

/// "the dims batch, height have no number; some of these problems may end where they get one (--dim batch=N)", or
/// nothing where all have numbers. For a list of problems to end with.
std::string symbolsHint(const ImportResult &result);

/// The newest version of the operator set that import knows. What is new since 17 and is not in our tables is refused
/// node by node.
constexpr int64_t kNewestOpset = 28;
/// What export writes: old enough for runtimes of some years ago.
constexpr int64_t kWrittenOpset = 17;
/// Names of the ONNX operators that can be imported at a version of the operator set, in alphabetical order.
std::vector<std::string> importedOperators(int64_t opset = kNewestOpset);

/// The tensor of a TensorProto file, as ONNX's test data keeps them. Throws Error.
HostTensor readTensorProto(const std::string &path);

} // namespace loopscope
