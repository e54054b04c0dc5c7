#pragma once
// The text form of networks, `.net`: written by netText, read by parseNet without loss: functions, blocks, nodes with
// their names, attributes and sources, the types of all values, the bits of all constants.
//
//     network tiny
//     func main(x: float32[n, 3, 224, 224]) {
//       w = constant float32[64, 3, 7, 7] random normal(seed = 7, deviation = 0.05)
//       a: float32[n, 64, 112, 112] = conv(x, w, strides = [2, 2], pads = [3, 3, 3, 3]) @ "stem" from ["Conv_0"]
//       b = relu(a)
//       return b
//     }
//
// - Names are letters, digits, `_` and dots inside; others, and the language's own words, stand in quotes. `_` among
// the
//   inputs is one that is left out. A value is defined once. Types behind names may be missing.
// - A node is named as its first output unless `@` says otherwise; `from` lists the nodes of the imported file.
// - Attributes are integers, numbers (with a point, an exponent, `inf`, `nan`), "texts", lists of them (`ints []`,
//   `numbers []`, `texts []` when empty), and tensors (`tensor float32[1] 0.5`).
// - Constants are one value for all elements, a list `[1, 2]`, a rule (`random uniform(low = -1.0, high = 1.0)`,
//   `random normal(mean = 0.0, deviation = 1.0)`, `random he(fan_in = 576, scale = 1.0)`, `random integers(least = 0,
//   most = 9)`, each with a `seed` or, without one, one made of the constant's name; `ramp`), base64 (`bytes "AAAA"`),
//   or part of a file beside the text (`file("tiny.net.weights", 4096)`). `bits(0x7fc00001)` is a number by its bits.
// - `dataflow { ... } yield a, b` is a block, outside of which only a and b are known; a function without any is one
// block. `effect { ... } yield a, b` is one that runs in order, in which statements may stand
// (networks/graph/statement.h):
//
//     func main(x: float32[n], trips: int64[]) {
//       effect {
//         u = unique(x)
//         v: float32[2*m] = match(u)                                 # m is what makes this true; else the run ends
//         y, sums = loop(trips, _, v, body = "step", carried = 1)
//       } yield y, sums
//       return y, sums
//     }
//     func step(i: int64[], more: bool[], v: float32[k]) {
//       s = reduce_sum(v)
//       return more, v, s
//     }
//
// For whoever writes networks by hand, all of it expanded when it is read (printing gives the flat form):
// - `network bert(layers = 12)` has integer parameters; `let k = 3*layers` names a constant, in functions too.
// - `macro block(x, channels, stride = 1) { ... return y }` stands for its statements wherever it is called: `a =
//   block(x, 64)`. Its values are called `a.y`, or by the name behind `@`; braces in that text hold integers: `@
//   "layer{i}"`.
// - `repeat i < layers { ... }`, with `var h = x` before it for what gets another value each time.
// - Inputs may be lists: `reshape(x, [1, -1])` is an int64 constant, `mul(x, 0.5)` a float32 one.
// - Integers everywhere, and dims, may be sums and products, `//` divides and rounds down.
//
// Operators and attributes are not looked up here: what a name means says the catalogue, with the places below.

#include "base/outcome.h"
#include "networks/graph/module.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct NetPrintOptions {
    size_t maxListed = 64; // elements of a constant that are written as numbers; more are written as base64
    /// Constants of more bytes than `maxInline` go to a file of this name, whose bytes are handed to `write` one after
    /// the other. Without a name all stands in the text.
    std::string weightsName = {};
    size_t maxInline = 4096;
    std::function<void(std::span<const std::byte>)> write = nullptr;
};

/// The module is well formed (networks/graph/verify.h).
std::string netText(const Module &module, const NetPrintOptions &options = {});

/// To a file, large constants to `path`.weights beside it. Throws Error when they cannot be written; what was there
/// before then stays.
void writeNet(const Module &module, const std::string &path);

/// Where the nodes of a text stand, for sentences about them.
struct NetPlaces {
    struct Operator {
        size_t offset = 0;
        size_t length = 0;
    };
    std::string path;
    std::shared_ptr<const std::string> text;
    std::map<std::string, std::vector<Operator>, std::less<>> operators; // by function, by NodeId: the operator's name

    /// For `throw places.error(...)`: with line, column and a caret under the operator.
    [[nodiscard]] Error error(std::string_view function, NodeId node, const std::string &sentence) const;
};

/// Numbers for parameters of a network, and for symbols among its dims.
using NetParameters = std::map<std::string, int64_t, std::less<>>;

struct ParsedNet {
    Module module;
    NetPlaces places;
};

/// Throws Error with path, line, column and a caret. Files that constants name stand in the folder of `path` or below.
ParsedNet parseNet(std::string text, const std::string &path, const NetParameters &parameters = {});
ParsedNet loadNet(const std::string &path, const NetParameters &parameters = {});

} // namespace loopscope
