#include "views/main_window/main_window.h"

#include "views/main_window/command_palette.h"
#include "views/main_window/compare_pair.h"
#include "views/main_window/dock_host.h"
#include "views/main_window/drop_overlay.h"
#include "views/main_window/last_session.h"
#include "views/main_window/recovery_bar.h"
#include "views/main_window/screen_fit.h"
#include "views/main_window/status_line.h"
#include "views/main_window/wheel_needs_focus.h"
#include "views/main_window/window_layouts.h"
#include "views/message_list/message_list_view.h"
#include "views/session/samples.h"
#include "views/session/tasks.h"
#include "views/session/text.h"
#include "views/start_page/start_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

// Must stand outside of any namespace.
static void useResources() { Q_INIT_RESOURCE(resources); }

namespace loopscope {

namespace {

constexpr int kWaitForSearch = 8000; // ms a closed window waits for its search to end in an orderly way

QStringList localFiles(const QMimeData *data) {
    QStringList files;
    for (const QUrl &url : data->urls())
        if (url.isLocalFile()) files << url.toLocalFile();
    return files;
}

} // namespace

MainWindow::MainWindow(const ViewContext &context, QWidget *parent)
    : QMainWindow(parent), m_context(context), m_docks(new DockHost(context, this)),
      m_layouts(new WindowLayouts(*m_docks, context.settings, this)), m_pages(new QStackedWidget(this)),
      m_documents(new QTabBar(this)), m_last(new LastSession(context, this)),
      m_recovery(new RecoveryBar(context.theme, this)), m_drop(new DropOverlay(context.theme, this)) {
    useResources();
    setObjectName(QStringLiteral("MainWindow"));
    setWindowTitle(QStringLiteral("Loopscope"));
    setWindowIcon(QIcon(QStringLiteral(":/loopscope.svg")));
    setAcceptDrops(true);
    qApp->installEventFilter(this);
    qApp->installEventFilter(new WheelNeedsFocus(this));
    m_start = new StartPage(context, m_pages);
    m_pages->addWidget(m_start);
    m_pages->addWidget(m_docks);
    // Docks put side by side may ask for more than any screen has: the window does not grow for them.
    m_pages->setMinimumSize(fontMetrics().averageCharWidth() * 50, fontMetrics().height() * 12);
    new ScreenFit(this);
    m_documents->setObjectName(QStringLiteral("documents"));
    m_documents->setDocumentMode(true);
    m_documents->setTabsClosable(true);
    m_documents->setExpanding(false);
    m_documents->setElideMode(Qt::ElideMiddle);
    m_documents->setAccessibleName(tr("Open workloads"));
    m_documents->hide();
    auto *centre = new QWidget(this);
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_recovery);
    layout->addWidget(m_documents);
    layout->addWidget(m_pages, 1);
    setCentralWidget(centre);

    m_buttonSoon.setSingleShot(true);
    m_buttonSoon.setInterval(0);
    connect(&m_buttonSoon, &QTimer::timeout, this, &MainWindow::refreshSearchButton);
    buildToolBar();
    registerActions();
    buildStatusBar();
    connectSession();
    connect(m_last, &LastSession::recoverable, m_recovery, &RecoveryBar::offer);
    connect(m_recovery, &RecoveryBar::recover, m_last, &LastSession::recover);
    connect(m_recovery, &RecoveryBar::recover, this, &MainWindow::showWorkbench);
    connect(m_recovery, &RecoveryBar::dismiss, m_last, &LastSession::dismiss);

    m_menusSoon.setSingleShot(true);
    m_menusSoon.setInterval(0);
    connect(&m_menusSoon, &QTimer::timeout, this, &MainWindow::rebuildMenus);
    connect(&context.actions, &Actions::added, this, [this](QAction *action) {
        addToWindow(action);
        m_menusSoon.start();
        m_buttonSoon.start();
    });
    rebuildMenus();
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
    for (const QObject *part : std::initializer_list<const QObject *>{&session.documents(), &session.files(),
                                                                      &session.trials(), &session.search()})
        disconnect(part, nullptr, this, nullptr);
    disconnect(&m_context.actions, nullptr, this, nullptr);
}

void MainWindow::buildStatusBar() {
    m_status = new StatusLine(m_context, this);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
    statusBar()->addWidget(m_status, 1);
    connect(m_status, &StatusLine::messageClicked, this, [this](int index) {
        showWorkbench();
        m_docks->showDock(QStringLiteral("messages"), true);
        if (auto *list = qobject_cast<MessageListView *>(m_docks->view(QStringLiteral("messages"))))
            list->showMessage(index);
    });
}

