// Ansor's FLOP count, with its habits: calls are free, both branches of an if_then_else count, every output of
// a reduction counts the whole tuple.

#include "language/dag/flops.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

class Cost {
  public:
    explicit Cost(DTypeClass outputClass) : m_class(outputClass) {}

    /// Operations per evaluation; nothing when the expression has a form Ansor cannot count (let).
    std::optional<double> of(Expr e) const {
        switch (e->kind) {
        case ExprKind::IntImm:
        case ExprKind::FloatImm:
        case ExprKind::Var:
        case ExprKind::Load:
            return 0.0; // index arithmetic is never counted
        case ExprKind::Cast:
            return of(e->arg(0));
        case ExprKind::Not:
            return plus(of(e->arg(0)), counts(e->arg(0)->dtype));
        case ExprKind::Select: {
            const auto condition = of(e->arg(0)), yes = of(e->arg(1)), no = of(e->arg(2));
            if (!condition || !yes || !no) return std::nullopt;
            return *condition + std::max(*yes, *no);
        }
        case ExprKind::Call: {
            std::optional<double> sum = 0.0;
            for (const Expr arg : e->operands()) sum = plus(sum, of(arg));
            return sum;
        }
        case ExprKind::Let:
            return std::nullopt;
        default: {
            const bool counted = counts(e->arg(0)->dtype) > 0 || counts(e->arg(1)->dtype) > 0;
            return plus(plus(of(e->arg(0)), of(e->arg(1))), counted ? 1.0 : 0.0);
        }
        }
    }

  private:
    static std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
        if (!a || !b) return std::nullopt;
        return *a + *b;
    }
    [[nodiscard]] double counts(DType type) const { return dtypeClass(type) == m_class ? 1.0 : 0.0; }

    DTypeClass m_class;
};

std::optional<double> countedFlops(const Op &op) {
    if (const auto given = op.attrs.find("FLOP"); given != op.attrs.end())
        if (const auto *count = std::get_if<int64_t>(&given->second)) return static_cast<double>(*count);
    const Cost cost(dtypeClass(op.output().dtype));
    double perElement = 0;
    for (size_t k = 0; k < op.body.size(); ++k) {
        const auto body = cost.of(op.body[k]);
        if (!body) return std::nullopt;
        perElement += *body;
        if (op.reduction) {
            const auto combine = cost.of(op.reduction->combiner.result[k]);
            if (!combine) return std::nullopt;
            perElement += *combine;
        }
    }
    if (op.reduction) {
        perElement *= static_cast<double>(op.outputs.size());
        for (const Axis &axis : op.reduction->axes) perElement *= static_cast<double>(axis.extent);
    }
    for (const Axis &axis : op.axes) perElement *= static_cast<double>(axis.extent);
    return perElement;
}

} // namespace

double flopsOf(const ComputeDag &dag) {
    double total = 0;
    for (const OpPtr &op : dag.ops()) {
        const double flops = flopsOf(*op);
        if (flops < 0) return -1;
        total += flops;
    }
    return total;
}

double flopsOf(const Op &op) { return op.isPlaceholder() ? 0 : countedFlops(op).value_or(-1); }

} // namespace loopscope
