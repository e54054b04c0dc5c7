#include "views/main_window/main_window.h"

#include "views/main_window/dock_host.h"
#include "views/main_window/document_tabs.h"
#include "views/main_window/drop_overlay.h"
#include "views/main_window/file_commands.h"
#include "views/main_window/go_commands.h"
#include "views/main_window/help_commands.h"
#include "views/main_window/last_session.h"
#include "views/main_window/layout_commands.h"
#include "views/main_window/main_tool_bar.h"
#include "views/main_window/menus.h"
#include "views/main_window/mutate_commands.h"
#include "views/main_window/network_workbench.h"
#include "views/main_window/recovery_bar.h"
#include "views/main_window/schedule_commands.h"
#include "views/main_window/schedule_keys.h"
#include "views/main_window/screen_fit.h"
#include "views/main_window/status_line.h"
#include "views/main_window/text_place.h"
#include "views/main_window/view_commands.h"
#include "views/main_window/wheel_needs_focus.h"
#include "views/main_window/window_closing.h"
#include "views/main_window/window_layouts.h"
#include "views/main_window/window_pages.h"
#include "views/main_window/window_shape.h"
#include "views/message_list/message_list_view.h"
#include "views/pictures/pictures_view.h"
#include "views/session/baseline.h"
#include "views/session/open_logs.h"
#include "views/session/open_networks.h"
#include "views/start_page/start_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>

// Must stand outside of any namespace.
static void useResources() { Q_INIT_RESOURCE(resources); }

namespace loopscope {

namespace {

QStringList localFiles(const QMimeData *data) {
    QStringList files;
    for (const QUrl &url : data->urls())
        if (url.isLocalFile()) files << url.toLocalFile();
    return files;
}

bool isPictureFile(const QString &path) {
    return path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive) ||
           path.endsWith(QLatin1String(".npy"), Qt::CaseInsensitive);
}

/// A log that is open, none of whose records are trials of the task shown.
bool isLogOfNobody(Session &session, const QString &path) {
    const auto &logs = session.logs().all();
    if (std::none_of(logs.begin(), logs.end(), [&](const auto &log) { return log->path == path; })) return false;
    const Document *shown = session.document();
    return shown == nullptr || shown->logTask ||
           std::none_of(shown->trials.begin(), shown->trials.end(),
                        [&](const TrialEntry &entry) { return entry.logPath == path; });
}

} // namespace

MainWindow::MainWindow(const ViewContext &context, QWidget *parent)
    : QMainWindow(parent), m_context(context), m_docks(new DockHost(context, this)),
      m_layouts(new WindowLayouts(*m_docks, context.settings, this)),
      m_documents(new DocumentTabs(context.session.documents(), this)), m_last(new LastSession(context, this)),
      m_recovery(new RecoveryBar(context.theme, this)), m_drop(new DropOverlay(context.theme, this)) {
    useResources();
    setObjectName(QStringLiteral("MainWindow"));
    setWindowTitle(QStringLiteral("Loopscope"));
    setWindowIcon(QIcon(QStringLiteral(":/loopscope.svg")));
    setAcceptDrops(true);
    qApp->installEventFilter(this);
    qApp->installEventFilter(new WheelNeedsFocus(this));
    m_pages = new WindowPages(context, *m_docks, this);
    new ScreenFit(this);
    arrange();
    const WindowParts parts{context, *this, *m_docks, *m_layouts, *m_pages, *m_last};
    m_bar = new MainToolBar(parts);
    addToolBar(m_bar);
    addCommands(parts);
    addStatusLine();
    connectSession();
    m_closing = new WindowClosing(parts, this);
    connect(m_closing, &WindowClosing::finished, this, &MainWindow::closed);
    connect(m_last, &LastSession::recoverable, m_recovery, &RecoveryBar::offer);
    connect(m_recovery, &RecoveryBar::recover, m_last, &LastSession::recover);
    connect(m_recovery, &RecoveryBar::recover, this, &MainWindow::showWorkbench);
    connect(m_recovery, &RecoveryBar::dismiss, m_last, &LastSession::dismiss);
    connect(&context.session.file(), &SessionFile::partlyReadable, m_recovery, &RecoveryBar::offerPart);
    connect(m_recovery, &RecoveryBar::recoverPart, this, [this](const QString &path) {
        QByteArray window;
        if (!m_context.session.file().load(path, &window, SessionFile::Reading::WhatCanBe)) return;
        showWorkbench();
        if (!window.isEmpty()) WindowShape{*m_layouts, *m_pages}.restore(window);
    });
    new Menus(parts, this);
    m_makeViews.setInterval(30); // one view at a time, so that the window answers in between
    connect(&m_makeViews, &QTimer::timeout, this, [this] {
        if (!m_docks->makeNextView()) m_makeViews.stop();
    });

    const QByteArray geometry = context.settings.value(QStringLiteral("window/geometry")).toByteArray();
    if (geometry.isEmpty() || !restoreGeometry(geometry)) resize(1360, 860);
    m_layouts->restoreLast();
}

