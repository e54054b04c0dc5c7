#include "networks/op/packed_call.h"

#include "networks/graph/statement.h"
#include "networks/packed/checked_call.h"
#include "networks/packed/tensor_exchange.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

namespace loopscope {

namespace {

std::string withoutEnd(const std::string &name, std::string_view end) {
    return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

} // namespace

PackedFinder findIn(std::vector<PackedLibrary> libraries) {
    const auto all = std::make_shared<const std::vector<PackedLibrary>>(std::move(libraries));
    return [all](const std::string &name, const PackedSignature &signature) -> Outcome<PackedFunction> {
        std::string why = "no library is at hand (--module FILE.so)";
        for (const PackedLibrary &library : *all) {
            PackedLibrary::Wanted wanted = {name, withoutEnd(name, "_packed") + "_last_error", signature};
            auto found = library.function(wanted);
            if (!found) {
                wanted.errorSymbol.clear();
                found = library.function(wanted);
            }
            if (found) return found;
            why = found.why();
        }
        return Refusal{std::move(why)};
    };
}

Outcome<std::vector<WideTensor>> callPacked(const GraphFunction &function, const Node &node,
                                            std::span<const WideTensor *const> inputs, const SymbolNumbers &symbols,
                                            const PackedFinder &finder) {
    const auto refuse = [&](const std::string &why) { return Refusal{fmt::format("{}: {}", nodeText(node), why)}; };
    const std::string name = regionName(node, "function");
    SymbolNumbers known = symbols;
    PackedSignature signature;
    std::vector<std::unique_ptr<TensorView>> views;
    std::vector<PackedArgument> arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Value &value = function.value(node.inputs[i]);
        if (value.type && value.type->dims.size() == inputs[i]->dims.size()) {
            if (const auto wrong = matchDims(value.type->dims, inputs[i]->dims, known))
                return refuse(fmt::format("`{}`: {}", value.name, wrong->sentence));
        }
        const HostTensor tensor = inputs[i]->narrow();
        signature.arguments.push_back({value.name, PackedCode::Tensor, TensorSpec{tensor.dtype(), tensor.dims()}});
        views.push_back(TensorView::reading(tensor));
        arguments.emplace_back(views.back()->get());
    }
    std::vector<HostTensor> outputs;
    outputs.reserve(node.outputs.size()); // views point at them
    for (const ValueId output : node.outputs) {
        const TensorType &type = *function.value(output).type;
        std::vector<int64_t> dims;
        for (const Dim &dim : type.dims) {
            const auto number = dim.evaluate(known);
            if (!number || *number < 0)
                return refuse(fmt::format("dim {} of `{}` is not known", dim.text(), function.value(output).name));
            dims.push_back(*number);
        }
        outputs.push_back(HostTensor::zeros(type.dtype, dims));
        signature.arguments.push_back(
            {function.value(output).name, PackedCode::Tensor, TensorSpec{type.dtype, std::move(dims)}, true});
        views.push_back(TensorView::writing(outputs.back()));
        arguments.emplace_back(views.back()->get());
    }
    if (!finder) return refuse(fmt::format("{} is a function from outside, and nobody says where it is from", name));
    const auto found = finder(name, signature);
    if (!found) return refuse(fmt::format("there is no function {}: {}", name, found.why()));
    if (const auto answer = checkedCall(*found, arguments); !answer) return refuse(answer.why());
    views.clear();
    std::vector<WideTensor> results;
    for (const HostTensor &output : outputs) results.push_back(WideTensor::of(output));
    return results;
}

} // namespace loopscope
