#include "onnx/export.h"

#include "onnx/graph_export.h"
#include "onnx/import.h"
#include "onnx/proto.h"
#include "onnx/tensor_data.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace loopscope {

namespace {

/// The version of the format that came with the operator set.
constexpr int64_t kIrVersion = 8;

Outcome<onnx::ModelProto> modelOf(const Module &module, const OnnxExportOptions &options, const std::string &dataPath) {
    onnx::ModelProto model;
    model.set_ir_version(kIrVersion);
    model.set_producer_name("loopscope");
    auto *opset = model.add_opset_import();
    opset->set_domain("");
    opset->set_version(kWrittenOpset);
    model.mutable_graph()->set_name(module.name.empty() ? "main" : module.name);
    const auto done = GraphExport(module.main(), *model.mutable_graph(), options, dataPath).run();
    if (!done) return done.refusal();
    return model;
}

/// Bytes of the constants that are written as they are.
int64_t denseBytes(const GraphFunction &function, const OnnxExportOptions &options) {
    int64_t bytes = 0;
    for (size_t i = 0; i < function.valueCount(); ++i)
        if (const HostTensor *constant = function.constant(ValueId(i)))
            if (!constant->isSplat() || constant->elements() <= options.mostSplatElements)
                bytes += static_cast<int64_t>(constant->byteSize());
    return bytes;
}

} // namespace

Outcome<std::string> onnxBytes(const Module &module, const OnnxExportOptions &options) {
    // Some room for the graph itself.
    if (const int64_t bytes = denseBytes(module.main(), options); bytes > INT_MAX - (INT_MAX >> 4))
        return Refusal{fmt::format("has {} bytes of weights, and a model in one piece ends at 2 GB", bytes)};
    auto model = modelOf(module, options, {});
    if (!model) return model.refusal();
    std::string bytes;
    if (!model->SerializeToString(&bytes)) return Refusal{"is more than protobuf can write"};
    return bytes;
}

Outcome<bool> writeOnnx(const Module &module, const std::string &path, const OnnxExportOptions &options) {
    const bool inside = denseBytes(module.main(), options) <= options.mostBytesInside;
    const auto model = modelOf(module, options, inside ? std::string() : path + ".data");
    if (!model) return model.refusal();
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!file || !model->SerializeToOstream(&file) || !file.flush())
        throw Error(path, 0, 0, std::string("cannot be written: ") + std::strerror(errno));
    return true;
}

std::string tensorProtoBytes(const std::string &name, const HostTensor &tensor) {
    onnx::TensorProto proto;
    writeTensor(proto, name, tensor);
    return proto.SerializeAsString();
}

} // namespace loopscope
