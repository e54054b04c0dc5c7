#pragma once
// A tool bar that goes on in the next line where the width ends, instead of hiding what has no room behind an arrow:
// for docks, which are narrow as often as not.

#include "views/actions/flow_layout.h"

#include <QList>
#include <QWidget>

class QAction;
class QToolButton;

namespace loopscope {

class FlowBar final : public QWidget {
    Q_OBJECT

  public:
    explicit FlowBar(QWidget *parent = nullptr);
    QToolButton *addButton(QAction *action, Qt::ToolButtonStyle style = Qt::ToolButtonTextBesideIcon);
    void addButtons(const QList<QAction *> &actions, Qt::ToolButtonStyle style = Qt::ToolButtonTextBesideIcon);
    void addField(QWidget *field);

  private:
    FlowLayout *m_row;
};

} // namespace loopscope
