#include "views/main_window/dock_host.h"

#include "views/main_window/dock_page.h"
#include "views/main_window/dock_title.h"

#include <QAbstractButton>
#include <QApplication>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QTabBar>

#include <algorithm>
#include <exception>
#include <utility>

namespace loopscope {

namespace {

bool takesKeys(const QWidget &widget) {
    return widget.isVisible() && widget.isEnabled() && (widget.focusPolicy() & Qt::TabFocus) != 0;
}

/// What of a view takes the keys: what it names itself (its focus proxy), unless another page is in front of that; else
/// the largest thing in it, rather than the buttons of a bar above. The view itself when there is neither.
QWidget *contentOf(QWidget &view) {
    QWidget *named = &view;
    while (named->focusProxy() != nullptr) named = named->focusProxy();
    if (takesKeys(*named)) return named;
    QWidget *largest = nullptr;
    QWidget *button = nullptr;
    for (auto *child : view.findChildren<QWidget *>()) {
        if (!takesKeys(*child) || qobject_cast<QScrollArea *>(child) != nullptr) continue; // holds others
        if (qobject_cast<QAbstractButton *>(child) != nullptr) {
            if (button == nullptr) button = child;
        } else if (largest == nullptr || child->width() * child->height() > largest->width() * largest->height()) {
            largest = child;
        }
    }
    if (largest != nullptr) return largest;
    return button != nullptr ? button : &view;
}

} // namespace

DockHost::DockHost(const ViewContext &context, QWidget *parent) : QMainWindow(parent), m_context(context) {
    setWindowFlags(Qt::Widget); // a part of the window, not one of its own
    setObjectName(QStringLiteral("DockHost"));
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);
    m_titles.setSingleShot(true);
    m_titles.setInterval(0);
    connect(&m_titles, &QTimer::timeout, this, &DockHost::refreshTitles);

    for (const DockInfo &info : dockList()) {
        Entry entry;
        entry.info = info;
        entry.dock = new QDockWidget(info.title, this);
        entry.dock->setObjectName(info.id);
        auto *space = new QWidget(entry.dock); // until the view is made
        space->setAutoFillBackground(true);
        space->setBackgroundRole(QPalette::Base);
        entry.dock->setWidget(space);
        entry.titleBar = new DockTitle(context.theme, info.icon, entry.dock);
        entry.noTitle = new QWidget(entry.dock);
        auto *nothing = new QHBoxLayout(entry.noTitle); // gives it a size of zero; without one it has none
        nothing->setContentsMargins(0, 0, 0, 0);
        entry.noTitle->hide();
        entry.dock->setTitleBarWidget(entry.titleBar);
        connect(entry.dock, &QDockWidget::visibilityChanged, this, [this, id = info.id](bool visible) {
            if (visible && m_making) view(id);
            m_titles.start();
        });
        connect(entry.dock, &QDockWidget::topLevelChanged, this, [this] { m_titles.start(); });
        connect(entry.dock, &QDockWidget::dockLocationChanged, this, [this] { m_titles.start(); });
        m_entries.push_back(std::move(entry));
    }
    for (const Entry &entry : m_entries) addDockWidget(Qt::LeftDockWidgetArea, entry.dock);
}

DockHost::Entry *DockHost::find(const QString &id) {
    for (Entry &entry : m_entries)
        if (entry.info.id == id) return &entry;
    return nullptr;
}

const DockHost::Entry *DockHost::find(const QString &id) const {
    for (const Entry &entry : m_entries)
        if (entry.info.id == id) return &entry;
    return nullptr;
}

void DockHost::showEvent(QShowEvent *event) {
    QMainWindow::showEvent(event);
    if (!std::exchange(m_wasShown, true)) Q_EMIT firstShown();
}

QDockWidget *DockHost::dock(const QString &id) const {
    const Entry *entry = find(id);
    return entry ? entry->dock : nullptr;
}

QWidget *DockHost::existingView(const QString &id) const {
    const Entry *entry = find(id);
    return entry ? entry->view : nullptr;
}

QWidget *DockHost::view(const QString &id) {
    Entry *entry = find(id);
    if (!entry) return nullptr;
    if (!entry->view) make(*entry);
    return entry->view;
}

