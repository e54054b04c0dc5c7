#include "language/te/operators/operator_library.h"

#include "base/check.h"
#include "base/outcome.h"
#include "base/source_text.h"
#include "language/te/operators/families.h"

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

std::string fallbackText(const ArgValue &value) {
    if (const auto *number = std::get_if<int64_t>(&value)) return std::to_string(*number);
    if (const auto *text = std::get_if<std::string>(&value)) return "\"" + *text + "\"";
    if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
        std::string out;
        for (const int64_t item : *list) out += (out.empty() ? "" : ", ") + std::to_string(item);
        return list->size() == 1 ? out : "[" + out + "]";
    }
    if (const auto *real = std::get_if<double>(&value)) return floatText(*real, DType::Float64);
    return "none";
}

} // namespace

const std::vector<const OperatorSpec *> &operatorTable() {
    static const std::vector<const OperatorSpec *> table = [] {
        std::vector<const OperatorSpec *> rows;
        for (const std::vector<OperatorSpec> *family :
             {&matmulSpecs(), &convolutionSpecs(), &depthwiseSpecs(), &transposedSpecs(), &winogradSpecs(),
              &poolingSpecs(), &normalizationSpecs(), &elementwiseSpecs(), &reductionSpecs(), &layoutSpecs()})
            for (const OperatorSpec &spec : *family) rows.push_back(&spec);
        std::sort(rows.begin(), rows.end(), [](const auto *a, const auto *b) { return a->name < b->name; });
        return rows;
    }();
    return table;
}

const OperatorSpec *findOperatorSpec(std::string_view name) {
    for (const OperatorSpec *spec : operatorTable())
        if (spec->name == name) return spec;
    return nullptr;
}

std::vector<std::string> operatorNames() {
    std::vector<std::string> names;
    for (const OperatorSpec *spec : operatorTable()) names.push_back(spec->name);
    return names;
}

std::string signatureText(const OperatorSpec &spec) {
    std::string text = spec.name + "(";
    for (size_t i = 0; i < spec.args.size(); ++i) {
        const OperatorArg &arg = spec.args[i];
        if (i > 0) text += ", ";
        text += arg.name;
        if (arg.optional || arg.fallback.index() != 0) text += " = " + fallbackText(arg.fallback);
    }
    return text + ")";
}

const ArgValue &OperatorCall::value(std::string_view name) const {
    for (size_t i = 0; i < m_spec.args.size(); ++i)
        if (m_spec.args[i].name == name) return m_values[i];
    LOOPSCOPE_CHECK(false, m_spec.name + " has no argument " + std::string(name));
    return m_values[0];
}

const Tensor &OperatorCall::tensor(std::string_view name) const { return *std::get<const Tensor *>(value(name)); }
const std::vector<const Tensor *> &OperatorCall::tensors(std::string_view name) const {
    return std::get<std::vector<const Tensor *>>(value(name));
}
int64_t OperatorCall::integer(std::string_view name) const { return std::get<int64_t>(value(name)); }
double OperatorCall::number(std::string_view name) const { return std::get<double>(value(name)); }
std::vector<int64_t> OperatorCall::integers(std::string_view name) const {
    return std::get<std::vector<int64_t>>(value(name));
}

int64_t OperatorCall::positive(std::string_view name) const {
    const int64_t number = integer(name);
    require(number >= 1, "`" + std::string(name) + "` is " + std::to_string(number) + " but must be at least 1");
    return number;
}

std::vector<int64_t> OperatorCall::perDimension(std::string_view name, size_t count, int64_t least) const {
    std::vector<int64_t> values = integers(name);
    if (values.size() == 1) values.resize(count, values[0]);
    require(values.size() == count, "`" + std::string(name) + "` needs one integer or " + std::to_string(count));
    for (const int64_t item : values) {
        require(item >= least, "`" + std::string(name) + "` is " + std::to_string(item) + " but must be at least " +
                                   std::to_string(least));
        require(item <= (int64_t{1} << 31) - 1, "`" + std::string(name) + "` is too large: " + std::to_string(item));
    }
    return values;
}

