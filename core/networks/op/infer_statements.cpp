#include "networks/op/infer_statements.h"

#include "networks/graph/statement.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

namespace loopscope {

namespace {

using Substitution = std::map<std::string, Dim, std::less<>>;

template <typename... Args>
Refusal statementRefusal(const Node &node, fmt::format_string<Args...> format, Args &&...args) {
    return {nodeText(node) + ": " + fmt::format(format, std::forward<Args>(args)...)};
}

/// Known to differ, for any numbers.
bool differ(const Dim &a, const Dim &b) {
    const Dim difference = a - b;
    return difference.isConstant() && difference.value() != 0;
}

/// In the symbols of whoever calls; nothing where the function made it up itself.
std::optional<Dim> outside(const Dim &dim, const Substitution &values) {
    for (const std::string &symbol : dim.symbols())
        if (!values.contains(symbol)) return std::nullopt;
    return dim.substituted(values);
}

std::optional<std::string> argumentProblem(const GraphFunction &function, size_t parameter, const TensorType &given,
                                           const Substitution &values) {
    const ValueId id = function.parameters()[parameter];
    const TensorType &wanted = function.type(id);
    bool fits = wanted.dtype == given.dtype && wanted.dims.size() == given.dims.size();
    for (size_t axis = 0; fits && axis < given.dims.size(); ++axis)
        if (const auto dim = outside(wanted.dims[axis], values)) fits = !differ(*dim, given.dims[axis]);
    if (fits) return std::nullopt;
    return fmt::format("function `{}` is handed {} as `{}`, which is {}", function.name(), typeText(given),
                       function.value(id).name, typeText(wanted));
}

/// What the parameters' symbols are for these arguments.
Substitution substitutionOf(const GraphFunction &function, std::span<const InputFact> arguments) {
    Dims pattern;
    Dims actual;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Dims &dims = function.type(function.parameters()[i]).dims;
        const Dims &given = arguments[i].type.dims;
        if (dims.size() != given.size()) continue;
        pattern.insert(pattern.end(), dims.begin(), dims.end());
        actual.insert(actual.end(), given.begin(), given.end());
    }
    Substitution values;
    solveDims(pattern, actual, values);
    return values;
}

bool isOne(const TensorType &type, DType dtype, size_t maxRank) {
    return type.dtype == dtype && type.dims.size() <= maxRank &&
           std::all_of(type.dims.begin(), type.dims.end(), [](const Dim &dim) { return dim == Dim(1); });
}

bool typed(const GraphFunction &function) {
    const auto has = [&](ValueId id) { return function.value(id).type.has_value(); };
    return std::all_of(function.parameters().begin(), function.parameters().end(), has) &&
           std::all_of(function.results().begin(), function.results().end(), has);
}

/// Whether a loop's body asks for the next trip whatever it computes.
bool alwaysGoesOn(const GraphFunction &body) {
    const ValueId condition = body.results()[0];
    if (condition == body.parameters()[1]) return true;
    const HostTensor *constant = body.constant(condition);
    return constant && constant->elements() == 1 && constant->integer(0) != 0;
}

} // namespace

StatementInference::StatementInference(const Module &typed, const GraphFunction &function)
    : m_typed(typed), m_function(function) {
    const auto bind = [this](ValueId id) {
        if (!m_function.value(id).type) return;
        for (const Dim &dim : m_function.value(id).type->dims)
            for (std::string &symbol : dim.symbols()) m_bound.insert(std::move(symbol));
    };
    for (const ValueId parameter : function.parameters()) bind(parameter);
    for (size_t i = 0; i < function.nodeCount(); ++i)
        if (statementKind(function.node(NodeId(i))) == StatementKind::Match) bind(function.node(NodeId(i)).outputs[0]);
}

