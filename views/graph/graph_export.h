#pragma once
// A scene as a picture file: vector formats in the scene's own size, PNG at twice the size so that it prints well.

#include <QColor>
#include <QRectF>
#include <QString>

class QGraphicsScene;

namespace loopscope {

/// The suffix of the path decides: svg, png or pdf. Empty on success, else one sentence with path and cause.
QString exportScene(QGraphicsScene &scene, const QRectF &part, const QColor &ground, const QString &path);

} // namespace loopscope
