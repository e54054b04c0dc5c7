#pragma once
// A line in which a stage is looked for by its name: what fits stays bright, Enter goes from one to the next.

#include "views/grouping/grouping_scene.h"

#include <QLineEdit>

namespace loopscope {

class StageFind final : public QLineEdit {
    Q_OBJECT

  public:
    /// Both outlive it. Hidden until it is opened.
    StageFind(GraphView &graph, GroupingScene &scene, QWidget *parent);

    void open();

  signals:
    void chosen(const QString &stage);

  protected:
    void keyPressEvent(QKeyEvent *event) override; // Esc closes

  private:
    void look();
    void goOn();

    GraphView &m_graph;
    GroupingScene &m_scene;
    std::vector<QString> m_found;
    size_t m_at = 0; // the next one
};

} // namespace loopscope