MainWindow::~MainWindow() {
    // Views hold references to the session, which outlives them; signals on the way down would not find the window.
    Session &session = m_context.session;
    for (QObject *part :
         std::initializer_list<QObject *>{&session.documents(), &session.files(), &session.logs(), &session.networks(),
                                          &session.trials(), &session.search(), &m_context.actions})
        for (QObject *receiver : std::initializer_list<QObject *>{this, m_bar, m_files})
            disconnect(part, nullptr, receiver, nullptr);
}

void MainWindow::arrange() {
    auto *centre = new QWidget(this);
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_recovery);
    layout->addWidget(m_documents);
    layout->addWidget(m_pages, 1);
    setCentralWidget(centre);
}

/// In the order in which menus and palette list them.
void MainWindow::addCommands(const WindowParts &parts) {
    m_files = new FileCommands(parts, this);
    connect(m_files, &FileCommands::quitRequested, this, &MainWindow::close);
    new ViewCommands(parts, this);
    new LayoutCommands(parts, this);
    auto *go = new GoCommands(parts, this);
    connect(go, &GoCommands::openRequested, this, [this](const QStringList &paths) { openFiles(paths, false); });
    new MutateCommands(parts, this);
    new ScheduleCommands(parts, this);
    new NetworkWorkbench(parts, this);
    addHelpCommands(parts);
    addScheduleKeys(parts, *this);
}

void MainWindow::addStatusLine() {
    auto *line = new StatusLine(m_context, this);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
    statusBar()->addWidget(line, 1);
    connect(line, &StatusLine::messageClicked, this, [this](int index) {
        showWorkbench();
        m_docks->showDock(QStringLiteral("messages"), true);
        if (auto *list = qobject_cast<MessageListView *>(m_docks->view(QStringLiteral("messages"))))
            list->showMessage(index);
    });
}

