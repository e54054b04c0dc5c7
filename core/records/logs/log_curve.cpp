#include "records/logs/log_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

/// Which valid records of a bucket are drawn.
struct Extremes {
    size_t least = SIZE_MAX; // positions
    size_t greatest = SIZE_MAX;
};

double axisOf(const LogRow &row, size_t position, CurveAxis axis) {
    return axis == CurveAxis::Order ? static_cast<double>(position) : static_cast<double>(row.timestamp);
}

} // namespace

LogCurve logCurve(const LogDocument &log, std::span<const uint32_t> records, CurveAxis axis, size_t buckets) {
    LogCurve curve;
    curve.records = records.size();
    if (records.empty() || buckets == 0) return curve;
    std::vector<uint32_t> ordered(records.begin(), records.end());
    if (axis == CurveAxis::Timestamp)
        std::stable_sort(ordered.begin(), ordered.end(),
                         [&](uint32_t a, uint32_t b) { return log.row(a).timestamp < log.row(b).timestamp; });

    const double first = axisOf(log.row(ordered.front()), 0, axis);
    const double length = axisOf(log.row(ordered.back()), ordered.size() - 1, axis) + 1 - first;
    buckets = std::min(buckets, static_cast<size_t>(std::min(length, 1e9)));
    const double width = length / static_cast<double>(buckets);
    for (size_t i = 0; i < buckets; ++i)
        curve.buckets.push_back(
            {first + width * static_cast<double>(i), first + width * static_cast<double>(i + 1), 0, 0});

    const auto pointAt = [&](size_t position) {
        const LogRow &row = log.row(ordered[position]);
        return CurvePoint{axisOf(row, position, axis), row.seconds, ordered[position]};
    };
    std::vector<Extremes> extremes(buckets);
    const bool all = ordered.size() <= 2 * buckets;
    double best = std::numeric_limits<double>::infinity();
    for (size_t position = 0; position < ordered.size(); ++position) {
        const CurvePoint point = pointAt(position);
        const size_t index = std::min(static_cast<size_t>((point.x - first) / width), buckets - 1);
        ++curve.buckets[index].records;
        if (log.row(point.record).failed()) {
            ++curve.failures;
            if (curve.buckets[index].failures++ == 0 || all) curve.failed.push_back(point);
            continue;
        }
        if (std::isinf(point.seconds)) continue; // right, and not timed: no point has its place
        if (point.seconds < best) {
            best = point.seconds;
            curve.best.push_back(point);
        }
        Extremes &kept = extremes[index];
        if (kept.least == SIZE_MAX || point.seconds < log.row(ordered[kept.least]).seconds) kept.least = position;
        if (kept.greatest == SIZE_MAX || point.seconds > log.row(ordered[kept.greatest]).seconds)
            kept.greatest = position;
    }

    if (all) {
        for (size_t position = 0; position < ordered.size(); ++position)
            if (!log.row(ordered[position]).failed() && std::isfinite(log.row(ordered[position]).seconds))
                curve.points.push_back(pointAt(position));
        return curve;
    }
    for (const Extremes &kept : extremes) {
        if (kept.least == SIZE_MAX) continue;
        const auto [before, behind] = std::minmax(kept.least, kept.greatest);
        curve.points.push_back(pointAt(before));
        if (behind != before) curve.points.push_back(pointAt(behind));
    }
    return curve;
}

std::vector<uint32_t> recordsOfTask(const LogDocument &log, size_t task) {
    std::vector<uint32_t> records;
    for (size_t first = 0; first < log.size();) {
        const std::span<const LogRow> rows = log.rowsFrom(first);
        for (size_t i = 0; i < rows.size(); ++i)
            if (rows[i].task == task) records.push_back(static_cast<uint32_t>(first + i));
        first += rows.size();
    }
    return records;
}

} // namespace loopscope
