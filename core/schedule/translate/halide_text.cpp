#include "schedule/translate/halide_text.h"

#include "base/foreign_text.h"
#include "language/expr/interval.h"
#include "language/te/scatter.h"
#include "schedule/translate/halide_terms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace loopscope {

namespace {

std::string reversedText(std::vector<std::string> items) {
    std::ranges::reverse(items);
    return fmt::format("{}", fmt::join(items, ", "));
}

std::string constantText(Expr e) {
    if (e->kind == ExprKind::IntImm) {
        if (e->dtype == DType::Bool) return e->intValue != 0 ? "const_true()" : "const_false()";
        if (e->intValue == INT64_MIN) return "Expr(std::numeric_limits<int64_t>::min())";
        if (e->dtype == DType::Int32 && e->intValue == INT32_MIN) return "Expr(std::numeric_limits<int32_t>::min())";
        return fmt::format("Expr({}({}{}))", halideElement(e->dtype), e->intValue,
                           e->dtype == DType::Int64 ? "LL" : "");
    }
    const std::string_view element = halideElement(e->dtype);
    const bool narrow = e->dtype == DType::Float16 || e->dtype == DType::BFloat16;
    const std::string_view wide = narrow ? "float" : element;
    std::string digits;
    if (std::isnan(e->floatValue))
        digits = fmt::format("std::numeric_limits<{}>::quiet_NaN()", wide);
    else if (std::isinf(e->floatValue))
        digits = fmt::format("{}std::numeric_limits<{}>::infinity()", e->floatValue < 0 ? "-" : "", wide);
    else if (e->dtype == DType::Float32 && std::fabs(e->floatValue) == std::numeric_limits<float>::max())
        digits = fmt::format("std::numeric_limits<float>::{}()", e->floatValue < 0 ? "lowest" : "max");
    else if (e->dtype == DType::Float64)
        digits = fmt::format("double({})", e->floatValue);
    else
        digits = fmt::format("float({})", static_cast<float>(e->floatValue));
    return narrow ? fmt::format("Expr({}({}))", element, digits) : fmt::format("Expr({})", digits);
}

/// A number that takes the type of what stands beside it.
std::optional<std::string> plainText(Expr e) {
    if (e->kind == ExprKind::IntImm && e->dtype == DType::Int32 && e->intValue != INT32_MIN)
        return fmt::format("{}", e->intValue);
    if (e->kind == ExprKind::FloatImm && e->dtype == DType::Float32 &&
        std::fabs(e->floatValue) < std::numeric_limits<float>::max()) {
        std::string digits = fmt::format("{}", static_cast<float>(e->floatValue));
        if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
        return digits + "f";
    }
    return std::nullopt;
}

} // namespace

Identifiers halideNames() {
    return {"alignas", "alignof", "and", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
            "class", "compl", "concept", "const", "constexpr", "continue", "decltype", "default", "delete", "do",
            "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
            "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or",
            "private", "protected", "public", "register", "requires", "return", "short", "signed", "sizeof", "static",
            "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
            "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
            // of Halide and of the file
            "Expr", "Func", "Var", "RVar", "RDom", "Tuple", "Buffer", "ImageParam", "Pipeline", "TailStrategy",
            "Halide", "select", "clamp", "cast", "min", "max", "exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "tan",
            "atan", "abs", "floor", "ceil", "round", "trunc", "pow", "is_nan", "popcount", "truncDiv", "truncMod",
            "main", "std", "build", "inputs", "scheduled", "Argument", "ArgumentFacts", "arguments", "Type", "Float",
            "Int", "UInt", "BFloat", "Bool"};
}

std::string_view halideType(DType type) {
    switch (type) {
    case DType::Bool:
        return "UInt(1)";
    case DType::Int8:
        return "Int(8)";
    case DType::UInt8:
        return "UInt(8)";
    case DType::Int16:
        return "Int(16)";
    case DType::UInt16:
        return "UInt(16)";
    case DType::UInt32:
        return "UInt(32)";
    case DType::Int32:
        return "Int(32)";
    case DType::Int64:
        return "Int(64)";
    case DType::Float16:
        return "Float(16)";
    case DType::BFloat16:
        return "BFloat(16)";
    case DType::Float32:
        return "Float(32)";
    case DType::Float64:
        break;
    }
    return "Float(64)";
}

