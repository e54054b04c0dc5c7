#pragma once
// What a dispatch table comes to, for the whole network or one of its kernels: time over the size by each variant, by
// the table, and by static kernels. Pure.

#include "deploy/dispatch/dispatch_table.h"

#include <QString>

#include <optional>
#include <vector>

namespace loopscope {

struct SizePoint {
    double size = 0;
    double seconds = 0;
};

struct DispatchCurves {
    struct Variant {
        QString name; // "v0"
        std::vector<SizePoint> points;
    };
    std::vector<Variant> variants; // none of the whole network
    std::vector<SizePoint> table;  // by the variants that its guards take
    std::vector<SizePoint> fixed;  // by static kernels
    std::vector<SizePoint> ratio;  // table over static; `seconds` is the quotient
};

/// `kernel` -1: the whole network.
DispatchCurves curvesOf(const DispatchTable &table, int kernel);

/// "geometric mean 0.84, worst 1.06 at n = 1"; of penalties of one row of the kernels.
struct RowPenalty {
    double geomean = 1;
    double worst = 1;
    int64_t at = 0;
};
std::optional<RowPenalty> penaltyOf(const DispatchCurves &curves);

/// "0.86 times static kernels' time, worst 1.12 at n = 7; a single kernel 4.54 (matmul at n = 7); at sizes it was not
/// made for 2.2, worst 15.7 (matmul at n = 74); n = 1 to 512, timed at 20 sizes".
QString headlineOf(const DispatchTable &table);
/// "v2: default at n = 64, n mod 2 = 0".
QString variantText(const DispatchTable &table, const KernelTable &kernel, size_t variant);

} // namespace loopscope