void MainWindow::connectSession() {
    Session &session = m_context.session;
    connect(&m_pages->startPage(), &StartPage::openRequested, this,
            [this](const QStringList &paths) { openFiles(paths, false); });
    connect(&session.documents(), &Documents::documentsChanged, this, &MainWindow::documentsChanged);
    connect(&session.documents(), &Documents::documentChanged, this, [this] {
        documentsChanged();
        searchChanged();
    });
    connect(&session.search(), &SearchRunner::searchChanged, this, &MainWindow::searchChanged);
    connect(&session.logs(), &OpenLogs::openedByUser, this, &MainWindow::showWorkbench);
    connect(&session.logs(), &OpenLogs::listChanged, this, &MainWindow::documentsChanged);
    connect(&session.networks(), &OpenNetworks::listChanged, this, &MainWindow::documentsChanged);
    connect(&session.files(), &OpenFiles::opened, this, [this](const QString &path, bool ok) {
        if (isLogOfNobody(m_context.session, path)) m_docks->showDock(QStringLiteral("logs"), false);
        if (!ok) return;
        m_context.settings.addRecentFile(path);
        showWorkbench();
    });
    connect(&session.files(), &OpenFiles::scriptOpened, this, [this] {
        showWorkbench();
        m_docks->showDock(QStringLiteral("script"), false);
    });
    countMessages();
    connect(m_docks, &DockHost::viewMade, this, [this](const QString &, QWidget *view) {
        if (auto *list = qobject_cast<MessageListView *>(view))
            connect(list, &MessageListView::placeRequested, this, &MainWindow::showPlace);
    });
    connect(m_documents, &DocumentTabs::chosen, this, [this](int id) {
        m_context.session.documents().setCurrent(id);
        showWorkbench();
    });
    connect(m_documents, &DocumentTabs::closeRequested, m_files, &FileCommands::close);
    connect(m_pages, &WindowPages::turned, this, &MainWindow::refreshTitle);
    connect(&session.selection(), &Selection::changed, this, &MainWindow::refreshTitle);
    connect(&session.trials(), &TaskTrials::baselineChanged, this, &MainWindow::refreshTitle);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &MainWindow::refreshTitle);
    documentsChanged();
    searchChanged();
}

/// The number of those not seen yet stands in the title of their dock.
void MainWindow::countMessages() {
    connect(&m_context.session.messages(), &Messages::added, this, [this](int index) {
        if (m_context.session.messages().all()[static_cast<size_t>(index)].severity == Message::Severity::Note) return;
        m_unseen = m_docks->isInFront(QStringLiteral("messages")) ? 0 : m_unseen + 1;
        m_docks->setBadge(QStringLiteral("messages"), m_unseen);
    });
    connect(m_docks->dock(QStringLiteral("messages")), &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (!visible) return;
        m_unseen = 0;
        m_docks->setBadge(QStringLiteral("messages"), 0);
    });
}

bool MainWindow::event(QEvent *event) {
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::Paint && !m_pages->painted()) {
        m_pages->setPainted();
        QTimer::singleShot(0, this, &MainWindow::afterFirstPaint);
    }
    return handled;
}

void MainWindow::afterFirstPaint() {
    Q_EMIT firstPaint();
    if (!onStartPage()) m_docks->startMaking();
    const auto todo = std::move(m_atFirstPaint);
    m_atFirstPaint.clear();
    for (const auto &run : todo) run();
    m_pages->startPage().load();
    QTimer::singleShot(50, this, [this] {
        m_docks->startMaking();
        m_makeViews.start();
    });
}

void MainWindow::openFiles(const QStringList &paths, bool compare) {
    if (paths.isEmpty()) return;
    if (std::ranges::all_of(paths, isPictureFile) && m_pages->painted()) return openPictures(paths);
    if (m_pages->painted()) return m_files->open(paths, compare);
    m_pages->expectWorkbench();
    m_atFirstPaint.push_back([this, paths, compare] { m_files->open(paths, compare); });
}

/// Inputs of the workload that is shown.
void MainWindow::openPictures(const QStringList &paths) {
    showWorkbench();
    m_docks->showDock(QStringLiteral("pictures"), true);
    if (auto *view = qobject_cast<PicturesView *>(m_docks->view(QStringLiteral("pictures")))) view->openFiles(paths);
}

bool MainWindow::onStartPage() const { return m_pages->onStartPage(); }
void MainWindow::showStartPage() { m_pages->showStartPage(); }
void MainWindow::showWorkbench() { m_pages->showWorkbench(); }

void MainWindow::documentsChanged() {
    m_documents->refresh();
    Session &session = m_context.session;
    if (session.documents().all().empty() && session.logs().all().empty() && session.networks().all().empty() &&
        m_pages->painted())
        showStartPage();
    m_files->refresh();
    refreshTitle();
    m_bar->refreshSoon(); // the search view enables its actions on the same signals
}

