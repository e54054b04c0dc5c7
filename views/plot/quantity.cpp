#include "views/plot/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace loopscope {

namespace {

struct Unit {
    double size;
    const char *name;
};
constexpr std::array<Unit, 4> kTimes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}}};

/// The largest unit that leaves at least one whole of it.
Unit timeUnit(double seconds) {
    const double size = std::fabs(seconds) * 1.0000001; // 1e-3 is one ms, whatever it is in binary
    for (const auto &unit : kTimes)
        if (size >= unit.size) return unit;
    return size > 0 ? kTimes.back() : kTimes.front();
}

/// As few digits as tell neighbours apart that are `step` away.
QString digits(double value, double step) {
    const int decimals = step >= 1 ? 0 : std::min(9, static_cast<int>(std::ceil(-std::log10(step) - 1e-6)));
    const QString text = QString::number(value, 'f', decimals);
    return text.startsWith(QLatin1Char('-')) && text.toDouble() == 0 ? text.mid(1) : text; // no "-0"
}

QString withPrefix(double value, double step) {
    const double size = std::max(std::fabs(value), step);
    if (size >= 1e9) return digits(value / 1e9, step / 1e9) + QStringLiteral(" G");
    if (size >= 1e6) return digits(value / 1e6, step / 1e6) + QStringLiteral(" M");
    if (size >= 1e5) return digits(value / 1e3, step / 1e3) + QStringLiteral(" k");
    return digits(value, step);
}

QString durationLabel(double seconds, double step) {
    if (seconds == 0) return QStringLiteral("0");
    if (seconds < 60 && step < 60) return digits(seconds, step) + QStringLiteral(" s");
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole % 3600 == 0 && whole > 0) return QStringLiteral("%1 h").arg(whole / 3600);
    if (whole >= 3600) return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
    if (whole % 60 == 0) return QStringLiteral("%1 min").arg(whole / 60);
    return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

/// `unit`: that of all labels of a linear time axis.
QString label(Quantity quantity, double value, double step, const Unit &unit) {
    switch (quantity) {
    case Quantity::Seconds:
        if (value == 0) return QStringLiteral("0");
        return QStringLiteral("%1 %2").arg(digits(value / unit.size, step / unit.size), QString::fromUtf8(unit.name));
    case Quantity::Duration:
        return durationLabel(value, step);
    case Quantity::Percent:
        return digits(value * 100, step * 100) + QStringLiteral(" %");
    case Quantity::Number:
    case Quantity::Count:
    case Quantity::Gflops:
        break;
    }
    return withPrefix(value, step);
}

double niceStep(Quantity quantity, double span, int wanted) {
    const double rough = span / std::max(1, wanted);
    if (quantity == Quantity::Duration && rough > 5) {
        for (const double step : {10., 15., 30., 60., 120., 300., 600., 900., 1800., 3600., 7200., 10800., 21600.})
            if (step >= rough) return step;
        return std::ceil(rough / 43200) * 43200;
    }
    const double decade = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * decade;
    for (const double factor : {1., 2., 5.})
        if (factor * decade >= rough * 0.999999) {
            step = factor * decade;
            break;
        }
    return quantity == Quantity::Count ? std::max(1., std::round(step)) : step;
}

std::vector<Tick> linearTicks(Quantity quantity, double lower, double upper, int wanted) {
    const double step = niceStep(quantity, upper - lower, wanted);
    const Unit unit = timeUnit(std::max(std::fabs(lower), std::fabs(upper)));
    std::vector<Tick> ticks;
    const auto first = static_cast<long long>(std::ceil(lower / step - 1e-9));
    const auto last = static_cast<long long>(std::floor(upper / step + 1e-9));
    if (last - first > 1000) return ticks; // no such axis
    for (long long i = first; i <= last; ++i) {
        const double value = static_cast<double>(i) * step;
        ticks.push_back({value, label(quantity, value, step, unit)});
    }
    return ticks;
}

std::vector<Tick> logTicks(Quantity quantity, double lower, double upper, int wanted) {
    if (lower <= 0 || upper <= lower) return {};
    const double decades = std::log10(upper / lower);
    if (decades < 0.35) return linearTicks(quantity, lower, upper, wanted);
    const int first = static_cast<int>(std::floor(std::log10(lower)));
    const int last = static_cast<int>(std::ceil(std::log10(upper)));
    // 1-2-5 while there is room for it, then decades, then every so many decades.
    const bool fine = decades * 3 <= wanted * 1.6;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, wanted))));
    std::vector<Tick> ticks;
    for (int power = first; power <= last; ++power)
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * std::pow(10, power);
            if (value < lower * 0.999999 || value > upper * 1.000001) continue;
            const bool labelled = digit == 1 ? power % every == 0 : fine && (digit == 2 || digit == 5);
            if (every > 1 && digit > 1) continue;
            ticks.push_back({value, labelled ? label(quantity, value, value, timeUnit(value)) : QString()});
        }
    // Within one decade 1-2-5 may leave a single label.
    const auto labelled =
        std::count_if(ticks.begin(), ticks.end(), [](const Tick &tick) { return !tick.label.isEmpty(); });
    return labelled < 3 && decades < 1.5 ? linearTicks(quantity, lower, upper, wanted) : ticks;
}

} // namespace

std::vector<Tick> ticksOf(Quantity quantity, double lower, double upper, bool logarithmic, int wanted) {
    if (!std::isfinite(lower) || !std::isfinite(upper) || upper <= lower) return {};
    return logarithmic ? logTicks(quantity, lower, upper, wanted) : linearTicks(quantity, lower, upper, wanted);
}

} // namespace loopscope
