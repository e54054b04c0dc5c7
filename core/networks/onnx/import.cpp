#include "networks/onnx/import.h"

#include "networks/onnx/declared_types.h"
#include "networks/onnx/graph_import.h"
#include "networks/onnx/proto.h"
#include "networks/onnx/readable.h"
#include "networks/onnx/tensor_data.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/io/coded_stream.h>
#include <utility>

namespace loopscope {

namespace {

bool parse(google::protobuf::Message &message, std::span<const std::byte> bytes) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    stream.SetTotalBytesLimit(INT_MAX);
    return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

ImportResult importModel(std::span<const std::byte> bytes, const std::string &path, const std::string &folder,
                         const ImportOptions &options) {
    ImportResult result;
    if (bytes.size() > INT_MAX) {
        result.problems.push_back({"", "", 0,
                                   fmt::format("has {} bytes; a model of more than 2 GB must keep its weights in files "
                                               "beside it (external data)",
                                               bytes.size())});
        return result;
    }
    onnx::ModelProto model;
    if (!parse(model, bytes)) {
        result.problems.push_back({"", "", 0, "is no ONNX model: its bytes are damaged, cut off, or something else"});
        return result;
    }
    if (!model.has_graph()) {
        result.problems.push_back({"", "", 0, "is no ONNX model: it has no graph"});
        return result;
    }
    Module inside;
    FunctionPtr function = GraphImport(model, folder, options, result, inside).run();
    if (function) {
        std::string name = readable(model.graph().name(), 200);
        if (name.empty()) name = std::filesystem::path(path).stem().string();
        result.module = Module{std::move(name), path, {std::move(function)}};
        for (FunctionPtr &other : inside.functions) result.module->functions.push_back(std::move(other));
    }
    return result;
}

} // namespace

std::string problemText(const OnnxProblem &problem) {
    if (!problem.op.empty())
        return fmt::format("{} '{}' (opset {}): {}", problem.op, problem.node, problem.opset, problem.reason);
    return problem.node.empty() ? problem.reason : fmt::format("'{}': {}", problem.node, problem.reason);
}

ImportResult importOnnx(const std::string &path, const ImportOptions &options) {
    const auto file = MappedFile::open(path);
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    return importModel(file->bytes(), path, folder, options);
}

std::map<std::string, TensorType> onnxInputTypes(const std::string &path, const std::map<std::string, int64_t> &dims) {
    std::map<std::string, TensorType> types;
    const auto file = MappedFile::open(path);
    onnx::ModelProto model;
    if (file->bytes().size() > INT_MAX || !parse(model, file->bytes())) return types; // import says what is wrong
    DeclaredTypes declared(model.graph(), dims);
    for (const auto &input : model.graph().input())
        if (auto type = declared.inputType(input)) types.emplace(input.name(), std::move(type).value());
    return types;
}

ImportResult importOnnxBytes(std::span<const std::byte> bytes, const std::string &folder,
                             const ImportOptions &options) {
    return importModel(bytes, "", folder, options);
}

Module loadOnnx(const std::string &path, const ImportOptions &options) {
    ImportResult result = importOnnx(path, options);
    if (result.module) return *std::move(result.module);
    std::string sentence = "cannot be imported: ";
    if (result.problems.size() > 1) sentence = fmt::format("cannot be imported, {} problems:", result.problems.size());
    for (const OnnxProblem &problem : result.problems)
        sentence += (result.problems.size() > 1 ? "\n  " : "") + problemText(problem);
    if (const std::string hint = symbolsHint(result); !hint.empty()) sentence += "\n  " + hint;
    throw Error(path, 0, 0, sentence);
}

std::string symbolsHint(const ImportResult &result) {
    if (result.symbols.empty()) return {};
    constexpr size_t kMost = 8; // names in a sentence
    const auto count = std::min(result.symbols.size(), kMost);
    const bool one = result.symbols.size() == 1;
    return fmt::format(
        "the dim{} {}{} {} no number; some of these problems may end where they get one (--dim {}=N)", one ? "" : "s",
        fmt::join(result.symbols.begin(), result.symbols.begin() + static_cast<std::ptrdiff_t>(count), ", "),
        result.symbols.size() > count ? ", ..." : "", one ? "has" : "have", result.symbols.front());
}

HostTensor readTensorProto(const std::string &path) {
    const auto file = MappedFile::open(path);
    onnx::TensorProto proto;
    if (file->bytes().size() > INT_MAX || !parse(proto, file->bytes())) throw Error(path, 0, 0, "is no tensor of ONNX");
    ExternalFiles none("");
    auto tensor = tensorOf(proto, none, INT_MAX);
    if (!tensor) throw Error(path, 0, 0, "the tensor " + tensor.why());
    return *std::move(tensor);
}

} // namespace loopscope
