#include "views/main_window/main_tool_bar.h"

#include "views/main_window/primary_button.h"
#include "views/main_window/window_layouts.h"
#include "views/main_window/window_pages.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QMainWindow>
#include <QMenu>
#include <QToolButton>

namespace loopscope {

MainToolBar::MainToolBar(const WindowParts &parts) : QToolBar(&parts.window), m_parts(parts) {
    setWindowTitle(tr("Main"));
    setObjectName(QStringLiteral("main_toolbar"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    const int side = parts.window.fontMetrics().height() + 4;
    setIconSize({side, side});
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &MainToolBar::refreshSearch);
    connect(&m_parts.context.actions, &Actions::added, this, &MainToolBar::refreshSoon);
    connect(&m_parts.context.session.documents(), &Documents::problemChanged, this, &MainToolBar::refreshSoon);
    connect(&m_parts.layouts, &WindowLayouts::changed, this, &MainToolBar::refreshLayouts);
    // What stands in it is filled in once the actions exist.
    QMetaObject::invokeMethod(this, &MainToolBar::fill, Qt::QueuedConnection);
}

QToolButton *MainToolBar::addButton(const char *name) {
    auto *button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return button;
}

void MainToolBar::fill() {
    const auto act = [this](const char *id) { return m_parts.context.actions.find(QLatin1String(id)); };
    const auto space = [this] {
        auto *gap = new QWidget(this);
        gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        addWidget(gap);
    };
    addAction(act("view.start_page"));
    addAction(m_parts.context.actions.find(Capability::OpenFile));
    addSeparator();
    addAction(act("go.back"));
    addAction(act("go.forward"));
    space();
    m_search = addButton("search_button");
    addWidget(m_search);
    m_stop = addButton("stop_button");
    m_stopAction = addWidget(m_stop);
    space();
    m_layout = addButton("layout_button");
    m_layout->setPopupMode(QToolButton::InstantPopup);
    m_layout->setIcon(m_parts.context.theme.icon(QStringLiteral("layouts")));
    m_layout->setMenu(new QMenu(m_layout));
    addWidget(m_layout);
    addAction(act("help.palette"));
    addAction(act("view.theme.switch"));
    addAction(act("settings.open"));
    connect(m_search, &QToolButton::clicked, this, [this] {
        if (QAction *action = searchAction()) action->trigger();
    });
    connect(m_stop, &QToolButton::clicked, this, [this] { m_parts.context.session.search().stop(); });
    m_stop->setIcon(m_parts.context.theme.icon(QStringLiteral("stop")));
    connect(&m_parts.context.theme, &Theme::changed, this, [this] {
        m_primaryLook.clear();
        refreshSearch();
    });
    refreshSearch();
    refreshLayouts();
}

QAction *MainToolBar::searchAction() const {
    const Document *current = m_parts.context.session.document();
    Capability does = Capability::StartSearch;
    if (current) {
        switch (current->search.state) {
        case SearchState::Running:
            does = Capability::PauseSearch;
            break;
        case SearchState::Pausing:
        case SearchState::Paused:
            does = Capability::ResumeSearch;
            break;
        default: // stopped early: on to the number that was asked for; all there, also from a log: with more
            if (!m_parts.context.session.search().whyNotStart().isEmpty() &&
                m_parts.context.session.search().whyNotContinue().isEmpty())
                does = Capability::ContinueSearch;
            break;
        }
    }
    return m_parts.context.actions.find(does);
}

void MainToolBar::refreshSearch() {
    if (!m_search) return;
    const Document *current = m_parts.context.session.document();
    const SearchState state = current ? current->search.state : SearchState::Idle;
    const QString text = current ? searchVerb(*current) : tr("Start");
    const QString icon = text == QLatin1String("Start")   ? QStringLiteral("search")
                         : text == QLatin1String("Pause") ? QStringLiteral("pause")
                                                          : QStringLiteral("resume");
    const QAction *action = searchAction();
    // One key does what the one button does.
    const QAction *start = m_parts.context.actions.find(Capability::StartSearch);
    const QKeySequence key = start ? m_parts.context.actions.info(start).shortcut : QKeySequence();
    for (const Capability each :
         {Capability::StartSearch, Capability::PauseSearch, Capability::ResumeSearch, Capability::ContinueSearch})
        if (QAction *one = m_parts.context.actions.find(each)) one->setShortcut(one == action ? key : QKeySequence());
    const QString why = m_parts.context.session.search().whyNotStart();
    const bool busy = state == SearchState::Running || state == SearchState::Paused || state == SearchState::Pausing;
    const bool can = action != nullptr && action->isEnabled() && current != nullptr && state != SearchState::Stopping;
    m_search->setText(text);
    // A new icon for each trial would fill the cache of pictures with the same one.
    if (const QString look = icon + (can ? u'+' : u'-'); look != m_primaryLook) {
        m_primaryLook = look;
        m_search->setIcon(primaryIcon(m_parts.context.theme, icon, can));
        m_search->setStyleSheet(primaryStyle(m_parts.context.theme));
    }
    m_search->setEnabled(can);
    m_search->setAccessibleName(text);
    m_search->setToolTip(!can && !why.isEmpty() ? asSentence(why) + u'.'
                         : action               ? tipWithShortcut(m_parts.context.actions.info(action).tip, key)
                                                : QString());
    m_stopAction->setVisible(busy || state == SearchState::Stopping);
    m_stop->setText(state == SearchState::Stopping ? tr("Stopping \u2026") : tr("Stop"));
    m_stop->setEnabled(busy);
    if (const QAction *stop = m_parts.context.actions.find(Capability::StopSearch)) m_stop->setToolTip(stop->toolTip());
}

void MainToolBar::refreshLayouts() {
    if (!m_layout) return;
    m_layout->setText(m_parts.layouts.current());
    m_layout->setToolTip(tr("Layout of the docks (Ctrl+Left, Ctrl+Right)"));
    QMenu *menu = m_layout->menu();
    menu->clear();
    for (const QString &name : m_parts.layouts.names()) {
        QAction *action = menu->addAction(name, this, [this, name] {
            m_parts.pages.showWorkbench();
            m_parts.layouts.switchTo(name);
        });
        action->setCheckable(true);
        action->setChecked(name == m_parts.layouts.current());
    }
    menu->addSeparator();
    for (const char *id : {"layout.save_as", "layout.delete", "layout.restore"})
        if (QAction *action = m_parts.context.actions.find(QLatin1String(id))) menu->addAction(action);
}

} // namespace loopscope
