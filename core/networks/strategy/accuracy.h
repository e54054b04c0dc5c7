#pragma once
// How far what an implementation computes may be from the operator's definition, from the best to the worst. In which
// order the terms of a sum are added is the schedule's business everywhere, and no class of its own.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace loopscope {

enum class AccuracyClass : uint8_t {
    Exact,            // the terms and factors of the definition
    Reassociated,     // sums or products are grouped anew: partial sums that are rounded on their way
    Winograd2,        // Winograd's form, output tiles 2 x 2: differences of inputs are multiplied
    Winograd4,        // the same with tiles 4 x 4, whose transforms lose two or three more bits
    ReducedPrecision, // narrower numbers than the operator's own
};

std::string_view accuracyName(AccuracyClass accuracy); // "exact", "winograd4", "reduced-precision"
std::optional<AccuracyClass> accuracyFromName(std::string_view name);
const std::vector<AccuracyClass> &allAccuracyClasses();

} // namespace loopscope
