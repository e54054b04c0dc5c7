#pragma once
// Our networks as ONNX files, so that other systems run the same network. Written is version 17 of the operator set;
// each operator of the catalogue becomes the one it means there, or a few of them where there is none (gelu, bias_add).

#include "base/outcome.h"
#include "networks/graph/module.h"

#include <cstdint>
#include <string>

namespace loopscope {

struct OnnxExportOptions {
    /// Tensors of one repeated number are written as that number and a shape (ConstantOfShape) once they have more
    /// elements than this.
    int64_t maxSplatElements = 256;
    /// Bytes of weights that the model file may hold; with more, they are in a file beside it, FILE.data. Protobuf
    /// itself ends at 2 GB.
    int64_t maxBytesInside = int64_t{1} << 30;
};

/// The function "main", all of whose values have types. Refuses operators that only our own passes make, and weights of
/// more than 2 GB.
Outcome<std::string> onnxBytes(const Module &module, const OnnxExportOptions &options = {});
/// The same as a file. Throws Error when it cannot be written.
Outcome<bool> writeOnnx(const Module &module, const std::string &path, const OnnxExportOptions &options = {});

} // namespace loopscope
