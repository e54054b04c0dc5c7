#pragma once
// Naive, sketch n, candidate n, edited schedule n: which schedule is looked at. The last one chosen of each stays
// behind its button; a menu beside it offers the others.

#include "views/session/document.h"
#include "views/session/selection.h"
#include "views/settings/theme.h"

#include <QKeySequence>
#include <QWidget>

#include <map>

class QToolButton;
class QMenu;

namespace loopscope {

class ScheduleBar : public QWidget {
    Q_OBJECT

  public:
    explicit ScheduleBar(Theme &theme, QWidget *parent = nullptr);

    /// What there is to choose from; null when nothing is open.
    void setDocument(const Document *document);
    void setSchedule(const ScheduleRef &schedule);
    [[nodiscard]] QToolButton *naiveButton() const { return m_naive; }
    [[nodiscard]] QToolButton *sketchButton() const { return m_sketch; }
    [[nodiscard]] QToolButton *candidateButton() const { return m_candidate; }
    [[nodiscard]] QToolButton *editedButton() const { return m_edited; }
    /// Named in the button's tooltip; the action that has it is the view's.
    void setShortcut(QToolButton *button, const QKeySequence &keys);
    void chooseNaive();
    void chooseSketch();
    void chooseCandidate();
    void chooseEdited();

  signals:
    void chosen(const loopscope::ScheduleRef &schedule);

  private:
    void refresh();
    void restyle();
    void setTip(QToolButton *button, const QString &tip);
    void fillSketches();
    void fillCandidates();
    void fillEdited();
    [[nodiscard]] int candidate() const; // shown behind the button: the last one looked at, or the best
    [[nodiscard]] int edited() const;    // the same: the last one looked at, or the newest; -1: none

    Theme &m_theme;
    const Document *m_document = nullptr;
    int m_task = -1; // its shown task, whose sketch and trial were chosen last
    ScheduleRef m_schedule;
    int m_lastSketch = 0;
    int m_lastTrial = -1;
    int m_lastEdited = -1;
    std::map<QToolButton *, QKeySequence> m_keys;
    QToolButton *m_naive;
    QToolButton *m_sketch;
    QToolButton *m_candidate;
    QToolButton *m_edited;
    QMenu *m_sketches;
    QMenu *m_candidates;
    QMenu *m_editedOnes;
};

} // namespace loopscope