std::string_view halideElement(DType type) {
    switch (type) {
    case DType::Bool:
        return "bool";
    case DType::Int8:
        return "int8_t";
    case DType::UInt8:
        return "uint8_t";
    case DType::Int16:
        return "int16_t";
    case DType::UInt16:
        return "uint16_t";
    case DType::UInt32:
        return "uint32_t";
    case DType::Int32:
        return "int32_t";
    case DType::Int64:
        return "int64_t";
    case DType::Float16:
        return "float16_t";
    case DType::BFloat16:
        return "bfloat16_t";
    case DType::Float32:
        return "float";
    case DType::Float64:
        break;
    }
    return "double";
}

HalideFuncs::HalideFuncs(const BoundedState &bounded, Identifiers &names, bool clampInputs)
    : m_bounded(bounded), m_dag(*bounded.state.dag()), m_all(names), m_clampInputs(clampInputs), m_names(m_dag.size()),
      m_axes(m_dag.size()), m_terms(m_dag.size()) {
    const ComputeDag &dag = m_dag;
    for (size_t op = 0; op < dag.size(); ++op) {
        // A letter and a number is what Halide calls its own temporaries, and it does not look whether a name is taken.
        const std::string name = identifierText(dag.op(op).name);
        const bool theirs = name.size() > 1 && name.find_first_not_of("0123456789", 1) == std::string::npos;
        m_names[op] = m_all.fresh(theirs ? name.substr(0, 1) + "_" + name.substr(1) : name);
    }
    for (size_t op = 0; op < dag.size(); ++op) {
        m_op = op;
        if (dag.op(op).isPlaceholder())
            writePlaceholder(op);
        else
            writeCompute(op);
    }
}

void HalideFuncs::writePlaceholder(size_t op) {
    const Tensor &tensor = m_dag.op(op).output();
    const std::string &name = m_names[op];
    m_lines.push_back(
        fmt::format("ImageParam {}({}, {}, \"{}\");", name, halideType(tensor.dtype), tensor.shape.size(), name));
    std::string bounds;
    for (size_t d = 0; d < tensor.shape.size(); ++d)
        bounds += fmt::format("{}.dim({}).set_bounds(0, {}); ", name, d, tensor.shape[tensor.shape.size() - 1 - d]);
    if (!bounds.empty()) m_lines.push_back(bounds.substr(0, bounds.size() - 1));
}

std::string HalideFuncs::tuple(const std::vector<std::string> &values) const {
    return values.size() == 1 ? values[0] : fmt::format("Tuple({})", fmt::join(values, ", "));
}

void HalideFuncs::writeCompute(size_t op) {
    const Op &of = m_dag.op(op);
    const std::string &name = m_names[op];
    m_variables.clear();
    m_lines.emplace_back();
    m_lines.push_back(fmt::format("Func {}(\"{}\");", name, name));
    std::vector<std::string> spatial;
    for (const Axis &axis : of.axes) {
        spatial.push_back(m_all.fresh(fmt::format("{}_{}", name, axis.name())));
        m_variables.emplace_back(axis.var.node(), spatial.back());
        m_lines.push_back(fmt::format("Var {}(\"{}\");", spatial.back(), spatial.back()));
    }
    m_axes[op] = spatial;
    if (const std::optional<Scan> scan = scanOf(of)) return writeScan(op, *scan);
    const std::string element = fmt::format("{}({})", name, reversedText(spatial));
    std::vector<std::string> values;
    if (!of.reduction) {
        for (const Expr value : of.body) values.push_back(expression(value));
        m_lines.push_back(fmt::format(
            "{} = {};", element, values.size() == 1 && isImm(of.body[0]) ? constantText(of.body[0]) : tuple(values)));
        return;
    }
    for (const Expr identity : of.reduction->combiner.identity)
        values.push_back(isImm(identity) ? constantText(identity) : expression(identity));
    m_lines.push_back(fmt::format("{} = {};", element, tuple(values)));
    writeDomain(op);
    if (const std::optional<Scatter> scatter = scatterOf(of))
        for (const ScatterPlace &place : scatter->places)
            spatial[place.axis] = indexOf(place.index, of.axes[place.axis].extent, false);
    writeUpdate(op, fmt::format("{}({})", name, reversedText(spatial)));
}

