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
    /// Whether the schedule shown keeps values in a GPU's shared or local memory.
    void setMemories(bool shown);

  protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

  private:
    struct Row;
    [[nodiscard]] std::vector<Row> rows() const;
    [[nodiscard]] int rowHeight() const;
    const Theme &m_theme;
    bool m_memories = false;
};

} // namespace loopscope
