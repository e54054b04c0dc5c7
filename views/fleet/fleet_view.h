#pragma once
// Nodes of a cluster that measure for the search that is under way: while they are waited for, where that stands; then
// what each does, and whether its times are to be believed.

#include "views/fleet/fleet_model.h"
#include "views/session/session.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace loopscope {

class ElidedLabel;
class FlowBar;
class SearchNodes;

class FleetView : public QWidget {
    Q_OBJECT

  public:
    explicit FleetView(const ViewContext &context, QWidget *parent = nullptr);

    /// Instead of that of the session's search; for tests. Null: that again.
    void watch(std::shared_ptr<Fleet> fleet);
    [[nodiscard]] QTableView &table() { return *m_table; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString emptyText() const;

  protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

  private:
    void build();
    void look();
    void drain(bool drained);
    [[nodiscard]] const SearchNodes &nodes() const;
    [[nodiscard]] std::shared_ptr<Fleet> fleet() const;
    [[nodiscard]] std::vector<std::string> chosen() const;

    ViewContext m_context;
    FleetModel *m_model;
    QSortFilterProxyModel *m_order = nullptr;
    FlowBar *m_tools = nullptr;
    ElidedLabel *m_sentence = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_empty = nullptr;
    QAction *m_drain = nullptr;
    QAction *m_use = nullptr;
    QAction *m_stop = nullptr;
    std::shared_ptr<Fleet> m_given;
    QTimer m_timer;
};

} // namespace loopscope
