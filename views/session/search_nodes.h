#pragma once
// The nodes that measure for the search that is under way, and what was said while they were waited for. Giving them
// back takes some seconds, which nobody waits for.

#include "views/session/search_thread.h"

#include <QObject>
#include <QString>

#include <memory>

namespace loopscope {

class Jobs;
class Messages;

class SearchNodes {
  public:
    /// Null: none measure.
    [[nodiscard]] const std::shared_ptr<Fleet> &fleet() const { return m_fleet; }
    /// The last that was said, a sentence; empty: nothing, or it is over.
    [[nodiscard]] const QString &told() const { return m_told; }
    /// `phase`: of the search, which waits until it has nodes.
    void take(const FleetOpened &opened) { m_fleet = opened.fleet; }
    void take(const FleetTold &said, QString &phase, Messages &messages);
    void giveBack(Jobs &jobs, QObject *receiver);

  private:
    std::shared_ptr<Fleet> m_fleet;
    QString m_told;
};

} // namespace loopscope