/// No value first; then an update of the elements that are given, and one that goes from those to the other end.
void HalideFuncs::writeScan(size_t op, const Scan &scan) {
    const Op &of = m_dag.op(op);
    const Axis &along = of.axes[scan.axis];
    std::vector<std::string> indices = m_axes[op];
    const auto define = [&](const std::vector<std::string> &values) {
        m_lines.push_back(fmt::format("{}({}) = {};", m_names[op], reversedText(indices), tuple(values)));
    };
    std::vector<std::string> values;
    for (const auto &output : of.outputs) values.push_back(fmt::format("undef<{}>()", halideElement(output->dtype)));
    define(values);
    const int64_t given = std::min(scan.reach, along.extent);
    for (const bool steps : {false, true}) {
        const std::string domain = m_all.fresh(m_names[op] + (steps ? "_r" : "_from"));
        const std::string loop = m_all.fresh(fmt::format("{}_{}", domain, along.name()));
        const Interval turns = steps ? Interval{given, along.extent - 1} : Interval{0, given - 1};
        m_lines.push_back(
            fmt::format("RDom {}({}, {}, \"{}\");", domain, turns.min, turns.max - turns.min + 1, domain));
        m_lines.push_back(fmt::format("RVar {} = {}[0];", loop, domain));
        indices[scan.axis] = scan.backwards ? fmt::format("({} - {})", along.extent - 1, loop) : loop;
        m_variables.emplace_back(along.var.node(), indices[scan.axis]);
        const Interval last = Interval::point(along.extent - 1);
        m_scanned = VarRange{along.var.node(), scan.backwards ? last - turns : turns};
        values.clear();
        for (size_t k = 0; k < of.body.size(); ++k)
            values.push_back(expression(steps ? scanStep(of, k) : scanStart(of, k)));
        define(values);
        m_terms[op] = {{static_cast<int>(scan.axis), loop}};
    }
    m_scanned.reset();
}

/// The terms in our order, innermost dimension first.
void HalideFuncs::writeDomain(size_t op) {
    const Op &of = m_dag.op(op);
    const std::vector<Axis> &axes = of.reduction->axes;
    const std::string domain = m_all.fresh(m_names[op] + "_r");
    const auto declare = [&](const std::vector<std::string> &ranges) {
        m_lines.push_back(
            fmt::format("RDom {}(std::vector<Range>{{{}}}, \"{}\");", domain, fmt::join(ranges, ", "), domain));
    };
    for (const Axis &axis : axes) {
        m_axes[op].push_back(m_all.fresh(fmt::format("{}_{}", m_names[op], axis.name())));
        m_variables.emplace_back(axis.var.node(), m_axes[op].back());
    }
    const size_t first = of.axes.size();
    const Stage &stage = m_bounded.state.stage(StageId(op));
    if (halideReorders(of) || !changesTermOrder(stage)) {
        std::vector<std::string> ranges;
        for (size_t r = axes.size(); r-- > 0;) ranges.push_back(fmt::format("{{0, {}}}", axes[r].extent));
        declare(ranges);
        for (size_t r = 0; r < axes.size(); ++r)
            m_lines.push_back(fmt::format("RVar {} = {}[{}];", m_axes[op][first + r], domain, axes.size() - 1 - r));
    } else {
        HalideTerms terms = halideTerms(stage, m_bounded.stages[op], m_names[op], m_all);
        declare(terms.ranges);
        for (size_t d = 0; d < terms.names.size(); ++d)
            m_lines.push_back(fmt::format("RVar {} = {}[{}];", terms.names[d], domain, d));
        for (size_t r = 0; r < axes.size(); ++r)
            m_lines.push_back(fmt::format("Expr {} = {};", m_axes[op][first + r], terms.axes[r]));
        for (const std::string &inside : terms.inside) m_lines.push_back(fmt::format("{}.where({});", domain, inside));
        m_terms[op] = std::move(terms.loops);
    }
    const std::optional<Scatter> scatter = scatterOf(of);
    if (const Expr condition = scatter ? scatter->condition : of.reduction->condition)
        m_lines.push_back(fmt::format("{}.where({});", domain, expression(condition)));
}

