#include "measure/answer/checkable.h"

#include "base/outcome.h"
#include "language/interpret/exact_inputs.h"
#include "measure/answer/measured_bounds.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace loopscope {

namespace {

double median(std::vector<double> &values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// What tells elements apart, unmoved by a few huge ones (masks): 1.48 times the median distance from the median, which
/// is the standard deviation of normal values. Mostly equal values: the distance of the others; all equal: their size.
double spreadOf(std::vector<double> values, double middle) {
    for (double &value : values) value = std::fabs(value - middle);
    if (const double distance = median(values); distance > 0) return 1.48 * distance;
    std::erase(values, 0.0);
    return values.empty() ? std::fabs(middle) : median(values);
}

/// Along every axis, whatever place of it a mistake may be bound to: some elements there are known well.
template <typename IsLoose> bool knownEverywhere(const TensorValue &reference, const IsLoose &isLoose) {
    const bool floats = isFloat(reference.dtype);
    std::vector<double> known(reference.size());
    for (size_t i = 0; i < known.size(); ++i) {
        const double value = floats ? reference.floats[i] : static_cast<double>(reference.integers[i]);
        known[i] = std::isfinite(value) && !isLoose(value, reference.bounds[i]) ? 1 : 0;
    }
    size_t stride = known.size();
    for (const int64_t extent : reference.shape) {
        const auto places = static_cast<size_t>(extent);
        stride /= places;
        std::vector<double> at(places, 0);
        for (size_t i = 0; i < known.size(); ++i) at[i / stride % places] += known[i];
        const double most = static_cast<double>(known.size()) / static_cast<double>(places);
        if (std::any_of(at.begin(), at.end(), [&](double count) { return count < kMinKnown * most; })) return false;
    }
    return true;
}

} // namespace

std::string whyUncheckable(const std::string &output, const TensorValue &reference) {
    if (reference.bounds.empty()) return {};
    constexpr size_t kSample = 1 << 16;
    const bool floats = isFloat(reference.dtype);
    const size_t count = reference.size();
    const size_t sampled = std::min(count, kSample);
    std::vector<double> values;
    std::vector<double> bounds;
    size_t open = 0; // overflows in some orders
    for (size_t i = 0; i < sampled; ++i) {
        const size_t at = i * count / sampled;
        const double value = floats ? reference.floats[at] : static_cast<double>(reference.integers[at]);
        if (!std::isfinite(value)) { // compared exactly where it is sure
            if (std::isinf(reference.bounds[at])) ++open;
            continue;
        }
        values.push_back(value);
        bounds.push_back(reference.bounds[at]);
    }
    if (values.empty())
        return fmt::format("the answer in `{}` cannot be checked: all its elements are infinite or not numbers, and so "
                           "would be those of many a wrong kernel; keep its values within {}",
                           output, dtypeName(reference.dtype));
    std::vector<double> sorted = values;
    const double middle = median(sorted);
    const double spread = spreadOf(values, middle);
    const auto isLoose = [&](double value, double bound) {
        // What lies far from the others is told from them by more.
        return bound > kLooseShare * std::max(spread, std::fabs(value - middle));
    };
    auto loose = static_cast<double>(open);
    for (size_t i = 0; i < values.size(); ++i)
        if (isLoose(values[i], bounds[i])) ++loose;
    const double share = loose / static_cast<double>(bounds.size() + open);
    if (share <= kMaxLoose || (share <= kMaxScattered && knownEverywhere(reference, isLoose))) return {};
    const double typical = median(bounds);
    const std::string change = std::isfinite(typical) ? fmt::format("by {:.3g}", typical) : "without limit";
    const bool narrow = reference.dtype == DType::Float16 || reference.dtype == DType::BFloat16;
    if (typical <= kLooseShare * spread) // most are well known, and too many others are decided by chance
        return fmt::format(
            "the answer in `{}` cannot be checked: rounding decides what {:.0f} % of its elements are "
            "(where nearly equal values are told apart, or something is divided by nearly nothing), so "
            "that a kernel wrong in these alone would pass; at most {:.0f} % may be so, {:.0f} % where they "
            "are spread over all rows and columns",
            output, 100 * share, 100 * kMaxLoose, 100 * kMaxScattered);
    return fmt::format(
        "the answer in `{}` cannot be checked: rounding may change its elements {}, and they differ from "
        "each other by {:.3g} only, so that a wrong kernel would pass; {}",
        output, change, spread,
        narrow ? fmt::format("add up in float32 instead of {}: `float32(...)` around the terms",
                             dtypeName(reference.dtype))
               : "keep huge values out of what is added up, or compute in a wider type");
}

namespace {

/// Of the first output that has a reason.
std::string whyUncheckable(const ComputeDag &dag, const std::vector<TensorValue> &outputs) {
    size_t next = 0;
    for (const Tensor *arg : dag.args()) {
        if (arg->op->isPlaceholder()) continue;
        if (std::string why = whyUncheckable(tensorText(*arg), outputs[next++]); !why.empty()) return why;
    }
    return {};
}

/// What nearly always is the same shows nothing, however exact it is.
bool saysSomething(const TensorValue &output) {
    constexpr size_t kFew = 16;   // outputs that may be equal by chance
    constexpr size_t kShare = 50; // one in so many differs from what the others are
    const auto varies = [&](const auto &values) {
        const size_t size = values.size();
        if (size <= kFew) return std::any_of(values.begin(), values.end(), [](auto x) { return x != 0; });
        // Were they all alike, most of these would be what they are.
        for (const size_t at : {size_t{0}, size / 3, size / 2, size - 1}) {
            const auto same = static_cast<size_t>(std::count(values.begin(), values.end(), values[at]));
            if ((size - same) * kShare < size) return false;
        }
        return true;
    };
    return isFloat(output.dtype) ? varies(output.floats) : varies(output.integers);
}

} // namespace

CheckedSets makeCheckedSets(const ComputeDag &dag, uint64_t seed, int threads) {
    CheckedSets sets;
    sets.random.inputs = randomInputs(dag, seed);
    sets.random.outputs = interpret(dag, sets.random.inputs, threads);
    std::string why = whyUncheckable(dag, sets.random.outputs);
    std::for_each(sets.random.outputs.begin(), sets.random.outputs.end(), openOverflows);
    const SumLength length = longestSum(dag);
    if (why.empty() && length == SumLength::Short) return sets;
    for (int kind = 0; kind < kExactKinds; ++kind) {
        auto inputs = exactInputs(dag, seed, kind);
        if (!inputs) continue;
        CheckedSet exact{std::move(*inputs), {}};
        exact.outputs = interpret(dag, exact.inputs, threads);
        if (!whyUncheckable(dag, exact.outputs).empty()) continue;
        std::for_each(exact.outputs.begin(), exact.outputs.end(), openOverflows);
        if (!std::all_of(exact.outputs.begin(), exact.outputs.end(), saysSomething)) continue;
        sets.exact = std::move(exact);
        sets.exactKind = kind;
        return sets;
    }
    if (!why.empty())
        if (auto outputs = withMeasuredBounds(dag, sets.random.inputs, sets.random.outputs, seed, threads);
            outputs && whyUncheckable(dag, *outputs).empty()) {
            sets.random.outputs = *std::move(outputs);
            why.clear();
        }
    if (!why.empty()) throw Error(why);
    const auto narrowOutput = [&](const Tensor *arg) {
        return !arg->op->isPlaceholder() && (arg->dtype == DType::Float16 || arg->dtype == DType::BFloat16);
    };
    const auto narrow = std::find_if(dag.args().begin(), dag.args().end(), narrowOutput);
    if (length == SumLength::Hiding && narrow != dag.args().end())
        throw Error(
            fmt::format("the answer in `{}` cannot be checked: a sum in {} has so many terms that its roundings "
                        "hide whether one is missing; add up in float32: `float32(...)` around the terms",
                        tensorText(**narrow), dtypeName((*narrow)->dtype)));
    return sets;
}

} // namespace loopscope
