#include "views/main_window/menus.h"

#include "views/main_window/window_layouts.h"
#include "views/main_window/window_pages.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include <map>

namespace loopscope {

namespace {

/// First and last of the menu bar; what views register stands between, in one menu.
const QStringList kFirstMenus{QStringLiteral("File"), QStringLiteral("Edit"),     QStringLiteral("View"),
                              QStringLiteral("Go"),   QStringLiteral("Schedule"), QStringLiteral("Search")};
const QStringList kLastMenus{QStringLiteral("Layout"), QStringLiteral("Help")};

/// A line is drawn above these.
const QStringList kSeparated{QStringLiteral("file.save"),
                             QStringLiteral("file.reload"),
                             QStringLiteral("file.export_schedule"),
                             QStringLiteral("file.new_window"),
                             QStringLiteral("file.close"),
                             QStringLiteral("view.find"),
                             QStringLiteral("view.zoom_in"),
                             QStringLiteral("view.theme.system"),
                             QStringLiteral("layout.save_as"),
                             QStringLiteral("go.next_document"),
                             QStringLiteral("go.finder"),
                             QStringLiteral("schedule.begin_with_shown")};

} // namespace

Menus::Menus(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &Menus::rebuild);
    for (QAction *action : m_parts.context.actions.all()) addToWindow(action);
    connect(&m_parts.context.actions, &Actions::added, this, [this](QAction *action) {
        addToWindow(action);
        m_soon.start();
    });
    rebuild();
}

/// Icons come from here, so that every view's actions look alike; an action without a widget works window-wide.
void Menus::addToWindow(QAction *action) {
    const ActionInfo info = m_parts.context.actions.info(action);
    if (!info.icon.isEmpty() && action->icon().isNull()) action->setIcon(m_parts.context.theme.icon(info.icon));
    if (!qobject_cast<QWidget *>(action->parent())) m_parts.window.addAction(action);
}

void Menus::rebuild() {
    const Actions &actions = m_parts.context.actions;
    QStringList middle;
    std::map<QString, std::vector<QAction *>> byCategory;
    for (QAction *action : actions.all()) {
        const QString category = actions.info(action).category;
        byCategory[category].push_back(action);
        if (!kFirstMenus.contains(category) && !kLastMenus.contains(category) && !middle.contains(category))
            middle << category;
    }
    QMenuBar *bar = m_parts.window.menuBar();
    bar->clear();
    for (QMenu *old : bar->findChildren<QMenu *>(QString(), Qt::FindDirectChildrenOnly)) old->deleteLater();
    QMenu *panels = nullptr;
    for (const QString &category : kFirstMenus + middle + kLastMenus) {
        const auto found = byCategory.find(category);
        if (found == byCategory.end()) continue;
        const bool ofView = middle.contains(category);
        if (ofView && !panels) panels = bar->addMenu(tr("Panels"));
        QMenu *menu = ofView ? panels->addMenu(category) : bar->addMenu(category);
        menu->setToolTipsVisible(true);
        fill(*menu, category, found->second);
    }
}

void Menus::fill(QMenu &menu, const QString &category, const std::vector<QAction *> &actions) {
    QMenu *recent = nullptr;
    QAction *quit = nullptr;
    for (QAction *action : actions) {
        if (action->objectName() == QLatin1String("file.quit")) {
            quit = action;
            continue;
        }
        if (action->objectName().startsWith(QLatin1String("file.recent_"))) {
            if (!recent) recent = menu.addMenu(m_parts.context.theme.icon(QStringLiteral("recent")), tr("Open recent"));
            recent->addAction(action);
            continue;
        }
        if (kSeparated.contains(action->objectName())) menu.addSeparator();
        menu.addAction(action);
    }
    if (recent) recent->setEnabled(!m_parts.context.settings.recentFiles().isEmpty());
    if (category == QLatin1String("Layout")) addOwnLayouts(menu);
    if (quit) {
        menu.addSeparator();
        menu.addAction(quit);
    }
}

void Menus::addOwnLayouts(QMenu &menu) {
    QMenu *layouts = menu.addMenu(m_parts.context.theme.icon(QStringLiteral("layouts")), tr("My layouts"));
    const auto fill = [this, layouts] {
        layouts->clear();
        for (const QString &name : m_parts.layouts.names())
            if (!m_parts.layouts.isShipped(name))
                layouts->addAction(name, this, [this, name] {
                    m_parts.pages.showWorkbench();
                    m_parts.layouts.switchTo(name);
                });
        if (layouts->isEmpty()) layouts->addAction(tr("None yet: Layout > Save layout as \u2026"))->setEnabled(false);
    };
    connect(layouts, &QMenu::aboutToShow, this, fill);
    fill();
}

} // namespace loopscope
