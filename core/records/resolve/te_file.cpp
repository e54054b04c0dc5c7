#include "records/resolve/te_file.h"

#include "base/input_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace loopscope {

namespace {

constexpr size_t kMaxTeBytes = size_t{16} << 20;
constexpr size_t kMaxFreeParams = 3;
constexpr int64_t kMaxSmallValue = 5;

/// Nothing when these values make no workload.
std::optional<std::vector<int64_t>> numbersWith(const TeFile &file, const ParamOverrides &overrides, bool inputsAlone) {
    try {
        return argNumbers(parseWorkload(file.text, file.path, overrides), inputsAlone);
    } catch (const Error &) {
        return std::nullopt;
    }
}

/// How the extents of the inputs grow with a parameter.
struct Slope {
    std::vector<int64_t> perExtent; // change for one more; empty when no other value makes a workload
};

Slope slopeOf(const TeFile &file, const WorkloadParam &param, const std::vector<int64_t> &at) {
    for (const int64_t change : {int64_t{1}, std::max<int64_t>(param.fallback, 1), int64_t{2}, int64_t{-1}}) {
        const auto moved = numbersWith(file, {{param.name, param.fallback + change}}, /*inputsAlone=*/true);
        if (!moved || moved->size() != at.size()) continue;
        Slope slope;
        for (size_t i = 0; i < at.size(); ++i) slope.perExtent.push_back(((*moved)[i] - at[i]) / change);
        return slope;
    }
    return {};
}

std::string dtypeOf(const TeFile &file) {
    for (const Tensor *arg : file.workload.args)
        if (arg->op->isPlaceholder()) return std::string(dtypeName(arg->dtype));
    return {};
}

std::vector<std::string> paramNames(const TeFile &file) {
    std::vector<std::string> names;
    for (const WorkloadParam &param : file.workload.params) names.push_back(param.name);
    return names;
}

/// What the arguments say: whole numbers with lists of equal ones taken for one, and with all lists written out.
struct Numbers {
    std::vector<int64_t> collapsed, flat;
    std::vector<int64_t> shapes; // of tensors
};

Outcome<Numbers> numbersOf(const TeFile &file, const TaskKey &key) {
    Numbers numbers;
    for (size_t i = 0; i < key.args.size(); ++i) {
        const KeyArg &arg = key.args[i];
        if (const auto *integer = std::get_if<int64_t>(&arg)) {
            numbers.collapsed.push_back(*integer);
            numbers.flat.push_back(*integer);
        } else if (const auto *list = std::get_if<std::vector<int64_t>>(&arg)) {
            const bool alike = !list->empty() && std::all_of(list->begin(), list->end(),
                                                             [&](int64_t value) { return value == list->front(); });
            if (alike)
                numbers.collapsed.push_back(list->front());
            else
                numbers.collapsed.insert(numbers.collapsed.end(), list->begin(), list->end());
            numbers.flat.insert(numbers.flat.end(), list->begin(), list->end());
        } else if (const auto *tensor = std::get_if<KeyTensor>(&arg)) {
            if (tensor->dtype != dtypeOf(file))
                return Refusal{fmt::format("argument {} is a tensor of {}, its inputs are of {}", i + 1, tensor->dtype,
                                           dtypeOf(file))};
            numbers.shapes.insert(numbers.shapes.end(), tensor->shape.begin(), tensor->shape.end());
        } else if (const auto *text = std::get_if<std::string>(&arg)) {
            if (!dtypeFromName(*text))
                return Refusal{
                    fmt::format("argument {} is the text \"{}\", and its parameters are whole numbers", i + 1, *text)};
            if (*text != dtypeOf(file))
                return Refusal{
                    fmt::format("argument {} asks for {}, its inputs are of {}", i + 1, *text, dtypeOf(file))};
        } else {
            return Refusal{
                fmt::format("argument {} is {}, and its parameters are whole numbers", i + 1, std::get<double>(arg))};
        }
    }
    return numbers;
}

} // namespace

TeFile teFileOf(const std::string &text, const std::string &path) { return {path, text, parseWorkload(text, path)}; }

TeFile readTeFile(const std::string &path) {
    Workload workload = loadWorkload(path); // says what is no text
    return {path, readInputFile(path, "the workload file", kMaxTeBytes), std::move(workload)};
}

