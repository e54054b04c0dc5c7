#pragma once
// Below or beside the tasks of a comparison: everything about the one chosen.

#include "records/logs/log_diff.h"
#include "views/settings/theme.h"

#include <QStringList>
#include <QWidget>

class QLabel;
class QTabWidget;
class QTextBrowser;

namespace loopscope {

class BestCurves;

class DiffDetails : public QWidget {
    Q_OBJECT

  public:
    DiffDetails(Theme &theme, QWidget *parent);

    /// Null: no task is chosen. `names` of the logs.
    void show(const TaskDiff *task, size_t other, const QStringList &names);
    /// A button for it stands below what is said of the task; why it cannot be run stands beside it.
    void setAction(QAction *action);
    void sayWhyNot(const QString &why);

    [[nodiscard]] QString about() const; // as plain text
    [[nodiscard]] QTextBrowser *steps() const { return m_steps; }
    [[nodiscard]] BestCurves *byTrials() const { return m_byTrials; }
    [[nodiscard]] BestCurves *byTime() const { return m_byTime; }

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void setLow(bool low);

    Theme &m_theme;
    QWidget *m_bests; // above the tabs, or where there is little room among them
    QLabel *m_about;
    QWidget *m_line;
    QLabel *m_whyNot;
    QTabWidget *m_tabs;
    BestCurves *m_byTrials;
    BestCurves *m_byTime;
    QTextBrowser *m_steps;
    bool m_low = false;
};

} // namespace loopscope
