#include "right_case.h"

#include "language/tensor/compare.h"
#include "language/tensor/npy_file.h"
#include "network_answers.h"
#include "networks/graph/dim_match.h"
#include "networks/onnx/import.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

using Named = std::vector<std::pair<std::string, HostTensor>>;
namespace fs = std::filesystem;

RightCase readCase(const fs::path &folder) {
    RightCase of = {folder.filename(), folder / "model.onnx", {}, {}, {}, {}};
    std::vector<fs::path> files;
    for (const auto &entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path &path : files) {
        const std::string stem = path.stem();
        if (path.extension() == ".npy" && stem.starts_with("in_"))
            of.inputs.emplace_back(stem.substr(3), readNpy(path));
        if (path.extension() == ".npy" && stem.starts_with("want_"))
            of.wanted.emplace_back(stem.substr(5), readNpy(path));
    }
    if (of.wanted.empty()) throw Error(folder, 0, 0, "no file want_NAME.npy says what is right");
    if (std::ifstream meta(folder / "meta.json"); meta) {
        const auto json = nlohmann::json::parse(meta);
        const auto number = [&](const char *key) -> std::optional<double> {
            return json.contains(key) && json[key].is_number() ? std::optional(json[key].get<double>()) : std::nullopt;
        };
        of.rtol = number("rtol");
        of.atol = number("atol");
    }
    return of;
}

const HostTensor &inputNamed(const RightCase &of, const std::string &name) {
    const auto found = std::ranges::find(of.inputs, name, [](const auto &input) { return input.first; });
    if (found == of.inputs.end()) throw Error(of.model, 0, 0, fmt::format("no file in_{}.npy", name));
    return found->second;
}

std::vector<HostTensor> inputsFor(const RightCase &of, const GraphFunction &main) {
    std::vector<HostTensor> inputs;
    for (const ValueId parameter : main.parameters()) inputs.push_back(inputNamed(of, main.value(parameter).name));
    return inputs;
}

/// Numbers of all symbols of the inputs.
std::map<std::string, int64_t> dimsFor(const RightCase &of, const GraphFunction &main) {
    SymbolNumbers numbers;
    for (const ValueId parameter : main.parameters()) {
        const Value &value = main.value(parameter);
        const HostTensor &input = inputNamed(of, value.name);
        if (!value.type || value.type->dims.size() != input.rank())
            throw Error(of.model, 0, 0, fmt::format("input '{}' has another rank", value.name));
        if (const auto wrong = matchDims(value.type->dims, input.dims(), numbers))
            throw Error(of.model, 0, 0, fmt::format("input '{}': {}", value.name, wrong->sentence));
    }
    return {numbers.begin(), numbers.end()};
}

/// Of what a kernel may differ by that computes in the type.
double usualTolerance(DType type) {
    switch (type) {
    case DType::Float64:
        return 1e-9;
    case DType::Float32:
        return 1e-5;
    case DType::Float16:
        return 2e-3;
    default:
        return 1e-2; // bfloat16
    }
}

std::string differenceIn(const HostTensor &computed, const HostTensor &wanted, const RightCase &of) {
    if (computed.dtype() != wanted.dtype() || computed.dims() != wanted.dims())
        return fmt::format("is {}[{}], not {}[{}]", dtypeName(computed.dtype()), fmt::join(computed.dims(), ", "),
                           dtypeName(wanted.dtype()), fmt::join(wanted.dims(), ", "));
    const double usual = usualTolerance(wanted.dtype());
    const double rtol = of.rtol.value_or(usual);
    const double atol = of.atol.value_or(usual / 10);
    for (int64_t i = 0; i < wanted.elements(); ++i) {
        if (!isFloat(wanted.dtype())) {
            if (computed.integer(i) == wanted.integer(i)) continue;
            return fmt::format("{} is {}, not {}", elementText(i, wanted.dims()), computed.integer(i),
                               wanted.integer(i));
        }
        const double is = computed.number(i);
        const double want = wanted.number(i);
        const bool same = is == want || (std::isnan(is) && std::isnan(want));
        if (!same && !(std::isfinite(is) && std::fabs(is - want) <= atol + rtol * std::fabs(want)))
            return fmt::format("{} is {}, not {}", elementText(i, wanted.dims()), is, want);
    }
    return {};
}

} // namespace

std::vector<RightCase> rightCases(const std::string &folder) {
    std::vector<RightCase> cases;
    for (const auto &entry : fs::directory_iterator(folder))
        if (entry.is_directory()) cases.push_back(readCase(entry.path()));
    std::ranges::sort(cases, {}, &RightCase::name);
    return cases;
}

std::string_view runWayName(RunWay way) {
    switch (way) {
    case RunWay::Reference:
        return "reference";
    case RunWay::CompatiblePlan:
        return "plan, compatible";
    case RunWay::BetterPlan:
        return "plan, better";
    default:
        return "virtual machine";
    }
}

Named answersOf(const RightCase &of, RunWay way) {
    Module network = loadOnnx(of.model);
    if (const auto dims = dimsFor(of, network.main()); !dims.empty())
        network = loadOnnx(of.model, {.dims = dims, .constants = {}});
    const GraphFunction &main = network.main();
    const std::vector<HostTensor> inputs = inputsFor(of, main);
    const auto values =
        way == RunWay::Reference ? byReference(network, inputs)
        : way == RunWay::Machine
            ? byMachine(network, inputs)
            : byKernels(network, inputs, way == RunWay::BetterPlan ? FusionMode::Better : FusionMode::Compatible);
    if (!values) throw Error(of.model, 0, 0, values.why());
    Named answers;
    for (size_t i = 0; i < values->size(); ++i) answers.emplace_back(main.value(main.results()[i]).name, (*values)[i]);
    return answers;
}

std::string wrongIn(const RightCase &of, RunWay way) {
    try {
        const Named answers = answersOf(of, way);
        for (const auto &[name, wanted] : of.wanted) {
            const auto found = std::ranges::find(answers, name, [](const auto &answer) { return answer.first; });
            if (found == answers.end()) return fmt::format("there is no result '{}'", name);
            if (const std::string wrong = differenceIn(found->second, wanted, of); !wrong.empty())
                return fmt::format("{}: {}", name, wrong);
        }
    } catch (const Error &error) {
        return error.sentence();
    }
    return {};
}

} // namespace loopscope
