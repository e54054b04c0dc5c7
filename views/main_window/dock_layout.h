#pragma once
// Which views the window has, where they stand, and the layouts that come with it. A new view is one line in
// dock_layout.cpp.

#include "views/session/view_context.h"

#include <QKeySequence>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace loopscope {

struct DockInfo {
    QString id; // "dag": in saved layouts, action ids, tests
    QString title;
    QString icon;
    QKeySequence key;
    QString tip; // what one sees there
    std::function<QWidget *(const ViewContext &, QWidget *)> make;
};
const std::vector<DockInfo> &dockList();

/// Columns of docks: left, centre (over a bottom row), right. The first shown one of a group is in front; what is
/// listed behind `hidden` has its place but is closed.
struct Arrangement {
    QString name;
    QStringList left;
    QStringList centre;
    QStringList bottom;
    QStringList right;
    QStringList hidden;
    std::array<int, 3> widths{}; // shares of left, centre, right
    int bottomShare = 40;        // percent of the centre column
};
const std::vector<Arrangement> &shippedLayouts();

} // namespace loopscope
