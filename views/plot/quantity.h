#pragma once
// What an axis counts, and where its ticks stand: round numbers in the unit a person would choose ("2 ms", "500"), on a
// logarithmic axis 1-2-5 when it spans few decades. Pure, so that the labels can be tested as text.

#include <QString>

#include <cstdint>
#include <vector>

namespace loopscope {

enum class Quantity : uint8_t {
    Number,
    Count,    // whole numbers only
    Seconds,  // of a kernel: "2 ms"
    Duration, // of a search: "1 min 30 s"
    Gflops,
    Percent, // 0.5 = "50 %"
};

struct Tick {
    double value = 0;
    QString label; // empty: a small tick between labelled ones
};

/// Ticks of [lower, upper], about `wanted` of them labelled, ascending. A logarithmic axis needs lower > 0.
std::vector<Tick> ticksOf(Quantity quantity, double lower, double upper, bool logarithmic, int wanted);

} // namespace loopscope
