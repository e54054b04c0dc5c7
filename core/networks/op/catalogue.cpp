#include "base/check.h"
#include "networks/op/entry.h"
#include "networks/op/integer_division.h"
#include "networks/op/operator.h"

#include <algorithm>

namespace loopscope {

namespace {

/// In alphabetical order. Made once, never changed.
const std::vector<Operator> &catalogue() {
    static const std::vector<Operator> all = [] {
        std::vector<Operator> joined;
        for (OperatorTable (*family)() :
             {elementwiseOperators, binaryOperators, convolutionOperators, winogradOperators, poolingOperators,
              normalizationOperators, matrixOperators, reductionOperators, shapeOperators, joiningOperators,
              indexingOperators, resizeOperators, constantOperators, sortingOperators})
            for (Operator &of : family()) joined.push_back(std::move(of));
        std::sort(joined.begin(), joined.end(), [](const Operator &a, const Operator &b) { return a.name < b.name; });
        for (size_t i = 1; i < joined.size(); ++i)
            LOOPSCOPE_CHECK(joined[i - 1].name != joined[i].name, joined[i].name);
        return joined;
    }();
    return all;
}

} // namespace

const Operator *findOperator(std::string_view name) {
    const std::vector<Operator> &all = catalogue();
    const auto at = std::lower_bound(all.begin(), all.end(), name,
                                     [](const Operator &of, std::string_view wanted) { return of.name < wanted; });
    return at != all.end() && at->name == name ? &*at : nullptr;
}

std::vector<const Operator *> allOperators() {
    std::vector<const Operator *> all;
    for (const Operator &of : catalogue()) all.push_back(&of);
    return all;
}

PatternKind patternOf(const GraphFunction &function, const Node &node) {
    const Operator *of = findOperator(node.op);
    if (!of) return PatternKind::Opaque;
    if (of->pattern != PatternKind::Broadcast) return of->pattern;
    if (checkedDivisor(function, node)) return PatternKind::Opaque; // what it divides by is looked at before
    const Dims &result = function.type(node.outputs[0]).dims;
    for (const ValueId input : node.inputs)
        if (input.value >= 0 && function.type(input).dims != result) return PatternKind::Broadcast;
    return PatternKind::Elementwise;
}

} // namespace loopscope
