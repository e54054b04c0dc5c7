#pragma once
// Two schedules timed against each other, under their names: the verdict with the times of both, and which of the steps
// in which they differ earns the difference. Both take a while, go on in the background, and can be cancelled.

#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QLabel;
class QProgressBar;
class QToolButton;
class QTreeWidget;

namespace loopscope {

class PairPlot;

class PairPanel : public QWidget {
    Q_OBJECT

  public:
    PairPanel(const ViewContext &context, QWidget *parent);

    void setPair(const std::optional<TaskSchedule> &left, const std::optional<TaskSchedule> &right);
    /// The times, what earned the difference, and why there is neither: a widget of its own, for where there is room.
    [[nodiscard]] QWidget &details() const { return *m_details; }
    void setLow(bool low); // no room for the times
    /// What is known of the two, in a sentence; empty: nothing that this panel knows.
    [[nodiscard]] QString verdict() const { return m_verdict; }

  signals:
    void verdictChanged();
    void detailsChanged();                // other parts are shown: they need another height
    void stepChosen(int left, int right); // number of a step on each side; -1: it has none

  private:
    void build();
    void refresh();
    void showExplanation(const PairFacts &facts);
    void progress();
    void showDetails();

    ViewContext m_context;
    std::optional<TaskSchedule> m_left;
    std::optional<TaskSchedule> m_right;
    QString m_verdict;
    QAction *m_time = nullptr;
    QAction *m_explain = nullptr;
    QAction *m_cancel = nullptr;
    QToolButton *m_cancelButton = nullptr;
    QProgressBar *m_progress = nullptr;
    QWidget *m_details = nullptr;
    QLabel *m_failure = nullptr;
    PairPlot *m_plot = nullptr;
    QTreeWidget *m_steps = nullptr;
    QTimer m_poll;
    bool m_timed = false;
    bool m_low = false;
    int m_parts = 0; // of the details, shown: a bit each
};

} // namespace loopscope