void DockHost::make(Entry &entry) {
    QElapsedTimer timer;
    timer.start();
    try {
        entry.view = entry.info.make(m_context, entry.dock);
    } catch (const std::exception &error) { // the others are of use without it
        auto *words =
            new QLabel(tr("%1 cannot be shown: %2").arg(entry.info.title, QString::fromUtf8(error.what())), entry.dock);
        words->setWordWrap(true);
        words->setAlignment(Qt::AlignCenter);
        entry.view = words;
        m_context.session.messages().fail(words->text());
    }
    // Below this a view is scrolled, although it would like to be wider.
    const int enough = fontMetrics().averageCharWidth() * 60;
    if (entry.view->minimumSizeHint().width() > enough) entry.view->setMinimumWidth(enough);
    entry.view->setAutoFillBackground(true); // a main window draws handles of its separators below its docks, too
    QWidget *space = entry.dock->widget();
    entry.dock->setWidget(new DockPage(entry.view, entry.dock));
    delete space;
    if (qEnvironmentVariableIsSet("LOOPSCOPE_STARTUP_TRACE"))
        fprintf(stderr, "%s made in %lld ms\n", qPrintable(entry.info.id), static_cast<long long>(timer.elapsed()));
    Q_EMIT viewMade(entry.info.id, entry.view);
}

void DockHost::startMaking() {
    m_making = true;
    for (Entry &entry : m_entries)
        if (!entry.view && entry.dock->isVisible() && !entry.dock->visibleRegion().isEmpty()) make(entry);
    QTimer::singleShot(0, this, &DockHost::applySizes); // views have sizes of their own in mind
}

bool DockHost::allMade() const {
    return std::all_of(m_entries.begin(), m_entries.end(), [](const Entry &entry) { return entry.view != nullptr; });
}

bool DockHost::makeNextView() {
    for (Entry &entry : m_entries) {
        if (entry.view) continue;
        make(entry);
        return true;
    }
    applySizes();
    keepSizes();
    return false;
}

void DockHost::showDock(const QString &id, bool focus) {
    Entry *entry = find(id);
    if (!entry) return;
    QWidget *made = view(id);
    entry->dock->show();
    entry->dock->raise();
    if (!focus) return;
    if (entry->dock->isFloating()) entry->dock->activateWindow();
    contentOf(*made)->setFocus(Qt::ShortcutFocusReason);
}

bool DockHost::isInFront(const QString &id) const {
    const Entry *entry = find(id);
    if (!entry || !entry->dock->isVisible()) return false;
    // A main window moves docks behind a tab out of its upper left corner.
    const QRect place = entry->dock->geometry();
    return entry->dock->isWindow() || (place.right() >= 0 && place.bottom() >= 0);
}

QDockWidget *DockHost::dockOf(const QWidget *widget) const {
    for (; widget; widget = widget->parentWidget())
        for (const Entry &entry : m_entries)
            if (entry.dock == widget) return entry.dock;
    return nullptr;
}

QWidget *DockHost::frontView() const {
    const QDockWidget *focused = dockOf(QApplication::focusWidget());
    QWidget *largest = nullptr;
    int area = 0;
    for (const Entry &entry : m_entries) {
        if (!entry.view) continue;
        if (entry.dock == focused) return entry.view;
        const int size = entry.dock->width() * entry.dock->height();
        if (size > area && isInFront(entry.info.id)) {
            area = size;
            largest = entry.view;
        }
    }
    return largest;
}

void DockHost::addGroup(const QStringList &group) {
    QDockWidget *first = nullptr;
    for (const QString &id : group) {
        QDockWidget *next = dock(id);
        if (!next) continue;
        if (first) tabifyDockWidget(first, next);
        if (!first) first = next;
    }
}

