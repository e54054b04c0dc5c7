// The menu bar and the toolbar, made from what is registered in Actions.

#include "views/main_window/dock_host.h"
#include "views/main_window/main_window.h"
#include "views/main_window/primary_button.h"
#include "views/main_window/window_layouts.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QMenu>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

namespace {

/// First and last of the menu bar; what views register stands between, in one menu.
const QStringList kFirstMenus{QStringLiteral("File"), QStringLiteral("Edit"), QStringLiteral("View"),
                              QStringLiteral("Go"), QStringLiteral("Search")};
const QStringList kLastMenus{QStringLiteral("Layout"), QStringLiteral("Help")};

/// A line is drawn above these.
const QStringList kSeparated{
    QStringLiteral("file.save"),        QStringLiteral("file.reload"),       QStringLiteral("file.export_png"),
    QStringLiteral("file.new_window"),  QStringLiteral("file.close"),        QStringLiteral("view.find"),
    QStringLiteral("view.zoom_in"),     QStringLiteral("view.theme.system"), QStringLiteral("layout.save_as"),
    QStringLiteral("go.next_document"), QStringLiteral("go.finder")};

} // namespace

void MainWindow::rebuildMenus() {
    const Actions &actions = m_context.actions;
    QStringList middle;
    std::map<QString, std::vector<QAction *>> byCategory;
    for (QAction *action : actions.all()) {
        const QString category = actions.info(action).category;
        byCategory[category].push_back(action);
        if (!kFirstMenus.contains(category) && !kLastMenus.contains(category) && !middle.contains(category))
            middle << category;
    }
    menuBar()->clear();
    for (QMenu *old : menuBar()->findChildren<QMenu *>(QString(), Qt::FindDirectChildrenOnly)) old->deleteLater();
    QMenu *panels = nullptr;
    for (const QString &category : kFirstMenus + middle + kLastMenus) {
        const auto found = byCategory.find(category);
        if (found == byCategory.end()) continue;
        const bool ofView = middle.contains(category);
        if (ofView && !panels) panels = menuBar()->addMenu(tr("Panels"));
        QMenu *menu = ofView ? panels->addMenu(category) : menuBar()->addMenu(category);
        menu->setToolTipsVisible(true);
        QMenu *recent = nullptr;
        QMenu *layouts = nullptr;
        QAction *quit = nullptr;
        for (QAction *action : found->second) {
            if (action->objectName() == QLatin1String("file.quit")) {
                quit = action;
                continue;
            }
            if (action->objectName().startsWith(QLatin1String("file.recent_"))) {
                if (!recent) recent = menu->addMenu(m_context.theme.icon(QStringLiteral("recent")), tr("Open recent"));
                recent->addAction(action);
                continue;
            }
            if (kSeparated.contains(action->objectName())) menu->addSeparator();
            menu->addAction(action);
        }
        if (recent) recent->setEnabled(!m_context.settings.recentFiles().isEmpty());
        if (category == QLatin1String("Layout")) {
            layouts = menu->addMenu(m_context.theme.icon(QStringLiteral("layouts")), tr("My layouts"));
            const auto fill = [this, layouts] {
                layouts->clear();
                for (const QString &name : m_layouts->names())
                    if (!m_layouts->isShipped(name))
                        layouts->addAction(name, this, [this, name] {
                            showWorkbench();
                            m_layouts->switchTo(name);
                        });
                if (layouts->isEmpty())
                    layouts->addAction(tr("None yet: Layout > Save layout as \u2026"))->setEnabled(false);
            };
            connect(layouts, &QMenu::aboutToShow, this, fill);
            fill();
        }
        if (quit) {
            menu->addSeparator();
            menu->addAction(quit);
        }
    }
}

