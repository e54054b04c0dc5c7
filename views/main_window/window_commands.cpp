// What the window's actions do: files, export, palettes.

#include "views/main_window/command_palette.h"
#include "views/main_window/dock_host.h"
#include "views/main_window/finder_items.h"
#include "views/main_window/last_session.h"
#include "views/main_window/main_window.h"
#include "views/main_window/text_place.h"
#include "views/main_window/window_layouts.h"
#include "views/start_page/start_page.h"

#include "views/actions/view_roles.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QPointer>

namespace loopscope {

namespace {

const QString kSaveKind = QStringLiteral("save"); // of messages
const QString kExportKind = QStringLiteral("export");

QString fileFilter() {
    return QObject::tr(
        "All that Loopscope opens (*.te *.json *.log *.loopscope);;Workloads (*.te);;Tuning logs (*.json "
        "*.log);;Sessions (*.loopscope);;All files (*)");
}

} // namespace

void MainWindow::newDocument() {
    showWorkbench();
    m_docks->showDock(QStringLiteral("computation"), true); // makes it, where it is not there yet
    if (QAction *create = m_context.actions.find(QStringLiteral("computation.new"))) create->trigger();
}

void MainWindow::openDialog() {
    auto *dialog = new QFileDialog(this, tr("Open"),
                                   m_context.settings.value(QStringLiteral("window/folder")).toString(), fileFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList &files) {
        openFiles(files, false);
        m_context.settings.setValue(QStringLiteral("window/folder"), QFileInfo(files.front()).absolutePath());
    });
    dialog->open();
}