void DockHost::arrange(const Arrangement &arrangement) {
    setUpdatesEnabled(false);
    const auto firstOf = [this](const QStringList &group) -> QDockWidget * {
        for (const QString &id : group)
            if (QDockWidget *found = dock(id)) return found;
        return nullptr;
    };
    for (const Entry &entry : m_entries) {
        entry.dock->setFloating(false);
        removeDockWidget(entry.dock);
    }
    // Splits come before tabs: what is split off a dock with tabs would become another tab.
    QDockWidget *left = firstOf(arrangement.left);
    QDockWidget *centre = firstOf(arrangement.centre);
    QDockWidget *bottom = firstOf(arrangement.bottom);
    QDockWidget *right = firstOf(arrangement.right);
    QDockWidget *last = nullptr;
    for (QDockWidget *column : {left, centre ? centre : bottom, right}) {
        if (!column) continue;
        if (last)
            splitDockWidget(last, column, Qt::Horizontal);
        else
            addDockWidget(Qt::LeftDockWidgetArea, column, Qt::Horizontal);
        column->show();
        last = column;
    }
    if (centre && bottom) {
        splitDockWidget(centre, bottom, Qt::Vertical);
        bottom->show();
    }
    for (const QStringList *group : {&arrangement.left, &arrangement.centre, &arrangement.bottom, &arrangement.right})
        addGroup(*group);
    for (const Entry &entry : m_entries) {
        if (dockWidgetArea(entry.dock) == Qt::NoDockWidgetArea) addDockWidget(Qt::LeftDockWidgetArea, entry.dock);
        entry.dock->setVisible(!arrangement.hidden.contains(entry.info.id));
    }
    for (const QStringList *group : {&arrangement.left, &arrangement.centre, &arrangement.bottom, &arrangement.right}) {
        for (const QString &id : *group) {
            if (!dock(id) || arrangement.hidden.contains(id)) continue;
            dock(id)->raise();
            break;
        }
    }
    m_sized = arrangement;
    applySizes();
    // Again once the layout knows who is shown: until then sizes are only asked for.
    QTimer::singleShot(0, this, [this] {
        applySizes();
        if (allMade()) keepSizes();
    });
    setUpdatesEnabled(true);
    m_titles.start();
    Q_EMIT arrangementChanged();
}

void DockHost::applySizes() {
    if (!m_sized) return;
    const auto shown = [&](const QStringList &group) -> QDockWidget * {
        for (const QString &id : group)
            if (dock(id) && !m_sized->hidden.contains(id)) return dock(id);
        return nullptr;
    };
    QList<QDockWidget *> columns;
    QList<int> widths;
    const std::array<QDockWidget *, 3> all{shown(m_sized->left),
                                           shown(m_sized->centre) ? shown(m_sized->centre) : shown(m_sized->bottom),
                                           shown(m_sized->right)};
    for (size_t i = 0; i < all.size(); ++i) {
        if (!all[i]) continue;
        columns << all[i];
        widths << std::max(1, width() * m_sized->widths[i] / 100);
    }
    resizeDocks(columns, widths, Qt::Horizontal);
    if (shown(m_sized->centre) && shown(m_sized->bottom)) {
        // Of little height the view in the centre has what it needs; some rows of a table do below it.
        int bottom = height() * m_sized->bottomShare / 100;
        if (const auto *page = qobject_cast<const DockPage *>(shown(m_sized->centre)->widget()))
            bottom = std::clamp(height() - page->minHeight(), std::min(bottom, fontMetrics().height() * 10), bottom);
        resizeDocks({shown(m_sized->centre), shown(m_sized->bottom)}, {height() - bottom, bottom}, Qt::Vertical);
    }
}

void DockHost::refreshTitles() {
    for (Entry &entry : m_entries) {
        bool tabbed = false;
        if (!entry.dock->isFloating())
            for (const QDockWidget *baseline : tabifiedDockWidgets(entry.dock))
                tabbed = tabbed || !baseline->isHidden();
        QWidget *wanted = tabbed ? entry.noTitle : entry.titleBar;
        if (entry.dock->titleBarWidget() == wanted) continue;
        entry.dock->titleBarWidget()->hide();
        entry.dock->setTitleBarWidget(wanted);
        wanted->show();
    }
    // The tab bars are the main window's own and come and go.
    for (auto *tabs : findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly)) {
        tabs->setElideMode(Qt::ElideNone); // "N\u2026" says nothing; what has no room is scrolled to
        tabs->setUsesScrollButtons(true);
        tabs->setExpanding(false);
        tabs->setDrawBase(false);
    }
}

void DockHost::setBadge(const QString &id, int count) {
    if (const Entry *entry = find(id))
        entry->dock->setWindowTitle(count > 0 ? QStringLiteral("%1 (%2)").arg(entry->info.title).arg(count)
                                              : entry->info.title);
}

void DockHost::setFloatingShown(bool shown) {
    for (Entry &entry : m_entries) {
        if (!entry.dock->isFloating()) continue;
        if (!shown && entry.dock->isVisible()) {
            entry.hiddenWithPage = true;
            entry.dock->hide();
        } else if (shown && entry.hiddenWithPage) {
            entry.hiddenWithPage = false;
            entry.dock->show();
        }
    }
}

} // namespace loopscope
