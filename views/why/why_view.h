#pragma once
// Why the schedule shown is as fast as it is, and why not faster: what bounds it, what the compiler remarks on its
// loops, which single steps are predicted best, and the measured schedules nearest to it. A remark's loop and a
// neighbour are gone to by a click, a step is made by a double click.

#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTreeView;

namespace loopscope {

class ReasonTable;

class WhyView final : public QWidget {
    Q_OBJECT

  public:
    explicit WhyView(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QTreeView &remarks() const { return *m_remarks.view; }
    [[nodiscard]] QTreeView &moves() const { return *m_moves.view; }
    [[nodiscard]] QTreeView &nearest() const { return *m_nearest.view; }

  protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Section {
        QWidget *part = nullptr;
        QLabel *title = nullptr;
        QTreeView *view = nullptr;
        ReasonTable *table = nullptr;
    };
    Section addSection(QSplitter &splitter, const QString &name, const QStringList &columns,
                       const std::vector<int> &numbers);
    void refresh();
    void showRemarks();
    void showAdvice();
    void goToRemark(int row);
    void makeMove(int row);
    void goToNeighbour(int row);
    void restyle();
    void arrange(); // as there is room: above one another, side by side, or one at a time

    ViewContext m_context;
    QStackedWidget *m_pages = nullptr;
    QLabel *m_empty = nullptr;
    QLabel *m_head = nullptr;
    QTabBar *m_tabs = nullptr;
    QSplitter *m_splitter = nullptr;
    Section m_remarks;
    Section m_moves;
    Section m_nearest;
    ScheduleRef m_shown;
    bool m_some = false; // there is a schedule
};

} // namespace loopscope