std::optional<Outcome<std::vector<InferredOutput>>>
StatementInference::infer(const Node &node, const std::vector<InputFact> &inputs) const {
    const StatementKind kind = *statementKind(node);
    for (const std::string_view attribute : regionAttributes(kind))
        if (!typed(*m_typed.find(regionName(node, attribute)))) return std::nullopt;
    switch (kind) {
    case StatementKind::If:
        return inferIf(node, inputs);
    case StatementKind::Loop:
        return inferLoop(node, inputs);
    case StatementKind::Call:
        return inferCall(node, inputs);
    case StatementKind::Match:
        return inferMatch(node, inputs);
    case StatementKind::Cut:
        return inferCut(node, inputs);
    case StatementKind::Suppression:
        return inferSuppression(node, inputs);
    case StatementKind::Packed:
        return inferPacked(node, inputs);
    case StatementKind::Unique:
        break;
    }
    return Inferred(std::vector<InferredOutput>{{closed(node, 0, inputs[0].type.dtype, {std::nullopt})}});
}

TensorType StatementInference::closed(const Node &node, size_t output, DType dtype, const OpenDims &dims) const {
    TensorType type = {dtype, {}};
    for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis]) {
            type.dims.push_back(*dims[axis]);
            continue;
        }
        std::string name = fmt::format("{}.{}", m_function.value(node.outputs[output]).name, axis);
        while (m_bound.contains(name)) name += '\'';
        type.dims.push_back(Dim::symbol(name));
    }
    return type;
}

StatementInference::Inferred StatementInference::inferIf(const Node &node, const std::vector<InputFact> &inputs) const {
    if (!isOne(inputs[0].type, DType::Bool, SIZE_MAX))
        return statementRefusal(node, "the condition is {}, it has to be one bool", typeText(inputs[0].type));
    const std::span<const InputFact> read = std::span(inputs).subspan(1);
    std::vector<std::vector<OpenDims>> dims;
    std::vector<FunctionPtr> branches;
    for (const std::string_view attribute : regionAttributes(StatementKind::If)) {
        const FunctionPtr branch = m_typed.find(regionName(node, attribute));
        const Substitution values = substitutionOf(*branch, read);
        for (size_t i = 0; i < read.size(); ++i)
            if (auto wrong = argumentProblem(*branch, i, read[i].type, values))
                return statementRefusal(node, "{}", *wrong);
        auto &all = dims.emplace_back();
        for (const ValueId result : branch->results()) {
            OpenDims &own = all.emplace_back();
            for (const Dim &dim : branch->type(result).dims) own.push_back(outside(dim, values));
        }
        branches.push_back(branch);
    }
    std::vector<InferredOutput> outputs;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const TensorType &one = branches[0]->type(branches[0]->results()[i]);
        const TensorType &other = branches[1]->type(branches[1]->results()[i]);
        if (one.dtype != other.dtype || one.dims.size() != other.dims.size())
            return statementRefusal(node,
                                    "result {} of `{}` is {}, that of `{}` is {}; they have to agree in element "
                                    "type and rank",
                                    i, branches[0]->name(), typeText(one), branches[1]->name(), typeText(other));
        OpenDims joined = dims[0][i];
        for (size_t axis = 0; axis < joined.size(); ++axis)
            if (joined[axis] != dims[1][i][axis]) joined[axis] = std::nullopt;
        outputs.push_back({closed(node, i, one.dtype, joined)});
    }
    return outputs;
}

StatementInference::Inferred StatementInference::inferCall(const Node &node,
                                                           const std::vector<InputFact> &inputs) const {
    const FunctionPtr function = m_typed.find(regionName(node, "function"));
    const Substitution values = substitutionOf(*function, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
        if (auto wrong = argumentProblem(*function, i, inputs[i].type, values))
            return statementRefusal(node, "{}", *wrong);
    std::vector<InferredOutput> outputs;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const TensorType &given = function->type(function->results()[i]);
        OpenDims dims;
        for (const Dim &dim : given.dims) dims.push_back(outside(dim, values));
        outputs.push_back({closed(node, i, given.dtype, dims)});
    }
    return outputs;
}

