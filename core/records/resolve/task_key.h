#pragma once
// A workload key taken apart: `["hash", [shape], ...]`, its older flat form `["hash", 1, 512, ...]`, its oldest
// `["hash"]`, and function keys `["conv2d_layer", 1, 7, ...]`.

#include "base/outcome.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace loopscope {

using Shape = std::vector<int64_t>;

/// An argument of a function key that stands for a tensor: ["TENSOR", [1, 512], "float32"].
struct KeyTensor {
    Shape shape;
    std::string dtype;
};
using KeyArg = std::variant<int64_t, double, std::string, std::vector<int64_t>, KeyTensor>;

struct TaskKey {
    std::string name; // the hash or the function
    bool isHash = false;
    std::vector<KeyArg> args;     // of a function
    bool nested = false;          // of a hash: the shapes are told apart
    std::vector<Shape> shapes;    // then: inputs, outputs last
    std::vector<int64_t> numbers; // of a hash: all extents, one after the other
};

/// The refusal says what is no key, or what cannot be an extent.
Outcome<TaskKey> parseTaskKey(const std::string &key);

/// "1x56x56x64"; "scalar" for none.
std::string shapeText(const Shape &shape);

} // namespace loopscope
