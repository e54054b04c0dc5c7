#pragma once
// Small ONNX models for tests, put together message by message: also wrong ones.

#include "language/tensor/host_tensor.h"
#include "networks/onnx/import.h"
#include "networks/onnx/proto.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace loopscope {

using OnnxAttribute = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, HostTensor>;

class ModelMaker {
  public:
    explicit ModelMaker(int64_t opset = 17);

    onnx::ModelProto &model() { return m_model; }
    onnx::GraphProto &graph() { return *m_model.mutable_graph(); }
    /// A dim below zero is one without a value; of -2 on they are named "a", "b", ...
    ModelMaker &input(const std::string &name, std::vector<int64_t> dims, DType type = DType::Float32);
    ModelMaker &output(const std::string &name);
    ModelMaker &output(const std::string &name, const std::vector<int64_t> &dims, DType type = DType::Float32);
    ModelMaker &initialiser(const std::string &name, const HostTensor &tensor);
    /// Named as its first output is.
    onnx::NodeProto &node(const std::string &op, const std::vector<std::string> &inputs,
                          const std::vector<std::string> &outputs,
                          const std::vector<std::pair<std::string, OnnxAttribute>> &attributes = {});

    [[nodiscard]] std::string bytes() const { return m_model.SerializeAsString(); }
    [[nodiscard]] ImportResult import(const ImportOptions &options = {}) const;

  private:
    onnx::ModelProto m_model;
};

ImportResult importText(const std::string &bytes, const std::string &folder = {}, const ImportOptions &options = {});

/// A line for each value and node: "y float32[1, 8] = relu(x) {alpha: 1}"; constants with their first numbers.
std::string functionText(const GraphFunction &function);
/// The same without attributes that have their default.
std::string shortText(const GraphFunction &function);
/// The problems, one behind the other.
std::string problemsText(const ImportResult &result);

} // namespace loopscope
