#include "views/main_window/file_commands.h"

#include "views/actions/long_export_role.h"
#include "views/actions/view_roles.h"
#include "views/export_dialog/export_dialog.h"
#include "views/main_window/compare_pair.h"
#include "views/main_window/front_view.h"
#include "views/main_window/last_session.h"
#include "views/main_window/window_shape.h"
#include "views/session/file_start.h"
#include "views/session/samples.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <QPointer>
#include <QProcess>

namespace loopscope {

namespace {

const QString kSaveKind = QStringLiteral("save"); // of messages
const QString kExportKind = QStringLiteral("export");

QString fileFilter() {
    return QObject::tr("All that Loopscope opens (*.te *.onnx *.net *.json *.log *.gz *.zst *.loopscope "
                       "*.sched *.script *.schedule);;Workloads (*.te);;Networks (*.onnx *.net);;Tuning logs (*.json "
                       "*.log *.gz *.zst);;Sessions "
                       "(*.loopscope);;Scripts of schedules (*.sched *.script *.schedule);;All files (*)");
}

} // namespace

FileCommands::FileCommands(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    add("file.new", tr("New workload \u2026"), QKeySequence(QKeySequence::New), "new",
        tr("Put a workload together from an operator of the library"), [this] { newDocument(); });
    add(actionId(Capability::OpenFile), tr("Open \u2026"), QKeySequence(QStringLiteral("Ctrl+O")), "open",
        tr("Open a workload, a network, a tuning log or a session"), [this] { openDialog(); });
    for (int i = 1; i <= 9; ++i) addRecent(i);
    add("file.save", tr("Save"), QKeySequence(QStringLiteral("Ctrl+S")), "save", tr("Save the workload's text"),
        [this] { saveDocument(false); });
    add("file.save_as", tr("Save as \u2026"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), "save",
        tr("Save the workload's text in another file"), [this] { saveDocument(true); });
    add("file.save_session", tr("Save session \u2026"), {}, "save",
        tr("Save workloads, trials, notes and this window's layout in one file"), [this] { saveSessionAs(); });
    add("file.reload", tr("Reload from disk"), QKeySequence(QStringLiteral("F5")), "refresh",
        tr("Read the workload or its log again"), [this] { reload(); });
    addExports();
    add("file.new_window", tr("New window"), QKeySequence(QStringLiteral("Ctrl+Shift+O")), "plus",
        tr("Another window, with documents of its own"), [this] {
            if (!QProcess::startDetached(QApplication::applicationFilePath(), {QStringLiteral("--new-window")}))
                m_parts.context.session.messages().fail(tr("A new window could not be started."),
                                                        QApplication::applicationFilePath());
        });
    add("file.close", tr("Close workload"), QKeySequence(QStringLiteral("Ctrl+W")), "close",
        tr("Close the workload that is shown"), [this] {
            if (const Document *current = m_parts.context.session.document()) close(current->id);
        });
    add("file.quit", tr("Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), "",
        tr("Close the window; everything is there again at the next start"), [this] { Q_EMIT quitRequested(); });
}

QAction *FileCommands::add(const char *id, const QString &text, const QKeySequence &key, const char *icon,
                           const QString &tip, std::function<void()> run) {
    return m_parts.context.actions.add({QLatin1String(id), tr("File"), text, key, tip, QLatin1String(icon)},
                                       &m_parts.window, std::move(run));
}

void FileCommands::addRecent(int number) {
    QAction *action = m_parts.context.actions.add(
        {QStringLiteral("file.recent_%1").arg(number), tr("File"), tr("Open recent file %1").arg(number),
         QKeySequence(QStringLiteral("Ctrl+%1").arg(number)), tr("Open a file opened before")},
        &m_parts.window, [this, number] {
            const QStringList files = m_parts.context.settings.recentFiles();
            if (number <= files.size()) open({files[number - 1]}, false);
        });
    const auto refresh = [this, action, number] {
        const QStringList files = m_parts.context.settings.recentFiles();
        action->setVisible(number <= files.size());
        if (number <= files.size()) {
            action->setText(tr("Open recent: %1").arg(QFileInfo(files[number - 1]).fileName()));
            action->setToolTip(files[number - 1]);
        }
    };
    connect(&m_parts.context.settings, &Settings::recentFilesChanged, action, refresh);
    refresh();
}

void FileCommands::addExports() {
    add(actionId(Capability::ExportSchedule), tr("Export schedule as \u2026"), {}, "export",
        tr("Take the schedule that is shown away: as C, machine code, a library, a reproducer"),
        [this] { exportSchedule(); });
    add("file.export_png", tr("Export view as PNG \u2026"), QKeySequence(QStringLiteral("Ctrl+Shift+E")), "export",
        tr("Write the picture of the view in front"), [this] { exportView(QStringLiteral("png")); });
    add("file.export_svg", tr("Export view as SVG \u2026"), QKeySequence(QStringLiteral("Ctrl+Alt+E")), "export",
        tr("Write the drawing of the view in front"), [this] { exportView(QStringLiteral("svg")); });
    add("file.export", tr("Export view \u2026"), QKeySequence(QStringLiteral("Ctrl+E")), "export",
        tr("Write what the view in front shows, in any format it knows"), [this] { exportView({}); });
}

void FileCommands::exportSchedule() {
    if (!m_export) m_export = new ExportDialog(m_parts.context, &m_parts.window);
    const QVariant about = m_parts.context.actions.find(Capability::ExportSchedule)->data();
    m_export->begin(about.canConvert<ScheduleRef>() ? about.value<ScheduleRef>()
                                                    : m_parts.context.session.selection().now().schedule);
}

void FileCommands::refresh() {
    const bool some = m_parts.context.session.document() != nullptr;
    for (const auto *id :
         {"file.save", "file.save_as", "file.save_session", "file.close", "file.reload", "file.export_schedule"})
        if (QAction *action = m_parts.context.actions.find(QLatin1String(id))) action->setEnabled(some);
}

QString FileCommands::folder() const {
    return m_parts.context.settings.value(QStringLiteral("window/folder"), QDir::homePath()).toString();
}

void FileCommands::keepFolder(const QString &file) {
    m_parts.context.settings.setValue(QStringLiteral("window/folder"), QFileInfo(file).absolutePath());
}

void FileCommands::open(const QStringList &paths, bool compare) {
    if (paths.isEmpty()) return;
    QStringList absolute;
    for (const QString &path : paths) absolute << QFileInfo(path).absoluteFilePath();
    // Where one has opened a file from, the next is looked for; the samples are not the user's.
    if (!isSample(absolute.front())) keepFolder(absolute.front());
    if (compare && absolute.size() == 2) {
        m_parts.pages.showWorkbench();
        m_parts.docks.showDock(QStringLiteral("compare"), false);
        new ComparePair(m_parts.context.session, m_parts.context.actions, absolute[0], absolute[1], this);
    }
    m_parts.context.session.files().open(absolute);
}

void FileCommands::newDocument() {
    m_parts.pages.showWorkbench();
    m_parts.docks.showDock(QStringLiteral("computation"), true); // makes it, where it is not there yet
    if (QAction *create = m_parts.context.actions.find(Capability::NewWorkload)) create->trigger();
}

void FileCommands::openDialog() {
    auto *dialog =
        new QFileDialog(&m_parts.window, tr("Open"),
                        m_parts.context.settings.value(QStringLiteral("window/folder")).toString(), fileFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList &files) {
        open(files, false);
        keepFolder(files.front());
    });
    dialog->open();
}

void FileCommands::saveDocument(bool as) {
    const Document *current = m_parts.context.session.document();
    if (!current) return;
    const auto write = [this](const QString &path) {
        const QString problem = m_parts.context.session.documents().saveText(path);
        if (!problem.isEmpty()) return m_parts.context.session.messages().fail(problem, {}, kSaveKind);
        m_parts.context.session.messages().succeeded(kSaveKind);
        keepFolder(path);
    };
    if (!as && !current->path.isEmpty()) return write(current->path);
    auto *dialog = new QFileDialog(&m_parts.window, tr("Save the workload"), folder(), tr("Workloads (*.te)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("te"));
    dialog->selectFile(current->path.isEmpty() ? current->name + QStringLiteral(".te") : current->path);
    connect(dialog, &QFileDialog::fileSelected, this, write);
    dialog->open();
}

void FileCommands::saveSessionAs() {
    auto *dialog = new QFileDialog(&m_parts.window, tr("Save the session"), folder(), tr("Sessions (*.loopscope)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("loopscope"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        const QString problem =
            m_parts.context.session.file().save(path, WindowShape{m_parts.layouts, m_parts.pages}.bytes());
        if (!problem.isEmpty()) return m_parts.context.session.messages().fail(problem, {}, kSaveKind);
        m_parts.context.session.messages().succeeded(kSaveKind);
        m_parts.context.settings.addRecentFile(path);
        keepFolder(path);
        m_parts.context.session.messages().note(tr("Session saved to %1").arg(path));
    });
    dialog->open();
}

void FileCommands::reload() {
    const Document *current = m_parts.context.session.document();
    if (!current) return;
    if (current->path.isEmpty()) {
        if (!current->logPath.isEmpty()) m_parts.context.session.files().loadLog(current->logPath);
        return;
    }
    m_parts.context.session.jobs().start(
        tr("reading %1").arg(current->path), this,
        [path = current->path](JobControl &) {
            const auto [bytes, problem] = readWhole(path);
            if (!problem.isEmpty()) throw std::runtime_error((path + QStringLiteral(": ") + problem).toStdString());
            return QString::fromUtf8(bytes);
        },
        [this, id = current->id](const QString &text) {
            const Document *now = m_parts.context.session.document();
            if (!now || now->id != id || now->text == text) return;
            m_parts.last.keepUnsaved(*now);
            m_parts.context.session.documents().setText(text);
        });
}

void FileCommands::close(int id) {
    for (const Document *document : m_parts.context.session.documents().all()) {
        if (document->id != id) continue;
        m_parts.last.keepUnsaved(*document);
        m_parts.context.session.documents().close(id);
        return;
    }
}

void FileCommands::exportView(const QString &suffix) {
    QWidget *view = nullptr;
    auto *role = frontRole<ExportRole>(m_parts, &view);
    if (!role || (!suffix.isEmpty() && !role->exportSuffixes().contains(suffix))) {
        m_parts.context.session.messages().warn(
            role ? tr("The view in front cannot be exported as %1; it knows %2.")
                       .arg(suffix, role->exportSuffixes().join(QStringLiteral(", ")))
                 : tr("There is nothing to export in front. Click into a graph, plot, table or text first."),
            {}, kExportKind);
        return;
    }
    const QStringList suffixes = suffix.isEmpty() ? role->exportSuffixes() : QStringList{suffix};
    QStringList filters;
    for (const QString &each : suffixes) filters << QStringLiteral("%1 (*.%2)").arg(each.toUpper(), each);
    const Document *current = m_parts.context.session.document();
    const QDockWidget *dock = m_parts.docks.dockOf(view);
    const QString name = (current ? current->name : QStringLiteral("loopscope")) +
                         (dock ? u'-' + dock->objectName() : QString()) + u'.' + suffixes.front();
    auto *dialog = new QFileDialog(&m_parts.window, tr("Export"), folder(), filters.join(QStringLiteral(";;")));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffixes.front());
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, filters, suffixes](const QString &filter) {
        const auto at = filters.indexOf(filter);
        if (at >= 0) dialog->setDefaultSuffix(suffixes[at]);
    });
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, guard = QPointer<QWidget>(view), role](const QString &path) {
                if (!guard) return; // closed meanwhile
                const auto told = [this, path](const QString &problem) {
                    if (!problem.isEmpty()) return m_parts.context.session.messages().fail(problem, {}, kExportKind);
                    m_parts.context.session.messages().succeeded(kExportKind);
                    keepFolder(path);
                    m_parts.context.session.messages().note(tr("Exported to %1").arg(path));
                };
                // The commands of the window outlive its views.
                if (auto *late = dynamic_cast<LongExportRole *>(role)) return late->exportLater(path, told);
                told(role->exportTo(path));
            });
    dialog->open();
}

} // namespace loopscope
