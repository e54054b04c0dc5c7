#include "views/plot/plot_export.h"

#include "views/plot/plot.h"

#include <QFile>
#include <QFileInfo>
#include <QSvgGenerator>

#include <cmath>

namespace loopscope {

namespace {

constexpr double kPixelScale = 2; // of a PNG: sharp on every screen

QString refusal(const QString &path, const QString &cause) {
    return QStringLiteral("Cannot write %1: %2").arg(QFileInfo(path).absoluteFilePath(), cause);
}

} // namespace

QString writeTable(const QString &path, const QString &text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) return refusal(path, file.errorString());
    const QByteArray bytes = text.toUtf8();
    if (file.write(bytes) != bytes.size() || !file.flush()) return refusal(path, file.errorString());
    return {};
}

QString exportPlot(QCustomPlot &plot, const QStringList &known, const std::function<QString()> &table,
                   const QString &path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (!known.contains(suffix))
        return refusal(path, QStringLiteral("a plot is exported as %1, not as \u201c%2\u201d")
                                 .arg(known.join(QStringLiteral(", ")), suffix));
    if (suffix == QLatin1String("csv")) return writeTable(path, table());
    // The libraries below say "failed" without a reason: what the file system has against the file is asked first.
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Append)) return refusal(path, file.errorString());
    file.close();
    if (suffix == QLatin1String("png"))
        return plot.savePng(path, 0, 0, kPixelScale) ? QString()
                                                     : refusal(path, QStringLiteral("the picture was not saved"));
    if (suffix == QLatin1String("pdf"))
        return plot.savePdf(path) ? QString() : refusal(path, QStringLiteral("the document was not saved"));
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setSize(plot.size());
    generator.setViewBox(plot.rect());
    generator.setTitle(plot.accessibleName());
    QCPPainter painter;
    if (!painter.begin(&generator)) return refusal(path, QStringLiteral("the drawing was not saved"));
    painter.setMode(QCPPainter::pmVectorized);
    plot.toPainter(&painter, plot.width(), plot.height());
    painter.end();
    return {};
}

QCPRange rangeWithMargin(double least, double most, bool logarithmic, double share) {
    if (!std::isfinite(least) || !std::isfinite(most) || least > most)
        return logarithmic ? QCPRange(1, 10) : QCPRange(0, 1);
    if (logarithmic) {
        if (least <= 0) return {1, 10};
        const double factor = std::max(std::pow(most / least, share), 1.08);
        return {least / factor, most * factor};
    }
    double margin = (most - least) * share;
    if (margin <= 0) margin = most == 0 ? 1 : std::fabs(most) * 0.1;
    return {least - margin, most + margin};
}

} // namespace loopscope
