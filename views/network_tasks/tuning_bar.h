#pragma once
// The search of the network that is shown: what starts, pauses and stops it, how far it is, and whose turn it is and
// why.

#include "views/network_tasks/tuning_form.h"
#include "views/session/network_tuning.h"
#include "views/session/view_context.h"

#include <QWidget>

class QAction;
class QProgressBar;
class QBoxLayout;

namespace loopscope {

class ElidedLabel;

class TuningBar final : public QWidget {
    Q_OBJECT

  public:
    explicit TuningBar(const ViewContext &context, QWidget *parent = nullptr);
    /// Of the network that is shown.
    void refresh();
    /// What is said while nothing was searched.
    void setIdleText(const QString &text);
    [[nodiscard]] QString headline() const;
    [[nodiscard]] QString turn() const; // whose it is, and why
    [[nodiscard]] TuningForm &form() { return *m_form; }

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void addActions();
    void searchOrPause();
    void showWords(const struct NetworkProgress &progress);
    [[nodiscard]] QString headlineOf(const NetworkProgress &progress) const;
    [[nodiscard]] QString rowName(const NetworkProgress &progress) const; // of the task whose turn it is
    [[nodiscard]] int network() const;

    ViewContext m_context;
    NetworkTuning &m_tuning;
    QBoxLayout *m_row; // buttons, and words beside or below them
    QBoxLayout *m_tools;
    QAction *m_search = nullptr;
    QAction *m_stop = nullptr;
    QAction *m_time = nullptr;
    QAction *m_options = nullptr;
    ElidedLabel *m_headline;
    ElidedLabel *m_turn;
    QProgressBar *m_progress;
    TuningForm *m_form;
    QString m_idle;
    QString m_look; // of the search button
};

} // namespace loopscope
