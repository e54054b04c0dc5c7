#pragma once
// Which logs are open, a tab each and behind them one for their comparison, and below how it stands with the one shown:
// what it holds, how far it is indexed, what is wrong with it and what can be done about that.

#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;
class QTabBar;

namespace loopscope {

class ElidedLabel;
class OpenLogs;
struct OpenLog;

class LogBar : public QWidget {
    Q_OBJECT

  public:
    LogBar(const ViewContext &context, QWidget *parent);

    [[nodiscard]] QTabBar *tabs() const { return m_tabs; }
    /// One sentence on the log shown.
    [[nodiscard]] QString sentence() const;
    void addButton(QAction *action);
    /// What the tab of the comparison is called; empty: there is none.
    void setComparison(const QString &title);
    void showComparison(bool inFront);
    [[nodiscard]] bool comparisonInFront() const { return m_comparisonInFront; }

  signals:
    void frontChanged(); // a log, or the comparison
    void comparisonCloseAsked();

  private:
    void refreshTabs();
    void refresh();
    void restyle();

    ViewContext m_context;
    OpenLogs &m_logs;
    QTabBar *m_tabs;
    ElidedLabel *m_sentence;
    QProgressBar *m_progress;
    QPushButton *m_cancel;
    QPushButton *m_again;
    QWidget *m_line;
    QString m_comparison;
    bool m_comparisonInFront = false;
    bool m_refreshing = false;
};

/// "1 024 records of 24 tasks, 12 failed; 3 lines cannot be read".
QString logSentence(const OpenLog &log);

} // namespace loopscope
