#include "records/resolve/oldest_text.h"

#include "language/dag/dag_text.h"
#include "language/dag/md5.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace loopscope {

namespace {

/// A tuple as Python prints it.
std::string tupleText(const std::vector<int64_t> &shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string exprText(Expr e) {
    std::string out;
    appendText(out, e);
    return out;
}

std::string exprsText(const std::vector<Expr> &exprs) {
    std::string out = "[";
    for (const Expr &e : exprs) {
        if (out.size() > 1) out += ", ";
        appendText(out, e);
    }
    return out + "]";
}

/// TVM's least and greatest floats are finite.
std::string identityText(const Combiner &combiner) {
    const bool most = combiner.result.size() == 1 && combiner.result[0]->kind == ExprKind::Max;
    const bool least = combiner.result.size() == 1 && combiner.result[0]->kind == ExprKind::Min;
    if ((most || least) && combiner.identity[0]->dtype == DType::Float32)
        return most ? "[-3.40282e+38f]" : "[3.40282e+38f]";
    return exprsText(combiner.identity);
}

std::string reductionText(const Op &op, size_t output) {
    const Combiner &combiner = op.reduction->combiner;
    std::string axes;
    for (const Axis &axis : op.reduction->axes)
        axes += fmt::format("{}iter_var({}, range(min=0, ext={}))", axes.empty() ? "" : ", ", axis.name(), axis.extent);
    return fmt::format("reduce(combiner=comm_reducer(result={}, lhs={}, rhs={}, identity_element={}), source={}, "
                       "init=[], axis=[{}], where={}, value_index={})",
                       exprsText(combiner.result), exprsText(combiner.left), exprsText(combiner.right),
                       identityText(combiner), exprsText(op.body), axes,
                       op.reduction->condition ? exprText(op.reduction->condition) : "(bool)1", output);
}

} // namespace

std::string hashedLine(const Op &op, HashForm form) {
    if (form == HashForm::Simple) return opText(op, DagTextMode::Simple);
    const Tensor &output = op.output();
    std::string text = "placeholder";
    if (!op.isPlaceholder()) {
        text = "[";
        for (size_t k = 0; k < op.outputs.size(); ++k) {
            if (k > 0) text += ", ";
            text += op.reduction ? reductionText(op, k) : exprText(op.body[k]);
        }
        text += "]";
    }
    text += fmt::format(",{},{};", tupleText(output.shape), dtypeName(output.dtype));
    if (form == HashForm::OldestUint1) {
        constexpr std::string_view now = "(bool)";
        constexpr std::string_view then = "(uint1)";
        for (size_t at = text.find(now); at != std::string::npos; at = text.find(now, at + then.size()))
            text.replace(at, now.size(), then);
    }
    return text;
}

std::string hashOf(const ComputeDag &dag, HashForm form) {
    std::string text;
    for (const OpPtr &op : dag.ops()) text += hashedLine(*op, form);
    return md5Hex(text);
}

} // namespace loopscope
