#include "op/entry.h"

namespace loopscope {

OperatorTable reductionOperators() {
    OperatorTable table;
    const AttributeSpec keepDims = integer("keep_dims", 1, "1: reduced axes stay with extent 1");
    const auto add = [&](std::string name, std::string doc) {
        table.push_back({.name = std::move(name),
                         .doc = std::move(doc),
                         .inputs = {needed("x")},
                         .attributes = {integers("axes", "that are reduced; none: all"), keepDims},
                         .pattern = PatternKind::Reduction});
    };
    add("reduce_sum", "Sum along axes.");
    add("reduce_mean", "Mean along axes.");
    add("reduce_max", "Greatest along axes.");
    add("reduce_min", "Least along axes.");
    add("reduce_prod", "Product along axes.");
    add("reduce_l2", "Square root of the sum of squares along axes.");
    add("reduce_sum_square", "Sum of squares along axes.");
    for (const bool greatest : {true, false})
        table.push_back({.name = greatest ? "argmax" : "argmin",
                         .doc = greatest ? "Index of the greatest element along an axis."
                                         : "Index of the least element along an axis.",
                         .inputs = {needed("x")},
                         .attributes = {integer("axis", 0, "that is searched"), keepDims,
                                        integer("select_last", 0, "1: of equal ones the last, not the first")},
                         .pattern = PatternKind::Reduction});
    return table;
}

} // namespace loopscope