std::vector<int64_t> OperatorCall::padding(std::string_view name, size_t count) const {
    if (integers(name).size() == 2 * count && count > 0) return perDimension(name, 2 * count, 0);
    std::vector<int64_t> before = perDimension(name, count, 0);
    const std::vector<int64_t> after = before;
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

const std::string &OperatorCall::text(std::string_view name, std::span<const std::string_view> allowed) const {
    const std::string &word = std::get<std::string>(value(name));
    std::vector<std::string> words(allowed.begin(), allowed.end());
    require(std::find(words.begin(), words.end(), word) != words.end(),
            "`" + std::string(name) + "` is " + quotedList(words) + ", not \"" + word + "\"" + suggestion(word, words));
    return word;
}

bool OperatorCall::benchmarkStyle() const {
    static constexpr std::array<std::string_view, 2> styles = {"library", "benchmark"};
    return text("style", styles) == "benchmark";
}

void OperatorCall::refuse(const std::string &sentence) const { throw Error(m_spec.name + ": " + sentence); }

void OperatorCall::requireRank(std::string_view name, size_t rank, std::string_view layout) const {
    const size_t given = tensor(name).shape.size();
    require(given == rank, "`" + std::string(name) + "` needs " + std::to_string(rank) + " dimensions (" +
                               std::string(layout) + "), it has " + std::to_string(given));
}

namespace {

/// An integer where a list or a number is asked for; anything else must match.
ArgValue converted(const OperatorSpec &spec, const OperatorArg &arg, ArgValue value) {
    if (const auto *integer = std::get_if<int64_t>(&value)) {
        if (arg.kind == ArgKind::Ints) return std::vector<int64_t>{*integer};
        if (arg.kind == ArgKind::Number) return static_cast<double>(*integer);
    }
    const bool fits = (arg.kind == ArgKind::Tensor && std::holds_alternative<const Tensor *>(value)) ||
                      (arg.kind == ArgKind::Tensors && std::holds_alternative<std::vector<const Tensor *>>(value)) ||
                      (arg.kind == ArgKind::Int && std::holds_alternative<int64_t>(value)) ||
                      (arg.kind == ArgKind::Ints && std::holds_alternative<std::vector<int64_t>>(value)) ||
                      (arg.kind == ArgKind::Number && std::holds_alternative<double>(value)) ||
                      (arg.kind == ArgKind::Text && std::holds_alternative<std::string>(value));
    if (!fits) throw Error(spec.name + ": argument `" + arg.name + "` is of the wrong kind");
    return value;
}

} // namespace

const Tensor &callOperator(std::vector<OpPtr> &ops, const OperatorSpec &spec, const std::vector<ArgValue> &positional,
                           const NamedArgs &named, const std::string &resultName) {
    std::vector<ArgValue> values(spec.args.size());
    if (positional.size() > spec.args.size())
        throw Error(spec.name + ": too many arguments; it is " + signatureText(spec));
    for (size_t i = 0; i < positional.size(); ++i) values[i] = converted(spec, spec.args[i], positional[i]);
    for (const auto &[name, value] : named) {
        const auto arg = std::find_if(spec.args.begin(), spec.args.end(),
                                      [&](const OperatorArg &candidate) { return candidate.name == name; });
        if (arg == spec.args.end())
            throw Error(spec.name + ": there is no argument `" + name + "`; it is " + signatureText(spec));
        ArgValue &slot = values[static_cast<size_t>(arg - spec.args.begin())];
        if (slot.index() != 0) throw Error(spec.name + ": argument `" + name + "` is given twice");
        slot = converted(spec, *arg, value);
    }
    for (size_t i = 0; i < values.size(); ++i) {
        const OperatorArg &arg = spec.args[i];
        if (values[i].index() != 0) continue;
        if (arg.fallback.index() != 0)
            values[i] = converted(spec, arg, arg.fallback);
        else if (!arg.optional)
            throw Error(spec.name + ": argument `" + arg.name + "` is missing; it is " + signatureText(spec));
    }
    OperatorCall call(spec, std::move(values), resultName);
    const Tensor *result = spec.build(call);
    ops.insert(ops.end(), call.ops.begin(), call.ops.end());
    return *result;
}

const Tensor &callOperator(std::vector<OpPtr> &ops, std::string_view name, const std::vector<ArgValue> &positional,
                           const NamedArgs &named, const std::string &resultName) {
    const OperatorSpec *spec = findOperatorSpec(name);
    if (spec == nullptr)
        throw Error("there is no operator `" + std::string(name) + "`" + suggestion(name, operatorNames()));
    return callOperator(ops, *spec, positional, named, resultName);
}

} // namespace loopscope
