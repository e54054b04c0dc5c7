#include "deploy/network/library_export.h"

#include "deploy/network/exported_name.h"
#include "networks/packed/checked_call.h"
#include "networks/packed/packed_library.h"
#include "networks/packed/tensor_exchange.h"
#include "records/export/compile_library.h"

#include <filesystem>
#include <memory>
#include <utility>

namespace loopscope {

Outcome<std::string> buildLibrary(const std::vector<SourceFile> &files, const std::string &network,
                                  const std::string &folder) {
    const std::filesystem::path root(folder);
    LibrarySources sources{.files = {},
                           .includeFolder = folder,
                           .library = (root / ("lib" + exportedNetworkName(network) + ".so")).string()};
    for (const SourceFile &file : files)
        if (file.name.ends_with(".c") && file.name != "main.c") sources.files.push_back((root / file.name).string());
    if (auto problem = compileLibrary(sources)) return std::move(*problem);
    return sources.library;
}

PackedSignature packedSignature(const ExecutionPlan &plan) {
    PackedSignature signature;
    const auto add = [&](const PlanTensor &tensor, bool written) {
        signature.arguments.push_back({.name = tensor.name,
                                       .kind = PackedCode::Tensor,
                                       .tensor = TensorSpec{tensor.dtype, tensor.dims},
                                       .written = written});
    };
    for (const PlanTensor &input : plan.inputs) add(input, false);
    for (const PlanTensor &output : plan.outputs) add(output, true);
    return signature;
}

Outcome<std::vector<TensorVerdict>> callLibrary(const SourceExport &request, const std::string &library) {
    const Outcome<PackedLibrary> opened = PackedLibrary::open(library);
    if (!opened) return opened.refusal();
    const std::string name = exportedNetworkName(request.plan.network);
    const Outcome<PackedFunction> function = opened->function(
        {.symbol = name + "_packed", .errorSymbol = name + "_last_error", .signature = packedSignature(request.plan)});
    if (!function) return function.refusal();
    std::vector<std::unique_ptr<TensorView>> views;
    for (const HostTensor &input : request.inputs) views.push_back(TensorView::reading(input));
    std::vector<HostTensor> outputs;
    for (const PlanTensor &output : request.plan.outputs)
        outputs.push_back(HostTensor::zeros(output.dtype, output.dims));
    for (HostTensor &output : outputs) views.push_back(TensorView::writing(output));
    std::vector<PackedArgument> arguments;
    for (const auto &view : views) arguments.emplace_back(view->get());
    if (const Outcome<PackedArgument> answer = checkedCall(*function, arguments); !answer) return answer.refusal();
    std::vector<TensorVerdict> verdicts;
    for (size_t i = 0; i < outputs.size(); ++i)
        verdicts.push_back(compareTensors(outputs[i], WideTensor::of(request.expected[i]), request.tolerances[i]));
    return verdicts;
}

} // namespace loopscope
