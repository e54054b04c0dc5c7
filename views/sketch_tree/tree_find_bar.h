#pragma once
// The line that finds in the sketch tree: rules, stages, reasons, sketches. All words must occur.

#include "views/sketch_tree/tree_pane.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace loopscope {

class TreeFindBar : public QWidget {
    Q_OBJECT

  public:
    TreeFindBar(const ViewContext &context, const TreeContent &content, TreePane &pane, QWidget *parent);

    void start();
    void close();
    /// To the next, or the one before; false while nothing is found.
    bool step(int direction);

  private:
    void find(const QString &text);
    void showFound(int direction);

    const TreeContent &m_content;
    TreePane &m_pane;
    QLineEdit *m_text;
    QLabel *m_count;
    int m_now = -1; // of what was found
};

} // namespace loopscope
