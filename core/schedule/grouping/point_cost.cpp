#include "schedule/grouping/point_cost.h"

#include "language/expr/walk.h"
#include "schedule/grouping/cost_simplifier.h"
#include "schedule/grouping/lane_steps.h"
#include "schedule/grouping/node_map.h"

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

/// The nodes of an expression, each once, every one behind its operands, and how often each stands in the text, which
/// nobody could write: nodes are shared. The value of a let counts once where its variable is read at all.
class CountedNodes {
  public:
    /// Arms of lazy choices count where `wholly`; otherwise they are left to the caller.
    explicit CountedNodes(Expr root, bool wholly, IndexCost indices = IndexCost::Counted) {
        add(root);
        m_times.assign(m_nodes.size(), 0);
        m_times.back() = 1;
        std::vector<size_t> valueOf(m_nodes.size(), 0); // of a variable that a let binds
        std::vector<int64_t> timesOf(m_nodes.size(), 0);
        for (size_t i = m_nodes.size(); i-- > 0;) {
            const Expr e = m_nodes[i];
            if (m_times[i] == 0) continue;
            if (e->kind == ExprKind::Let) {
                const size_t var = indexOf(e->arg(0));
                valueOf[var] = indexOf(e->arg(1));
                timesOf[var] = m_times[i];
                count(e->arg(2), m_times[i]);
                continue;
            }
            if (timesOf[i] > 0) {
                int64_t &value = m_times[valueOf[i]];
                value = addSaturating(value, timesOf[i]);
            }
            const bool lazy = !wholly && e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse;
            for (size_t k = 0; k < (lazy ? 1 : e->argCount); ++k) {
                // What a gather loads to find its place counts whatever indices cost.
                if (indices == IndexCost::Free && e->kind == ExprKind::Load && !containsLoad(e->arg(k))) continue;
                count(e->arg(k), m_times[i]);
            }
        }
    }

    [[nodiscard]] const std::vector<Expr> &nodes() const { return m_nodes; }
    [[nodiscard]] int64_t times(size_t node) const { return m_times[node]; }

  private:
    void add(Expr e) {
        if (m_index.find(e) != nullptr) return;
        if (e->kind == ExprKind::Let) {
            // The variable behind the value: whether it is read is known before the value's turn comes.
            add(e->arg(1));
            add(e->arg(0));
            add(e->arg(2));
        } else {
            for (const Expr operand : e->operands()) add(operand);
        }
        m_index.set(e, m_nodes.size());
        m_nodes.push_back(e);
    }
    [[nodiscard]] size_t indexOf(Expr e) const { return *m_index.find(e); }
    void count(Expr e, int64_t times) {
        int64_t &all = m_times[indexOf(e)];
        all = addSaturating(all, times);
    }

    std::vector<Expr> m_nodes;
    std::vector<int64_t> m_times;
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

/// Operations beyond its own that it takes in vectors.
int64_t dearnessInVectors(Expr e, LaneSteps &steps) {
    constexpr int64_t quotient = 7;
    constexpr int64_t remainder = 12;
    const bool byNumber = e->argCount == 2 && e->arg(1)->kind == ExprKind::IntImm;
    switch (e->kind) {
    case ExprKind::Load:
        return steps.dearness(e);
    case ExprKind::Div:
    case ExprKind::FloorDiv:
        return byNumber ? 2 : isFloat(e->dtype) ? quotient : remainder;
    case ExprKind::Mod:
    case ExprKind::FloorMod:
        return byNumber ? 3 : remainder;
    default:
        return 0;
    }
}

} // namespace

int64_t PointCost::allBytes() const {
    int64_t sum = placeBytes;
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
    const CountedNodes counted(e, true);
    std::vector<std::pair<Expr, int64_t>> listed;
    for (size_t i = counted.nodes().size(); i-- > 0;)
        if (counted.times(i) > 0) listed.emplace_back(counted.nodes()[i], counted.times(i));
    return listed;
}

PointCost costOfValue(const Pipeline &pipeline, Expr value, IndexCost indices, Expr lane) {
    const CountedNodes counted(value, false, indices);
    PointCost cost;
    LaneSteps steps(lane);
    if (lane)
        for (const Expr e : counted.nodes()) // values before what they are bound for
            if (e->kind == ExprKind::Let) steps.bind(e->arg(0), e->arg(1));
    for (size_t i = counted.nodes().size(); i-- > 0;) {
        const Expr e = counted.nodes()[i];
        const int64_t times = counted.times(i);
        if (times == 0) continue;
        cost.arith = addSaturating(cost.arith, mulSaturating(times, ownCost(e)));
        if (lane) cost.arith = addSaturating(cost.arith, mulSaturating(times, dearnessInVectors(e, steps)));
        if (e->kind == ExprKind::Load) cost.addBytes(pipeline.bufferOf(e), mulSaturating(times, dtypeBytes(e->dtype)));
        if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::IfThenElse) {
            const PointCost arms = dearerOf(costOfValue(pipeline, e->arg(1), indices, lane),
                                            costOfValue(pipeline, e->arg(2), indices, lane));
            cost.arith = addSaturating(cost.arith, mulSaturating(times, arms.arith));
            for (const auto &[buffer, bytes] : arms.bytes) cost.addBytes(buffer, mulSaturating(times, bytes));
        }
    }
    return cost;
}

PointCost costOfNode(const Pipeline &pipeline, int node, const std::vector<Expr> &values,
                     const std::vector<Expr> &places, IndexCost indices) {
    PointCost cost;
    const PipelineNode &of = pipeline.node(node);
    const bool vectors =
        indices == IndexCost::Free && !of.loopOf.empty() && of.loopOf[0] == static_cast<int>(of.reduceLoops);
    const Expr lane = vectors ? of.loops[of.reduceLoops].var : Expr();
    for (const Expr place : places) {
        if (indices == IndexCost::Free) break;
        const PointCost one = costOfValue(pipeline, simplifiedForCost(place), indices);
        cost.arith = addSaturating(cost.arith, one.arith);
        cost.placeBytes += one.allBytes();
    }
    for (const Expr value : values) {
        const PointCost one = costOfValue(pipeline, simplifiedForCost(value), indices, lane);
        cost.arith = addSaturating(cost.arith, one.arith + 1);
        for (const auto &[buffer, bytes] : one.bytes) cost.addBytes(buffer, bytes);
        cost.addBytes(pipeline.node(node).stage, dtypeBytes(value->dtype));
    }
    return cost;
}

} // namespace loopscope
