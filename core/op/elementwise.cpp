#include "op/entry.h"

#include <limits>

namespace loopscope {

OperatorTable elementwiseOperators() {
    const double infinity = std::numeric_limits<double>::infinity();
    OperatorTable table;
    const auto add = [&](std::string name, std::string doc, std::vector<AttributeSpec> attributes = {}) {
        table.push_back({.name = std::move(name),
                         .doc = std::move(doc),
                         .inputs = {needed("x")},
                         .attributes = std::move(attributes),
                         .pattern = PatternKind::Elementwise});
    };
    add("relu", "What is below zero becomes zero.");
    add("leaky_relu", "What is below zero is multiplied by a small slope.",
        {number("alpha", 0.01, "slope below zero")});
    add("elu", "Below zero alpha * (e^x - 1), x above.", {number("alpha", 1.0, "limit far below zero, negated")});
    add("sigmoid", "1 / (1 + e^-x).");
    add("tanh", "Hyperbolic tangent.");
    add("exp", "e^x.");
    add("log", "Natural logarithm.");
    add("sqrt", "Square root.");
    add("neg", "Sign changed.");
    add("abs", "Absolute value.");
    add("reciprocal", "1 / x.");
    add("erf", "Error function of Gauss.");
    add("floor", "Rounded down.");
    add("ceil", "Rounded up.");
    add("round", "Rounded to the nearest integer, halves to the even one.");
    add("sign", "-1, 0 or 1.");
    add("sin", "Sine of an angle in radians.");
    add("cos", "Cosine of an angle in radians.");
    add("not", "True becomes false and false becomes true.");
    add("identity", "The input itself.");
    add("softplus", "ln(1 + e^x), a smooth relu.");
    add("hard_sigmoid", "alpha * x + beta, kept between 0 and 1.",
        {number("alpha", 0.2, "slope"), number("beta", 0.5, "value at 0")});
    add("hard_swish", "x times x / 6 + 1/2 kept between 0 and 1.");
    add("gelu", "x times the normal distribution at x, by the error function.");
    add("clip", "Kept between two limits.", {number("min", -infinity, "least"), number("max", infinity, "greatest")});
    add("cast", "Converted to another element type.", {text("to", "float32", "name of the element type")});
    return table;
}

} // namespace loopscope