void MainWindow::saveDocument(bool as) {
    const Document *current = m_context.session.document();
    if (!current) return;
    const auto write = [this](const QString &path) {
        const QString problem = m_context.session.documents().saveText(path);
        if (!problem.isEmpty()) return m_context.session.messages().fail(problem, {}, kSaveKind);
        m_context.session.messages().succeeded(kSaveKind);
        m_context.settings.setValue(QStringLiteral("window/folder"), QFileInfo(path).absolutePath());
    };
    if (!as && !current->path.isEmpty()) return write(current->path);
    const QString folder = m_context.settings.value(QStringLiteral("window/folder"), QDir::homePath()).toString();
    auto *dialog = new QFileDialog(this, tr("Save the workload"), folder, tr("Workloads (*.te)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("te"));
    dialog->selectFile(current->path.isEmpty() ? current->name + QStringLiteral(".te") : current->path);
    connect(dialog, &QFileDialog::fileSelected, this, write);
    dialog->open();
}

void MainWindow::saveSessionAs() {
    auto *dialog =
        new QFileDialog(this, tr("Save the session"),
                        m_context.settings.value(QStringLiteral("window/folder"), QDir::homePath()).toString(),
                        tr("Sessions (*.loopscope)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("loopscope"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        const QString problem = m_context.session.file().save(path, shape());
        if (!problem.isEmpty()) return m_context.session.messages().fail(problem, {}, kSaveKind);
        m_context.session.messages().succeeded(kSaveKind);
        m_context.settings.addRecentFile(path);
        m_context.settings.setValue(QStringLiteral("window/folder"), QFileInfo(path).absolutePath());
        m_context.session.messages().note(tr("Session saved to %1").arg(path));
    });
    dialog->open();
}

void MainWindow::reload() {
    const Document *current = m_context.session.document();
    if (!current) return;
    if (current->path.isEmpty()) {
        if (!current->logPath.isEmpty()) m_context.session.files().loadLog(current->logPath);
        return;
    }
    m_context.session.jobs().start(
        tr("reading %1").arg(current->path), this,
        [path = current->path](JobControl &) {
            QFile file(path);
            if (!file.open(QIODevice::ReadOnly))
                throw std::runtime_error((path + QStringLiteral(": ") + file.errorString()).toStdString());
            return QString::fromUtf8(file.readAll());
        },
        [this, id = current->id](const QString &text) {
            const Document *now = m_context.session.document();
            if (!now || now->id != id || now->text == text) return;
            m_last->keepUnsaved(*now);
            m_context.session.documents().setText(text);
        });
}

void MainWindow::closeDocument(int id) {
    for (const Document *document : m_context.session.documents().all()) {
        if (document->id != id) continue;
        m_last->keepUnsaved(*document);
        m_context.session.documents().close(id);
        return;
    }
}

template <typename ViewRole> ViewRole *MainWindow::frontRole(QWidget **view) {
    const auto give = [view](QWidget *widget) -> ViewRole * {
        auto *role = dynamic_cast<ViewRole *>(widget);
        if (role && view) *view = widget;
        return role;
    };
    // From the focus outwards, then the view in front and what it shows.
    for (QWidget *widget = QApplication::focusWidget(); widget && widget != this; widget = widget->parentWidget())
        if (auto *role = give(widget)) return role;
    QWidget *front = onStartPage() ? static_cast<QWidget *>(m_start) : m_docks->frontView();
    if (!front) return nullptr;
    if (auto *role = give(front)) return role;
    for (auto *child : front->findChildren<QWidget *>())
        if (child->isVisible())
            if (auto *role = give(child)) return role;
    return nullptr;
}

void MainWindow::findInView() {
    if (auto *role = frontRole<FindRole>()) role->startFind();
}

void MainWindow::zoomView(int direction) {
    auto *role = frontRole<ZoomRole>();
    if (!role) return;
    if (direction > 0)
        role->zoomIn();
    else if (direction < 0)
        role->zoomOut();
    else
        role->zoomToFit();
}

void MainWindow::showLine(int line, int column) {
    QWidget *view = m_docks->view(QStringLiteral("computation"));
    if (line > 0 && view) goToLine(*view, line, std::max(1, column));
}

void MainWindow::exportView(const QString &suffix) {
    QWidget *view = nullptr;
    auto *role = frontRole<ExportRole>(&view);
    if (!role || (!suffix.isEmpty() && !role->exportSuffixes().contains(suffix))) {
        m_context.session.messages().warn(
            role ? tr("The view in front cannot be exported as %1; it knows %2.")
                       .arg(suffix, role->exportSuffixes().join(QStringLiteral(", ")))
                 : tr("There is nothing to export in front. Click into a graph, plot, table or text first."),
            {}, kExportKind);
        return;
    }
    const QStringList suffixes = suffix.isEmpty() ? role->exportSuffixes() : QStringList{suffix};
    QStringList filters;
    for (const QString &each : suffixes) filters << QStringLiteral("%1 (*.%2)").arg(each.toUpper(), each);
    const Document *current = m_context.session.document();
    const QDockWidget *dock = m_docks->dockOf(view);
    const QString name = (current ? current->name : QStringLiteral("loopscope")) +
                         (dock ? u'-' + dock->objectName() : QString()) + u'.' + suffixes.front();
    auto *dialog = new QFileDialog(
        this, tr("Export"), m_context.settings.value(QStringLiteral("window/folder"), QDir::homePath()).toString(),
        filters.join(QStringLiteral(";;")));
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
                const QString problem = role->exportTo(path);
                if (!problem.isEmpty()) return m_context.session.messages().fail(problem, {}, kExportKind);
                m_context.session.messages().succeeded(kExportKind);
                m_context.settings.setValue(QStringLiteral("window/folder"), QFileInfo(path).absolutePath());
                m_context.session.messages().note(tr("Exported to %1").arg(path));
            });
    dialog->open();
}

void MainWindow::showPalette(bool finder) {
    if (!m_palette) m_palette = new CommandPalette(m_context.theme, this);
    if (finder)
        m_palette->popup(
            tr("Go to a stage, sketch, trial, workload, sample or recent file"), tr("Nothing fits. Try fewer letters."),
            finderItems(m_context, m_start->samples(), [this](const QStringList &paths) { openFiles(paths, false); }));
    else
        m_palette->popup(tr("Type a command"), tr("No command fits. Try fewer letters."),
                         commandItems(m_context, [this](QAction *action) {
                             // What acts within a view should be seen to act.
                             if (const QDockWidget *dock = m_docks->dockOf(qobject_cast<QWidget *>(action->parent()))) {
                                 showWorkbench();
                                 m_docks->showDock(dock->objectName(), false);
                             }
                             action->trigger();
                         }));
}

void MainWindow::saveLayoutAs() {
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save layout"));
    dialog->setLabelText(tr("Name of the layout:"));
    dialog->setTextValue(m_layouts->isShipped(m_layouts->current()) ? QString() : m_layouts->current());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString &name) {
        const QString problem = m_layouts->saveAs(name);
        if (!problem.isEmpty()) m_context.session.messages().warn(problem);
    });
    dialog->open();
}

void MainWindow::setThemeChoice(ThemeChoice choice) {
    m_context.settings.setTheme(choice);
    m_context.theme.apply(*static_cast<QApplication *>(QApplication::instance()), choice);
}

} // namespace loopscope
