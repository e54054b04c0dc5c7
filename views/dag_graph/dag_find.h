#pragma once
// Finding stages by name, attribute, axis or expression, and the line at the top of the view to type it into.

#include "views/dag_graph/dag_facts.h"
#include "views/settings/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

namespace loopscope {

/// Stages in which every word occurs (in any letter case) in name, axes, type, shape, marks, attributes or expression.
/// In the DAG's order, those whose name matches first.
std::vector<int> findStages(const DagFacts &facts, const QString &words);

class DagFindBar : public QWidget {
    Q_OBJECT

  public:
    DagFindBar(const Theme &theme, QWidget *parent);

    void open();
    void setFound(int current, int count); // current from 0, -1 none chosen yet
    [[nodiscard]] QString words() const { return m_line->text(); }
    [[nodiscard]] QString countText() const { return m_count->text(); }

  signals:
    void wordsChanged(const QString &words);
    void stepRequested(int direction);
    void closed();

  protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *object, QEvent *event) override;

  private:
    void finish();
    QLineEdit *m_line;
    QLabel *m_count;
};

} // namespace loopscope
