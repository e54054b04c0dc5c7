#pragma once
// Reads the shapes of a key as a pattern's, in all ways that there are: keys may run all extents together, and what is
// fused behind an operator brings inputs of its own.

#include "records/resolve/op_patterns.h"
#include "records/resolve/task_key.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

using Extents = std::map<std::string, int64_t, std::less<>>; // by the pattern's names

struct ShapeMatch {
    Extents extents;
    std::vector<Shape> inputs; // of the pattern
    std::vector<Shape> extras; // of what follows it, in its order
    bool lead = false;         // the first of `extras` stands in front of the pattern's inputs
    Shape out;
};

std::vector<ShapeMatch> matchShapes(const OpPattern &pattern, const TaskKey &key);

/// The tokens of input i's shape.
std::vector<std::string> shapeTokens(const OpPattern &pattern, size_t input);

/// Does a tensor of the shape broadcast into the other?
bool broadcastsInto(const Shape &shape, const Shape &into);

} // namespace loopscope
