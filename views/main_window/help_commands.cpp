#include "views/main_window/help_commands.h"

#include "language/target/target.h"
#include "views/main_window/shortcut_list.h"
#include "views/main_window/window_parts.h"
#include "views/session/text.h"
#include "views/settings/settings_dialog.h"

#include <QApplication>
#include <QMainWindow>
#include <QMessageBox>

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

void addHelpCommands(const WindowParts &parts) {
    const ViewContext context = parts.context;
    QMainWindow *window = &parts.window;
    Actions &actions = context.actions;
    const QString help = QObject::tr("Help");
    QAction *keys = actions.add({QStringLiteral("help.shortcuts"), help, QObject::tr("Keyboard shortcuts"),
                                 QKeySequence(QStringLiteral("?")), QObject::tr("All shortcuts, searchable"),
                                 QStringLiteral("keyboard")},
                                window, [context, window] {
                                    auto *list = new ShortcutList(context, window);
                                    list->setAttribute(Qt::WA_DeleteOnClose);
                                    list->show();
                                });
    keys->setShortcuts({QKeySequence(QStringLiteral("?")), QKeySequence(QStringLiteral("F1"))});
    actions.add(
        {QStringLiteral("help.about"),
         help,
         QObject::tr("About Loopscope"),
         {},
         QObject::tr("Version and licence"),
         QStringLiteral("note")},
        window, [window] {
            auto *box = new QMessageBox(window);
            box->setAttribute(Qt::WA_DeleteOnClose);
            box->setModal(false);
            box->setWindowTitle(QObject::tr("About Loopscope"));
            box->setIconPixmap(window->windowIcon().pixmap(QSize(64, 64), window->devicePixelRatioF()));
            box->setText(
                QObject::tr("<b>Loopscope %1</b><p>A workbench in which fast loop schedules for tensor programs are "
                            "found, understood and shipped.</p><p>Free software under the GNU General Public "
                            "License, version 3 or later.</p>")
                    .arg(QApplication::applicationVersion()));
            box->show();
        });
    actions.add({QStringLiteral("settings.open"), QObject::tr("File"), QObject::tr("Settings \u2026"),
                 QKeySequence(QStringLiteral("Ctrl+,")), QObject::tr("Theme, fonts, defaults"),
                 QStringLiteral("settings")},
                window, [context, window] {
                    auto *dialog = new SettingsDialog(context.settings, context.theme, targetProblem, window);
                    dialog->setAttribute(Qt::WA_DeleteOnClose);
                    dialog->show();
                });
}

} // namespace loopscope
