#pragma once
// The inside of a node, measured and shortened to its width before anything is laid out or drawn: what stands where.
// Made in the layout's job.

#include "views/dag_graph/chains.h"
#include "views/settings/theme.h"

#include <QFont>
#include <QRectF>

namespace loopscope {

struct NodeFonts {
    QFont text;
    QFont bold;
    QFont small;
    QFont code;
    bool operator==(const NodeFonts &) const = default;
};
NodeFonts nodeFonts(const Theme &theme); // UI thread

struct TextPiece {
    enum class Font : uint8_t { Text, Bold, Small, Code };
    QString text;
    QRectF rect;
    Font font = Font::Text;
    Role color = Role::Text;
};
/// A rounded mark: an axis, a badge, the share of FLOPs.
struct PillPiece {
    QString text;
    QRectF rect;
    Role color = Role::Text;
    int axis = -1; // of the stage; -1: no axis
    int badge = -1;
};

struct NodeBox {
    QSizeF size;
    std::vector<TextPiece> texts;
    std::vector<PillPiece> pills;
    double divider = -1; // x of the line between spatial and reduction axes, in the row of pills at dividerRow
    QRectF dividerRow;
    QRectF strip; // for the placement; empty where there is none
};

inline constexpr double kNodeWidest = 344;

NodeBox stageBox(const StageFact &stage, const NodeFonts &fonts);
NodeBox chainBox(const Chain &chain, const DagFacts &facts, const NodeFonts &fonts);
QString chainTitle(const Chain &chain); // "12 elementwise stages"

Role badgeColor(Badge badge);
Role kindColor(StageKind kind);
QString shareText(double share); // "97.6 % of FLOPs"
/// Height of the line below a node where added stages stand.
double addedStageHeight(const NodeFonts &fonts);

} // namespace loopscope
