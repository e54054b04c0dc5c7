#include "op/entry.h"

namespace loopscope {

OperatorTable binaryOperators() {
    OperatorTable table;
    const auto add = [&](std::string name, std::string doc, std::vector<InputSpec> inputs,
                         std::vector<AttributeSpec> attributes = {}) {
        table.push_back({.name = std::move(name),
                         .doc = std::move(doc),
                         .inputs = std::move(inputs),
                         .attributes = std::move(attributes),
                         .pattern = PatternKind::Broadcast});
    };
    const std::vector<InputSpec> two = {needed("a"), needed("b")};
    add("add", "Sum, with broadcasting.", two);
    add("sub", "Difference, with broadcasting.", two);
    add("mul", "Product, with broadcasting.", two);
    add("div", "Quotient, with broadcasting; of integers rounded towards zero.", two);
    add("pow", "a to the power of b, with broadcasting; of the type of a.", two);
    add("maximum", "The greater of two, with broadcasting.", two);
    add("minimum", "The lesser of two, with broadcasting.", two);
    add("mod", "Remainder, with broadcasting; its sign is that of b, with fmod that of a.", two,
        {integer("fmod", 0, "1: as fmod of C, which floats need")});
    add("equal", "Whether a = b.", two);
    add("less", "Whether a < b.", two);
    add("greater", "Whether a > b.", two);
    add("less_equal", "Whether a <= b.", two);
    add("greater_equal", "Whether a >= b.", two);
    add("and", "Whether both are true.", two);
    add("or", "Whether one of two is true.", two);
    add("xor", "Whether exactly one of two is true.", two);
    add("prelu", "What is below zero is multiplied by a slope of its own; the slope broadcasts to x.",
        {needed("x"), needed("slope")});
    add("where", "a where the condition is true, b elsewhere, with broadcasting.",
        {needed("condition"), needed("a"), needed("b")});
    add("add_n", "Sum of any number of tensors, with broadcasting.", {variadic("x")});
    return table;
}

} // namespace loopscope
