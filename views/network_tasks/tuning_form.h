#pragma once
// What a search of a network is asked to do: trials of each task, a time limit, the order of tasks, what they are
// measured on, the log.

#include "views/session/network_progress.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace loopscope {

class FlowLayout;

class TuningForm final : public QWidget {
    Q_OBJECT

  public:
    explicit TuningForm(QWidget *parent = nullptr);
    void show(const NetworkTuningSetup &setup, const QString &log);
    /// Nothing is changed while a search runs.
    void setLocked(bool locked);

  signals:
    void setupChanged(const NetworkTuningSetup &setup);
    void logChosen(const QString &path);

  private:
    QWidget *addField(FlowLayout *row, const QString &name, QWidget *field, const QString &tip);
    void changed();
    void browse();

    QSpinBox *m_trials;
    QSpinBox *m_limit;
    QComboBox *m_order;
    QComboBox *m_on;
    QLineEdit *m_nodes;
    QWidget *m_nodesField = nullptr;
    QLineEdit *m_log;
    QString m_shownLog;
    bool m_filling = false;
};

} // namespace loopscope
