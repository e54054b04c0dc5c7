#include "views/graph/graph_export.h"

#include <QFile>
#include <QFileInfo>
#include <QGraphicsScene>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr double kPaperMargin = 16;
constexpr double kPngScale = 2;
constexpr double kPngPixels = 120e6; // a 480 MB picture; larger graphs come out smaller
constexpr double kPngSide = 32000;   // of QPainter's raster engine

void paint(QPainter &painter, QGraphicsScene &scene, const QRectF &part, const QRectF &target, const QColor &ground) {
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(target, ground);
    scene.render(&painter, target, part, Qt::IgnoreAspectRatio);
}

QString cannotWrite(const QString &path, const QString &cause) {
    return QStringLiteral("%1 cannot be written: %2.").arg(path, cause);
}

bool drawSvg(QIODevice &file, QGraphicsScene &scene, const QRectF &part, const QColor &ground, const QString &title) {
    QSvgGenerator svg;
    svg.setOutputDevice(&file);
    svg.setResolution(96); // Qt's pixel on a plain screen, so that fonts keep their size
    svg.setSize(part.size().toSize());
    svg.setViewBox(QRectF(QPointF(), part.size()));
    svg.setTitle(title);
    QPainter painter;
    if (!painter.begin(&svg)) return false;
    paint(painter, scene, part, QRectF(QPointF(), part.size()), ground);
    return painter.end();
}

bool drawPng(QIODevice &file, QGraphicsScene &scene, const QRectF &part, const QColor &ground) {
    double scale = kPngScale;
    scale = std::min(scale, std::sqrt(kPngPixels / (part.width() * part.height())));
    scale = std::min(scale, kPngSide / std::max(part.width(), part.height()));
    QImage image((part.size() * scale).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
    if (image.isNull()) return false;
    QPainter painter(&image);
    paint(painter, scene, part, QRectF(image.rect()), ground);
    painter.end();
    return image.save(&file, "PNG");
}

bool drawPdf(QIODevice &file, QGraphicsScene &scene, const QRectF &part, const QColor &ground, const QString &title) {
    QPdfWriter pdf(&file);
    pdf.setTitle(title);
    pdf.setResolution(96);
    pdf.setPageMargins({});
    pdf.setPageSize(QPageSize(part.size() * 72 / 96, QPageSize::Point, {}, QPageSize::ExactMatch));
    QPainter painter;
    if (!painter.begin(&pdf)) return false;
    paint(painter, scene, part, QRectF(QPointF(), part.size()), ground);
    return painter.end();
}

} // namespace

QString exportScene(QGraphicsScene &scene, const QRectF &part, const QColor &ground, const QString &path) {
    if (part.isEmpty()) return QStringLiteral("There is no graph to export to %1 yet.").arg(path);
    const QString suffix = QFileInfo(path).suffix().toLower();
    const QRectF whole = part.adjusted(-kPaperMargin, -kPaperMargin, kPaperMargin, kPaperMargin);
    if (suffix != QLatin1String("svg") && suffix != QLatin1String("png") && suffix != QLatin1String("pdf"))
        return cannotWrite(path, QStringLiteral("a graph is exported as .svg, .png or .pdf"));

    QSaveFile file(path); // a failure leaves what was there before
    if (!file.open(QIODevice::WriteOnly)) return cannotWrite(path, file.errorString());
    const QString title = QFileInfo(path).completeBaseName();
    bool drawn = false;
    if (suffix == QLatin1String("svg"))
        drawn = drawSvg(file, scene, whole, ground, title);
    else if (suffix == QLatin1String("png"))
        drawn = drawPng(file, scene, whole, ground);
    else
        drawn = drawPdf(file, scene, whole, ground, title);
    if (!drawn) {
        file.cancelWriting();
        return cannotWrite(path, QStringLiteral("the picture of %1 x %2 pixels cannot be drawn")
                                     .arg(qRound(whole.width()))
                                     .arg(qRound(whole.height())));
    }
    return file.commit() ? QString() : cannotWrite(path, file.errorString());
}

} // namespace loopscope
