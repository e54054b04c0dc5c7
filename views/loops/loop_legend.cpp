#include "views/loops/loop_legend.h"

#include <QStringList>

namespace loopscope {

namespace {

QString chip(const Theme &theme, Role role, const QString &word) {
    return QStringLiteral("<span style='color:%1'>\u25a0</span>&nbsp;%2")
        .arg(theme.color(role).name(), QString(word).replace(u' ', QStringLiteral("&nbsp;")));
}

} // namespace

QString loopLegend(const Theme &theme, bool gpu) {
    const QString gap = QStringLiteral("&nbsp;&nbsp; ");
    QStringList chips;
    if (gpu)
        chips << chip(theme, Role::BlockBound, QStringLiteral("block"))
              << chip(theme, Role::VThreadBound, QStringLiteral("virtual thread"))
              << chip(theme, Role::ThreadBound, QStringLiteral("thread"));
    else
        chips << chip(theme, Role::Parallel, QStringLiteral("parallel"));
    chips << chip(theme, Role::Vector, QStringLiteral("vectorized"))
          << chip(theme, Role::Unroll, QStringLiteral("unrolled"))
          << chip(theme, Role::Serial, QStringLiteral("serial"))
          << chip(theme, Role::Reduction, QStringLiteral("reduction"));
    if (gpu)
        chips << chip(theme, Role::SharedMemory, QStringLiteral("in shared memory"))
              << chip(theme, Role::LocalMemory, QStringLiteral("in local memory"));
    chips << chip(theme, Role::TileLevel0, QStringLiteral("tile level 0 (outermost)"))
          << chip(theme, Role::TileLevel1, QStringLiteral("1")) << chip(theme, Role::TileLevel2, QStringLiteral("2"))
          << chip(theme, Role::TileLevel3, QStringLiteral("3"));
    return chips.join(gap);
}

} // namespace loopscope
