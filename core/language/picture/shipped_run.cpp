#include "language/picture/shipped_run.h"

#include "base/outcome.h"

#include <algorithm>
#include <charconv>

namespace loopscope {

namespace {

std::string_view nextWord(std::string_view &line) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return line = {};
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

std::optional<ShippedRun> parsedOptions(std::string_view line) {
    ShippedRun run;
    for (std::string_view option = nextWord(line); !option.empty(); option = nextWord(line)) {
        const std::string_view value = nextWord(line);
        const size_t equals = value.find('=');
        if (equals == 0 || equals == std::string_view::npos || equals + 1 == value.size()) return std::nullopt;
        const std::string name(value.substr(0, equals));
        const std::string_view what = value.substr(equals + 1);
        if (option == "--input") {
            run.inputs.emplace_back(name, what);
        } else if (option == "--param") {
            int64_t number = 0;
            const auto [end, problem] = std::from_chars(what.data(), what.data() + what.size(), number);
            if (problem != std::errc() || end != what.data() + what.size()) return std::nullopt;
            run.params.emplace_back(name, number);
        } else {
            return std::nullopt;
        }
    }
    if (run.params.empty() && run.inputs.empty()) return std::nullopt;
    return run;
}

const Tensor *inputOf(const Workload &workload, const std::string &name) {
    for (const Tensor *arg : workload.args)
        if (arg->op->isPlaceholder() && arg->name == name) return arg;
    return nullptr;
}

void setParam(ParamOverrides &params, const std::string &name, int64_t value) {
    const auto given = std::ranges::find(params, name, &std::pair<std::string, int64_t>::first);
    if (given == params.end())
        params.emplace_back(name, value);
    else
        given->second = value;
}

/// The input's shape where the workload with these parameters is one; else none.
std::optional<std::vector<int64_t>> shapeWith(std::string_view text, const std::string &path,
                                              const ParamOverrides &params, const std::string &input) {
    try {
        const Workload workload = parseWorkload(text, path, params);
        const Tensor *tensor = inputOf(workload, input);
        return tensor == nullptr ? std::nullopt : std::optional(tensor->shape);
    } catch (const Error &) {
        return std::nullopt; // a size that the workload does not allow
    }
}

} // namespace

std::optional<ShippedRun> shippedRun(std::string_view text, std::string_view word) {
    const std::string marked = std::string(word) + ": --";
    while (!text.empty() && (text.front() == '#' || text.front() == '\n')) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (const size_t at = line.find(marked); at != std::string_view::npos)
            return parsedOptions(line.substr(at + word.size() + 1));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::nullopt;
}

std::optional<ParamOverrides> paramsForShape(std::string_view text, const std::string &path,
                                             const ParamOverrides &params, const std::string &input,
                                             const std::vector<int64_t> &shape) {
    const Workload workload = parseWorkload(text, path, params);
    const Tensor *tensor = inputOf(workload, input);
    if (tensor == nullptr || tensor->shape.size() != shape.size()) return std::nullopt;
    const std::vector<int64_t> now = tensor->shape;
    ParamOverrides found = params;
    std::vector<bool> solved(shape.size());
    for (const WorkloadParam &param : workload.params) {
        // An extent that grows with it is taken to go on growing like that, which is checked at the end.
        constexpr int64_t kStep = 4;
        ParamOverrides further = params;
        setParam(further, param.name, param.value + kStep);
        const auto moved = shapeWith(text, path, further, input);
        if (!moved || moved->size() != shape.size()) continue;
        for (size_t d = 0; d < shape.size(); ++d) {
            const int64_t slope = ((*moved)[d] - now[d]) / kStep;
            if (slope == 0) continue;
            if (solved[d]) return std::nullopt;
            solved[d] = true;
            if ((shape[d] - now[d]) % slope != 0) return std::nullopt;
            setParam(found, param.name, param.value + (shape[d] - now[d]) / slope);
        }
    }
    return shapeWith(text, path, found, input) == shape ? std::optional(found) : std::nullopt;
}

} // namespace loopscope
