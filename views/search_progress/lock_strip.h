#pragma once
// What the next search keeps, as chips that a click takes away, and a line to lock more by pattern. Hidden locks would
// be a search that finds less than it could and nobody knows why.

#include "schedule/locks/schedule_locks.h"
#include "views/settings/theme.h"

#include <QStringList>
#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QStringListModel;
class QToolButton;

namespace loopscope {

class FlowLayout;

class LockStrip final : public QWidget {
    Q_OBJECT

  public:
    explicit LockStrip(Theme &theme, QWidget *parent = nullptr);

    void setLocks(const ScheduleLocks &locks);
    void setPatterns(const QStringList &patterns); // offered while one is typed
    /// Of what was typed; empty: it was taken, and the line is cleared.
    void setProblem(const QString &sentence);
    [[nodiscard]] QLineEdit &line() const { return *m_line; }
    [[nodiscard]] const std::vector<QToolButton *> &chips() const { return m_chips; }

  signals:
    void patternTyped(const QString &pattern);
    void unlocked(const loopscope::ScheduleLock &lock);
    void patternsWanted(); // somebody is about to type one

  protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

  private:
    void applyTheme();

    Theme &m_theme;
    FlowLayout *m_flow;
    QLineEdit *m_line;
    QLabel *m_problem;
    QStringListModel *m_offered;
    std::vector<QToolButton *> m_chips;
    std::vector<ScheduleLock> m_locks;
};

} // namespace loopscope
