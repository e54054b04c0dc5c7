#include "op/entry.h"

namespace loopscope {

OperatorTable normalizationOperators() {
    const AttributeSpec epsilon = number("epsilon", 1e-5, "added to the variance");
    const AttributeSpec last = integer("axis", -1, "along which the sum is 1");
    return {{.name = "lrn",
             .doc = "x divided by (bias + alpha / size * sum of squares of `size` channels around) ^ beta.",
             .inputs = {needed("x")},
             .attributes = {given(integer("size", 0, "number of channels that are summed")),
                            number("alpha", 1e-4, "weight of the sum"), number("beta", 0.75, "exponent"),
                            number("bias", 1.0, "added to the sum")},
             .pattern = PatternKind::Opaque},
            {.name = "batch_norm",
             .doc = "(x - mean) / sqrt(variance + epsilon) * scale + bias, each of channel 1 of x.",
             .inputs = {needed("x"), needed("scale"), needed("bias"), needed("mean"), needed("variance")},
             .attributes = {epsilon},
             .pattern = PatternKind::Broadcast},
            {.name = "layer_norm",
             .doc = "Mean 0 and variance 1 over the axes from `axis` on, then scaled and shifted.",
             .inputs = {needed("x"), needed("scale"), optional("bias")},
             .attributes = {integer("axis", -1, "first axis that is normalised"), epsilon},
             .pattern = PatternKind::OutputFusable},
            {.name = "instance_norm",
             .doc = "Mean 0 and variance 1 in each channel of each image, then scaled and shifted.",
             .inputs = {needed("x"), needed("scale"), needed("bias")},
             .attributes = {epsilon},
             .pattern = PatternKind::OutputFusable},
            {.name = "softmax",
             .doc = "e^x divided by its sum along an axis.",
             .inputs = {needed("x")},
             .attributes = {last},
             .pattern = PatternKind::OutputFusable},
            {.name = "log_softmax",
             .doc = "Logarithm of softmax.",
             .inputs = {needed("x")},
             .attributes = {last},
             .pattern = PatternKind::OutputFusable}};
}

} // namespace loopscope