void HalideFuncs::writeUpdate(size_t op, const std::string &element) {
    const Op &of = m_dag.op(op);
    const Combiner &combiner = of.reduction->combiner;
    const bool single = combiner.result.size() == 1;
    const auto type = of.output().dtype;
    if (single && reduceKind(combiner) != ReduceKind::Other && type != DType::Bool) {
        const std::string source = expression(of.body[0]);
        switch (reduceKind(combiner)) {
        case ReduceKind::Sum:
            m_lines.push_back(fmt::format("{} += {};", element, source));
            return;
        case ReduceKind::Prod:
            m_lines.push_back(fmt::format("{} *= {};", element, source));
            return;
        case ReduceKind::Min:
            m_lines.push_back(fmt::format("{0} = min({0}, {1});", element, source));
            return;
        default:
            m_lines.push_back(fmt::format("{0} = max({0}, {1});", element, source));
            return;
        }
    }
    for (size_t k = 0; k < combiner.result.size(); ++k) {
        const std::string left = m_all.fresh(fmt::format("{}_left{}", m_names[op], k));
        const std::string right = m_all.fresh(fmt::format("{}_right{}", m_names[op], k));
        m_lines.push_back(fmt::format("Expr {} = {}{};", left, element, single ? "" : fmt::format("[{}]", k)));
        m_lines.push_back(fmt::format("Expr {} = {};", right, expression(of.body[k])));
        m_variables.emplace_back(combiner.left[k].node(), left);
        m_variables.emplace_back(combiner.right[k].node(), right);
    }
    std::vector<std::string> results;
    for (const Expr result : combiner.result) results.push_back(expression(result));
    m_lines.push_back(fmt::format("{} = {};", element, tuple(results)));
}

std::string HalideFuncs::variable(const ExprNode *node) const {
    for (auto it = m_variables.rbegin(); it != m_variables.rend(); ++it)
        if (it->first == node) return it->second;
    return "let_" + identifierText(node->name()); // bound by the lambda around it
}

InfixText HalideFuncs::operandOf(Expr e, Expr other) {
    const auto plain = plainText(e);
    if (!plain || isImm(other)) return infixOf(e);
    return {InfixText::Binds::Atom, *plain};
}

InfixText HalideFuncs::binaryOf(Expr e) {
    const Expr a = e->arg(0), b = e->arg(1);
    const auto between = [&](std::string_view op, InfixText::Binds binds) {
        return infix(operandOf(a, b), op, operandOf(b, a), binds);
    };
    const auto called = [&](std::string_view function) {
        return InfixText{InfixText::Binds::Atom, fmt::format("{}({}, {})", function, expression(a), expression(b))};
    };
    const auto logical = [&](std::string_view op) {
        return InfixText{InfixText::Binds::Atom, fmt::format("({} {} {})", expression(a), op, expression(b))};
    };
    switch (e->kind) {
    case ExprKind::Add:
        return between("+", InfixText::Binds::Sum);
    case ExprKind::Sub:
        return between("-", InfixText::Binds::Sum);
    case ExprKind::Mul:
        return between("*", InfixText::Binds::Product);
    case ExprKind::Div:
        return isFloat(e->dtype) ? between("/", InfixText::Binds::Product) : called("truncDiv");
    case ExprKind::Mod:
        return called("truncMod");
    case ExprKind::FloorDiv: // Halide's division rounds down where the divisor is positive
        return between("/", InfixText::Binds::Product);
    case ExprKind::FloorMod:
        return between("%", InfixText::Binds::Product);
    case ExprKind::Min:
        return called("min");
    case ExprKind::Max:
        return called("max");
    case ExprKind::Eq:
        return between("==", InfixText::Binds::Comparison);
    case ExprKind::Ne:
        return between("!=", InfixText::Binds::Comparison);
    case ExprKind::Lt:
        return between("<", InfixText::Binds::Comparison);
    case ExprKind::Le:
        return between("<=", InfixText::Binds::Comparison);
    case ExprKind::Gt:
        return between(">", InfixText::Binds::Comparison);
    case ExprKind::Ge:
        return between(">=", InfixText::Binds::Comparison);
    case ExprKind::And:
        return logical("&&");
    default:
        return logical("||"); // Or
    }
}

