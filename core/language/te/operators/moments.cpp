#include "language/te/operators/moments.h"

#include "language/expr/half.h"

namespace loopscope {

OpPtr pairOfSums(const std::string &name, const std::vector<Axis> &axes, const std::vector<Axis> &reduceAxes,
                 Expr first, Expr second) {
    Combiner combiner;
    for (const std::string part : {"0", "1"}) {
        combiner.left.push_back(makeVar("tuple_sum_lhs_" + part, first->dtype));
        combiner.right.push_back(makeVar("tuple_sum_rhs_" + part, first->dtype));
        combiner.result.push_back(combiner.left.back() + combiner.right.back());
        combiner.identity.push_back(zeroOf(first->dtype));
    }
    return makeCompute(name, axes, {first, second}, Reduction{combiner, reduceAxes, {}}, {}, "comm_reduce");
}

std::function<Expr(Expr value, const std::vector<Expr> &row)> normalBy(const std::function<void(OpPtr)> &add,
                                                                       const Tensor &data,
                                                                       const std::vector<bool> &reduced,
                                                                       const std::string &name, double epsilon) {
    const DType type = summedIn(data.dtype);
    std::vector<int64_t> rows;
    double count = 1;
    for (size_t d = 0; d < reduced.size(); ++d)
        if (reduced[d])
            count *= static_cast<double>(data.shape[d]);
        else
            rows.push_back(data.shape[d]);
    struct Walk {
        std::vector<Axis> axes, reduceAxes;
        Expr value;
    };
    const auto walk = [&] {
        Walk all = {numberedAxes("ax", rows), {}, {}};
        std::vector<Expr> index;
        size_t row = 0;
        for (size_t d = 0; d < reduced.size(); ++d) {
            if (reduced[d]) all.reduceAxes.push_back(makeAxis("k" + std::to_string(d), data.shape[d]));
            index.push_back(reduced[d] ? all.reduceAxes.back().var : all.axes[row++].var);
        }
        all.value = castTo(type, load(data, index));
        return all;
    };
    const Expr size = constantOf(count, type);

    Walk all = walk();
    const OpPtr sum = sumOp(name + "_sum", all.axes, all.reduceAxes, all.value, {}, "comm_reduce");
    add(sum);
    const std::vector<Axis> axes = numberedAxes("ax", rows);
    const OpPtr mean =
        makeCompute(name + "_mean", axes, {divide(load(sum->output(), axes), size)}, std::nullopt, {}, "injective");
    add(mean);
    all = walk();
    const Expr away = all.value - load(mean->output(), all.axes);
    const OpPtr sums = pairOfSums(name + "_var_sum", all.axes, all.reduceAxes, away, away * away);
    add(sums);
    return [=](Expr value, const std::vector<Expr> &row) {
        const Expr off = divide(load(sums->output(0), row), size);
        const Expr variance = divide(load(sums->output(1), row), size) - off * off;
        return (value - load(mean->output(), row) - off) *
               callMath(Intrinsic::Rsqrt, variance + constantOf(epsilon, type));
    };
}

} // namespace loopscope
