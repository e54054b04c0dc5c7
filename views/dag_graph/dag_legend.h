#pragma once
// What colours, marks and signs of the ComputeDAG view mean; lies in a corner of the graph.

#include "views/settings/theme.h"

#include <QFont>
#include <QWidget>

namespace loopscope {

class DagLegend : public QWidget {
    Q_OBJECT

  public:
    DagLegend(const Theme &theme, QWidget *graph);
    [[nodiscard]] QSize sizeHint() const override;
    /// Into a corner that no node is under, the lower left one if it must be.
    void place();

  protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

  private:
    struct Row;
    static std::vector<Row> rows();
    [[nodiscard]] int rowHeight() const;
    const Theme &m_theme;
};

} // namespace loopscope
