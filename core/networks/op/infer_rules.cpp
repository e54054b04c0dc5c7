#include "networks/op/infer_rules.h"

#include <algorithm>

namespace loopscope {

Inferred result(DType dtype, Dims dims, std::optional<Dims> elements) {
    return std::vector<InferredOutput>{{{dtype, std::move(dims)}, std::move(elements)}};
}

std::string inputName(const OperatorUse &use, size_t input) {
    const std::vector<InputSpec> &specs = use.of().inputs;
    const InputSpec &spec = specs[std::min(input, specs.size() - 1)];
    return spec.variadic ? fmt::format("{}[{}]", spec.name, input - (specs.size() - 1)) : spec.name;
}

std::optional<bool> knownEqual(const Dim &a, const Dim &b) {
    if (a == b) return true;
    const Dim difference = a - b;
    if (difference.isConstant()) return difference.value() == 0;
    return std::nullopt;
}

std::string unequalText(const Dim &a, const Dim &b) {
    return knownEqual(a, b) ? fmt::format("{} and {} differ", a.text(), b.text())
                            : fmt::format("{} and {} are not known to be equal", a.text(), b.text());
}

Dim productOf(std::span<const Dim> dims) {
    Dim product = 1;
    for (const Dim &dim : dims) product = product * dim;
    return product;
}

Checked wantFloat(const OperatorUse &use, size_t input) {
    if (isFloat(use.dtype(input))) return std::nullopt;
    return refusal(use, "{} has elements of {}, it takes floating point", inputName(use, input),
                   dtypeName(use.dtype(input)));
}

Checked wantNumeric(const OperatorUse &use, size_t input) {
    if (use.dtype(input) != DType::Bool) return std::nullopt;
    return refusal(use, "{} has elements of bool, it takes numbers", inputName(use, input));
}

Checked wantBool(const OperatorUse &use, size_t input) {
    if (use.dtype(input) == DType::Bool) return std::nullopt;
    return refusal(use, "{} has elements of {}, it takes bool", inputName(use, input), dtypeName(use.dtype(input)));
}

Checked wantIndices(const OperatorUse &use, size_t input) {
    if (use.dtype(input) == DType::Int32 || use.dtype(input) == DType::Int64) return std::nullopt;
    return refusal(use, "{} has elements of {}, it takes int64 or int32", inputName(use, input),
                   dtypeName(use.dtype(input)));
}

Checked wantSameType(const OperatorUse &use, std::span<const size_t> inputs) {
    for (const size_t input : inputs)
        if (use.has(input) && use.dtype(input) != use.dtype(inputs[0]))
            return refusal(use, "{} has elements of {} and {} of {}, they have to be of one type",
                           inputName(use, inputs[0]), dtypeName(use.dtype(inputs[0])), inputName(use, input),
                           dtypeName(use.dtype(input)));
    return std::nullopt;
}

Checked wantRank(const OperatorUse &use, size_t input, size_t minRank, size_t maxRank) {
    const size_t rank = use.rank(input);
    if (rank >= minRank && rank <= maxRank) return std::nullopt;
    const std::string wanted = minRank == maxRank    ? fmt::format("{}", minRank)
                               : maxRank == SIZE_MAX ? fmt::format("at least {}", minRank)
                               : minRank == 0        ? fmt::format("at most {}", maxRank)
                                                     : fmt::format("{} to {}", minRank, maxRank);
    return refusal(use, "{} {} has rank {}, it takes {}", inputName(use, input), dimsText(use.dims(input)), rank,
                   wanted);
}

Checked wantVector(const OperatorUse &use, size_t input, const Dim &length, std::string_view what) {
    if (use.rank(input) == 1 && knownEqual(use.dims(input)[0], length) == true) return std::nullopt;
    return refusal(use, "{} {} has to be a vector of {} elements, {}", inputName(use, input), dimsText(use.dims(input)),
                   length.text(), what);
}

Outcome<Dims> broadcastDims(const OperatorUse &use, const Dims &a, const Dims &b, std::string_view aName,
                            std::string_view bName) {
    const Dims &longer = a.size() >= b.size() ? a : b;
    const Dims &shorter = a.size() >= b.size() ? b : a;
    Dims joined = longer;
    const size_t ahead = longer.size() - shorter.size();
    for (size_t i = 0; i < shorter.size(); ++i) {
        const Dim &other = shorter[i];
        Dim &dim = joined[ahead + i];
        if (dim == other || other == Dim(1)) continue;
        if (dim == Dim(1)) {
            dim = other;
            continue;
        }
        if (knownEqual(dim, other) == true) continue;
        return refusal(use, "{} {} and {} {} do not broadcast: {}", aName, dimsText(a), bName, dimsText(b),
                       unequalText(a[a.size() - shorter.size() + i], b[b.size() - shorter.size() + i]));
    }
    return joined;
}

Outcome<Dims> broadcastDims(const OperatorUse &use, std::span<const size_t> inputs) {
    Dims joined = use.dims(inputs[0]);
    for (size_t i = 1; i < inputs.size(); ++i) {
        const std::string before = i == 1 ? inputName(use, inputs[0]) : "what stands before it,";
        Outcome<Dims> next = broadcastDims(use, joined, use.dims(inputs[i]), before, inputName(use, inputs[i]));
        if (!next) return next;
        joined = std::move(next).value();
    }
    return joined;
}

Outcome<size_t> axisOf(const OperatorUse &use, std::string_view attribute, size_t rank) {
    const int64_t axis = use.integer(attribute);
    if (const auto at = axisIn(axis, rank)) return *at;
    return refusal(use, "{} {} is outside of rank {}", attribute, axis, rank);
}

Outcome<std::vector<size_t>> axesFrom(const OperatorUse &use, std::span<const int64_t> axes, size_t rank) {
    std::vector<size_t> found;
    for (const int64_t axis : axes) {
        const auto at = axisIn(axis, rank);
        if (!at) return refusal(use, "axis {} is outside of rank {}", axis, rank);
        if (std::find(found.begin(), found.end(), *at) != found.end())
            return refusal(use, "axis {} is named twice", axis);
        found.push_back(*at);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Outcome<Dims> knownElements(const OperatorUse &use, size_t input) {
    if (Checked wrong = wantIndices(use, input)) return *wrong;
    if (Checked wrong = wantRank(use, input, 0, 1)) return *wrong;
    if (auto elements = use.elements(input)) return *std::move(elements);
    return refusal(use, "what {} holds is not known before the network runs, and the shape of the result depends on it",
                   inputName(use, input));
}

Outcome<std::vector<int64_t>> knownNumbers(const OperatorUse &use, size_t input) {
    Outcome<Dims> elements = knownElements(use, input);
    if (!elements) return elements.refusal();
    if (auto numbers = constantDims(*elements)) return *std::move(numbers);
    return refusal(use, "{} is {}; it has to be made of numbers", inputName(use, input), dimsText(*elements));
}

} // namespace loopscope