void MainWindow::connectSession() {
    Session &session = m_context.session;
    connect(m_start, &StartPage::openRequested, this, [this](const QStringList &paths) { openFiles(paths, false); });
    connect(&session.documents(), &Documents::documentsChanged, this, &MainWindow::documentsChanged);
    connect(&session.documents(), &Documents::documentChanged, this, [this] {
        documentsChanged();
        searchChanged();
    });
    connect(&session.documents(), &Documents::problemChanged, &m_buttonSoon, qOverload<>(&QTimer::start));
    connect(&session.search(), &SearchRunner::searchChanged, this, &MainWindow::searchChanged);
    connect(&session.files(), &OpenFiles::opened, this, [this](const QString &path, bool ok) {
        if (ok) {
            m_context.settings.addRecentFile(path);
            showWorkbench();
        }
    });
    connect(&session.messages(), &Messages::added, this, [this](int index) {
        if (m_context.session.messages().all()[static_cast<size_t>(index)].severity == Message::Severity::Note) return;
        m_unseen = m_docks->isInFront(QStringLiteral("messages")) ? 0 : m_unseen + 1;
        m_docks->setBadge(QStringLiteral("messages"), m_unseen);
    });
    connect(m_docks->dock(QStringLiteral("messages")), &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (!visible) return;
        m_unseen = 0;
        m_docks->setBadge(QStringLiteral("messages"), 0);
    });
    connect(m_docks, &DockHost::viewMade, this, [this](const QString &, QWidget *view) {
        if (auto *list = qobject_cast<MessageListView *>(view))
            connect(list, &MessageListView::placeRequested, this, &MainWindow::showPlace);
    });
    connect(m_documents, &QTabBar::tabBarClicked, this, [this](int tab) {
        if (tab >= 0) m_context.session.documents().setCurrent(m_documents->tabData(tab).toInt());
        showWorkbench();
    });
    connect(m_documents, &QTabBar::tabCloseRequested, this,
            [this](int tab) { closeDocument(m_documents->tabData(tab).toInt()); });
    connect(m_layouts, &WindowLayouts::changed, this, &MainWindow::refreshLayouts);
    documentsChanged();
    searchChanged();
    refreshLayouts();
}

bool MainWindow::event(QEvent *event) {
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::Paint && !m_painted) {
        m_painted = true;
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
    m_start->load();
    QTimer::singleShot(50, this, [this] {
        m_docks->startMaking();
        m_makeViews.start();
    });
}

void MainWindow::openFiles(const QStringList &paths, bool compare) {
    if (paths.isEmpty()) return;
    if (!m_painted) {
        m_pages->setCurrentWidget(m_docks);
        m_atFirstPaint.push_back([this, paths, compare] { openFiles(paths, compare); });
        return;
    }
    QStringList absolute;
    for (const QString &path : paths) absolute << QFileInfo(path).absoluteFilePath();
    // Where one has opened a file from, the next is looked for; the samples are not the user's.
    if (!isSample(absolute.front()))
        m_context.settings.setValue(QStringLiteral("window/folder"), QFileInfo(absolute.front()).absolutePath());
    if (compare && absolute.size() == 2) {
        showWorkbench();
        m_docks->showDock(QStringLiteral("compare"), false);
        new ComparePair(m_context.session, m_context.actions, absolute[0], absolute[1], this);
    }
    m_context.session.files().open(absolute);
}

bool MainWindow::onStartPage() const { return m_pages->currentWidget() == m_start; }

void MainWindow::showStartPage() {
    m_docks->setFloatingShown(false);
    m_pages->setCurrentWidget(m_start);
    m_start->setFocus();
    refreshTitle();
}

void MainWindow::showWorkbench() {
    if (!onStartPage()) return;
    m_pages->setCurrentWidget(m_docks);
    m_docks->setFloatingShown(true);
    if (m_painted) m_docks->startMaking();
    refreshTitle();
}

void MainWindow::documentsChanged() {
    const auto documents = m_context.session.documents().all();
    const Document *current = m_context.session.document();
    const QSignalBlocker quiet(m_documents);
    while (m_documents->count() > static_cast<int>(documents.size())) m_documents->removeTab(m_documents->count() - 1);
    while (m_documents->count() < static_cast<int>(documents.size())) m_documents->addTab(QString());
    for (size_t i = 0; i < documents.size(); ++i) {
        const auto tab = static_cast<int>(i);
        const Document &document = *documents[i];
        m_documents->setTabText(tab, document.modified ? document.name + QStringLiteral(" *") : document.name);
        m_documents->setTabToolTip(tab, document.origin.isEmpty()
                                            ? document.path.isEmpty() ? tr("not saved yet") : document.path
                                            : tr("a copy of the sample %1").arg(document.origin));
        m_documents->setTabData(tab, document.id);
        if (&document == current) m_documents->setCurrentIndex(tab);
    }
    m_documents->setVisible(documents.size() > 1);
    if (documents.empty() && m_painted) showStartPage();
    for (const auto *id : {"file.save", "file.save_as", "file.save_session", "file.close", "file.reload"})
        if (QAction *action = m_context.actions.find(QLatin1String(id))) action->setEnabled(current != nullptr);
    refreshTitle();
    m_buttonSoon.start(); // the search view enables its actions on the same signals
}

