#pragma once
// A log whose workload nobody knows, in place of text and parameters: why, the task in the log's own words, the steps
// of the chosen trial, and the one way on, which is to find the workload.

#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QListWidget;
class QPushButton;

namespace loopscope {

class LogTaskPage : public QWidget {
    Q_OBJECT

  public:
    LogTaskPage(const ViewContext &context, QAction *find, QWidget *parent);

    [[nodiscard]] QListWidget *steps() const { return m_steps; }
    [[nodiscard]] QString cause() const;

  private:
    void refresh();
    void restyle();

    ViewContext m_context;
    QLabel *m_title;
    QLabel *m_cause;
    QLabel *m_facts;
    QPushButton *m_find;
    QLabel *m_stepsTitle;
    QListWidget *m_steps;
};

} // namespace loopscope
