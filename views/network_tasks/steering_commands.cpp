#include "views/network_tasks/steering_commands.h"

#include "views/session/open_networks.h"

#include <QWidget>

#include <utility>

namespace loopscope {

namespace {
constexpr double kMaxBoost = 8;
} // namespace

SteeringCommands::SteeringCommands(const ViewContext &context, QWidget *owner,
                                   std::function<std::vector<std::string>()> chosen)
    : QObject(owner), m_context(context), m_owner(owner), m_chosen(std::move(chosen)) {
    m_pin = add(
        "network_tasks.pin", tr("Pin task"), "P", "pin",
        tr("Search the chosen tasks alone: while any is pinned, all others wait"),
        [this] { change([to = !first().pinned](TaskSteering &task) { task.pinned = to; }); }, true);
    m_boost = add(
        "network_tasks.boost", tr("Boost task"), "B", "up",
        tr("The chosen tasks count as if they ran twice as often; again: four, eight times, then as they are"),
        [this] {
            const double now = first().boost;
            change([to = now >= kMaxBoost ? 1 : now * 2](TaskSteering &task) { task.boost = to; });
        },
        false);
    m_pause = add(
        "network_tasks.pause", tr("Pause task"), "H", "pause",
        tr("The chosen tasks have no further round until that is taken back"),
        [this] { change([to = !first().paused](TaskSteering &task) { task.paused = to; }); }, true);
    m_exclude = add(
        "network_tasks.exclude", tr("Exclude task"), "X", "minus",
        tr("The chosen tasks are not searched; what a running search has of them is kept, and they do not "
           "come back to it"),
        [this] { change([to = !first().excluded](TaskSteering &task) { task.excluded = to; }); }, true);
    refresh();
}

QAction *SteeringCommands::add(const char *id, const QString &text, const char *key, const char *icon,
                               const QString &tip, std::function<void()> run, bool checkable) {
    QAction *action = m_context.actions.add({QLatin1String(id), tr("Network tasks"), text,
                                             QKeySequence(QLatin1String(key)), tip, QLatin1String(icon), checkable},
                                            m_owner, std::move(run));
    action->setIcon(m_context.theme.icon(QLatin1String(icon)));
    return action;
}

int SteeringCommands::network() const {
    const OpenNetwork *shown = m_context.session.networks().current();
    return shown != nullptr ? shown->id : 0;
}

TaskSteering SteeringCommands::first() const {
    const std::vector<std::string> chosen = m_chosen();
    return chosen.empty() ? TaskSteering() : m_context.session.tuning().steering(network(), chosen.front());
}

void SteeringCommands::change(const std::function<void(TaskSteering &)> &change) {
    NetworkTuning &tuning = m_context.session.tuning();
    for (const std::string &key : m_chosen()) {
        TaskSteering steering = tuning.steering(network(), key);
        change(steering);
        tuning.steer(network(), key, steering);
    }
    refresh();
}

void SteeringCommands::refresh() {
    const bool any = !m_chosen().empty();
    const TaskSteering now = first();
    for (QAction *action : actions()) action->setEnabled(any);
    m_pin->setChecked(now.pinned);
    m_pause->setChecked(now.paused);
    m_exclude->setChecked(now.excluded);
    m_boost->setText(now.boost >= kMaxBoost ? tr("End boost of task")
                                            : tr("Boost task to \u00d7%1").arg(now.boost * 2));
}

} // namespace loopscope
