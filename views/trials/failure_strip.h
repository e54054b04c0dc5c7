#pragma once
// The failures above the table: a chip for each kind with its count, and on request the most frequent reasons. A click
// asks for a filter.

#include "views/settings/theme.h"
#include "views/trials/failure_summary.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QToolButton;

namespace loopscope {

class Chip;
class FlowLayout;

class FailureStrip : public QWidget {
    Q_OBJECT

  public:
    explicit FailureStrip(Theme &theme, QWidget *parent = nullptr);
    /// Hides itself when nothing failed.
    void setSummary(const FailureSummary &summary, int total);

  signals:
    void filterAsked(const QString &filter);

  private:
    void showReasons(const FailureSummary &summary);
    void applyTheme();

    Theme &m_theme;
    QLabel *m_label = nullptr;
    FlowLayout *m_chips = nullptr;
    std::vector<Chip *> m_kinds; // by number of the kind, from 1
    QToolButton *m_more = nullptr;
    QWidget *m_reasons = nullptr;
    QGridLayout *m_reasonRows = nullptr;
    std::vector<ReasonCluster> m_shownReasons;
};

} // namespace loopscope
