#pragma once
// The tasks of a document, one line each: what it is, how many trials, its best, whether it is being searched. A click
// goes there. Hidden while there is but one, which the rest of the panel shows anyway.

#include "views/session/view_context.h"

#include <QFrame>

class QListWidget;

namespace loopscope {

class TaskList : public QFrame {
    Q_OBJECT

  public:
    explicit TaskList(const ViewContext &context, QWidget *parent = nullptr);

    [[nodiscard]] QListWidget *list() const { return m_list; }

  private:
    void refresh();

    ViewContext m_context;
    QListWidget *m_list;
};

} // namespace loopscope
