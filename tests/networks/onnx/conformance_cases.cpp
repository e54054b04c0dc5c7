#include "conformance_cases.h"

#include "networks/onnx/proto.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

onnx::ModelProto modelIn(const fs::path &folder) {
    std::ifstream file(folder / "model.onnx", std::ios::binary);
    onnx::ModelProto model;
    if (!model.ParseFromIstream(&file)) throw Error(folder.string(), 0, 0, "its model cannot be parsed");
    return model;
}

std::vector<std::string> inputNames(const onnx::ModelProto &model) {
    std::set<std::string> initialised;
    for (const auto &initialiser : model.graph().initializer()) initialised.insert(initialiser.name());
    std::vector<std::string> names;
    for (const auto &input : model.graph().input())
        if (!initialised.contains(input.name())) names.push_back(input.name());
    return names;
}

/// Files of bfloat16 say uint16: whoever wrote them had no other type for it.
HostTensor asDeclared(HostTensor tensor, DType declared) {
    if (declared != DType::BFloat16 || tensor.dtype() != DType::UInt16) return tensor;
    const HostTensor dense = tensor.dense();
    return HostTensor::fromBytes(declared, tensor.dims(), {dense.bytes(), dense.byteSize()});
}

/// Cases of bfloat16 whose data has other dims than their model declares, or was cut off instead of rounded.
bool isMistaken(const std::string &name) {
    return name == "node/test_cast_FLOAT_to_BFLOAT16" || name.starts_with("node/test_castlike_FLOAT_to_BFLOAT16") ||
           name.starts_with("node/test_castlike_BFLOAT16_to_FLOAT");
}

std::string differs(const HostTensor &got, const HostTensor &wanted) {
    if (got.dtype() != wanted.dtype())
        return fmt::format("is {} instead of {}", dtypeName(got.dtype()), dtypeName(wanted.dtype()));
    if (got.dims() != wanted.dims())
        return fmt::format("is {} instead of {}", dimsText(asDims(got.dims())), dimsText(asDims(wanted.dims())));
    for (int64_t i = 0; i < wanted.elements(); ++i) {
        if (!isFloat(got.dtype())) {
            if (got.integer(i) != wanted.integer(i))
                return fmt::format("is {} instead of {} at {}", got.integer(i), wanted.integer(i), i);
            continue;
        }
        const double is = got.number(i);
        const double should = wanted.number(i);
        if ((std::isnan(is) && std::isnan(should)) || is == should) continue;
        if (!(std::abs(is - should) <= 1e-5 + 1e-3 * std::abs(should)))
            return fmt::format("is {} instead of {} at {}", is, should, i);
    }
    return {};
}

CaseResult compare(const Module &module, const std::map<std::string, HostTensor> &given, const fs::path &data,
                   const Compute &compute) {
    const GraphFunction &function = module.main();
    std::vector<HostTensor> inputs;
    for (const ValueId parameter : function.parameters()) {
        const auto at = given.find(function.value(parameter).name);
        if (at == given.end()) return {CaseResult::Kind::Failed, "has a parameter that no file gives"};
        inputs.push_back(asDeclared(at->second, function.type(parameter).dtype));
    }
    const auto values = compute(module, inputs);
    if (!values) return {CaseResult::Kind::Failed, "does not run: " + values.why()};
    for (size_t i = 0; i < function.results().size(); ++i) {
        const fs::path file = data / fmt::format("output_{}.pb", i);
        if (!fs::exists(file)) return {CaseResult::Kind::Failed, "has more outputs than there are files"};
        const HostTensor &got = (*values)[i];
        const std::string sentence = differs(got, asDeclared(readTensorProto(file.string()), got.dtype()));
        if (!sentence.empty()) return {CaseResult::Kind::Failed, fmt::format("output {} {}", i, sentence)};
    }
    return {CaseResult::Kind::Passed, {}};
}

CaseResult runData(const ConformanceCase &of, const std::vector<std::string> &names, const fs::path &data,
                   const Compute &compute) {
    std::map<std::string, HostTensor> given;
    ImportOptions options;
    try {
        for (size_t i = 0; i < names.size(); ++i) {
            const fs::path file = data / fmt::format("input_{}.pb", i);
            if (!fs::exists(file)) continue;
            HostTensor tensor = readTensorProto(file.string());
            if ((i > 0 || tensor.rank() == 0 || !isFloat(tensor.dtype())) && tensor.rank() <= 1 &&
                tensor.elements() <= 16)
                options.constants.emplace(names[i], tensor);
            given.emplace(names[i], std::move(tensor));
        }
    } catch (const Error &error) {
        return {CaseResult::Kind::Refused, error.sentence()}; // text, complex numbers
    }
    const std::string path = of.folder + "/model.onnx";
    ImportResult result = importOnnx(path);
    if (!result.module && !options.constants.empty()) result = importOnnx(path, options);
    if (result.module) return compare(*result.module, given, data, compute);
    std::string why;
    for (const OnnxProblem &problem : result.problems) why += (why.empty() ? "" : "; ") + problemText(problem);
    return {CaseResult::Kind::Refused, why};
}

} // namespace

std::vector<ConformanceCase> conformanceCases(const std::vector<std::string> &families, const std::string &folder) {
    std::vector<ConformanceCase> cases;
    for (const std::string &family : families) {
        std::error_code error;
        for (const auto &entry : fs::directory_iterator(fs::path(folder) / family, error)) {
            ConformanceCase found = {family + "/" + entry.path().filename().string(), entry.path().string(), {}};
            const onnx::ModelProto model = modelIn(entry.path());
            for (const auto &node : model.graph().node()) found.operators.push_back(node.op_type());
            if (!isMistaken(found.name)) cases.push_back(std::move(found));
        }
    }
    std::sort(cases.begin(), cases.end(), [](const auto &a, const auto &b) { return a.name < b.name; });
    return cases;
}

CaseResult runCase(const ConformanceCase &of, const Compute &compute) {
    const std::vector<std::string> names = inputNames(modelIn(of.folder));
    CaseResult result;
    for (int i = 0;; ++i) {
        const fs::path data = fs::path(of.folder) / fmt::format("test_data_set_{}", i);
        if (!fs::exists(data)) return i == 0 ? CaseResult{CaseResult::Kind::Failed, "has no data"} : result;
        result = runData(of, names, data, compute);
        if (result.kind != CaseResult::Kind::Passed) return result;
    }
}

} // namespace loopscope
