// Text of a DAG as TVM's auto_scheduler prints it. The simple form is hashed into task keys: every character counts.

#include "language/dag/dag_text.h"

#include "language/dag/md5.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

void appendReduction(std::string &out, const Op &op, size_t output) {
    const Expr result = op.reduction->combiner.result[output];
    const Expr source = op.body[0];
    switch (result->kind) {
    case ExprKind::Add:
        out += " += ";
        return appendText(out, source);
    case ExprKind::Max:
        out += " max= ";
        return appendText(out, source);
    case ExprKind::Min:
        out += " min= ";
        return appendText(out, source);
    case ExprKind::Select:
        out += ' ';
        appendText(out, result);
        out += "= (";
        for (size_t i = 0; i < op.body.size(); ++i) {
            if (i > 0) out += ',';
            appendText(out, op.body[i]);
        }
        out += ')';
        return;
    default:
        out += "reduce";
        return appendText(out, result);
    }
}

void appendCompute(std::string &out, const Op &op, DagTextMode mode) {
    for (size_t k = 0; k < op.outputs.size(); ++k) {
        out += op.name + "(";
        for (size_t i = 0; i < op.axes.size(); ++i) {
            if (i > 0) out += ", ";
            out += op.axes[i].name();
        }
        out += ")";
        if (op.outputs.size() > 1) out += fmt::format(".v{}", k);
        if (op.reduction) {
            appendReduction(out, op, k);
        } else if (const Expr body = op.body[k]; mode == DagTextMode::Simple && body->kind == ExprKind::Call) {
            out += fmt::format(" = Op(tir.{})", intrinsicName(body->intrinsic));
        } else {
            out += " = ";
            appendText(out, body);
        }
        out += "\n";
    }
}

} // namespace

std::string opText(const Op &op, DagTextMode mode) {
    std::string out;
    if (!op.isPlaceholder()) {
        appendCompute(out, op, mode);
        return out;
    }
    out = op.name + " = PLACEHOLDER ";
    if (mode == DagTextMode::Normal) out += fmt::format("[{}]", fmt::join(op.shape(), ", "));
    return out + "\n";
}

std::string dagText(const ComputeDag &dag, DagTextMode mode) {
    std::string out;
    for (const OpPtr &op : dag.ops()) out += opText(*op, mode);
    return out;
}

std::string dagHash(const ComputeDag &dag) { return md5Hex(dagText(dag, DagTextMode::Simple)); }

std::string dagKey(const ComputeDag &dag) {
    std::string key = "[\"" + dagHash(dag) + "\"";
    for (const Tensor *arg : dag.args()) key += fmt::format(", [{}]", fmt::join(arg->shape, ", "));
    return key + "]";
}

} // namespace loopscope