StatementInference::Inferred StatementInference::inferLoop(const Node &node,
                                                           const std::vector<InputFact> &inputs) const {
    const FunctionPtr body = m_typed.find(regionName(node, "body"));
    const size_t carried = *carriedCount(node);
    const auto parameter = [&](size_t i) -> const TensorType & { return body->type(body->parameters()[i]); };
    const auto result = [&](size_t i) -> const TensorType & { return body->type(body->results()[i]); };
    if (inputs[0].present && !isOne(inputs[0].type, DType::Int64, SIZE_MAX))
        return statementRefusal(node, "the number of trips is {}, it has to be one int64", typeText(inputs[0].type));
    if (inputs[1].present && !isOne(inputs[1].type, DType::Bool, SIZE_MAX))
        return statementRefusal(node, "the condition is {}, it has to be one bool", typeText(inputs[1].type));
    if (!isOne(parameter(0), DType::Int64, 1) || !isOne(parameter(1), DType::Bool, 1))
        return statementRefusal(node,
                                "the body `{}` takes {} and {} first; they have to be the trip's number, one "
                                "int64, and the condition, one bool",
                                body->name(), typeText(parameter(0)), typeText(parameter(1)));
    if (!isOne(result(0), DType::Bool, 1))
        return statementRefusal(node,
                                "the first result of the body `{}` is {}; it is the condition for the next trip, "
                                "one bool",
                                body->name(), typeText(result(0)));

    // Dims of carried values that every trip leaves as they are, and those of what is read, tell what the body's
    // symbols are in all trips.
    Dims pattern;
    Dims actual;
    for (size_t i = 2; i < inputs.size(); ++i) {
        const Dims &wanted = parameter(i).dims;
        const Dims &given = inputs[i].type.dims;
        const bool isCarried = i < 2 + carried;
        for (size_t axis = 0; axis < std::min(wanted.size(), given.size()); ++axis) {
            if (isCarried && (axis >= result(i - 1).dims.size() || result(i - 1).dims[axis] != wanted[axis])) continue;
            pattern.push_back(wanted[axis]);
            actual.push_back(given[axis]);
        }
    }
    Substitution values;
    solveDims(pattern, actual, values);
    for (size_t i = 2; i < inputs.size(); ++i)
        if (auto wrong = argumentProblem(*body, i, inputs[i].type, values)) return statementRefusal(node, "{}", *wrong);

    std::vector<InferredOutput> outputs;
    for (size_t i = 0; i < carried; ++i) {
        const TensorType &before = parameter(2 + i);
        const TensorType &after = result(1 + i);
        bool fits = before.dtype == after.dtype && before.dims.size() == after.dims.size();
        OpenDims dims;
        for (size_t axis = 0; fits && axis < before.dims.size(); ++axis) {
            fits = !(before.dims[axis].isConstant() && after.dims[axis].isConstant()) ||
                   before.dims[axis] == after.dims[axis];
            if (before.dims[axis] == after.dims[axis])
                dims.emplace_back(inputs[2 + i].type.dims[axis]);
            else
                dims.emplace_back(std::nullopt);
        }
        if (!fits)
            return statementRefusal(node, "the body `{}` takes {} as `{}` and gives {} for the next trip", body->name(),
                                    typeText(before), body->value(body->parameters()[2 + i]).name, typeText(after));
        outputs.push_back({closed(node, i, before.dtype, dims)});
    }
    std::optional<Dim> trips;
    const bool begins = !inputs[1].present || (inputs[1].elements && inputs[1].elements->size() == 1 &&
                                               inputs[1].elements->front() == Dim(1));
    if (begins && alwaysGoesOn(*body) && inputs[0].present && inputs[0].elements && inputs[0].elements->size() == 1 &&
        inputs[0].elements->front().isConstant())
        trips = std::max<int64_t>(0, inputs[0].elements->front().value());
    for (size_t i = carried; i < node.outputs.size(); ++i) {
        OpenDims dims = {trips};
        for (const Dim &dim : result(1 + i).dims) dims.push_back(outside(dim, values));
        outputs.push_back({closed(node, i, result(1 + i).dtype, dims)});
    }
    return outputs;
}

