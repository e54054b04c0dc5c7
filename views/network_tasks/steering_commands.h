#pragma once
// What somebody wants of single tasks while a network is searched, or before: pin, boost, pause, exclude, by menu,
// button and key.

#include "views/session/network_tuning.h"
#include "views/session/view_context.h"

#include <QAction>
#include <QObject>

#include <functional>
#include <string>
#include <vector>

namespace loopscope {

class SteeringCommands : public QObject {
    Q_OBJECT

  public:
    /// `chosen`: keys of the tasks that are to be steered. The keys of the commands work in `owner`.
    SteeringCommands(const ViewContext &context, QWidget *owner, std::function<std::vector<std::string>()> chosen);
    [[nodiscard]] QList<QAction *> actions() const { return {m_pin, m_boost, m_pause, m_exclude}; }
    /// What of it can be done, and is done already, of the tasks chosen.
    void refresh();

  private:
    QAction *add(const char *id, const QString &text, const char *key, const char *icon, const QString &tip,
                 std::function<void()> run, bool checkable);
    void change(const std::function<void(TaskSteering &)> &change);
    [[nodiscard]] int network() const;
    [[nodiscard]] TaskSteering first() const; // of those chosen

    ViewContext m_context;
    QWidget *m_owner;
    std::function<std::vector<std::string>()> m_chosen;
    QAction *m_pin;
    QAction *m_boost;
    QAction *m_pause;
    QAction *m_exclude;
};

} // namespace loopscope
