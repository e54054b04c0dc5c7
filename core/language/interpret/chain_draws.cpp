#include "language/interpret/chain_draws.h"

#include "language/expr/walk.h"
#include "language/interpret/exact_inputs.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {

namespace {

void collectReads(Expr e, std::vector<const Tensor *> &reads) {
    postOrder(e, [&](Expr inner) {
        if (inner->kind == ExprKind::Load) reads.push_back(&asTensor(inner->symbol));
    });
}

/// The factors of the products of floats that an op adds up; none where it does not.
std::vector<const Tensor *> factorsOf(const Op &op) {
    std::vector<const Tensor *> factors;
    if (!op.reduction || reduceKind(op.reduction->combiner) != ReduceKind::Sum) return factors;
    for (const Expr body : op.body)
        postOrder(body, [&](Expr e) {
            if (e->kind != ExprKind::Mul || !isFloat(e->dtype)) return;
            std::vector<const Tensor *> left, right;
            collectReads(e->arg(0), left);
            collectReads(e->arg(1), right);
            if (left.empty() || right.empty()) return;
            factors.insert(factors.end(), left.begin(), left.end());
            factors.insert(factors.end(), right.begin(), right.end());
        });
    return factors;
}

} // namespace

double pointsOf(const std::vector<Axis> &axes) {
    double points = 1;
    for (const Axis &axis : axes) points *= static_cast<double>(axis.extent);
    return points;
}

int productSumChain(const ComputeDag &dag) {
    std::unordered_map<const Op *, int> chain;
    int longest = 0;
    for (const OpPtr &op : dag.ops()) {
        std::vector<const Tensor *> reads;
        for (const Expr body : op->body) collectReads(body, reads);
        int before = 0;
        for (const Tensor *read : reads) before = std::max(before, chain[read->op]);
        const int here = before + (factorsOf(*op).empty() ? 0 : 1);
        chain[op.get()] = here;
        longest = std::max(longest, here);
    }
    return longest;
}

std::optional<std::vector<ExactDraw>> drawsOfChain(const ComputeDag &dag) {
    if (productSumChain(dag) < 2) return std::nullopt;
    constexpr double kWeights = 2;   // of a sum that are not zero
    constexpr double kOthers = 0.25; // what is added in between
    std::unordered_map<const Tensor *, double> shares;
    for (const OpPtr &op : dag.ops()) {
        const std::vector<const Tensor *> factors = factorsOf(*op);
        // Of two inputs that are multiplied the last is the weights.
        const Tensor *weights = nullptr;
        for (const Tensor *factor : factors)
            if (factor->op->isPlaceholder()) weights = factor;
        if (weights == nullptr) continue;
        const double share = kWeights / pointsOf(op->reduction->axes);
        if (share < 1 && share * pointsOf(op->axes) < kMinSights) return std::nullopt;
        const auto [at, first] = shares.try_emplace(weights, share);
        if (!first) at->second = std::min(at->second, share);
        for (const Tensor *factor : factors)
            if (factor->op->isPlaceholder() && factor != weights) shares.try_emplace(factor, 1);
    }
    std::vector<ExactDraw> draws;
    for (const Tensor *arg : dag.args()) {
        if (!arg->op->isPlaceholder()) continue;
        const auto found = shares.find(arg);
        ExactDraw draw;
        // What has a picture's or a matrix's shape and is no weight is what the first layer works on.
        draw.share = found != shares.end() ? std::min(1.0, found->second) : arg->shape.size() > 1 ? 1 : kOthers;
        draws.push_back(draw);
    }
    return draws;
}

} // namespace loopscope