std::string HalideFuncs::callOf(Expr e) {
    std::string a = expression(e->arg(0));
    const std::string b = e->argCount > 1 ? expression(e->arg(1)) : std::string();
    const auto number = [&](double value) { return constantText(makeFloat(value, e->dtype)); };
    switch (e->intrinsic) {
    case Intrinsic::IfThenElse:
        return fmt::format("select({}, {}, {})", a, b, expression(e->arg(2)));
    case Intrinsic::Exp2:
        return fmt::format("pow({}, {})", number(2), a);
    case Intrinsic::Exp10:
        return fmt::format("pow({}, {})", number(10), a);
    case Intrinsic::Log2:
        return fmt::format("(log({}) / {})", a, number(std::log(2.0)));
    case Intrinsic::Log10:
        return fmt::format("(log({}) / {})", a, number(std::log(10.0)));
    case Intrinsic::Rsqrt:
        return fmt::format("({} / sqrt({}))", number(1), a);
    case Intrinsic::Sigmoid:
        return fmt::format("({0} / ({0} + exp(-({1}))))", number(1), a);
    case Intrinsic::Fabs:
        return fmt::format("abs({})", a);
    case Intrinsic::Isnan:
        return fmt::format("is_nan({})", a);
    case Intrinsic::Pow:
        return fmt::format("pow({}, {})", a, b);
    case Intrinsic::Fmod:
        m_refused =
            Refusal{fmt::format("{} cannot be exported to Halide: it uses fmod, which Halide does not have; its "
                                "modulo has the sign of the divisor",
                                m_dag.op(m_op).name)};
        return a;
    case Intrinsic::ShiftLeft:
        return fmt::format("({} << {})", a, b);
    case Intrinsic::ShiftRight:
        return fmt::format("({} >> {})", a, b);
    case Intrinsic::BitwiseAnd:
        return fmt::format("({} & {})", a, b);
    case Intrinsic::BitwiseOr:
        return fmt::format("({} | {})", a, b);
    case Intrinsic::BitwiseXor:
        return fmt::format("({} ^ {})", a, b);
    default:
        return fmt::format("{}({})", intrinsicName(e->intrinsic), a);
    }
}

/// Halide computes both sides of a choice, so that an index that is never used must be one of the tensor all the same.
std::string HalideFuncs::indexOf(Expr index, int64_t extent, bool input) {
    std::string text = plainText(index).value_or(expression(index));
    if (index->dtype != DType::Int32) text = fmt::format("cast<int32_t>({})", text);
    const Op &of = m_dag.op(m_op);
    std::vector<VarRange> ranges;
    for (const Axis &axis : of.axes) {
        const bool scanned = m_scanned && m_scanned->var == axis.var.node();
        ranges.push_back(scanned ? *m_scanned : VarRange{axis.var.node(), Interval::upTo(axis.extent)});
    }
    if (of.reduction)
        for (const Axis &axis : of.reduction->axes) ranges.push_back({axis.var.node(), Interval::upTo(axis.extent)});
    const Interval reached = intervalOf(index, ranges);
    const bool inside = reached.min >= 0 && reached.max < extent;
    if (inside && (!input || !m_clampInputs || isImm(index))) return text;
    return fmt::format("clamp({}, 0, {})", text, extent - 1);
}

std::string HalideFuncs::loadOf(Expr e) {
    const Tensor &loaded = asTensor(e->symbol);
    std::vector<std::string> indices;
    for (size_t d = 0; d < e->argCount; ++d)
        indices.push_back(indexOf(e->arg(d), loaded.shape[d], loaded.op->isPlaceholder()));
    std::string text =
        fmt::format("{}({})", m_names[static_cast<size_t>(m_dag.indexOf(loaded.op))], reversedText(std::move(indices)));
    if (loaded.op->outputs.size() > 1) text += fmt::format("[{}]", loaded.outputIndex);
    return text;
}

InfixText HalideFuncs::infixOf(Expr e) {
    const auto atom = [](std::string text) { return InfixText{InfixText::Binds::Atom, std::move(text)}; };
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
        return atom(constantText(e));
    case ExprKind::Var:
        return atom(e->dtype == DType::Int64 ? fmt::format("cast<int64_t>({})", variable(e.node()))
                                             : variable(e.node()));
    case ExprKind::Cast:
        return atom(fmt::format("cast<{}>({})", halideElement(e->dtype), expression(e->arg(0))));
    case ExprKind::Not:
        return atom(fmt::format("!({})", expression(e->arg(0))));
    case ExprKind::Select:
        return atom(
            fmt::format("select({}, {}, {})", expression(e->arg(0)), expression(e->arg(1)), expression(e->arg(2))));
    case ExprKind::Call: // mathematical functions of Halide's turn bfloat16 into float
        return atom(e->dtype == DType::BFloat16 && e->intrinsic != Intrinsic::IfThenElse
                        ? fmt::format("cast<bfloat16_t>({})", callOf(e))
                        : callOf(e));
    case ExprKind::Load:
        return atom(loadOf(e));
    case ExprKind::Let:
        return atom(fmt::format("[&](Expr {0}) {{ return Expr({2}); }}({1})", variable(e->arg(0).node()),
                                expression(e->arg(1)), expression(e->arg(2))));
    default:
        return binaryOf(e);
    }
}

} // namespace loopscope
