#pragma once
// Where the next search begins: with which schedule, and in which group of the stages. Two buttons that say what was
// chosen and open the choices.

#include "views/session/scheduling.h"

#include <QWidget>

#include <vector>

class QMenu;
class QToolButton;

namespace loopscope {

class StartStrip final : public QWidget {
    Q_OBJECT

  public:
    struct Shown {
        QString begins;   // the schedule; empty: sampled ones alone
        QString group;    // the one searched; empty: none is
        bool locked;      // something else is
        QString schedule; // the one shown in the window
    };

    explicit StartStrip(QWidget *parent = nullptr);

    void show(const Shown &shown);
    /// None are known yet where both are empty.
    void setGroups(const std::vector<NamedGroup> &groups, const QString &whyNone);
    [[nodiscard]] QToolButton &begins() const { return *m_begins; }
    [[nodiscard]] QToolButton &searched() const { return *m_searched; }

  signals:
    void sampledChosen();
    void groupingChosen();
    void shownChosen();
    void allChosen();
    void groupChosen(const QString &output);
    void groupsWanted(); // somebody is about to choose one

  private:
    void fillBegins();
    void fillSearched();

    QToolButton *m_begins;
    QToolButton *m_searched;
    QMenu *m_beginsMenu;
    QMenu *m_searchedMenu;
    Shown m_shown{};
    std::vector<NamedGroup> m_groups;
    QString m_whyNone;
};

} // namespace loopscope
