#include "views/main_window/layout_commands.h"

#include "views/main_window/add_command.h"
#include "views/main_window/window_layouts.h"
#include "views/main_window/window_pages.h"

#include <QInputDialog>
#include <QMainWindow>

namespace loopscope {

LayoutCommands::LayoutCommands(const WindowParts &parts, QObject *parent) : QObject(parent), m_parts(parts) {
    const QString layout = tr("Layout");
    addCommand(m_parts, QStringLiteral("layout.next"), layout, tr("Next layout"), "Ctrl+Right",
               QStringLiteral("layouts"), {}, [this] { m_parts.layouts.step(1); });
    addCommand(m_parts, QStringLiteral("layout.previous"), layout, tr("Previous layout"), "Ctrl+Left",
               QStringLiteral("layouts"), {}, [this] { m_parts.layouts.step(-1); });
    addCommand(m_parts, QStringLiteral("layout.save_as"), layout, tr("Save layout as \u2026"), "",
               QStringLiteral("save"), tr("Keep this arrangement of docks under a name"), [this] { saveAs(); });
    addCommand(m_parts, QStringLiteral("layout.delete"), layout, tr("Delete this layout"), "", QStringLiteral("close"),
               tr("Delete the current layout, when it is one of your own"),
               [this] { m_parts.layouts.remove(m_parts.layouts.current()); });
    addCommand(m_parts, QStringLiteral("layout.restore"), layout, tr("Restore default layout"), "",
               QStringLiteral("refresh"), tr("The docks of this layout as they came with Loopscope"),
               [this] { m_parts.layouts.restoreDefault(); });
    for (const Arrangement &shipped : shippedLayouts())
        addCommand(m_parts, QStringLiteral("layout.") + shipped.name.toLower(), layout,
                   tr("Layout %1").arg(shipped.name), "", QStringLiteral("layouts"), {}, [this, name = shipped.name] {
                       m_parts.pages.showWorkbench();
                       m_parts.layouts.switchTo(name);
                   });
    connect(&m_parts.layouts, &WindowLayouts::changed, this, &LayoutCommands::refresh);
    refresh();
}

void LayoutCommands::refresh() {
    if (QAction *action = m_parts.context.actions.find(QStringLiteral("layout.delete")))
        action->setEnabled(!m_parts.layouts.isShipped(m_parts.layouts.current()));
}

void LayoutCommands::saveAs() {
    auto *dialog = new QInputDialog(&m_parts.window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save layout"));
    dialog->setLabelText(tr("Name of the layout:"));
    dialog->setTextValue(m_parts.layouts.isShipped(m_parts.layouts.current()) ? QString() : m_parts.layouts.current());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString &name) {
        const QString problem = m_parts.layouts.saveAs(name);
        if (!problem.isEmpty()) m_parts.context.session.messages().warn(problem);
    });
    dialog->open();
}

} // namespace loopscope
