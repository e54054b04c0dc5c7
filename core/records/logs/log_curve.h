#pragma once
// The times of a log as a plot of a few thousand points, however many records there are. Nothing that stands out is
// lost: of every stretch of the axis the least and the greatest time are kept, and how many records failed there.

#include "records/logs/log_document.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loopscope {

enum class CurveAxis : uint8_t {
    Order,    // how many of the records stand in front
    Timestamp // Unix seconds
};

struct CurvePoint {
    double x = 0;
    double seconds = 0;
    uint32_t record = 0;
    bool operator==(const CurvePoint &) const = default;
};

/// A stretch [from, to) of the axis.
struct CurveBucket {
    double from = 0;
    double to = 0;
    uint32_t records = 0;
    uint32_t failures = 0;
};

struct LogCurve {
    std::vector<CurvePoint> points; // valid records to draw, by x and then in the order given
    /// Each valid record that was faster than all before it: the best so far, exact.
    std::vector<CurvePoint> best;
    /// Failed records to draw, likewise; `seconds` says nothing. Of many the first of each bucket.
    std::vector<CurvePoint> failed;
    std::vector<CurveBucket> buckets; // all of the axis; empty without records
    size_t records = 0;
    size_t failures = 0;
};

/// `records` in their order, as selectRows and recordsOfTask give them; at most two points a bucket. Few enough records
/// are all kept.
LogCurve logCurve(const LogDocument &log, std::span<const uint32_t> records, CurveAxis axis, size_t buckets = 1500);

std::vector<uint32_t> recordsOfTask(const LogDocument &log, size_t task);

} // namespace loopscope
