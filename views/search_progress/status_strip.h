#pragma once
// What the search is doing and what it has found so far, in words and numbers.

#include "views/search_progress/search_facts.h"
#include "views/settings/theme.h"

#include <QWidget>

#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;

namespace loopscope {

class PhaseTrack;

class StatusStrip final : public QWidget {
    Q_OBJECT

  public:
    explicit StatusStrip(Theme &theme, QWidget *parent = nullptr);
    void show(const SearchFacts &facts, const SearchStatus &status);
    /// Empty: what the comparison left open can be measured again now.
    void setWhyNotAgain(const QString &why);

  signals:
    void againClicked();

  private:
    struct Fact {
        QWidget *box = nullptr;
        QLabel *value = nullptr;
    };
    Fact addFact(const QString &name, const QString &tip);
    static void setFact(const Fact &fact, const QString &text);
    void applyTheme();

    Theme &m_theme;
    QLabel *m_headline;
    QLabel *m_detail;
    QProgressBar *m_progress;
    PhaseTrack *m_track;
    QWidget *m_facts;
    QWidget *m_open; // what the comparison left open, and what to do about it
    QLabel *m_openness;
    QPushButton *m_again;
    std::vector<QLabel *> m_names;
    Fact m_best, m_speed, m_speedUp, m_against, m_trials, m_failures, m_round, m_elapsed, m_remaining, m_budget;
    bool m_failed = false;
    SearchState m_state = SearchState::Idle;
};

} // namespace loopscope
