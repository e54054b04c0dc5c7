#pragma once
// Which of the open logs are compared: one that the others are told against, and at least one other. Those that cannot
// be compared say why.

#include "views/session/open_logs.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace loopscope {

class DiffQuestion : public QDialog {
    Q_OBJECT

  public:
    /// `base`: the one that is proposed as such; an id.
    DiffQuestion(OpenLogs &logs, int base, QWidget *parent);

    /// The base first; ids.
    [[nodiscard]] std::vector<int> chosen() const;

  private:
    void offer();
    void refresh();

    OpenLogs &m_logs;
    QComboBox *m_base;
    QListWidget *m_others;
    QLabel *m_why;
    QPushButton *m_compare = nullptr;
};

} // namespace loopscope
