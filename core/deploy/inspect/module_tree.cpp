#include "deploy/inspect/module_tree.h"

#include "base/input_file.h"
#include "codegen/llvm/object_listing.h"
#include "networks/graph/function.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLargestLibrary = size_t{4} << 30;

std::string typeOf(DType dtype, const std::vector<int64_t> &dims) { return typeText({dtype, asDims(dims)}); }

std::string tensorsText(const std::vector<PlanTensor> &tensors) {
    std::vector<std::string> texts;
    for (const PlanTensor &tensor : tensors)
        texts.push_back(fmt::format("{}: {}", tensor.name, typeOf(tensor.dtype, tensor.dims)));
    return fmt::format("({})", fmt::join(texts, ", "));
}

/// Packed arguments are read in another order than they have in the network.
std::string kernelSignature(const PlanKernel &kernel) {
    std::vector<std::string> in, out;
    for (const KernelArg &arg : kernel.code.launch.args)
        (arg.output ? out : in)
            .push_back(
                fmt::format("{}: {}{}", arg.name, typeOf(arg.dtype, arg.shape), arg.packing.empty() ? "" : " packed"));
    return fmt::format("({}) -> ({})", fmt::join(in, ", "), fmt::join(out, ", "));
}

size_t codeBytes(const PlanKernel &kernel) {
    const auto listing = listObject(kernel.code.object);
    if (!listing) return 0;
    size_t bytes = 0;
    for (const ObjectSymbol &symbol : listing->symbols)
        if (symbol.function) bytes += symbol.bytes;
    return bytes;
}

std::string plural(size_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

InspectedModule constantsOf(const ExecutionPlan &plan) {
    InspectedModule module{"constants", ModuleKind::Constants, {}, {}, {}, {}};
    std::map<size_t, std::vector<const PackedConstant *>> packed;
    for (const PackedConstant &one : plan.packed) packed[one.constant].push_back(&one);
    for (size_t i = 0; i < plan.constants.size(); ++i) {
        const PlanConstant &constant = plan.constants[i];
        InspectedConstant made{constant.name, typeOf(constant.value.dtype(), constant.value.dims()), 0, {}};
        size_t orders = 0;
        for (const PackedConstant *one : packed[i]) {
            made.bytes += one->bytes;
            orders += one->packing.empty() ? 0 : 1;
        }
        if (packed[i].empty()) made.notes = "no kernel reads it";
        if (orders > 0) made.notes = fmt::format("in {} other than the network's", plural(orders, "order"));
        module.constants.push_back(std::move(made));
    }
    return module;
}

/// "conv(x, w) -> y": values by their names in the function.
std::string callText(const ExecutionPlan &plan, const PlanCall &call) {
    std::vector<std::string> in, out;
    const bool runs = call.kernel != PlanCall::kNoKernel && call.kernel < plan.kernels.size();
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const bool output = runs ? i < plan.kernels[call.kernel].code.launch.args.size() &&
                                       plan.kernels[call.kernel].code.launch.args[i].output
                                 : i > 0;
        (output ? out : in).push_back(call.arguments[i].value);
    }
    return fmt::format("{}({}) -> {}", call.name, fmt::join(in, ", "), fmt::join(out, ", "));
}

/// As packed_value.h and exported networks call it.
bool isPacked(std::string_view name) { return name.ends_with("_packed") || name.starts_with("__tvm_ffi_"); }

} // namespace

std::string_view moduleKindName(ModuleKind kind) {
    switch (kind) {
    case ModuleKind::Network:
        return "network";
    case ModuleKind::Kernels:
        return "kernels";
    case ModuleKind::Constants:
        return "constants";
    case ModuleKind::Library:
        return "library";
    case ModuleKind::Wanted:
        return "wanted";
    }
    return {};
}

size_t InspectedModule::bytes() const {
    size_t sum = 0;
    for (const InspectedFunction &function : functions) sum += function.bytes;
    for (const InspectedConstant &constant : constants) sum += constant.bytes;
    return sum;
}

const InspectedFunction *InspectedModule::find(std::string_view function) const {
    const auto found = std::ranges::find(functions, function, &InspectedFunction::name);
    return found != functions.end() ? &*found : nullptr;
}

ModuleTree modulesOf(const ExecutionPlan &plan) {
    InspectedModule root{plan.network, ModuleKind::Network, {}, {}, {}, {}};
    root.functions.push_back(
        {plan.network, tensorsText(plan.inputs) + " -> " + tensorsText(plan.outputs), "the plan", 0, 1, std::nullopt});
    root.facts =
        fmt::format("{} in order; {:.1f} MiB of values between them in one arena; for {}",
                    plural(plan.calls.size(), "call"), static_cast<double>(plan.arenaBytes) / (1 << 20), plan.target);
    InspectedModule kernels{"kernels", ModuleKind::Kernels, {}, {}, {}, {}};
    std::map<std::string, InspectedModule> libraries;
    std::set<std::string> names; // a task that differs in shapes alone is called alike
    for (size_t i = 0; i < plan.kernels.size(); ++i) {
        const PlanKernel &kernel = plan.kernels[i];
        const auto calls = std::ranges::count_if(plan.calls, [&](const PlanCall &call) { return call.kernel == i; });
        std::string name = kernel.name;
        for (size_t next = 2; !names.insert(name).second; ++next) name = fmt::format("{}_{}", kernel.name, next);
        InspectedFunction made{name, kernelSignature(kernel), kernel.schedule, 0, static_cast<size_t>(calls), i};
        if (kernel.routine) {
            made.origin = kernel.routine->library;
            auto &library = libraries[kernel.routine->library];
            library.name = kernel.routine->library;
            library.kind = ModuleKind::Library;
            library.functions.push_back(std::move(made));
        } else {
            made.bytes = codeBytes(kernel);
            kernels.functions.push_back(std::move(made));
        }
    }
    ModuleTree tree;
    tree.modules.push_back(std::move(root));
    const auto import = [&](InspectedModule module) {
        tree.modules.front().imports.push_back(tree.modules.size());
        tree.modules.push_back(std::move(module));
    };
    if (!kernels.functions.empty()) import(std::move(kernels));
    for (auto &[name, library] : libraries) import(std::move(library));
    if (!plan.constants.empty()) import(constantsOf(plan));
    return tree;
}

