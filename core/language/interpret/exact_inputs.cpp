#include "language/interpret/exact_inputs.h"

#include "base/random.h"
#include "language/expr/walk.h"
#include "language/interpret/chain_draws.h"
#include "language/interpret/error_bound.h"
#include "language/interpret/input_draws.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

/// A reduction that adds up floats.
struct FloatSum {
    double points = 1;
    double outputs = 1;
    bool ofProducts = false; // of numbers that are read
    double held = 0;         // the largest whole number up to which the type holds all of them
    [[nodiscard]] double length() const { return points / held; }
};

bool adds(Expr e) {
    bool found = false;
    postOrder(e, [&](Expr inner) { found = found || inner->kind == ExprKind::Add; });
    return found;
}

bool reads(Expr e) {
    bool found = false;
    postOrder(e, [&](Expr inner) { found = found || (inner->kind == ExprKind::Load && isFloat(inner->dtype)); });
    return found;
}

bool multiplies(Expr e) {
    bool found = false;
    postOrder(e, [&](Expr inner) {
        found = found || (inner->kind == ExprKind::Mul && reads(inner->arg(0)) && reads(inner->arg(1)));
    });
    return found;
}

std::vector<FloatSum> floatSums(const ComputeDag &dag) {
    std::vector<FloatSum> sums;
    for (const OpPtr &op : dag.ops()) {
        if (!op->reduction) continue;
        for (size_t k = 0; k < op->body.size(); ++k)
            if (const Expr body = op->body[k]; isFloat(body->dtype) && adds(op->reduction->combiner.result[k]))
                sums.push_back({pointsOf(op->reduction->axes), pointsOf(op->axes), multiplies(body),
                                1 / RoundingStep::to(body->dtype).relative});
    }
    return sums;
}

bool hasExponential(const ComputeDag &dag) {
    bool found = false;
    for (const OpPtr &op : dag.ops())
        for (const Expr body : op->body)
            postOrder(body, [&](Expr e) {
                found = found || (e->kind == ExprKind::Call &&
                                  (e->intrinsic == Intrinsic::Exp || e->intrinsic == Intrinsic::Exp2 ||
                                   e->intrinsic == Intrinsic::Exp10));
            });
    return found;
}

ExactDraw drawOfProducts(const FloatSum &sum) {
    // 14/3 is the mean square of 1, 2 and 3, and what products of two of them come to at most on average.
    constexpr double kMeanSquare = 14.0 / 3;
    constexpr double kFull = 0.75; // of what the type holds; chance fills the rest
    ExactDraw draw;
    if (sum.length() <= kFull) {
        draw.largest = kMeanSquare * sum.length() < kFull ? 3 : 1;
    } else if (sum.length() <= 3) {
        draw.share = 0.7 / sum.length(); // the bound of the magnitudes is the root of the product of the squares
    } else {
        draw.share = std::sqrt(0.5 / sum.length());
        draw.bothSigns = false; // then the magnitudes add up to the sum itself, and more of them may be there
    }
    return draw;
}

ExactDraw drawOfElements(const FloatSum &sum) {
    constexpr double kMean = 2;
    ExactDraw draw;
    draw.largest = kMean * sum.length() < 0.75 ? 3 : 1;
    draw.share = std::min(1.0, 0.5 / sum.length());
    return draw;
}

/// The first for one sum, or for sums that follow each other with little in between; the second for those of sums.
ExactDraw drawOfSums(const FloatSum &sum, bool sparser) {
    ExactDraw draw = sum.ofProducts ? drawOfProducts(sum) : drawOfElements(sum);
    if (!sparser) return draw;
    draw.largest = 1;
    draw.share /= 8;
    return draw;
}

/// exp(0) is 1, exp(-1024) is nothing in any type.
ExactDraw drawOfExponents(const FloatSum &sum) {
    ExactDraw draw;
    draw.share = std::min(0.5, 0.5 / sum.length());
    draw.zeroIsUsual = true;
    draw.otherwise = -1024;
    return draw;
}

double drawn(const ExactDraw &draw, Random &random) {
    if (draw.share < 1 && random.uniform() >= draw.share) return draw.otherwise;
    if (draw.zeroIsUsual) return 0;
    const double size = 1 + static_cast<double>(random.below(static_cast<uint64_t>(draw.largest)));
    return draw.bothSigns && random.below(2) == 0 ? -size : size;
}

} // namespace

SumLength longestSum(const ComputeDag &dag) {
    double length = 0;
    for (const FloatSum &sum : floatSums(dag)) length = std::max(length, sum.length());
    return length > 0.5 ? SumLength::Hiding : length > 1.0 / 32 ? SumLength::Long : SumLength::Short;
}

std::optional<std::vector<ExactDraw>> exactDraws(const ComputeDag &dag, int kind) {
    const int chain = productSumChain(dag);
    if (kind == kExactKinds - 1) return drawsOfChain(dag);
    constexpr int kLongestOfOneDraw = 3; // what sums of sums of sums come to is too much, or nothing
    if (chain > kLongestOfOneDraw) return std::nullopt;
    const std::vector<FloatSum> sums = floatSums(dag);
    FloatSum longest{1, 1, false, 1 / RoundingStep::to(DType::Float32).relative};
    for (const FloatSum &sum : sums)
        if (sum.length() > longest.length()) longest = sum;
    const bool exponential = hasExponential(dag);
    constexpr int kOfOneDraw = kExactKinds - 1;
    const int chosen = exponential ? (kind + 2) % kOfOneDraw : kind;
    if (chosen == 2 && !exponential) return std::nullopt;
    const ExactDraw draw = chosen == 2 ? drawOfExponents(longest) : drawOfSums(longest, chosen == 1);
    const bool squared = chosen != 2 && longest.ofProducts;
    const double termShare = squared ? draw.share * draw.share : draw.share;
    if (termShare < 1 && termShare * longest.outputs < kMinSights) return std::nullopt;
    const auto inputs =
        std::count_if(dag.args().begin(), dag.args().end(), [](const Tensor *arg) { return arg->op->isPlaceholder(); });
    return std::vector<ExactDraw>(static_cast<size_t>(inputs), draw);
}

std::optional<std::vector<TensorValue>> exactInputs(const ComputeDag &dag, uint64_t seed, int kind) {
    const std::optional<std::vector<ExactDraw>> draws = exactDraws(dag, kind);
    if (!draws) return std::nullopt;
    std::vector<TensorValue> inputs = randomInputs(dag, seed);
    for (size_t i = 0; i < inputs.size(); ++i) {
        Random random(seed, kExactStream + i);
        for (double &x : inputs[i].floats) x = drawn((*draws)[i], random);
    }
    return inputs;
}

} // namespace loopscope