void MainWindow::refreshTitle() {
    const Document *current = m_context.session.document();
    if (onStartPage() || !current) {
        setWindowModified(false);
        setWindowTitle(QStringLiteral("Loopscope"));
        return;
    }
    const ScheduleRef &shown = m_context.session.selection().now().schedule;
    const QString against = againstBaselineText(*current, shown);
    const QString told =
        against.isEmpty() ? QString() : QStringLiteral(" \u2013 %1, %2").arg(scheduleName(*current, shown), against);
    setWindowTitle(QStringLiteral("%1[*]%2 \u2013 Loopscope").arg(current->name, told));
    setWindowModified(current->modified);
    setWindowFilePath(current->path);
}

void MainWindow::searchChanged() {
    const Document *current = m_context.session.document();
    const bool searching = current && current->search.state == SearchState::Running;
    if (searching && !m_wasSearching && m_pages->painted()) m_docks->showDock(QStringLiteral("search"), false);
    m_wasSearching = searching;
    m_bar->refreshSoon();
}

void MainWindow::showPlace(const QString &path, int line, int column) {
    for (const Document *document : m_context.session.documents().all()) {
        if (document->path != path && document->origin != path) continue;
        m_context.session.documents().setCurrent(document->id);
        showWorkbench();
        m_docks->showDock(QStringLiteral("computation"), true);
        QWidget *view = m_docks->view(QStringLiteral("computation"));
        if (line > 0 && view) goToLine(*view, line, std::max(1, column));
        return;
    }
    openFiles({path}, false);
}

/// Files are for the window, wherever they are dropped: a text below would take their names in.
bool MainWindow::eventFilter(QObject *watched, QEvent *event) {
    const auto type = event->type();
    if (type == QEvent::DragLeave) m_drop->hide();
    if (type != QEvent::DragEnter && type != QEvent::DragMove && type != QEvent::Drop) return false;
    const auto *widget = qobject_cast<QWidget *>(watched);
    if (!widget || widget->window() != this) return false;
    auto *drag = static_cast<QDropEvent *>(event);
    const QStringList files = localFiles(drag->mimeData());
    if (files.isEmpty()) return false;
    drag->acceptProposedAction();
    if (type == QEvent::DragEnter) m_drop->showFor(static_cast<int>(files.size()));
    if (type == QEvent::Drop) {
        m_drop->hide();
        openFiles(files, files.size() == 2);
    }
    return true;
}

void MainWindow::closeEvent(QCloseEvent *event) {
    if (m_closing->underWay()) { // waiting for the search already
        event->ignore();
        return;
    }
    Q_EMIT closing();
    event->setAccepted(m_closing->begin());
}

void MainWindow::restoreLastSession() {
    const bool there = m_last->somethingToRestore();
    if (there) m_pages->expectWorkbench();
    m_atFirstPaint.push_back([this, there] {
        QByteArray window;
        m_last->restore(&window);
        m_last->begin();
        if (!window.isEmpty()) WindowShape{*m_layouts, *m_pages}.restore(window);
        if (!there) offerLogs();
        if (there && m_context.session.documents().all().empty() && m_context.session.jobs().running().empty())
            showStartPage();
    });
}

void MainWindow::keepSession() {
    m_atFirstPaint.push_back([this] {
        m_last->offerAfterCrash();
        m_last->begin();
    });
}

void MainWindow::offerLogs() {
    m_context.session.jobs().start(
        tr("looking for tuning logs"), this,
        [folder = QDir::currentPath()](JobControl &) {
            QStringList logs;
            for (const QFileInfo &info :
                 QDir(folder).entryInfoList({QStringLiteral("*.json")}, QDir::Files | QDir::Readable, QDir::Time)) {
                if (!info.isFile()) continue; // a pipe would be waited for
                QFile file(info.absoluteFilePath());
                // A record of Ansor's begins so; other .json files are none of ours.
                if (file.open(QIODevice::ReadOnly) && file.read(4096).contains("{\"i\":"))
                    logs << info.absoluteFilePath();
                if (logs.size() == 5) break;
            }
            return logs;
        },
        [this](const QStringList &logs) { m_pages->startPage().offerLogs(logs); });
}

} // namespace loopscope
