#include "networks/passes/rules/rule_list.h"

#include <cmath>
#include <numbers>

namespace loopscope {

namespace {

bool isNear(double a, double b) { return std::abs(a - b) <= 1e-5 * std::abs(b); }

/// The factors of a product of a few, single numbers multiplied.
struct Product {
    double number = 1;
    std::vector<ValueId> others;
};

void gather(const FunctionEdit &edit, ValueId value, Product &product) {
    const NodeId mul = madeBy(edit, value, "mul");
    std::vector<ValueId> factors = {value};
    if (mul.value >= 0 && hasOneUse(edit, value)) factors = edit.inputs(mul);
    for (const ValueId factor : factors) {
        if (const auto number = uniformNumber(edit, factor))
            product.number *= *number;
        else
            product.others.push_back(factor);
    }
}

/// 1 + erf(x / sqrt(2)).
bool isOnePlusErf(const FunctionEdit &edit, ValueId value, ValueId x) {
    const NodeId add = madeBy(edit, value, "add");
    if (add.value < 0 || !hasOneUse(edit, value)) return false;
    const size_t side = edit.constant(edit.input(add, 0)) ? 1 : 0;
    const NodeId erf = madeBy(edit, edit.input(add, side), "erf");
    if (erf.value < 0 || uniformNumber(edit, edit.input(add, 1 - side)) != 1.0) return false;
    const ValueId argument = edit.input(erf, 0);
    if (const NodeId div = madeBy(edit, argument, "div"); div.value >= 0) {
        const auto by = uniformNumber(edit, edit.input(div, 1));
        return edit.input(div, 0) == x && by && isNear(*by, std::numbers::sqrt2);
    }
    const NodeId mul = madeBy(edit, argument, "mul");
    if (mul.value < 0) return false;
    const size_t at = edit.constant(edit.input(mul, 0)) ? 1 : 0;
    const auto by = uniformNumber(edit, edit.input(mul, 1 - at));
    return edit.input(mul, at) == x && by && isNear(*by, 1 / std::numbers::sqrt2);
}

bool applyGeluOfErf(FunctionEdit &edit, NodeId root, const ConstantEvaluation &) {
    Product product;
    gather(edit, edit.input(root, 0), product);
    gather(edit, edit.input(root, 1), product);
    if (product.others.size() != 2 || !isNear(product.number, 0.5)) return false;
    for (size_t i = 0; i < 2; ++i) {
        const ValueId x = product.others[i];
        if (!isFloatValue(edit, x) || !sameType(edit, x, edit.output(root)) ||
            !isOnePlusErf(edit, product.others[1 - i], x))
            continue;
        return edit.replace(edit.output(root), edit.add(root, "gelu", {x}), "these nodes compute a gelu");
    }
    return false;
}

} // namespace

RewriteRule geluOfErfRule() {
    return {.name = "geluOfErf",
            .roots = {"mul"},
            .given = "x: float32[2, 3]",
            .before = "mul(mul(x, add(erf(div(x, 1.4142135)), 1.0)), 0.5)",
            .after = "gelu(x)",
            .apply = applyGeluOfErf};
}

} // namespace loopscope
