#pragma once
// Every shortcut by category, with a line to search in: what `?` shows. Made from the registered actions, and from the
// gestures that graphs and plots understand by themselves.

#include "views/session/view_context.h"

#include <QDialog>

class QLineEdit;
class QTreeWidget;

namespace loopscope {

class ShortcutList : public QDialog {
    Q_OBJECT

  public:
    explicit ShortcutList(const ViewContext &context, QWidget *parent = nullptr);

  private:
    void filter(const QString &text);

    QLineEdit *m_find;
    QTreeWidget *m_tree;
};

} // namespace loopscope
