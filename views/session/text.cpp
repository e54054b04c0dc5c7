#include "views/session/text.h"

#include "language/dag/compute_dag.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace loopscope {

namespace {

const QString kNone = QStringLiteral("\u2013");

/// Three to four significant digits.
QString digits(double value) {
    const double size = std::fabs(value);
    const int decimals = size >= 999.5 ? 0 : size >= 99.95 ? 1 : size >= 9.995 ? 2 : 3;
    return QString::number(value, 'f', decimals);
}

QString scaled(double value, double base, const std::array<const char *, 5> &units) {
    size_t unit = 0;
    while (std::fabs(value) >= base && unit + 1 < units.size()) {
        value /= base;
        ++unit;
    }
    const QString number = unit == 0 && value == std::floor(value) ? QString::number(value, 'f', 0) : digits(value);
    return *units[unit] == 0 ? number : QStringLiteral("%1 %2").arg(number, QLatin1String(units[unit]));
}

} // namespace

QString timeText(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return kNone;
    if (seconds >= 0.9995) return QStringLiteral("%1 s").arg(digits(seconds));
    if (seconds >= 0.9995e-3) return QStringLiteral("%1 ms").arg(digits(seconds * 1e3));
    if (seconds >= 0.9995e-6) return QStringLiteral("%1 \u00b5s").arg(digits(seconds * 1e6));
    return QStringLiteral("%1 ns").arg(digits(seconds * 1e9));
}

QString timeWithinText(double seconds, double low, double high) {
    QString time = timeText(seconds);
    if (timeText(low) == time && timeText(high) == time) return time;
    return QStringLiteral("%1 (%2 to %3)").arg(time, timeText(low), timeText(high));
}

QString gflopsText(double gflops) {
    return gflops > 0 && std::isfinite(gflops) ? QStringLiteral("%1 GFLOP/s").arg(digits(gflops)) : kNone;
}

QString bytesText(int64_t bytes) { return scaled(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB"}); }

QString countText(double count) {
    return count >= 0 && std::isfinite(count) ? scaled(count, 1000, {"", "k", "M", "G", "T"}) : kNone;
}

QString percentText(double share) {
    return std::isfinite(share) ? QStringLiteral("%1 %").arg(share * 100, 0, 'f', 1) : kNone;
}

QString deltaText(double change) {
    const double percent = 100 * change;
    if (std::fabs(percent) < 0.05) return QStringLiteral("0.0\u2009%");
    return QStringLiteral("%1%2\u2009%")
        .arg(percent < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"))
        .arg(std::fabs(percent), 0, 'f', 1);
}

QString shapeText(const std::vector<int64_t> &shape) {
    QStringList parts;
    for (const int64_t extent : shape) parts << QString::number(extent);
    return parts.isEmpty() ? QStringLiteral("scalar") : parts.join(QStringLiteral(" \u00d7 "));
}

QString durationText(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return kNone;
    if (seconds < 10) return QStringLiteral("%1 s").arg(seconds, 0, 'f', 1);
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60) return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600) return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString trialCountText(size_t trials) { return countedText(trials, "trial"); }

QString countedText(size_t count, const char *one, const char *plural) {
    const QString word = plural != nullptr && count != 1 ? QString::fromUtf8(plural)
                         : count == 1                    ? QString::fromUtf8(one)
                                                         : QString::fromUtf8(one) + QLatin1Char('s');
    return QStringLiteral("%1 %2").arg(count).arg(word);
}

QString asSentence(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

size_t stageCount(const ComputeDag &dag) {
    return static_cast<size_t>(
        std::count_if(dag.ops().begin(), dag.ops().end(), [](const OpPtr &op) { return !op->isPlaceholder(); }));
}

} // namespace loopscope