Outcome<ModuleTree> modulesOfLibrary(const std::string &path) {
    const std::string bytes = readInputFile(path, "the library", kLargestLibrary);
    const auto listing = listObject(bytes);
    if (!listing) return Refusal{path + ": " + listing.why()};
    ModuleTree tree;
    InspectedModule root{std::filesystem::path(path).filename().string(), ModuleKind::Library, {}, {}, {}, {}};
    InspectedModule wanted{"wanted of others", ModuleKind::Wanted, {}, {}, {}, {}};
    for (const ObjectSymbol &symbol : listing->symbols) {
        if (symbol.function)
            (symbol.defined ? root : wanted)
                .functions.push_back({symbol.name,
                                      isPacked(symbol.name) && symbol.defined
                                          ? "(args, codes, count, result, result code, resource) -> status"
                                          : "",
                                      isPacked(symbol.name) && symbol.defined ? "packed" : "", symbol.bytes, 0,
                                      std::nullopt});
        else if (symbol.defined)
            root.constants.push_back({symbol.name, "", symbol.bytes, ""});
    }
    tree.modules.push_back(std::move(root));
    const auto import = [&](InspectedModule module) {
        tree.modules.front().imports.push_back(tree.modules.size());
        tree.modules.push_back(std::move(module));
    };
    for (const std::string &library : listing->needed) import({library, ModuleKind::Library, {}, {}, {}, {}});
    if (!wanted.functions.empty()) import(std::move(wanted));
    return tree;
}

Outcome<std::string> libraryFunctionText(const std::string &path, const std::string &function, const Target &target) {
    return disassembleFunction(readInputFile(path, "the library", kLargestLibrary), function, target);
}

std::string planText(const ExecutionPlan &plan) {
    std::string text;
    for (size_t i = 0; i < plan.calls.size(); ++i) text += fmt::format("{:4}  {}\n", i, callText(plan, plan.calls[i]));
    return text;
}

std::string ModuleTree::text() const {
    std::string text;
    for (const InspectedModule &module : modules) {
        std::vector<std::string> imports;
        for (const size_t import : module.imports) imports.push_back(modules[import].name);
        const std::string_view kind = moduleKindName(module.kind);
        text += kind == module.name ? module.name : fmt::format("{} {}", kind, module.name);
        if (!module.functions.empty()) text += ", " + plural(module.functions.size(), "function");
        if (!module.constants.empty()) text += ", " + plural(module.constants.size(), "constant");
        if (module.bytes() > 0) text += fmt::format(", {} bytes", module.bytes());
        if (!module.facts.empty()) text += "; " + module.facts;
        text += '\n';
        if (!imports.empty()) text += fmt::format("  imports {}\n", fmt::join(imports, ", "));
        for (const InspectedFunction &function : module.functions) {
            text += fmt::format("  {}{}", function.name, function.signature);
            if (function.bytes > 0) text += fmt::format(", {} bytes", function.bytes);
            if (function.kernel) text += fmt::format(", {} a run", plural(function.calls, "call"));
            if (!function.origin.empty()) text += ", " + function.origin;
            text += '\n';
        }
        for (const InspectedConstant &constant : module.constants)
            text += fmt::format("  {}{}{}, {} bytes{}{}\n", constant.name, constant.type.empty() ? "" : ": ",
                                constant.type, constant.bytes, constant.notes.empty() ? "" : ", ", constant.notes);
    }
    return text;
}

Json ModuleTree::json() const {
    Json list = Json::array();
    for (const InspectedModule &module : modules) {
        Json functions = Json::array(), constants = Json::array(), imports = Json::array();
        for (const InspectedFunction &function : module.functions)
            functions.push_back({{"name", function.name},
                                 {"signature", function.signature},
                                 {"origin", function.origin},
                                 {"bytes", function.bytes},
                                 {"calls", function.calls},
                                 {"kernel", function.kernel ? Json(*function.kernel) : Json(nullptr)}});
        for (const InspectedConstant &constant : module.constants)
            constants.push_back({{"name", constant.name},
                                 {"type", constant.type},
                                 {"bytes", constant.bytes},
                                 {"notes", constant.notes}});
        for (const size_t import : module.imports) imports.push_back(modules[import].name);
        list.push_back({{"name", module.name},
                        {"kind", moduleKindName(module.kind)},
                        {"bytes", module.bytes()},
                        {"imports", std::move(imports)},
                        {"functions", std::move(functions)},
                        {"constants", std::move(constants)}});
    }
    return {{"modules", std::move(list)}};
}

} // namespace loopscope
