#include "views/main_window/schedule_commands.h"

#include "views/main_window/add_command.h"
#include "views/main_window/dock_host.h"
#include "views/session/session.h"

#include <functional>
#include <utility>

namespace loopscope {

ScheduleCommands::ScheduleCommands(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    const auto add = [this](const char *id, const QString &text, const char *icon, const QString &tip,
                            std::function<void()> run) {
        m_actions.push_back(
            addCommand(m_parts, QLatin1String(id), tr("Schedule"), text, "", QLatin1String(icon), tip, std::move(run)));
    };
    Session &session = m_parts.context.session;
    add("schedule.grouping", tr("Schedule by grouping"), "grouping",
        tr("Puts stages into the tiles of those that read them, by rules; measures nothing, and takes a moment"),
        [&session] { session.scheduling().byGrouping(); });
    add("schedule.search", tr("Schedule by search"), "search",
        tr("Tries schedules, checks and times each, and learns from it"), [this] { bySearch(); });
    add("schedule.naive", tr("Schedule naively"), "loops", tr("The loops as the workload has them"),
        [&session] { session.scheduling().naively(); });
    add("schedule.begin_with_shown", tr("Begin the search with the schedule shown"), "",
        tr("The next search measures the schedule shown first and breeds from it"),
        [&session] { session.scheduling().beginWith(session.selection().now().schedule); });
    add("schedule.begin_with_grouping", tr("Begin the search with the grouped schedule"), "",
        tr("The next search measures the grouped schedule first and breeds from it"),
        [&session] { session.scheduling().beginWithGrouping(); });
    add("schedule.begin_sampled", tr("Begin the search with sampled schedules"), "",
        tr("The next search begins with schedules drawn from its sketches"),
        [&session] { session.scheduling().beginSampled(); });
    connect(&session.documents(), &Documents::documentChanged, this, &ScheduleCommands::follow);
    follow();
}

/// Where it is seen and set up.
void ScheduleCommands::bySearch() {
    m_parts.docks.showDock(QStringLiteral("search"), true);
    if (QAction *start = m_parts.context.actions.find(Capability::StartSearch)) start->trigger();
}

void ScheduleCommands::follow() {
    const Document *document = m_parts.context.session.document();
    for (QAction *action : m_actions) action->setEnabled(document != nullptr && document->task != nullptr);
}

} // namespace loopscope