std::vector<int64_t> argNumbers(const Workload &workload, bool inputsAlone) {
    std::vector<int64_t> numbers;
    for (const Tensor *arg : workload.args)
        if (!inputsAlone || arg->op->isPlaceholder())
            numbers.insert(numbers.end(), arg->shape.begin(), arg->shape.end());
    return numbers;
}

std::vector<ParamOverrides> paramsFromShapes(const TeFile &file, const std::vector<int64_t> &numbers,
                                             bool inputsAlone) {
    const std::vector<int64_t> at = argNumbers(file.workload, /*inputsAlone=*/true);
    const size_t all = argNumbers(file.workload, inputsAlone).size();
    if (all != numbers.size()) return {};
    const std::vector<WorkloadParam> &params = file.workload.params;
    std::vector<Slope> slopes;
    for (const WorkloadParam &param : params) slopes.push_back(slopeOf(file, param, at));
    std::vector<std::optional<int64_t>> values(params.size());
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < at.size(); ++i) {
            int64_t rest = numbers[i] - at[i]; // what the one unknown parameter has to make up for
            std::optional<size_t> unknown;
            bool several = false;
            for (size_t p = 0; p < params.size(); ++p) {
                const int64_t slope = slopes[p].perExtent.empty() ? 0 : slopes[p].perExtent[i];
                if (slope == 0) continue;
                if (values[p]) {
                    rest -= slope * (*values[p] - params[p].fallback);
                } else {
                    several = unknown.has_value();
                    unknown = p;
                }
            }
            if (!unknown || several) continue;
            const int64_t slope = slopes[*unknown].perExtent[i];
            if (rest % slope != 0) return {};
            values[*unknown] = params[*unknown].fallback + rest / slope;
            more = true;
        }
    }
    ParamOverrides known;
    std::vector<std::string> open; // neither a shape nor anything else tells them
    for (size_t p = 0; p < params.size(); ++p) {
        if (values[p])
            known.emplace_back(params[p].name, *values[p]);
        else
            open.push_back(params[p].name);
    }
    std::vector<ParamOverrides> found;
    const auto tryWith = [&](const ParamOverrides &overrides) {
        if (numbersWith(file, overrides, inputsAlone) == numbers) found.push_back(overrides);
    };
    tryWith(known);
    if (open.empty() || open.size() > kMaxFreeParams) return found;
    std::vector<int64_t> pick(open.size(), 0);
    while (true) {
        ParamOverrides overrides = known;
        for (size_t p = 0; p < open.size(); ++p) overrides.emplace_back(open[p], pick[p]);
        tryWith(overrides);
        size_t p = 0;
        while (p < pick.size() && ++pick[p] > kMaxSmallValue) pick[p++] = 0;
        if (p == pick.size()) return found;
    }
}

Outcome<ParamOverrides> paramsFromArgs(const TeFile &file, const TaskKey &key) {
    const Outcome<Numbers> numbers = numbersOf(file, key);
    if (!numbers) return numbers.refusal();
    ParamOverrides overrides;
    std::vector<std::string> names = paramNames(file);
    if (!numbers->shapes.empty()) {
        const std::vector<ParamOverrides> inferred = paramsFromShapes(file, numbers->shapes, /*inputsAlone=*/true);
        if (inferred.empty())
            return Refusal{fmt::format("no parameters make inputs of the extents {}", fmt::join(numbers->shapes, " "))};
        overrides = inferred.front();
        std::erase_if(names, [&](const std::string &name) {
            return std::any_of(overrides.begin(), overrides.end(), [&](const auto &one) { return one.first == name; });
        });
        if (numbers->collapsed.empty()) return overrides;
    }
    const std::vector<int64_t> &values = numbers->collapsed.size() == names.size() ? numbers->collapsed : numbers->flat;
    if (values.size() != names.size())
        return Refusal{fmt::format("the key has {} numbers, it has {} parameter{} ({})", values.size(), names.size(),
                                   names.size() == 1 ? "" : "s", fmt::join(names, ", "))};
    for (size_t i = 0; i < names.size(); ++i) overrides.emplace_back(names[i], values[i]);
    return overrides;
}

std::string overridesText(const ParamOverrides &overrides) {
    std::string text;
    for (const auto &[name, value] : overrides) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
}

} // namespace loopscope
