#pragma once
// A pattern with all its extents known: what its text is in a hash, and the `.te` statements that make it. Inputs go by
// the names @a, @b, ... until it is known how the log names them.

#include "records/resolve/hashed_text.h"
#include "records/resolve/pattern_shapes.h"

#include <string>
#include <vector>

namespace loopscope {

/// Types of the inputs, and the wider one of the result where the operator widens.
struct PatternTypes {
    std::string input = "float32";
    std::string result = {};
};

struct PatternHead {
    const OpPattern *pattern = nullptr;
    ShapeMatch match;
    PatternTypes types;
    /// Choices of the windows that all have this text, the likeliest first: paddings and windows of poolings are not in
    /// it. One without windows for a pattern that has none.
    std::vector<std::vector<WindowChoice>> choices;
    HashedText text;
    int cost = 0; // how unlikely its windows are, as fused operators cost
};

/// Every head of the pattern that the match allows.
std::vector<PatternHead> headsOf(const OpPattern &pattern, const ShapeMatch &match, const PatternTypes &types,
                                 HashForm form = HashForm::Simple);

/// With the windows of that choice.
Extents extentsOf(const PatternHead &head, size_t choice);

struct HeadStatements {
    std::string params;     // "N = 1, H = 56": what the statements name
    std::string statements; // inputs included
    std::string result;     // handle
};
HeadStatements headStatements(const PatternHead &head, const Extents &extents);

/// @a, @b, ... replaced by the names.
std::string withInputNames(std::string text, const std::vector<std::string> &names);

/// The pattern's details with the extents filled in.
std::string detailsText(const OpPattern &pattern, const Extents &extents);

} // namespace loopscope
