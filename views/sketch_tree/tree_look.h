#pragma once
// Sizes and fonts of the sketch tree's picture, all from the application's font, and the small drawings that several of
// its items share.

#include "views/session/selection.h"
#include "views/settings/theme.h"
#include "views/sketch_tree/nest_lines.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>

namespace loopscope {

struct TreeLook {
    explicit TreeLook(const Theme &theme);

    const Theme &theme;
    QFont font;
    QFont bold;
    QFont small;
    QFont smallBold;
    double line = 0;      // height of a line of `font`
    double smallLine = 0; // of `small`
    double pad = 8;

    [[nodiscard]] double width(const QString &text) const { return QFontMetricsF(font).horizontalAdvance(text); }
    [[nodiscard]] double boldWidth(const QString &text) const { return QFontMetricsF(bold).horizontalAdvance(text); }
    [[nodiscard]] double smallWidth(const QString &text) const { return QFontMetricsF(small).horizontalAdvance(text); }
    [[nodiscard]] QString elided(const QString &text, double width) const;
    [[nodiscard]] QString smallElided(const QString &text, double width) const;
    [[nodiscard]] QColor color(Role role) const { return theme.color(role); }
    /// Dashed outline of what was refused.
    [[nodiscard]] QPen refusedPen() const;
    [[nodiscard]] QRectF stubRect(const QString &text) const; // of a refused stub with its top left at 0, 0
    void paintStub(QPainter &painter, const QRectF &rect, const QString &text, bool hot) const;
    /// A nest as bars: indentation and colour of each line, nothing to read.
    void paintThumbnail(QPainter &painter, const QRectF &rect, const NestShape &nest) const;
};

/// Below this many pixels a line, text is left out.
constexpr double kLegible = 5.5;

/// What the pointer is on.
struct TreeSpot {
    enum class Kind : uint8_t {
        None,
        Node,     // a state or a finished sketch
        Handle,   // opens and closes what is below a node
        Edge,     // its label
        OnTheWay, // "8 refused" beside an edge
        Refused,  // "7 refused" below a state
        Row,      // one of the refused rules
    };
    Kind kind = Kind::None;
    int node = -1; // index in ShownTree::nodes
    int row = -1;
    bool operator==(const TreeSpot &) const = default;
};

/// Why a node stands out.
struct TreeMarks {
    bool selected = false; // the derivation, the sketch, or the sketch of the trial
    bool onPath = false;   // from the naive state to it
    bool current = false;  // where the keys are
    bool stage = false;    // the rule that made it was applied to the selected stage
    bool found = false;
    bool foundNow = false;
    bool operator==(const TreeMarks &) const = default;
};

} // namespace loopscope
