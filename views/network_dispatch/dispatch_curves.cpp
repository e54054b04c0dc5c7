#include "views/network_dispatch/dispatch_curves.h"

#include "views/session/text.h"

#include <QObject>
#include <QStringList>

#include <cmath>

namespace loopscope {

namespace {

QString ratioText(double ratio) { return QString::number(ratio, 'f', 2); }

} // namespace

DispatchCurves curvesOf(const DispatchTable &table, int kernel) {
    DispatchCurves curves;
    const auto add = [&](size_t point, double seconds, double fixed) {
        const auto size = static_cast<double>(table.points[point]);
        if (fixed > 0) curves.fixed.push_back({size, fixed});
        if (seconds > 0) curves.table.push_back({size, seconds});
        if (fixed > 0 && seconds > 0) curves.ratio.push_back({size, seconds / fixed});
    };
    if (kernel < 0) {
        const auto all = table.envelope();
        for (size_t p = 0; p < all.size(); ++p) add(p, all[p].first, all[p].second);
        return curves;
    }
    const KernelTable &of = table.kernels[static_cast<size_t>(kernel)];
    for (size_t v = 0; v < of.variants.size(); ++v) {
        DispatchCurves::Variant variant{QStringLiteral("v%1").arg(v), {}};
        for (size_t p = 0; p < table.points.size(); ++p)
            if (const auto &seconds = of.variants[v].seconds[p])
                variant.points.push_back({static_cast<double>(table.points[p]), *seconds});
        curves.variants.push_back(std::move(variant));
    }
    for (size_t p = 0; p < table.points.size(); ++p)
        add(p, of.variants[of.variantAt(table.points[p])].seconds[p].value_or(0), of.fixedSeconds[p]);
    return curves;
}

std::optional<RowPenalty> penaltyOf(const DispatchCurves &curves) {
    if (curves.ratio.empty()) return std::nullopt;
    RowPenalty penalty{0, 0, 0};
    for (const SizePoint &point : curves.ratio) {
        penalty.geomean += std::log(point.seconds);
        if (point.seconds <= penalty.worst) continue;
        penalty.worst = point.seconds;
        penalty.at = static_cast<int64_t>(point.size);
    }
    penalty.geomean = std::exp(penalty.geomean / static_cast<double>(curves.ratio.size()));
    return penalty;
}

QString headlineOf(const DispatchTable &table) {
    const auto whole = penaltyOf(curvesOf(table, -1));
    const QString symbol = qt(table.symbol);
    QString range = QObject::tr("%1 = 1 to %2, timed at %3")
                        .arg(symbol)
                        .arg(table.bound)
                        .arg(countedText(table.points.size(), "size"));
    if (!whole) return range;
    const Penalty each = table.penalty();
    QStringList parts{QObject::tr("%1 times static kernels' time, worst %2 at %3 = %4")
                          .arg(ratioText(whole->geomean), ratioText(whole->worst), symbol)
                          .arg(whole->at),
                      QObject::tr("a single kernel %1 (%2)").arg(ratioText(each.worst), qt(each.where))};
    if (!table.unseen.empty()) {
        const Penalty never = table.unseenPenalty();
        parts << QObject::tr("at sizes it was not made for %1, worst %2 (%3)")
                     .arg(ratioText(never.geomean), ratioText(never.worst), qt(never.where));
    }
    parts << range;
    return parts.join(QStringLiteral("; "));
}

QString variantText(const DispatchTable &table, const KernelTable &kernel, size_t variant) {
    const TableVariant &of = kernel.variants[variant];
    QString text = QStringLiteral("v%1: %2").arg(variant).arg(qt(of.origin));
    const QString symbol = qt(table.symbol);
    if (of.only != 0)
        text += QObject::tr(", for %1 = %2 alone").arg(symbol).arg(of.only);
    else if (of.tile > 1)
        text += QObject::tr(", padded to multiples of %1").arg(of.tile);
    else if (of.multiple > 1)
        text += QObject::tr(", for multiples of %1").arg(of.multiple);
    return text;
}

} // namespace loopscope
