#pragma once
// The stages and inputs as boxes with arrows, laid out so that the stages of one group at the end lie together. Pure;
// made in a job. What a box says and how groups are framed changes from merge to merge; where it lies does not.

#include "views/graph/graph_layout.h"
#include "views/grouping/step_facts.h"

#include <QFont>

namespace loopscope {

struct GroupingFonts {
    QFont name;
    QFont small;
    bool operator==(const GroupingFonts &) const = default;
};
GroupingFonts groupingFonts(); // UI thread

struct GroupingPictureOptions {
    bool inlined = true; // draw stages without loops of their own, too
    GroupingFonts fonts;
    bool operator==(const GroupingPictureOptions &) const = default;
};

struct GroupingBox {
    BufferNumber buffer = 0;
    bool input = false;
    QString name;
    QSizeF size;
    QRectF rect;      // once laid out
    int cluster = -1; // kept together
    bool operator==(const GroupingBox &) const = default;
};

struct GroupingArrow {
    int from = 0; // box
    int to = 0;
    QPainterPath path;
};

struct GroupingPicture {
    GroupingPictureOptions options;
    DagPtr dag;
    std::vector<GroupingBox> boxes;
    std::vector<GroupingArrow> arrows;
    std::vector<int> boxOf; // by buffer; -1: not drawn
    size_t hidden = 0;      // stages not drawn
    QRectF bounds;

    /// Both would be laid out alike.
    [[nodiscard]] bool sameShape(const GroupingPicture &other) const;
};
using GroupingPicturePtr = std::shared_ptr<const GroupingPicture>;

inline constexpr size_t kInlinedShownUpTo = 60; // stages, unless the user chose otherwise

/// Without places. `end`: the facts of the last place.
GroupingPicture groupingPicture(const ShownGrouping &result, const StepFacts &end,
                                const GroupingPictureOptions &options);
/// Throws Error as layoutGraph does; null when cancelled.
GroupingPicturePtr layOut(GroupingPicture picture, const std::atomic<bool> &cancelled);

} // namespace loopscope
