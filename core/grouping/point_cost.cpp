#include "grouping/point_cost.h"

#include "grouping/cost_simplifier.h"
#include "grouping/node_map.h"

#include <algorithm>

namespace loopscope {

namespace {

int64_t callCost(Expr e) {
    switch (e->intrinsic) {
    case Intrinsic::IfThenElse:
        return 0;
    case Intrinsic::ShiftLeft:
    case Intrinsic::ShiftRight:
    case Intrinsic::BitwiseAnd:
    case Intrinsic::BitwiseOr:
    case Intrinsic::BitwiseXor:
    case Intrinsic::Popcount:
    case Intrinsic::Fmod:
        return 1;
    case Intrinsic::Fabs:
        return 5;
    default:
        break;
    }
    const DType type = e->arg(0)->dtype;
    const int64_t call = dtypeBytes(type) == 8 ? 20 : dtypeBytes(type) == 4 ? 10 : 5;
    return e->intrinsic == Intrinsic::Sigmoid ? call + 3 : call; // 1/(1 + exp(-x))
}

int64_t ownCost(Expr e) {
    switch (e->kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::StringImm:
    case ExprKind::Var:
    case ExprKind::Let:
        return 0;
    case ExprKind::Call:
        return callCost(e);
    case ExprKind::Div:
    case ExprKind::Mod:
        // Towards zero takes several instructions where signs differ.
        return dtypeClass(e->dtype) == DTypeClass::Int ? 5 : 1;
    default:
        return 1;
    }
}

/// The nodes of an expression, each once, every one behind its operands.
class NodeList {
  public:
    explicit NodeList(Expr root) { add(root); }
    [[nodiscard]] const std::vector<Expr> &nodes() const { return m_nodes; }
    [[nodiscard]] size_t indexOf(Expr e) const { return *m_index.find(e); }

  private:
    void add(Expr e) {
        if (m_index.find(e) != nullptr) return;
        for (const Expr operand : e->operands()) add(operand);
        m_index.set(e, m_nodes.size());
        m_nodes.push_back(e);
    }
    std::vector<Expr> m_nodes;
    NodeMap<size_t> m_index;
};

/// Of one subtree with all it holds; only for the arms of a lazy choice, of which one is run.
PointCost dearerOf(const PointCost &a, const PointCost &b) {
    PointCost result = a;
    result.arith = std::max(a.arith, b.arith);
    for (const auto &[buffer, bytes] : b.bytes) {
        const auto mine = std::find_if(result.bytes.begin(), result.bytes.end(),
                                       [buffer = buffer](const auto &entry) { return entry.first == buffer; });
        if (mine == result.bytes.end())
            result.addBytes(buffer, bytes);
        else
            mine->second = std::max(mine->second, bytes);
    }
    return result;
}

} // namespace

int64_t PointCost::allBytes() const {
    int64_t sum = 0;
    for (const auto &[buffer, count] : bytes) sum += count;
    return sum;
}

void PointCost::addBytes(BufferNumber buffer, int64_t count) {
    const auto place = std::lower_bound(bytes.begin(), bytes.end(), buffer,
                                        [](const auto &entry, BufferNumber b) { return entry.first < b; });
    if (place != bytes.end() && place->first == buffer)
        place->second = addSaturating(place->second, count);
    else
        bytes.insert(place, {buffer, count});
}

std::vector<std::pair<Expr, int64_t>> countedNodes(Expr e) {
    const NodeList list(e);
    const std::vector<Expr> &nodes = list.nodes();
    std::vector<int64_t> times(nodes.size(), 0);
    times.back() = 1;
    std::vector<std::pair<Expr, int64_t>> counted;
    for (size_t i = nodes.size(); i-- > 0;) {
        if (times[i] == 0) continue;
        counted.emplace_back(nodes[i], times[i]);
        for (size_t k = nodes[i]->kind == ExprKind::Let ? 1 : 0; k < nodes[i]->argCount; ++k) {
            auto &operand = times[list.indexOf(nodes[i]->arg(k))];
            operand = addSaturating(operand, times[i]);
        }
    }
    return counted;
}

PointCost costOfValue(const Pipeline &pipeline, Expr value) {
    const NodeList list(value);
    const std::vector<Expr> &nodes = list.nodes();
    // How often each node stands in the text, without writing the text.
    std::vector<int64_t> times(nodes.size(), 0);
    times.back() = 1;
    PointCost cost;
    for (size_t i = nodes.size(); i-- > 0;) {
        const Expr e = nodes[i];
        if (times[i] == 0) continue;
        cost.arith = addSaturating(cost.arith, mulSaturating(times[i], ownCost(e)));
        if (e->kind == ExprKind::Load)
            cost.addBytes(pipeline.bufferOf(e), mulSaturating(times[i], dtypeBytes(e->dtype)));
        if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) {
            const PointCost arms = dearerOf(costOfValue(pipeline, e->arg(1)), costOfValue(pipeline, e->arg(2)));
            cost.arith = addSaturating(cost.arith, mulSaturating(times[i], arms.arith));
            for (const auto &[buffer, bytes] : arms.bytes) cost.addBytes(buffer, mulSaturating(times[i], bytes));
            auto &condition = times[list.indexOf(e->arg(0))];
            condition = addSaturating(condition, times[i]);
            continue;
        }
        for (size_t k = e->kind == ExprKind::Let ? 1 : 0; k < e->argCount; ++k) {
            auto &operand = times[list.indexOf(e->arg(k))];
            operand = addSaturating(operand, times[i]);
        }
    }
    return cost;
}

PointCost costOfNode(const Pipeline &pipeline, int node, const std::vector<Expr> &values) {
    PointCost cost;
    for (const Expr value : values) {
        const PointCost one = costOfValue(pipeline, simplifiedForCost(value));
        cost.arith = addSaturating(cost.arith, one.arith + 1);
        for (const auto &[buffer, bytes] : one.bytes) cost.addBytes(buffer, bytes);
        cost.addBytes(pipeline.node(node).stage, dtypeBytes(value->dtype));
    }
    return cost;
}

} // namespace loopscope
