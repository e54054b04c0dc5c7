#pragma once
// The whole story of a stage or of a read, as rich text: what does not fit into a node.

#include "views/dag_graph/dag_picture.h"
#include "views/dag_graph/placement.h"
#include "views/settings/theme.h"

namespace loopscope {

/// `placement` may be null: no schedule is known.
QString stageToolTip(const DagFacts &facts, int stage, const Placement *placement, const Theme &theme);
QString chainToolTip(const DagFacts &facts, const PictureNode &chain);
QString edgeToolTip(const DagFacts &facts, const PictureEdge &edge, const Theme &theme);

/// Broken into lines of at most `width` characters at the outermost operators, parts indented.
QString brokenExpression(const QString &expression, int width);

} // namespace loopscope
