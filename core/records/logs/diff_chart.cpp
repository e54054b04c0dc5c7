#include "records/logs/diff_chart.h"

#include "base/foreign_text.h"
#include "records/logs/diff_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

namespace loopscope {

namespace {

constexpr double kWidth = 460;
constexpr double kHeight = 230;
constexpr double kLeft = 66;
constexpr double kRight = 12;
constexpr double kTop = 24;
constexpr double kBottom = 40;
constexpr double kStrip = 7; // height of a strip of failures
constexpr int kBuckets = 96;

template <typename... Args> void put(std::string &out, fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

/// Where values lie in the picture.
struct ChartScale {
    double maxX = 1;
    double least = 0; // seconds
    double most = 0;
    double bottom = 0; // of the plot, in the picture
    [[nodiscard]] double x(double value) const { return kLeft + (kWidth - kLeft - kRight) * value / maxX; }
    [[nodiscard]] double y(double seconds) const {
        const double part = (std::log(seconds) - std::log(least)) / (std::log(most) - std::log(least));
        return bottom - (bottom - kTop) * part;
    }
};

const std::vector<BestPoint> &pointsOf(const DiffSide &side, ChartAxis axis) {
    return axis == ChartAxis::Trials ? side.byTrial : side.byTime;
}
double endOf(const DiffSide &side, ChartAxis axis) {
    return axis == ChartAxis::Trials ? static_cast<double>(side.records) : side.duration;
}

/// 1, 2, 5 in every decade; where that gives too few, all digits.
std::vector<double> timeTicks(double least, double most) {
    constexpr std::array coarse{1.0, 2.0, 5.0};
    constexpr std::array fine{1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
    const auto within = [&](const auto &digits) {
        std::vector<double> ticks;
        for (int decade = static_cast<int>(std::floor(std::log10(least))); std::pow(10.0, decade) <= most; ++decade)
            for (const double digit : digits)
                if (const double tick = digit * std::pow(10.0, decade); tick >= least && tick <= most)
                    ticks.push_back(tick);
        return ticks;
    };
    std::vector<double> ticks = within(coarse);
    if (ticks.size() < 3) ticks = within(fine);
    constexpr size_t readable = 7;
    if (ticks.size() > readable) {
        std::vector<double> fewer;
        const size_t step = (ticks.size() + readable - 1) / readable;
        for (size_t i = 0; i < ticks.size(); i += step) fewer.push_back(ticks[i]);
        ticks = std::move(fewer);
    }
    if (ticks.size() < 2) ticks = {least, most};
    return ticks;
}

/// Round numbers from 0.
std::vector<double> countTicks(double most) {
    const double raw = most / 5;
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    double step = decade;
    for (const double digit : {1.0, 2.0, 5.0, 10.0})
        if (digit * decade >= raw) {
            step = digit * decade;
            break;
        }
    if (step < 1) step = 1;
    std::vector<double> ticks;
    for (double tick = 0; tick <= most * 1.0001; tick += step) ticks.push_back(tick);
    return ticks;
}

void putAxes(std::string &svg, const ChartScale &scale, ChartAxis axis, double labels) {
    for (const double tick : timeTicks(scale.least, scale.most))
        put(svg,
            "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
            "<text class=\"tick\" text-anchor=\"end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
            kLeft, kWidth - kRight, scale.y(tick), kLeft - 6, scale.y(tick) + 4, shortTime(tick));
    for (const double tick : countTicks(scale.maxX))
        put(svg,
            "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
            "<text class=\"tick\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4:g}</text>\n",
            scale.x(tick), kTop, scale.bottom, labels, tick);
    put(svg, "<text class=\"axis\" x=\"{:.1f}\" y=\"14\">best time so far</text>\n", kLeft);
    put(svg, "<text class=\"axis\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kWidth - kRight,
        labels + 16, axis == ChartAxis::Trials ? "trials" : "seconds since the first record");
}

void putCurve(std::string &svg, const ChartScale &scale, const DiffSide &side, size_t log, ChartAxis axis) {
    const std::vector<BestPoint> &points = pointsOf(side, axis);
    if (points.empty()) return;
    std::string path;
    for (size_t i = 0; i < points.size(); ++i) {
        if (i == 0)
            put(path, "M{:.1f} {:.1f}", scale.x(points[i].x), scale.y(points[i].seconds));
        else
            put(path, "H{:.1f}V{:.1f}", scale.x(points[i].x), scale.y(points[i].seconds));
    }
    put(path, "H{:.1f}", scale.x(std::max(endOf(side, axis), points.back().x)));
    put(svg, "<path class=\"curve log{}\" d=\"{}\"/>\n", log % 6, path);
    put(svg,
        "<circle class=\"dot log{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {} after {:g}</title></circle>\n",
        log % 6, scale.x(points.back().x), scale.y(points.back().seconds), logLetter(log),
        shortTime(points.back().seconds), points.back().x);
}

/// A strip whose darkness is the share of failed trials.
void putFailures(std::string &svg, const ChartScale &scale, const DiffSide &side, size_t log, double top) {
    std::array<int, kBuckets> failed{};
    std::array<int, kBuckets> all{};
    const auto bucketOf = [&](double trial) {
        return std::min(kBuckets - 1, static_cast<int>((trial - 1) / std::max(1.0, scale.maxX) * kBuckets));
    };
    for (size_t trial = 1; trial <= side.records; ++trial)
        ++all[static_cast<size_t>(bucketOf(static_cast<double>(trial)))];
    for (const uint32_t trial : side.failedTrials) ++failed[static_cast<size_t>(bucketOf(trial))];
    const double width = (kWidth - kLeft - kRight) / kBuckets;
    for (size_t i = 0; i < kBuckets; ++i) {
        if (failed[i] == 0) continue;
        const double share = static_cast<double>(failed[i]) / std::max(1, all[i]);
        put(svg,
            "<rect class=\"fill log{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" "
            "opacity=\"{:.2f}\"><title>{} of {} trials failed</title></rect>\n",
            log % 6, kLeft + width * static_cast<double>(i), top, std::max(width, 1.5), kStrip - 1, 0.25 + 0.75 * share,
            failed[i], all[i]);
    }
}

} // namespace

std::string shortTime(double seconds) {
    if (!std::isfinite(seconds)) return "none";
    if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
    return fmt::format("{:.4g} us", seconds * 1e6);
}

std::string curveChart(const std::vector<std::optional<DiffSide>> &sides, ChartAxis axis) {
    ChartScale scale;
    scale.maxX = 0;
    scale.least = std::numeric_limits<double>::infinity();
    size_t strips = 0;
    for (const auto &side : sides) {
        if (!side) continue;
        scale.maxX = std::max(scale.maxX, endOf(*side, axis));
        strips += axis == ChartAxis::Trials && side->failures > 0 ? 1 : 0;
        for (const BestPoint &point : pointsOf(*side, axis)) {
            scale.least = std::min(scale.least, point.seconds);
            scale.most = std::max(scale.most, point.seconds);
        }
    }
    if (!(scale.most > 0) || !(scale.maxX > 0)) return {};
    scale.least /= 1.06;
    scale.most *= 1.06;
    scale.bottom = kHeight - kBottom;
    const double labels = scale.bottom + kStrip * static_cast<double>(strips) + 16;
    std::string svg;
    put(svg,
        "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
        "xmlns=\"http://www.w3.org/2000/svg\"><title>best time by {2}</title>\n",
        kWidth, labels + 22, axis == ChartAxis::Trials ? "trials" : "time");
    putAxes(svg, scale, axis, labels);
    double top = scale.bottom + 2;
    for (size_t log = 0; log < sides.size(); ++log) {
        if (!sides[log]) continue;
        putCurve(svg, scale, *sides[log], log, axis);
        if (axis != ChartAxis::Trials || sides[log]->failures == 0) continue;
        putFailures(svg, scale, *sides[log], log, top);
        top += kStrip;
    }
    return svg + "</svg>\n";
}

} // namespace loopscope
