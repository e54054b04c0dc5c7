#pragma once
// How much of an item is worth drawing at the present zoom: text that nobody can read costs most of the time of a frame
// over a thousand nodes.

#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace loopscope {

/// Pixels on the screen per unit of the scene.
inline double levelOfDetail(const QPainter &painter) {
    return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter.worldTransform());
}

/// Below this, text is a smear: bars or nothing instead.
inline constexpr double kTextDetail = 0.35;
/// Below this, lines need no antialiasing and boxes no rounded corners.
inline constexpr double kLineDetail = 0.18;

} // namespace loopscope
