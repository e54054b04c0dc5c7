// Ansor's text of a state with bounds: first values that depend on outer loops print as expressions over the variables
// of a tensor expression schedule (`n_outer_h_outer_fused % 448 // 112 * 28`).

#include "schedule/bound_inference.h"
#include "schedule/iteration_graph.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {

namespace {

class MinPrinter {
  public:
    explicit MinPrinter(const BoundedState &bounded) {
        for (size_t i = 0; i < bounded.stages.size(); ++i) {
            const StageBounds &bounds = bounded.stages[i];
            if (bounds.vars.empty()) continue;
            const Stage &stage = bounded.state.stage(StageId(i));
            const std::vector<std::string> names = nodeNames(stage);
            for (size_t leaf = 0; leaf < bounds.vars.size(); ++leaf) {
                const int node = stage.iters[leaf].node;
                std::string name = static_cast<size_t>(node) < names.size() ? names[static_cast<size_t>(node)] : "";
                std::replace(name.begin(), name.end(), '.', '_');
                m_names.emplace(bounds.vars[leaf].node(), std::move(name));
            }
        }
    }

    std::string print(Expr e) const { return print(e, 0); }

  private:
    /// Precedence as in Python: 0 sum, 1 product (`*`, `//`, `%`, left to right), 2 atom.
    std::string print(Expr e, int precedence) const {
        switch (e->kind) {
        case ExprKind::IntImm:
            return std::to_string(e->intValue);
        case ExprKind::Var:
            return m_names.at(e.node());
        case ExprKind::Add: {
            const bool negative = e->arg(1)->kind == ExprKind::IntImm && e->arg(1)->intValue < 0;
            const std::string text = print(e->arg(0), 0) + (negative ? " - " + std::to_string(-e->arg(1)->intValue)
                                                                     : " + " + print(e->arg(1), 1));
            return precedence > 0 ? "(" + text + ")" : text;
        }
        default:
            break;
        }
        const char *symbol = e->kind == ExprKind::Mul ? " * " : e->kind == ExprKind::FloorDiv ? " // " : " % ";
        const std::string text = print(e->arg(0), 1) + symbol + print(e->arg(1), 2);
        return precedence > 1 ? "(" + text + ")" : text;
    }

    std::unordered_map<const ExprNode *, std::string> m_names;
};

} // namespace

std::string boundedText(const BoundedState &bounded, bool deleteTrivialLoops) {
    const MinPrinter printer(bounded);
    return stateText(bounded.state, deleteTrivialLoops, [&](StageId id, IterId iter) {
        const Iter &loop = bounded.state.stage(id).iters[iter.index()];
        const std::vector<AxisRegion> &axes = bounded.stages[id.index()].axes;
        const auto node = static_cast<size_t>(loop.node);
        if (node < axes.size() && axes[node].min) return printer.print(axes[node].min);
        return std::to_string(loop.min);
    });
}

} // namespace loopscope
