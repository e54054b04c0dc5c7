#include "views/main_window/view_commands.h"

#include "views/actions/view_roles.h"
#include "views/main_window/add_command.h"
#include "views/main_window/front_view.h"

#include <QApplication>
#include <QMainWindow>

namespace loopscope {

ViewCommands::ViewCommands(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    addPages();
    addZoom();
    addThemes();
}

void ViewCommands::addPages() {
    const QString view = tr("View");
    addCommand(m_parts, QStringLiteral("view.start_page"), view, tr("Start page"), "Alt+0", QStringLiteral("home"),
               tr("Samples and recent files"), [this] {
                   m_parts.pages.onStartPage() && m_parts.context.session.document() ? m_parts.pages.showWorkbench()
                                                                                     : m_parts.pages.showStartPage();
               });
    for (const DockInfo &info : dockList()) {
        m_parts.context.actions.add({QStringLiteral("view.dock.") + info.id, view, tr("Show %1").arg(info.title),
                                     info.key, info.tip, info.icon},
                                    &m_parts.window, [this, id = info.id] {
                                        m_parts.pages.showWorkbench();
                                        m_parts.docks.showDock(id, true);
                                    });
    }
}

void ViewCommands::addZoom() {
    const QString view = tr("View");
    addCommand(m_parts, QStringLiteral("view.find"), view, tr("Find in view"), "Ctrl+F", QStringLiteral("find"),
               tr("Find in the view in front"), [this] { findInView(); });
    addCommand(m_parts, QStringLiteral("view.zoom_in"), view, tr("Zoom in"), "Ctrl++", QStringLiteral("zoom-in"), {},
               [this] { zoomView(1); })
        ->setShortcuts({QKeySequence(QStringLiteral("Ctrl++")), QKeySequence(QStringLiteral("Ctrl+="))});
    addCommand(m_parts, QStringLiteral("view.zoom_out"), view, tr("Zoom out"), "Ctrl+-", QStringLiteral("zoom-out"), {},
               [this] { zoomView(-1); });
    addCommand(m_parts, QStringLiteral("view.zoom_fit"), view, tr("Zoom to fit"), "Ctrl+0", QStringLiteral("zoom-fit"),
               {}, [this] { zoomView(0); });
}

void ViewCommands::addThemes() {
    const QString view = tr("View");
    const QString theme = QStringLiteral("view.theme.");
    addCommand(
        m_parts, theme + QStringLiteral("system"), view, tr("Theme: as the desktop"), "", QStringLiteral("theme"), {},
        [this] { setTheme(ThemeChoice::System); }, true);
    addCommand(
        m_parts, theme + QStringLiteral("light"), view, tr("Theme: light"), "", QStringLiteral("light"), {},
        [this] { setTheme(ThemeChoice::Light); }, true);
    addCommand(
        m_parts, theme + QStringLiteral("dark"), view, tr("Theme: dark"), "", QStringLiteral("dark"), {},
        [this] { setTheme(ThemeChoice::Dark); }, true);
    addCommand(m_parts, QStringLiteral("view.theme.switch"), view, tr("Switch between light and dark"), "Ctrl+Shift+D",
               QStringLiteral("theme"), {},
               [this] { setTheme(m_parts.context.theme.dark() ? ThemeChoice::Light : ThemeChoice::Dark); });
    const auto checkTheme = [this] {
        const ThemeChoice now = m_parts.context.theme.choice();
        m_parts.context.actions.find(QStringLiteral("view.theme.system"))->setChecked(now == ThemeChoice::System);
        m_parts.context.actions.find(QStringLiteral("view.theme.light"))->setChecked(now == ThemeChoice::Light);
        m_parts.context.actions.find(QStringLiteral("view.theme.dark"))->setChecked(now == ThemeChoice::Dark);
    };
    connect(&m_parts.context.theme, &Theme::changed, this, checkTheme);
    checkTheme();
}

void ViewCommands::findInView() {
    if (auto *role = frontRole<FindRole>(m_parts)) role->startFind();
}

void ViewCommands::zoomView(int direction) {
    auto *role = frontRole<ZoomRole>(m_parts);
    if (!role) return;
    if (direction > 0)
        role->zoomIn();
    else if (direction < 0)
        role->zoomOut();
    else
        role->zoomToFit();
}

void ViewCommands::setTheme(ThemeChoice choice) {
    m_parts.context.settings.setTheme(choice);
    m_parts.context.theme.apply(*static_cast<QApplication *>(QApplication::instance()), choice);
}

} // namespace loopscope
