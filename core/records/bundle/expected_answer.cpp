#include "records/bundle/expected_answer.h"

#include "base/fnv_hash.h"
#include "base/random.h"
#include "language/expr/interval.h"
#include "language/interpret/input_draws.h"
#include "language/te/op.h"
#include "measure/answer/checkable.h"
#include "measure/answer/reference_data.h"
#include "records/bundle/bundle_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace loopscope {

namespace {

using AnswerJson = nlohmann::ordered_json;

constexpr size_t kSamples = 2048;
constexpr size_t kSums = 2048;
constexpr uint64_t kSampleStream = 0x62756e64'6c650000;

AnswerJson argumentJson(const Tensor &arg) {
    return {{"name", tensorText(arg)},
            {"output", !arg.op->isPlaceholder()},
            {"type", dtypeName(arg.dtype)},
            {"shape", arg.shape}};
}

/// How an input is drawn, as core/language/interpret does it.
AnswerJson drawJson(const Tensor &arg, size_t input, uint64_t seed, const ExactDraw *exact, int64_t indexExtent) {
    AnswerJson draw;
    uint64_t stream = input;
    if (isFloat(arg.dtype) && exact != nullptr) {
        stream += kExactStream;
        draw = {{"kind", "exact"},           {"share", exact->share},     {"zero", exact->zeroIsUsual},
                {"largest", exact->largest}, {"signs", exact->bothSigns}, {"otherwise", exact->otherwise}};
    } else if (isFloat(arg.dtype)) {
        draw = {{"kind", "uniform"}};
    } else if (indexExtent > 0) {
        const Interval legal = Interval::ofType(arg.dtype);
        draw = {{"kind", "index"}, {"extent", indexExtent}, {"least", legal.min}, {"most", legal.max}};
    } else {
        const IntegerDraw integers = integerDraw(arg.dtype);
        draw = {{"kind", arg.dtype == DType::Bool ? "bit" : "integer"},
                {"least", integers.least},
                {"count", integers.count}};
    }
    draw["seed"] = std::to_string(seed);
    draw["stream"] = std::to_string(stream);
    return draw;
}

double valueAt(const TensorValue &value, size_t i) {
    return isFloat(value.dtype) ? value.floats[i] : static_cast<double>(value.integers[i]);
}

/// Infinity: nothing can be said of the element.
double boundAt(const TensorValue &value, size_t i) {
    if (!std::isfinite(valueAt(value, i))) return HUGE_VAL;
    return value.bounds.empty() ? 0 : static_cast<double>(value.bounds[i]);
}

AnswerJson numberOrNull(double number) { return std::isfinite(number) ? AnswerJson(number) : AnswerJson(nullptr); }

/// One from each of as many parts of the output as there are samples; the first and the last element are among them.
std::vector<size_t> samplePlaces(size_t elements, uint64_t seed) {
    std::vector<size_t> places;
    const size_t count = std::min(elements, kSamples);
    Random random(seed, kSampleStream);
    for (size_t k = 0; k < count; ++k) {
        const size_t begin = k * elements / count;
        const size_t end = (k + 1) * elements / count;
        places.push_back(begin + random.index(end - begin));
    }
    if (!places.empty()) {
        places.front() = 0;
        places.back() = elements - 1;
    }
    return places;
}

std::string exactHash(const TensorValue &value) {
    TensorValue plain = value;
    for (double &x : plain.floats) x = x == 0 ? 0.0 : x; // zero has no sign
    std::vector<std::byte> bytes(plain.size() * static_cast<size_t>(dtypeBytes(plain.dtype)));
    storeElements(plain, bytes.data());
    return hashText(fnvHash({reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
}

AnswerJson outputJson(const TensorValue &value, uint64_t seed) {
    const size_t elements = value.size();
    AnswerJson at = AnswerJson::array();
    AnswerJson values = AnswerJson::array();
    AnswerJson bounds = AnswerJson::array();
    for (const size_t i : samplePlaces(elements, seed)) {
        at.push_back(i);
        values.push_back(numberOrNull(valueAt(value, i)));
        bounds.push_back(numberOrNull(boundAt(value, i)));
    }
    std::vector<double> sums(elements > kSamples ? kSums : 0);
    std::vector<double> allowed(sums.size());
    bool exact = true;
    for (size_t i = 0; i < elements; ++i) {
        const double bound = boundAt(value, i);
        exact = exact && bound == 0;
        if (sums.empty()) continue;
        const double one = valueAt(value, i);
        sums[i % sums.size()] += one;
        allowed[i % sums.size()] += bound + 1e-13 * std::fabs(one);
    }
    AnswerJson sum = AnswerJson::array();
    AnswerJson sumBound = AnswerJson::array();
    for (size_t g = 0; g < sums.size(); ++g) {
        sum.push_back(numberOrNull(sums[g]));
        sumBound.push_back(std::isfinite(sums[g]) ? numberOrNull(allowed[g]) : AnswerJson(nullptr));
    }
    return {{"at", std::move(at)},   {"value", std::move(values)},       {"bound", std::move(bounds)},
            {"sum", std::move(sum)}, {"sum_bound", std::move(sumBound)}, {"hash", exact ? exactHash(value) : ""}};
}

std::string inputsHash(const std::vector<TensorValue> &inputs) {
    uint64_t hash = kFnvStart;
    std::vector<std::byte> bytes;
    for (const TensorValue &input : inputs) {
        bytes.resize(input.size() * static_cast<size_t>(dtypeBytes(input.dtype)));
        storeElements(input, bytes.data());
        hash = fnvHash({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, hash);
    }
    return hashText(hash);
}

AnswerJson setJson(const ComputeDag &dag, const CheckedSet &set, uint64_t seed,
                   const std::optional<std::vector<ExactDraw>> &exact) {
    const auto extents = indexExtents(dag);
    AnswerJson json = {
        {"inputs", inputsHash(set.inputs)}, {"draws", AnswerJson::array()}, {"outputs", AnswerJson::array()}};
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        const auto found = extents.find(arg);
        const size_t input = json["draws"].size();
        json["draws"].push_back(drawJson(*arg, input, seed, exact ? &(*exact)[input] : nullptr,
                                         found == extents.end() ? 0 : found->second));
    }
    for (const TensorValue &output : set.outputs) json["outputs"].push_back(outputJson(output, seed));
    return json;
}

} // namespace

AnswerJson expectedAnswer(const ComputeDag &dag, uint64_t seed, int threads) {
    const CheckedSets sets = makeCheckedSets(dag, seed, threads);
    AnswerJson json = {{"arguments", AnswerJson::array()}, {"sets", AnswerJson::array()}};
    for (const Tensor *arg : dag.args()) json["arguments"].push_back(argumentJson(*arg));
    json["sets"].push_back(setJson(dag, sets.random, seed, std::nullopt));
    if (sets.exact) json["sets"].push_back(setJson(dag, *sets.exact, seed, exactDraws(dag, sets.exactKind)));
    return json;
}

} // namespace loopscope
