#pragma once
// Tensors of ONNX files as host tensors: raw bytes, typed fields, or bytes of another file, which is mapped rather than
// read. What a tensor claims is compared with the bytes there are before anything is allocated.

#include "base/outcome.h"
#include "language/tensor/host_tensor.h"
#include "networks/onnx/proto.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace loopscope {

/// Nothing for types that networks here do not have.
std::optional<DType> dtypeOfOnnx(int type);
onnx::TensorProto_DataType onnxOfDtype(DType type);
/// As messages name it: "STRING", "type 77".
std::string onnxTypeName(int type);

/// The files beside a model that its tensors lie in, each mapped once.
class ExternalFiles {
  public:
    /// Of the model; empty: external data is refused.
    explicit ExternalFiles(std::string folder) : m_folder(std::move(folder)) {}
    /// Refuses a location that leaves the folder, by ".." or a link, too.
    Outcome<std::shared_ptr<const MappedFile>> open(const std::string &location);

  private:
    std::string m_folder;
    std::map<std::string, std::shared_ptr<const MappedFile>> m_files;
};

Outcome<HostTensor> tensorOf(const onnx::TensorProto &proto, ExternalFiles &files, int64_t maxBytes);

/// The other way: `name`, type, dims, and its bytes as raw data.
void writeTensor(onnx::TensorProto &proto, const std::string &name, const HostTensor &tensor);

} // namespace loopscope
