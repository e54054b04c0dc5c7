#include <Halide.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace Halide;

namespace {

/// Integer division as C has it; Halide's own rounds down.
[[maybe_unused]] Expr truncDiv(Expr a, Expr b) {
    return select((a < 0) == (b < 0), abs(a) / abs(b), -cast(a.type(), abs(a) / abs(b)));
}
[[maybe_unused]] Expr truncMod(Expr a, Expr b) { return a - truncDiv(a, b) * b; }

struct ArgumentFacts {
    const char *name;
    Type type;
    std::vector<int> shape; // as Halide counts dimensions: innermost first
    bool output;
};