void MainWindow::refreshTitle() {
    const Document *current = m_context.session.document();
    if (onStartPage() || !current) {
        setWindowModified(false);
        setWindowTitle(QStringLiteral("Loopscope"));
        return;
    }
    setWindowTitle(QStringLiteral("%1[*] \u2013 Loopscope").arg(current->name));
    setWindowModified(current->modified);
    setWindowFilePath(current->path);
}

void MainWindow::searchChanged() {
    const Document *current = m_context.session.document();
    const bool searching = current && current->search.state == SearchState::Running;
    if (searching && !m_wasSearching && m_painted) m_docks->showDock(QStringLiteral("search"), false);
    m_wasSearching = searching;
    m_buttonSoon.start();
}

void MainWindow::showPlace(const QString &path, int line, int column) {
    for (const Document *document : m_context.session.documents().all()) {
        if (document->path != path && document->origin != path) continue;
        m_context.session.documents().setCurrent(document->id);
        showWorkbench();
        m_docks->showDock(QStringLiteral("computation"), true);
        showLine(line, column);
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

// --- Closing -------------------------------------------------------------------------------------------------------

void MainWindow::closeEvent(QCloseEvent *event) {
    if (m_isClosing) { // waiting for the search already
        event->ignore();
        return;
    }
    Q_EMIT closing();
    Session &session = m_context.session;
    m_context.settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    m_layouts->keep();
    if (const TaskState *state = session.search().task(); state && state->search.state != SearchState::Stopping)
        m_last->leaveWord(tr("The search of %1 was stopped when the window was closed, after %2 of %3; what was "
                             "measured is in %4. Continue it with Search > Continue with more trials.")
                              .arg(taskTitle(*state))
                              .arg(state->search.done)
                              .arg(trialCountText(static_cast<size_t>(state->search.total)))
                              .arg(state->logPath));
    session.jobs().cancelAll();
    hide(); // what follows may take a moment
    if (!session.search().underWay()) {
        finishClosing();
        event->accept();
        return;
    }
    // The search ends in its own time, which is that of one measurement at most.
    m_isClosing = true;
    event->ignore();
    session.search().stop();
    m_closing.setInterval(50);
    m_closing.setProperty("since", QDateTime::currentMSecsSinceEpoch());
    connect(&m_closing, &QTimer::timeout, this, [this] {
        const qint64 waited = QDateTime::currentMSecsSinceEpoch() - m_closing.property("since").toLongLong();
        if (m_context.session.search().underWay() && waited < kWaitForSearch) return;
        m_closing.stop();
        finishClosing();
    });
    m_closing.start();
}

void MainWindow::finishClosing() {
    m_last->end(shape());
    m_context.settings.sync();
    Q_EMIT closed();
}

QByteArray MainWindow::shape() const {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << quint32(1) << m_layouts->current() << m_layouts->state() << onStartPage();
    return bytes;
}

void MainWindow::setShape(const QByteArray &shape) {
    QDataStream stream(shape);
    quint32 version = 0;
    QString layout;
    QByteArray docks;
    bool start = false;
    stream >> version >> layout >> docks >> start;
    if (version != 1 || stream.status() != QDataStream::Ok) return;
    m_layouts->setState(layout, docks);
    if (start) showStartPage();
}

void MainWindow::restoreLastSession() {
    const bool there = m_last->somethingToRestore();
    if (there) m_pages->setCurrentWidget(m_docks);
    m_atFirstPaint.push_back([this, there] {
        QByteArray window;
        m_last->restore(&window);
        m_last->begin();
        if (!window.isEmpty()) setShape(window);
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
                QFile file(info.absoluteFilePath());
                // A record of Ansor's begins so; other .json files are none of ours.
                if (file.open(QIODevice::ReadOnly) && file.read(4096).contains("{\"i\":"))
                    logs << info.absoluteFilePath();
                if (logs.size() == 5) break;
            }
            return logs;
        },
        [this](const QStringList &logs) { m_start->offerLogs(logs); });
}

} // namespace loopscope
