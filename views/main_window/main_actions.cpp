// The window's own actions: files, layouts, docks, theme, help. What a view does, it registers itself.

#include "target/target.h"
#include "views/main_window/dock_host.h"
#include "views/main_window/main_window.h"
#include "views/main_window/shortcut_list.h"
#include "views/main_window/window_layouts.h"
#include "views/session/text.h"
#include "views/settings/settings_dialog.h"

#include <QApplication>
#include <QFileInfo>
#include <QMessageBox>
#include <QProcess>

#include <algorithm>

namespace loopscope {

namespace {

QString targetProblem(const QString &text) {
    try {
        parseTarget(std8(text));
        return {};
    } catch (const std::exception &error) {
        return QString::fromUtf8(error.what());
    }
}

} // namespace

void MainWindow::registerActions() {
    registerFileActions();
    registerViewActions();
    registerHelpActions();
    for (QAction *action : m_context.actions.all()) addToWindow(action);
}

/// Icons come from here, so that every view's actions look alike; an action without a widget works window-wide.
void MainWindow::addToWindow(QAction *action) {
    const ActionInfo info = m_context.actions.info(action);
    if (!info.icon.isEmpty() && action->icon().isNull()) action->setIcon(m_context.theme.icon(info.icon));
    if (!qobject_cast<QWidget *>(action->parent())) addAction(action);
}

void MainWindow::registerFileActions() {
    Actions &actions = m_context.actions;
    const QString file = tr("File");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &key, const char *icon,
                         const QString &tip, std::function<void()> run) {
        return actions.add({QLatin1String(id), file, text, key, tip, QLatin1String(icon)}, this, std::move(run));
    };
    add("file.new", tr("New workload \u2026"), QKeySequence(QKeySequence::New), "new",
        tr("Put a workload together from an operator of the library"), [this] { newDocument(); });
    add("file.open", tr("Open \u2026"), QKeySequence(QStringLiteral("Ctrl+O")), "open",
        tr("Open a workload, a tuning log or a session"), [this] { openDialog(); });
    for (int i = 1; i <= 9; ++i) {
        QAction *action = actions.add({QStringLiteral("file.recent_%1").arg(i), file, tr("Open recent file %1").arg(i),
                                       QKeySequence(QStringLiteral("Ctrl+%1").arg(i)), tr("Open a file opened before")},
                                      this, [this, i] {
                                          const QStringList files = m_context.settings.recentFiles();
                                          if (i <= files.size()) openFiles({files[i - 1]}, false);
                                      });
        const auto refresh = [this, action, i] {
            const QStringList files = m_context.settings.recentFiles();
            action->setVisible(i <= files.size());
            if (i <= files.size()) {
                action->setText(tr("Open recent: %1").arg(QFileInfo(files[i - 1]).fileName()));
                action->setToolTip(files[i - 1]);
            }
        };
        connect(&m_context.settings, &Settings::recentFilesChanged, action, refresh);
        refresh();
    }
    add("file.save", tr("Save"), QKeySequence(QStringLiteral("Ctrl+S")), "save", tr("Save the workload's text"),
        [this] { saveDocument(false); });
    add("file.save_as", tr("Save as \u2026"), QKeySequence(QStringLiteral("Ctrl+Shift+S")), "save",
        tr("Save the workload's text in another file"), [this] { saveDocument(true); });
    add("file.save_session", tr("Save session \u2026"), {}, "save",
        tr("Save workloads, trials, notes and this window's layout in one file"), [this] { saveSessionAs(); });
    add("file.reload", tr("Reload from disk"), QKeySequence(QStringLiteral("F5")), "refresh",
        tr("Read the workload or its log again"), [this] { reload(); });
    add("file.export_png", tr("Export view as PNG \u2026"), QKeySequence(QStringLiteral("Ctrl+Shift+E")), "export",
        tr("Write the picture of the view in front"), [this] { exportView(QStringLiteral("png")); });
    add("file.export_svg", tr("Export view as SVG \u2026"), QKeySequence(QStringLiteral("Ctrl+Alt+E")), "export",
        tr("Write the drawing of the view in front"), [this] { exportView(QStringLiteral("svg")); });
    add("file.export", tr("Export view \u2026"), QKeySequence(QStringLiteral("Ctrl+E")), "export",
        tr("Write what the view in front shows, in any format it knows"), [this] { exportView({}); });
    add("file.new_window", tr("New window"), QKeySequence(QStringLiteral("Ctrl+Shift+O")), "plus",
        tr("Another window, with documents of its own"), [this] {
            if (!QProcess::startDetached(QApplication::applicationFilePath(), {QStringLiteral("--new-window")}))
                m_context.session.messages().fail(tr("A new window could not be started."),
                                                  QApplication::applicationFilePath());
        });
    add("file.close", tr("Close workload"), QKeySequence(QStringLiteral("Ctrl+W")), "close",
        tr("Close the workload that is shown"), [this] {
            if (const Document *current = m_context.session.document()) closeDocument(current->id);
        });
    add("file.quit", tr("Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), "",
        tr("Close the window; everything is there again at the next start"), [this] { close(); });
}

void MainWindow::registerViewActions() {
    Actions &actions = m_context.actions;
    const QString view = tr("View");
    const auto add = [&](const QString &id, const QString &category, const QString &text, const char *key,
                         const QString &icon, const QString &tip, std::function<void()> run, bool checkable = false) {
        return actions.add({id, category, text, QKeySequence(QLatin1String(key)), tip, icon, checkable}, this,
                           std::move(run));
    };
    add(QStringLiteral("view.start_page"), view, tr("Start page"), "Alt+0", QStringLiteral("home"),
        tr("Samples and recent files"),
        [this] { onStartPage() && m_context.session.document() ? showWorkbench() : showStartPage(); });
    for (const DockInfo &info : dockList()) {
        actions.add({QStringLiteral("view.dock.") + info.id, view, tr("Show %1").arg(info.title), info.key, info.tip,
                     info.icon},
                    this, [this, id = info.id] {
                        showWorkbench();
                        m_docks->showDock(id, true);
                    });
    }
    add(QStringLiteral("view.find"), view, tr("Find in view"), "Ctrl+F", QStringLiteral("find"),
        tr("Find in the view in front"), [this] { findInView(); });
    add(QStringLiteral("view.zoom_in"), view, tr("Zoom in"), "Ctrl++", QStringLiteral("zoom-in"), {}, [this] {
        zoomView(1);
    })->setShortcuts({QKeySequence(QStringLiteral("Ctrl++")), QKeySequence(QStringLiteral("Ctrl+="))});
    add(QStringLiteral("view.zoom_out"), view, tr("Zoom out"), "Ctrl+-", QStringLiteral("zoom-out"), {},
        [this] { zoomView(-1); });
    add(QStringLiteral("view.zoom_fit"), view, tr("Zoom to fit"), "Ctrl+0", QStringLiteral("zoom-fit"), {},
        [this] { zoomView(0); });
    const QString theme = QStringLiteral("view.theme.");
    add(
        theme + QStringLiteral("system"), view, tr("Theme: as the desktop"), "", QStringLiteral("theme"), {},
        [this] { setThemeChoice(ThemeChoice::System); }, true);
    add(
        theme + QStringLiteral("light"), view, tr("Theme: light"), "", QStringLiteral("light"), {},
        [this] { setThemeChoice(ThemeChoice::Light); }, true);
    add(
        theme + QStringLiteral("dark"), view, tr("Theme: dark"), "", QStringLiteral("dark"), {},
        [this] { setThemeChoice(ThemeChoice::Dark); }, true);
    add(QStringLiteral("view.theme.switch"), view, tr("Switch between light and dark"), "Ctrl+Shift+D",
        QStringLiteral("theme"), {},
        [this] { setThemeChoice(m_context.theme.dark() ? ThemeChoice::Light : ThemeChoice::Dark); });
    const auto checkTheme = [this] {
        const ThemeChoice now = m_context.theme.choice();
        m_context.actions.find(QStringLiteral("view.theme.system"))->setChecked(now == ThemeChoice::System);
        m_context.actions.find(QStringLiteral("view.theme.light"))->setChecked(now == ThemeChoice::Light);
        m_context.actions.find(QStringLiteral("view.theme.dark"))->setChecked(now == ThemeChoice::Dark);
    };
    connect(&m_context.theme, &Theme::changed, this, checkTheme);
    checkTheme();

    const QString layout = tr("Layout");
    add(QStringLiteral("layout.next"), layout, tr("Next layout"), "Ctrl+Right", QStringLiteral("layouts"), {},
        [this] { m_layouts->step(1); });
    add(QStringLiteral("layout.previous"), layout, tr("Previous layout"), "Ctrl+Left", QStringLiteral("layouts"), {},
        [this] { m_layouts->step(-1); });
    add(QStringLiteral("layout.save_as"), layout, tr("Save layout as \u2026"), "", QStringLiteral("save"),
        tr("Keep this arrangement of docks under a name"), [this] { saveLayoutAs(); });
    add(QStringLiteral("layout.delete"), layout, tr("Delete this layout"), "", QStringLiteral("close"),
        tr("Delete the current layout, when it is one of your own"),
        [this] { m_layouts->remove(m_layouts->current()); });
    add(QStringLiteral("layout.restore"), layout, tr("Restore default layout"), "", QStringLiteral("refresh"),
        tr("The docks of this layout as they came with Loopscope"), [this] { m_layouts->restoreDefault(); });
    for (const Arrangement &shipped : shippedLayouts())
        add(QStringLiteral("layout.") + shipped.name.toLower(), layout, tr("Layout %1").arg(shipped.name), "",
            QStringLiteral("layouts"), {}, [this, name = shipped.name] {
                showWorkbench();
                m_layouts->switchTo(name);
            });

    const QString go = tr("Go");
    Selection &selection = m_context.session.selection();
    QAction *back = add(QStringLiteral("go.back"), go, tr("Back"), "Alt+Left", QStringLiteral("back"),
                        tr("What was selected before"), [&selection] { selection.back(); });
    QAction *forward = add(QStringLiteral("go.forward"), go, tr("Forward"), "Alt+Right", QStringLiteral("forward"),
                           tr("What was selected after"), [&selection] { selection.forward(); });
    const auto history = [back, forward, &selection] {
        back->setEnabled(selection.canGoBack());
        forward->setEnabled(selection.canGoForward());
    };
    connect(&selection, &Selection::historyChanged, this, history);
    history();
    const auto stepDocument = [this](int direction) {
        const auto all = m_context.session.documents().all();
        const auto at = std::find(all.begin(), all.end(), m_context.session.document());
        if (at == all.end() || all.size() < 2) return;
        const auto count = static_cast<std::ptrdiff_t>(all.size());
        m_context.session.documents().setCurrent(
            all[static_cast<size_t>(((at - all.begin()) + direction + count) % count)]->id);
    };
    add(QStringLiteral("go.next_document"), go, tr("Next workload"), "Ctrl+Tab", QStringLiteral("forward"), {},
        [stepDocument] { stepDocument(1); });
    add(QStringLiteral("go.previous_document"), go, tr("Previous workload"), "Ctrl+Shift+Tab", QStringLiteral("back"),
        {}, [stepDocument] { stepDocument(-1); });
    add(QStringLiteral("go.finder"), go, tr("Go to \u2026"), "Ctrl+P", QStringLiteral("find"),
        tr("Stages, sketches, trials, workloads, samples, recent files"), [this] { showPalette(true); });
}

void MainWindow::registerHelpActions() {
    Actions &actions = m_context.actions;
    const QString help = tr("Help");
    actions.add({QStringLiteral("help.palette"), help, tr("All commands"), QKeySequence(QStringLiteral("Ctrl+Shift+P")),
                 tr("Find and run any command by typing"), QStringLiteral("palette")},
                this, [this] { showPalette(false); });
    QAction *keys =
        actions.add({QStringLiteral("help.shortcuts"), help, tr("Keyboard shortcuts"),
                     QKeySequence(QStringLiteral("?")), tr("All shortcuts, searchable"), QStringLiteral("keyboard")},
                    this, [this] {
                        auto *list = new ShortcutList(m_context, this);
                        list->setAttribute(Qt::WA_DeleteOnClose);
                        list->show();
                    });
    keys->setShortcuts({QKeySequence(QStringLiteral("?")), QKeySequence(QStringLiteral("F1"))});
    actions.add({QStringLiteral("help.about"),
                 help,
                 tr("About Loopscope"),
                 {},
                 tr("Version and licence"),
                 QStringLiteral("note")},
                this, [this] {
                    auto *box = new QMessageBox(this);
                    box->setAttribute(Qt::WA_DeleteOnClose);
                    box->setModal(false);
                    box->setWindowTitle(tr("About Loopscope"));
                    box->setIconPixmap(windowIcon().pixmap(QSize(64, 64), devicePixelRatioF()));
                    box->setText(
                        tr("<b>Loopscope %1</b><p>A workbench in which fast loop schedules for tensor programs are "
                           "found, understood and shipped.</p><p>Free software under the GNU General Public "
                           "License, version 3 or later.</p>")
                            .arg(QApplication::applicationVersion()));
                    box->show();
                });
    actions.add({QStringLiteral("settings.open"), tr("File"), tr("Settings \u2026"),
                 QKeySequence(QStringLiteral("Ctrl+,")), tr("Theme, fonts, defaults"), QStringLiteral("settings")},
                this, [this] {
                    auto *dialog = new SettingsDialog(m_context.settings, m_context.theme, targetProblem, this);
                    dialog->setAttribute(Qt::WA_DeleteOnClose);
                    dialog->show();
                });
}

} // namespace loopscope