StatementInference::Inferred StatementInference::inferCut(const Node &node,
                                                          const std::vector<InputFact> &inputs) const {
    static constexpr std::array<std::string_view, 5> names = {"value", "starts", "ends", "axes", "steps"};
    for (size_t i = 1; i < inputs.size(); ++i) {
        const TensorType &type = inputs[i].type;
        if (!inputs[i].present) continue;
        if (type.dims.size() != 1 || (type.dtype != DType::Int64 && type.dtype != DType::Int32))
            return statementRefusal(node, "{} is {}, it has to be a vector of int64 or int32", names[i],
                                    typeText(type));
    }
    const TensorType &value = inputs[0].type;
    const auto rank = static_cast<int64_t>(value.dims.size());
    OpenDims dims(value.dims.begin(), value.dims.end());
    const bool named = inputs.size() > 3 && inputs[3].present;
    const auto open = [&](int64_t axis) {
        if (axis < -rank || axis >= rank) return false;
        dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = std::nullopt;
        return true;
    };
    if (named && inputs[3].elements) {
        for (const Dim &axis : *inputs[3].elements)
            if (!axis.isConstant() || !open(axis.value()))
                return statementRefusal(node, "axis {} is outside of rank {}", axis.text(), rank);
    } else {
        const Dim &count = inputs[1].type.dims[0];
        const bool some = !named && count.isConstant();
        if (some && count.value() > rank)
            return statementRefusal(node, "starts are {}, and value has rank {}", typeText(inputs[1].type), rank);
        for (int64_t axis = 0; axis < (some ? count.value() : rank); ++axis) open(axis);
    }
    return std::vector<InferredOutput>{{closed(node, 0, value.dtype, dims)}};
}

StatementInference::Inferred StatementInference::inferSuppression(const Node &node,
                                                                  const std::vector<InputFact> &inputs) const {
    const TensorType &boxes = inputs[0].type;
    const TensorType &scores = inputs[1].type;
    const auto isNot = [](const Dim &a, const Dim &b) { return a.isConstant() && b.isConstant() && a != b; };
    if (!isFloat(boxes.dtype) || !isFloat(scores.dtype) || boxes.dims.size() != 3 || scores.dims.size() != 3 ||
        isNot(boxes.dims[2], Dim(4)) || isNot(boxes.dims[0], scores.dims[0]) || isNot(boxes.dims[1], scores.dims[2]))
        return statementRefusal(node,
                                "boxes are {} and scores {}; they have to be floating point, [batches, boxes, 4] and "
                                "[batches, classes, boxes]",
                                typeText(boxes), typeText(scores));
    static constexpr std::array<std::string_view, 5> names = {"", "", "how many at most", "the share of overlap",
                                                              "the least score"};
    for (size_t i = 2; i < inputs.size(); ++i) {
        if (!inputs[i].present) continue;
        const auto dims = constantDims(inputs[i].type.dims);
        if (dims && elementCount(*dims) != 1)
            return statementRefusal(node, "{} is {}, it has to be one number", names[i], typeText(inputs[i].type));
        if (isFloat(inputs[i].type.dtype) != (i > 2))
            return statementRefusal(node, "{} is {}, it has to be {}", names[i], typeText(inputs[i].type),
                                    i > 2 ? "floating point" : "an integer");
    }
    return std::vector<InferredOutput>{{closed(node, 0, DType::Int64, {std::nullopt, Dim(3)})}};
}

StatementInference::Inferred StatementInference::inferPacked(const Node &node,
                                                             const std::vector<InputFact> &inputs) const {
    SymbolNames known;
    for (const InputFact &input : inputs) unsolvedAxis(input.type.dims, known);
    std::vector<InferredOutput> outputs;
    for (const ValueId output : node.outputs) {
        const TensorType &declared = *m_function.value(output).type;
        for (const Dim &dim : declared.dims)
            for (const std::string &symbol : dim.symbols())
                if (!known.contains(symbol))
                    return statementRefusal(node, "dim {} of `{}` has to be a number, or one of its inputs'", symbol,
                                            m_function.value(output).name);
        outputs.push_back({declared});
    }
    return outputs;
}

StatementInference::Inferred StatementInference::inferMatch(const Node &node,
                                                            const std::vector<InputFact> &inputs) const {
    const TensorType &pattern = *m_function.value(node.outputs[0]).type;
    const TensorType &given = inputs[0].type;
    bool fits = pattern.dtype == given.dtype && pattern.dims.size() == given.dims.size();
    for (size_t axis = 0; fits && axis < given.dims.size(); ++axis)
        fits = !differ(pattern.dims[axis], given.dims[axis]);
    if (!fits)
        return statementRefusal(node, "`{}` is {}, which is never {}", m_function.value(node.inputs[0]).name,
                                typeText(given), typeText(pattern));
    return std::vector<InferredOutput>{{pattern, inputs[0].elements}};
}

} // namespace loopscope
