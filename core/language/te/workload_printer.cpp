// `.te` text that parses back to the same ops. Expressions print fully parenthesised, in the language's own spelling;
// every constant prints with all its digits.

#include "base/check.h"
#include "language/expr/readable_text.h"
#include "language/te/axis_origins.h"
#include "language/te/language/lexer.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"
#include "language/te/workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace loopscope {

namespace {

std::string shortest(double value, DType type) {
    std::array<char, 40> buffer{};
    const auto result = type == DType::Float64
                            ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value)
                            : std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
    std::string text(buffer.data(), result.ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string constantText(Expr e) {
    const std::string type(dtypeName(e->dtype));
    if (e->kind == ExprKind::IntImm) {
        if (e->dtype == DType::Bool) return e->intValue != 0 ? "true" : "false";
        const std::string digits = e->intValue == INT64_MIN ? "lowest(int64)" : std::to_string(e->intValue);
        return e->dtype == DType::Int32 || e->intValue == INT64_MIN ? digits : type + "(" + digits + ")";
    }
    if (std::isinf(e->floatValue)) return (e->floatValue < 0 ? "-inf(" : "inf(") + type + ")";
    if (std::isnan(e->floatValue)) return "nan(" + type + ")";
    const std::string digits = shortest(e->floatValue, e->dtype);
    return e->dtype == DType::Float32 ? digits : type + "(" + digits + ")";
}

std::string printedName(std::string_view name) { return isPlainName(name) ? std::string(name) : quoted(name); }

class Printer {
  public:
    explicit Printer(const std::vector<OpPtr> &ops) {
        for (const OpPtr &op : ops) chooseHandle(*op);
    }

    std::string print(const std::string &name, const std::vector<OpPtr> &ops, const std::vector<const Tensor *> &args) {
        m_out = "workload " + printedName(name) + "()\n\n";
        for (const OpPtr &op : ops) op->isPlaceholder() ? printPlaceholder(*op) : printCompute(*op);
        printArgs(ops, args);
        return std::move(m_out);
    }

  private:
    /// The op's name where that is a free plain name; otherwise a plain name made from it.
    void chooseHandle(const Op &op) {
        static const std::set<std::string, std::less<>> keywords = {"workload", "let", "args", "output", "placeholder"};
        std::string base;
        for (const char c : op.name) base += isPlainName(std::string("a") + c) ? c : '_';
        if (!isPlainName(op.name)) base = "t_" + base;
        if (keywords.contains(base)) base += "_op";
        std::string handle = base;
        for (int n = 2; !isFree(handle, op); ++n) handle = base + "_" + std::to_string(n);
        m_used.insert(handle);
        for (size_t k = 0; k < op.outputs.size() && op.outputs.size() > 1; ++k)
            m_used.insert(handle + ".v" + std::to_string(k));
        m_handles[&op] = handle;
    }

    bool isFree(const std::string &handle, const Op &op) const {
        if (m_used.contains(handle)) return false;
        for (size_t k = 0; k < op.outputs.size() && op.outputs.size() > 1; ++k)
            if (m_used.contains(handle + ".v" + std::to_string(k))) return false;
        return true;
    }

    std::string handleOf(const Tensor &tensor) const {
        const auto found = m_handles.find(tensor.op);
        LOOPSCOPE_CHECK(found != m_handles.end(), "op reads `" + tensor.name + "`, which is not printed");
        return tensor.op->outputs.size() == 1 ? found->second
                                              : found->second + ".v" + std::to_string(tensor.outputIndex);
    }

    void printHead(const Op &op) {
        const std::string &handle = m_handles.at(&op);
        m_out += handle;
        if (handle != op.name) m_out += " " + quoted(op.name);
    }

    void printPlaceholder(const Op &op) {
        printHead(op);
        m_out += " = placeholder [";
        for (size_t i = 0; i < op.shape().size(); ++i) m_out += (i > 0 ? ", " : "") + std::to_string(op.shape()[i]);
        m_out += "] " + std::string(dtypeName(op.output().dtype)) + "\n";
    }

    void printAxes(const std::vector<Axis> &axes) {
        for (size_t i = 0; i < axes.size(); ++i) {
            const Axis &axis = axes[i];
            m_out += i > 0 ? ", " : "";
            if (axis.origin != 0) m_out += std::to_string(axis.origin) + " <= ";
            m_out += printedName(axis.name()) + " < " + std::to_string(axis.origin + axis.extent);
        }
    }

    void printCompute(const Op &op) {
        printHead(op);
        m_out += "(";
        printAxes(op.axes);
        m_out += ") =\n    ";
        const std::vector<Axis> axes = allAxes(op);
        std::vector<Expr> body = op.body;
        for (Expr &value : body) value = coordinatesFromCounts(value, axes);
        if (op.reduction)
            printReduction(op, body, axes);
        else if (const std::optional<Scan> scan = scanOf(op))
            printScan(op, *scan, body);
        else
            printTuple(body);
        m_out += "\n";
        for (const auto &[name, value] : op.attrs)
            if (name != kScatterAttribute) printAttribute(name, value);
        if (!op.tag.empty()) printAttribute("tag", op.tag);
    }

    /// `body` in coordinates.
    void printScan(const Op &op, const Scan &scan, const std::vector<Expr> &body) {
        std::vector<Expr> start;
        std::vector<Expr> step;
        for (const Expr value : body) {
            step.push_back(value->arg(1));
            start.push_back(value->arg(2));
        }
        m_out += "scan(" + printedName(op.axes[scan.axis].name()) + "; from ";
        printTuple(start);
        m_out += "; ";
        printTuple(step);
        m_out += ")";
    }

    /// Returns the condition that is left.
    Expr printPlaces(const Op &op, const Scatter &scatter, const std::vector<Axis> &axes) {
        m_out += " at ";
        for (size_t i = 0; i < scatter.places.size(); ++i) {
            const Axis &axis = op.axes[scatter.places[i].axis];
            m_out += (i > 0 ? ", " : "") + printedName(axis.name()) + " = ";
            print(shiftedBy(coordinatesFromCounts(scatter.places[i].index, axes), axis.origin));
        }
        return scatter.condition;
    }

    void printReduction(const Op &op, const std::vector<Expr> &body, const std::vector<Axis> &axes) {
        const Combiner &combiner = op.reduction->combiner;
        static constexpr std::array<std::string_view, 5> names = {"sum", "prod", "min", "max", "reduce"};
        ReduceKind kind = reduceKind(combiner);
        if (kind != ReduceKind::Other &&
            (op.body[0]->dtype == DType::Bool ||
             !structurallyEqual(combiner.identity[0], makeCombiner(kind, op.body[0]->dtype).identity[0])))
            kind = ReduceKind::Other;
        m_out += names[static_cast<size_t>(kind)];
        m_out += "(";
        printAxes(op.reduction->axes);
        Expr condition = op.reduction->condition;
        if (const std::optional<Scatter> scatter = scatterOf(op)) condition = printPlaces(op, *scatter, axes);
        if (condition) {
            m_out += " where ";
            print(coordinatesFromCounts(condition, axes));
        }
        m_out += "; ";
        if (kind == ReduceKind::Other) {
            printVariables(combiner.left);
            m_out += ", ";
            printVariables(combiner.right);
            m_out += " -> ";
            printTuple(combiner.result);
            m_out += "; from ";
            printTuple(combiner.identity);
            m_out += "; ";
        }
        printTuple(body);
        m_out += ")";
    }

    void printVariables(const std::vector<Expr> &variables) {
        if (variables.size() > 1) m_out += "(";
        for (size_t i = 0; i < variables.size(); ++i) m_out += (i > 0 ? ", " : "") + printedName(variables[i]->name());
        if (variables.size() > 1) m_out += ")";
    }

    void printTuple(const std::vector<Expr> &values) {
        if (values.size() > 1) m_out += "(";
        printList(values);
        if (values.size() > 1) m_out += ")";
    }

    void printList(std::span<const Expr> values) {
        for (size_t i = 0; i < values.size(); ++i) {
            if (i > 0) m_out += ", ";
            print(values[i]);
        }
    }

    void printAttribute(const std::string &name, const AttrValue &value) {
        m_out += "    @" + printedName(name);
        if (const auto *number = std::get_if<int64_t>(&value)) {
            m_out += "(" + (*number == INT64_MIN ? "lowest(int64)" : std::to_string(*number)) + ")";
        } else if (const auto *text = std::get_if<std::string>(&value)) {
            m_out += "(" + quoted(*text) + ")";
        } else {
            const auto &items = std::get<std::vector<std::string>>(value);
            m_out += "[";
            for (size_t i = 0; i < items.size(); ++i) m_out += (i > 0 ? ", " : "") + quoted(items[i]);
            m_out += "]";
        }
        m_out += "\n";
    }

    void printCall(std::string_view function, Expr e) {
        m_out += function;
        m_out += "(";
        printList(e->operands());
        m_out += ")";
    }

    void print(Expr e) {
        switch (e->kind) {
        case ExprKind::IntImm:
        case ExprKind::FloatImm:
            m_out += constantText(e);
            return;
        case ExprKind::Var:
            m_out += printedName(e->name());
            return;
        case ExprKind::Cast:
            return printCall(dtypeName(e->dtype), e);
        case ExprKind::Min:
            return printCall("min", e);
        case ExprKind::Max:
            return printCall("max", e);
        case ExprKind::Mod:
            return printCall("truncmod", e);
        case ExprKind::Select:
            return printCall("select", e);
        case ExprKind::Call:
            return printCall(intrinsicName(e->intrinsic), e);
        case ExprKind::Not:
            m_out += "!";
            print(e->arg(0));
            return;
        case ExprKind::Load:
            m_out += handleOf(asTensor(e->symbol)) + "[";
            printList(e->operands());
            m_out += "]";
            return;
        case ExprKind::Let:
            m_out += "let(" + printedName(e->arg(0)->name()) + " = ";
            print(e->arg(1));
            m_out += "; ";
            print(e->arg(2));
            m_out += ")";
            return;
        default:
            break;
        }
        LOOPSCOPE_CHECK(isBinary(e->kind), "an expression the language cannot spell");
        m_out += "(";
        print(e->arg(0));
        m_out += " ";
        m_out += operatorText(e->kind);
        m_out += " ";
        print(e->arg(1));
        m_out += ")";
    }

    void printArgs(const std::vector<OpPtr> &ops, const std::vector<const Tensor *> &args) {
        std::set<const Op *> read;
        for (const OpPtr &op : ops)
            for (const Tensor *input : inputTensors(*op)) read.insert(input->op);
        std::vector<const Tensor *> usual;
        bool unread = false;
        for (const OpPtr &op : ops) {
            if (!op->isPlaceholder()) continue;
            usual.push_back(&op->output());
            unread = unread || !read.contains(op.get());
        }
        for (const OpPtr &op : ops)
            for (const auto &output : op->outputs)
                if (!op->isPlaceholder() && !read.contains(op.get())) usual.push_back(output.get());
        if (!unread && usual == args) return;
        m_out += "\nargs ";
        for (size_t i = 0; i < args.size(); ++i) m_out += (i > 0 ? ", " : "") + handleOf(*args[i]);
        m_out += "\n";
    }

    std::map<const Op *, std::string> m_handles;
    std::set<std::string, std::less<>> m_used;
    std::string m_out;
};

} // namespace

std::string printWorkload(const std::string &name, const std::vector<OpPtr> &ops,
                          const std::vector<const Tensor *> &args) {
    const ArenaPtr scratch = std::make_shared<ExprArena>(); // for the default combiners reductions are compared with
    const ArenaScope scope(scratch);
    return Printer(ops).print(name, ops, args);
}

} // namespace loopscope