void MainWindow::buildToolBar() {
    m_bar = addToolBar(tr("Main"));
    m_bar->setObjectName(QStringLiteral("main_toolbar"));
    m_bar->setMovable(false);
    m_bar->setContextMenuPolicy(Qt::PreventContextMenu);
    const int side = fontMetrics().height() + 4;
    m_bar->setIconSize({side, side});
    // What stands in it is filled in once the actions exist.
    QMetaObject::invokeMethod(
        this,
        [this] {
            const auto act = [this](const char *id) { return m_context.actions.find(QLatin1String(id)); };
            const auto space = [this] {
                auto *gap = new QWidget(m_bar);
                gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
                m_bar->addWidget(gap);
            };
            m_bar->addAction(act("view.start_page"));
            m_bar->addAction(act("file.open"));
            m_bar->addSeparator();
            m_bar->addAction(act("go.back"));
            m_bar->addAction(act("go.forward"));
            space();
            m_search = new QToolButton(m_bar);
            m_search->setObjectName(QStringLiteral("search_button"));
            m_search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            m_bar->addWidget(m_search);
            m_stop = new QToolButton(m_bar);
            m_stop->setObjectName(QStringLiteral("stop_button"));
            m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            m_stopAction = m_bar->addWidget(m_stop);
            space();
            m_layoutButton = new QToolButton(m_bar);
            m_layoutButton->setObjectName(QStringLiteral("layout_button"));
            m_layoutButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            m_layoutButton->setPopupMode(QToolButton::InstantPopup);
            m_layoutButton->setIcon(m_context.theme.icon(QStringLiteral("layouts")));
            m_layoutButton->setMenu(new QMenu(m_layoutButton));
            m_bar->addWidget(m_layoutButton);
            m_bar->addAction(act("help.palette"));
            m_bar->addAction(act("view.theme.switch"));
            m_bar->addAction(act("settings.open"));
            connect(m_search, &QToolButton::clicked, this, [this] {
                if (QAction *action = searchAction()) action->trigger();
            });
            connect(m_stop, &QToolButton::clicked, this, [this] { m_context.session.search().stop(); });
            connect(&m_context.theme, &Theme::changed, this, &MainWindow::refreshSearchButton);
            refreshSearchButton();
            refreshLayouts();
        },
        Qt::QueuedConnection);
}

QAction *MainWindow::searchAction() const {
    const Document *current = m_context.session.document();
    const char *id = "search.start";
    if (current) {
        switch (current->search.state) {
        case SearchState::Running:
            id = "search.pause";
            break;
        case SearchState::Pausing:
        case SearchState::Paused:
            id = "search.resume";
            break;
        default: // stopped early: on to the number that was asked for; all there, also from a log: with more
            if (!m_context.session.search().whyNotStart().isEmpty() &&
                m_context.session.search().whyNotContinue().isEmpty())
                id = "search.continue";
            break;
        }
    }
    return m_context.actions.find(QLatin1String(id));
}

void MainWindow::refreshSearchButton() {
    if (!m_search) return;
    const Document *current = m_context.session.document();
    const SearchState state = current ? current->search.state : SearchState::Idle;
    const QString text = current ? searchVerb(*current) : tr("Start");
    const QString icon = text == QLatin1String("Start")   ? QStringLiteral("search")
                         : text == QLatin1String("Pause") ? QStringLiteral("pause")
                                                          : QStringLiteral("resume");
    const QAction *action = searchAction();
    // One key does what the one button does.
    const QAction *start = m_context.actions.find(QStringLiteral("search.start"));
    const QKeySequence key = start ? m_context.actions.info(start).shortcut : QKeySequence();
    for (const char *id : {"search.start", "search.pause", "search.resume", "search.continue"})
        if (QAction *one = m_context.actions.find(QLatin1String(id)))
            one->setShortcut(one == action ? key : QKeySequence());
    const QString why = m_context.session.search().whyNotStart();
    const bool busy = state == SearchState::Running || state == SearchState::Paused || state == SearchState::Pausing;
    const bool can = action != nullptr && action->isEnabled() && current != nullptr && state != SearchState::Stopping;
    m_search->setText(text);
    m_search->setIcon(primaryIcon(m_context.theme, icon, can));
    m_search->setEnabled(can);
    m_search->setAccessibleName(text);
    m_search->setToolTip(!can && !why.isEmpty() ? asSentence(why) + u'.'
                         : action               ? tipWithShortcut(m_context.actions.info(action).tip, key)
                                                : QString());
    m_search->setStyleSheet(primaryStyle(m_context.theme));
    m_stopAction->setVisible(busy || state == SearchState::Stopping);
    m_stop->setText(state == SearchState::Stopping ? tr("Stopping \u2026") : tr("Stop"));
    m_stop->setIcon(m_context.theme.icon(QStringLiteral("stop")));
    m_stop->setEnabled(busy);
    if (const QAction *stop = m_context.actions.find(QStringLiteral("search.stop")))
        m_stop->setToolTip(stop->toolTip());
}

void MainWindow::refreshLayouts() {
    if (QAction *action = m_context.actions.find(QStringLiteral("layout.delete")))
        action->setEnabled(!m_layouts->isShipped(m_layouts->current()));
    if (!m_layoutButton) return;
    m_layoutButton->setText(m_layouts->current());
    m_layoutButton->setToolTip(tr("Layout of the docks (Ctrl+Left, Ctrl+Right)"));
    QMenu *menu = m_layoutButton->menu();
    menu->clear();
    for (const QString &name : m_layouts->names()) {
        QAction *action = menu->addAction(name, this, [this, name] {
            showWorkbench();
            m_layouts->switchTo(name);
        });
        action->setCheckable(true);
        action->setChecked(name == m_layouts->current());
    }
    menu->addSeparator();
    for (const char *id : {"layout.save_as", "layout.delete", "layout.restore"})
        if (QAction *action = m_context.actions.find(QLatin1String(id))) menu->addAction(action);
}

} // namespace loopscope
