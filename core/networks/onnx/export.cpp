#include "networks/onnx/export.h"

#include "networks/onnx/graph_export.h"
#include "networks/onnx/import.h"
#include "networks/onnx/proto.h"
#include "networks/onnx/tensor_data.h"

#include <climits>
#include <fmt/format.h>
#include <memory>

namespace loopscope {

namespace {

/// The version of the format that came with the operator set.
constexpr int64_t kIrVersion = 8;

Outcome<onnx::ModelProto> modelOf(const Module &module, const OnnxExportOptions &options, const std::string &dataPath,
                                  std::unique_ptr<WholeFile> &data) {
    onnx::ModelProto model;
    model.set_ir_version(kIrVersion);
    model.set_producer_name("loopscope");
    auto *opset = model.add_opset_import();
    opset->set_domain("");
    opset->set_version(kWrittenOpset);
    model.mutable_graph()->set_name(module.name.empty() ? "main" : module.name);
    const auto done = GraphExport(module.main(), *model.mutable_graph(), options, dataPath, data).run();
    if (!done) return done.refusal();
    return model;
}

/// Bytes of the constants that are written as they are.
int64_t denseBytes(const GraphFunction &function, const OnnxExportOptions &options) {
    int64_t bytes = 0;
    for (size_t i = 0; i < function.valueCount(); ++i)
        if (const HostTensor *constant = function.constant(ValueId(i)))
            if (!constant->isSplat() || constant->elements() <= options.maxSplatElements)
                bytes += static_cast<int64_t>(constant->byteSize());
    return bytes;
}

} // namespace

Outcome<std::string> onnxBytes(const Module &module, const OnnxExportOptions &options) {
    // Some room for the graph itself.
    if (const int64_t bytes = denseBytes(module.main(), options); bytes > INT_MAX - (INT_MAX >> 4))
        return Refusal{fmt::format("has {} bytes of weights, and a model in one piece ends at 2 GB", bytes)};
    std::unique_ptr<WholeFile> none;
    auto model = modelOf(module, options, {}, none);
    if (!model) return model.refusal();
    std::string bytes;
    if (!model->SerializeToString(&bytes)) return Refusal{"is more than protobuf can write"};
    return bytes;
}

Outcome<bool> writeOnnx(const Module &module, const std::string &path, const OnnxExportOptions &options) {
    const bool inside = denseBytes(module.main(), options) <= options.maxBytesInside;
    std::unique_ptr<WholeFile> data;
    const auto model = modelOf(module, options, inside ? std::string() : path + ".data", data);
    if (!model) return model.refusal();
    std::string bytes;
    if (!model->SerializeToString(&bytes)) return Refusal{"is more than protobuf can write"};
    WholeFile file(path);
    file.write(bytes);
    if (data) data->finish();
    file.finish();
    return true;
}

} // namespace loopscope
