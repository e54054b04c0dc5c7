#include "schedule/translate/python_computes.h"

#include "base/foreign_text.h"
#include "language/expr/interval.h"
#include "language/expr/walk.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace loopscope {

namespace {

std::string tupleText(const std::vector<std::string> &items) {
    return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

std::string shapeText(const std::vector<int64_t> &shape) {
    std::vector<std::string> extents;
    for (const int64_t extent : shape) extents.push_back(fmt::format("{}", extent));
    return tupleText(extents);
}

bool plainNumber(Expr e) {
    if (e->kind == ExprKind::IntImm) return e->dtype == DType::Int32;
    return e->kind == ExprKind::FloatImm && e->dtype == DType::Float32 &&
           std::fabs(e->floatValue) < std::numeric_limits<float>::max();
}

/// The shortest digits that give the number back.
std::string floatDigits(double value, DType type) {
    std::string text = type == DType::Float64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string_view functionName(Intrinsic intrinsic) {
    switch (intrinsic) {
    case Intrinsic::Fabs:
        return "abs";
    case Intrinsic::Pow:
        return "power";
    default:
        return intrinsicName(intrinsic);
    }
}

} // namespace

Identifiers pythonNames() {
    return {"False",
            "None",
            "True",
            "and",
            "as",
            "assert",
            "async",
            "await",
            "break",
            "class",
            "continue",
            "def",
            "del",
            "elif",
            "else",
            "except",
            "finally",
            "for",
            "from",
            "global",
            "if",
            "import",
            "in",
            "is",
            "lambda",
            "nonlocal",
            "not",
            "or",
            "pass",
            "raise",
            "return",
            "try",
            "while",
            "with",
            "yield",
            "te",
            "tir",
            "tirx",
            "tvm",
            "np",
            "sch",
            "s",
            "main",
            "argparse",
            "float",
            "target",
            "args",
            "tuple",
            "numpy",
            "Path",
            "sys",
            "Schedule",
            "print",
            "len",
            "range",
            "zip",
            "workload",
            "schedule",
            "arguments",
            "start_sum",
            "constant_length",
            "ScheduleError",
            "ARGUMENTS",
            "ml_dtypes"};
}

std::optional<Refusal> whyNoTeCompute(const ComputeDag &dag) {
    for (const OpPtr &op : dag.ops()) {
        if (const std::optional<Scan> scan = scanOf(*op))
            return Refusal{fmt::format("{} cannot be exported to TVM: it is a scan along {}, which reads its own "
                                       "elements, and te.compute reads other tensors only; export C or Halide",
                                       op->name, op->axes[scan->axis].name())};
        if (const std::optional<Scatter> scatter = scatterOf(*op))
            return Refusal{fmt::format("{} cannot be exported to TVM: where its terms go along {} is computed, for "
                                       "which te.compute has no word; export C or Halide",
                                       op->name, op->axes[scatter->places[0].axis].name())};
    }
    return std::nullopt;
}

PythonComputes::PythonComputes(const ComputeDag &dag, Identifiers &names, const PythonDialect &dialect)
    : m_dag(dag), m_all(names), m_dialect(dialect), m_names(dag.size()), m_tensors(dag.size()), m_axes(dag.size()) {
    for (size_t op = 0; op < dag.size(); ++op) { // all tensors first: no axis may hide one
        m_names[op] = m_all.fresh(dag.op(op).name);
        const size_t outputs = dag.op(op).outputs.size();
        for (size_t k = 0; k < outputs; ++k)
            m_tensors[op].push_back(outputs == 1 ? m_names[op] : m_all.fresh(fmt::format("{}_v{}", m_names[op], k)));
    }
    for (size_t op = 0; op < dag.size(); ++op) {
        if (dag.op(op).isPlaceholder())
            writePlaceholder(op);
        else
            writeCompute(op);
    }
}

std::vector<std::string> PythonComputes::arguments() const {
    std::vector<std::string> list;
    for (const Tensor *tensor : m_dag.args())
        list.push_back(
            this->tensor(static_cast<size_t>(m_dag.indexOf(tensor->op)), static_cast<size_t>(tensor->outputIndex)));
    return list;
}

void PythonComputes::writePlaceholder(size_t op) {
    const Tensor &tensor = m_dag.op(op).output();
    m_lines.push_back(fmt::format("{} = te.placeholder({}, {}, name={})", m_names[op], shapeText(tensor.shape),
                                  pythonString(dtypeName(tensor.dtype)), pythonString(m_names[op])));
}

void PythonComputes::writeCompute(size_t op) {
    const Op &of = m_dag.op(op);
    m_op = op;
    m_variables.clear();
    // Axes of different ops may share a name; those of one op, its combiner's variables and all tensors may not.
    Identifiers own = m_all;
    std::vector<std::string> spatial;
    for (const Axis &axis : of.axes) {
        spatial.push_back(own.fresh(axis.name()));
        m_variables.emplace_back(axis.var.node(), spatial.back());
    }
    m_axes[op] = spatial;
    std::vector<std::string> summed;
    if (of.reduction)
        for (const Axis &axis : of.reduction->axes) {
            summed.push_back(own.fresh(axis.name()));
            m_variables.emplace_back(axis.var.node(), summed.back());
            m_axes[op].push_back(summed.back());
            m_lines.push_back(fmt::format("{} = te.reduce_axis((0, {}), name={})", summed.back(), axis.extent,
                                          pythonString(summed.back())));
        }

    std::vector<std::string> values;
    for (size_t k = 0; k < of.body.size(); ++k) {
        std::string value = expression(of.body[k]);
        // A reduce axis is none of the expressions a reduction takes; its variable is.
        if (of.reduction && std::ranges::any_of(of.reduction->axes,
                                                [&](const Axis &axis) { return axis.var.node() == of.body[k].node(); }))
            value += ".var";
        if (of.reduction && of.reduction->condition)
            value = scalar("if_then_else", {expression(of.reduction->condition), value,
                                            expression(of.reduction->combiner.identity[k])});
        values.push_back(value);
    }
    std::string body = values.size() == 1 ? values[0] : tupleText(values);
    if (of.reduction) body = fmt::format("{}({}, axis=[{}])", reducer(op), body, fmt::join(summed, ", "));
    // A tensor alone is none of the values a compute may have.
    std::string attributes;
    if (m_dialect.attributes)
        for (const auto &[key, value] : of.attrs)
            attributes +=
                fmt::format("{}{}: {}", attributes.empty() ? "" : ", ", pythonString(key), attribute(key, value));
    if (!attributes.empty()) attributes = ", attrs={" + attributes + "}";
    m_lines.push_back(fmt::format("{} = te.compute({}, lambda {}: {}, name={}{})", fmt::join(m_tensors[op], ", "),
                                  shapeText(of.shape()), fmt::join(spatial, ", "), body, pythonString(m_names[op]),
                                  attributes));
}

std::string PythonComputes::attribute(std::string_view key, const AttrValue &value) const {
    if (const auto *number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
    if (const auto *text = std::get_if<std::string>(&value)) return pythonString(*text);
    std::vector<std::string> items;
    for (const std::string &item : std::get<std::vector<std::string>>(value)) {
        const auto op = std::ranges::find_if(m_dag.ops(), [&](const OpPtr &other) { return other->name == item; });
        const bool tensors = key == "layout_free_placeholders" && op != m_dag.ops().end();
        items.push_back(tensors ? tensor(static_cast<size_t>(op - m_dag.ops().begin())) : pythonString(item));
    }
    return fmt::format("[{}]", fmt::join(items, ", "));
}

/// What sums up: a function of TVM's, or one that is defined in front.
std::string PythonComputes::reducer(size_t op) {
    const Combiner &combiner = m_dag.op(op).reduction->combiner;
    switch (reduceKind(combiner)) {
    case ReduceKind::Sum:
        return "te.sum";
    case ReduceKind::Min:
        return "te.min";
    case ReduceKind::Max:
        return "te.max";
    default:
        break;
    }
    Identifiers own = m_all;
    const bool single = combiner.result.size() == 1;
    const std::string left = own.fresh("a");
    const std::string right = own.fresh("b");
    const auto before = m_variables.size();
    for (size_t k = 0; k < combiner.result.size(); ++k) {
        m_variables.emplace_back(combiner.left[k].node(), single ? left : fmt::format("{}[{}]", left, k));
        m_variables.emplace_back(combiner.right[k].node(), single ? right : fmt::format("{}[{}]", right, k));
    }
    std::vector<std::string> results, identities, types;
    for (size_t k = 0; k < combiner.result.size(); ++k) {
        results.push_back(expression(combiner.result[k]));
        identities.push_back(isImm(combiner.identity[k]) ? constant(combiner.identity[k])
                                                         : expression(combiner.identity[k]));
        types.push_back(own.fresh(fmt::format("t{}", k)));
    }
    m_variables.resize(before);
    std::string name = m_all.fresh(m_names[op] + "_reduce");
    m_lines.push_back(fmt::format("{} = te.comm_reducer(lambda {}, {}: {}, lambda {}: {}, name={})", name, left, right,
                                  single ? results[0] : tupleText(results), fmt::join(types, ", "),
                                  single ? identities[0] : tupleText(identities), pythonString(name)));
    return name;
}

std::string PythonComputes::scalar(std::string_view function, std::initializer_list<std::string> arguments) const {
    return fmt::format("{}.{}({})", m_dialect.scalars, function, fmt::join(arguments, ", "));
}

std::string PythonComputes::variable(const ExprNode *node) const {
    for (auto it = m_variables.rbegin(); it != m_variables.rend(); ++it)
        if (it->first == node) return it->second;
    return "let_" + identifierText(node->name()); // bound by the lambda around it
}

std::string PythonComputes::constant(Expr e) const {
    // TVM compares digits with its own limits, which the shortest digits of a limit may lie beyond.
    if (e->kind == ExprKind::FloatImm && e->dtype == DType::Float32)
        for (const bool least : {true, false})
            if (e->floatValue == (least ? -1.0 : 1.0) * std::numeric_limits<float>::max())
                return fmt::format("te.{}_value({})", least ? "min" : "max", pythonString(dtypeName(e->dtype)));
    std::string digits;
    if (e->kind == ExprKind::FloatImm)
        digits = std::isnan(e->floatValue)   ? "float(\"nan\")"
                 : std::isinf(e->floatValue) ? (e->floatValue < 0 ? "-float(\"inf\")" : "float(\"inf\")")
                                             : floatDigits(e->floatValue, e->dtype);
    else if (e->dtype == DType::Bool)
        digits = e->intValue != 0 ? "True" : "False";
    else
        digits = fmt::format("{}", e->intValue);
    return scalar("const", {digits, pythonString(dtypeName(e->dtype))});
}

InfixText PythonComputes::operandOf(Expr e, Expr other) const {
    if (!plainNumber(e) || isImm(other)) return infixOf(e);
    return {InfixText::Binds::Atom,
            e->kind == ExprKind::IntImm ? fmt::format("{}", e->intValue) : floatDigits(e->floatValue, e->dtype)};
}

InfixText PythonComputes::binaryOf(Expr e) const {
    const Expr a = e->arg(0), b = e->arg(1);
    const auto between = [&](std::string_view op, InfixText::Binds binds) {
        return infix(operandOf(a, b), op, operandOf(b, a), binds);
    };
    const auto called = [&](std::string_view function) {
        return InfixText{InfixText::Binds::Atom, scalar(function, {expression(a), expression(b)})};
    };
    switch (e->kind) {
    case ExprKind::Add:
        return between("+", InfixText::Binds::Sum);
    case ExprKind::Sub:
        return between("-", InfixText::Binds::Sum);
    case ExprKind::Mul:
        return between("*", InfixText::Binds::Product);
    case ExprKind::Div:
        return isFloat(e->dtype) ? between("/", InfixText::Binds::Product) : called("truncdiv");
    case ExprKind::Mod:
        return called("truncmod");
    case ExprKind::FloorDiv:
        return between("//", InfixText::Binds::Product);
    case ExprKind::FloorMod:
        return between("%", InfixText::Binds::Product);
    case ExprKind::Min:
        return called("min");
    case ExprKind::Max:
        return called("max");
    case ExprKind::Eq:
        return m_dialect.plainEquality ? between("==", InfixText::Binds::Comparison) : called("EQ");
    case ExprKind::Ne:
        return m_dialect.plainEquality ? between("!=", InfixText::Binds::Comparison) : called("NE");
    case ExprKind::Lt:
        return between("<", InfixText::Binds::Comparison);
    case ExprKind::Le:
        return between("<=", InfixText::Binds::Comparison);
    case ExprKind::Gt:
        return between(">", InfixText::Binds::Comparison);
    case ExprKind::Ge:
        return between(">=", InfixText::Binds::Comparison);
    case ExprKind::And:
        return called("all");
    default:
        return called("any"); // Or
    }
}

std::string PythonComputes::callOf(Expr e) const {
    const auto between = [&](std::string_view op) {
        return fmt::format("({} {} {})", expression(e->arg(0)), op, expression(e->arg(1)));
    };
    switch (e->intrinsic) {
    case Intrinsic::ShiftLeft:
        return between("<<");
    case Intrinsic::ShiftRight:
        return between(">>");
    case Intrinsic::BitwiseAnd:
        return between("&");
    case Intrinsic::BitwiseOr:
        return between("|");
    case Intrinsic::BitwiseXor:
        return between("^");
    default:
        break;
    }
    std::vector<std::string> arguments;
    const bool narrow = e->dtype == DType::Float16 || e->dtype == DType::BFloat16;
    if (narrow && e->intrinsic >= Intrinsic::Exp && e->intrinsic <= Intrinsic::Atan) {
        // TVM computes them in the type they are asked for, polynomials included.
        for (const Expr argument : e->operands()) arguments.push_back(castOf(argument, DType::Float32));
        return fmt::format("{}.{}({}).astype({})", m_dialect.scalars, functionName(e->intrinsic),
                           fmt::join(arguments, ", "), pythonString(dtypeName(e->dtype)));
    }
    for (const Expr argument : e->operands()) arguments.push_back(expression(argument));
    return fmt::format("{}.{}({})", m_dialect.scalars, functionName(e->intrinsic), fmt::join(arguments, ", "));
}

std::string PythonComputes::castOf(Expr e, DType type) const {
    const InfixText inner = infixOf(e);
    return fmt::format("{}.astype({})", inner.binds == InfixText::Binds::Atom ? inner.text : "(" + inner.text + ")",
                       pythonString(dtypeName(type)));
}

/// What a condition in front keeps from being read may be any number, and a region of all numbers has no bounds.
std::string PythonComputes::indexOf(Expr index, int64_t extent) const {
    if (index->kind == ExprKind::IntImm) return fmt::format("{}", index->intValue);
    if (!m_dialect.boundedIndices || !containsLoad(index)) return expression(index);
    const auto within = [&](const std::string &text, DType type) {
        const auto number = [&](int64_t value) {
            return scalar("const", {fmt::format("{}", value), pythonString(dtypeName(type))});
        };
        return scalar("min", {scalar("max", {text, number(0)}), number(extent - 1)});
    };
    std::vector<VarRange> ranges;
    for (const Axis &axis : m_dag.op(m_op).axes) ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    if (m_dag.op(m_op).reduction)
        for (const Axis &axis : m_dag.op(m_op).reduction->axes)
            ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    const Interval reached = intervalOf(index, ranges);
    const bool inside = reached.min >= 0 && reached.max < extent;
    std::string text = inside ? expression(index) : within(expression(index), index->dtype);
    if (index->dtype != DType::Int64) return text;
    // TVM 0.27 mixes regions of 64 and 32 bits up.
    const bool atom = !inside || infixOf(index).binds == InfixText::Binds::Atom;
    return within(fmt::format("{}.astype(\"int32\")", atom ? text : "(" + text + ")"), DType::Int32);
}

std::string PythonComputes::loadOf(Expr e) const {
    const Tensor &loaded = asTensor(e->symbol);
    std::vector<std::string> indices;
    for (size_t d = 0; d < e->argCount; ++d) indices.push_back(indexOf(e->arg(d), loaded.shape[d]));
    const int op = m_dag.indexOf(loaded.op);
    return fmt::format("{}[{}]", tensor(static_cast<size_t>(op), static_cast<size_t>(loaded.outputIndex)),
                       indices.empty() ? "()" : fmt::format("{}", fmt::join(indices, ", ")));
}

InfixText PythonComputes::infixOf(Expr e) const {
    const auto atom = [](std::string text) { return InfixText{InfixText::Binds::Atom, std::move(text)}; };
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return atom(constant(e));
    case ExprKind::Var:
        return atom(variable(e.node()));
    case ExprKind::Cast:
        return atom(castOf(e->arg(0), e->dtype));
    case ExprKind::Not:
        return atom(scalar("Not", {expression(e->arg(0))}));
    case ExprKind::Select:
        return atom(scalar("Select", {expression(e->arg(0)), expression(e->arg(1)), expression(e->arg(2))}));
    case ExprKind::Call:
        return atom(callOf(e));
    case ExprKind::Load:
        return atom(loadOf(e));
    case ExprKind::Let: // bound once, used wherever the name stands
        return atom(fmt::format("(lambda {0}: {2})({1})", variable(e->arg(0).node()), expression(e->arg(1)),
                                expression(e->arg(2))));
    default:
        return binaryOf(e);
    }
}

} // namespace loopscope
