#include "views/main_window/go_commands.h"

#include "views/main_window/add_command.h"
#include "views/main_window/dock_host.h"
#include "views/main_window/finder_items.h"
#include "views/main_window/window_pages.h"
#include "views/palette/command_palette.h"
#include "views/start_page/start_page.h"

#include <QMainWindow>

#include <algorithm>

namespace loopscope {

GoCommands::GoCommands(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    const QString go = tr("Go");
    addHistory();
    addCommand(m_parts, QStringLiteral("go.next_document"), go, tr("Next workload"), "Ctrl+Tab",
               QStringLiteral("forward"), {}, [this] { stepDocument(1); });
    addCommand(m_parts, QStringLiteral("go.previous_document"), go, tr("Previous workload"), "Ctrl+Shift+Tab",
               QStringLiteral("back"), {}, [this] { stepDocument(-1); });
    addCommand(m_parts, QStringLiteral("go.finder"), go, tr("Go to \u2026"), "Ctrl+P", QStringLiteral("find"),
               tr("Stages, sketches, trials, workloads, samples, recent files"), [this] { showFinder(); });
    const QString help = tr("Help");
    m_parts.context.actions.add({QStringLiteral("help.palette"), help, tr("All commands"),
                                 QKeySequence(QStringLiteral("Ctrl+Shift+P")), tr("Find and run any command by typing"),
                                 QStringLiteral("palette")},
                                &m_parts.window, [this] { showCommands(); });
}

void GoCommands::addHistory() {
    const QString go = tr("Go");
    Selection &selection = m_parts.context.session.selection();
    QAction *back = addCommand(m_parts, QStringLiteral("go.back"), go, tr("Back"), "Alt+Left", QStringLiteral("back"),
                               tr("What was selected before"), [&selection] { selection.back(); });
    QAction *forward =
        addCommand(m_parts, QStringLiteral("go.forward"), go, tr("Forward"), "Alt+Right", QStringLiteral("forward"),
                   tr("What was selected after"), [&selection] { selection.forward(); });
    const auto history = [back, forward, &selection] {
        back->setEnabled(selection.canGoBack());
        forward->setEnabled(selection.canGoForward());
    };
    connect(&selection, &Selection::historyChanged, this, history);
    history();
}

void GoCommands::stepDocument(int direction) {
    const auto all = m_parts.context.session.documents().all();
    const auto at = std::find(all.begin(), all.end(), m_parts.context.session.document());
    if (at == all.end() || all.size() < 2) return;
    const auto count = static_cast<std::ptrdiff_t>(all.size());
    m_parts.context.session.documents().setCurrent(
        all[static_cast<size_t>(((at - all.begin()) + direction + count) % count)]->id);
}

CommandPalette &GoCommands::palette() {
    if (!m_palette) m_palette = new CommandPalette(m_parts.context.theme, &m_parts.window);
    return *m_palette;
}

void GoCommands::showFinder() {
    palette().popup(tr("Go to a stage, sketch, trial, workload, sample or recent file"),
                    tr("Nothing fits. Try fewer letters."),
                    finderItems(m_parts.context, m_parts.pages.startPage().samples(),
                                [this](const QStringList &paths) { Q_EMIT openRequested(paths); }));
}

void GoCommands::showCommands() {
    palette().popup(tr("Type a command"), tr("No command fits. Try fewer letters."),
                    commandItems(m_parts.context, [this](QAction *action) {
                        // What acts within a view should be seen to act.
                        if (const QDockWidget *dock = m_parts.docks.dockOf(qobject_cast<QWidget *>(action->parent()))) {
                            m_parts.pages.showWorkbench();
                            m_parts.docks.showDock(dock->objectName(), false);
                        }
                        action->trigger();
                    }));
}

} // namespace loopscope
