#include "views/grouping/grouping_commands.h"

#include "views/grouping/grouping_view.h"
#include "views/session/text.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QToolBar>
#include <QToolButton>

#include <limits>
#include <utility>

namespace loopscope {

GroupingCommands::GroupingCommands(const ViewContext &context, GroupingView &view, QToolBar &tools)
    : QObject(&view), m_context(context), m_view(view),
      m_useTip(tr("Make the grouped schedule one to edit, so that code, measurement and comparison follow it")) {
    m_use = add("grouping.use", tr("Use this schedule"), "U", "best", m_useTip, [this] { useSchedule(); });
    m_copy = add("grouping.copy_script", tr("Copy as script"), "Ctrl+Shift+C", "copy",
                 tr("Copy the grouped schedule as a script, a primitive a line"), [this] { copyScript(); });
    QAction *fit =
        add("grouping.fit", tr("Fit"), "", "zoom-fit", tr("Show all stages"), [this] { m_view.zoomToFit(); });
    QAction *find = add("grouping.find", tr("Find"), "", "find", tr("Find a stage by its name (Ctrl+F)"),
                        [this] { m_view.startFind(); });
    m_inlined = add(
        "grouping.inlined", tr("Inlined stages"), "I", "collapse", tr("Draw stages without loops of their own, too"),
        [this] { m_view.setInlinedShown(m_inlined->isChecked()); }, true);
    m_previous = add("grouping.previous", tr("Previous merge"), "P", "back", tr("The groups one round earlier"),
                     [this] { m_view.goBy(-1); });
    m_next = add("grouping.next", tr("Next merge"), "N", "forward", tr("The groups one round later"),
                 [this] { m_view.goBy(1); });
    add("grouping.first", tr("Before the first merge"), "Shift+P", "", tr("Every stage for itself"),
        [this] { m_view.goTo(0); });
    add("grouping.last", tr("After the last merge"), "Shift+N", "", tr("The groups as they end"),
        [this] { m_view.goTo(std::numeric_limits<size_t>::max()); });
    for (QAction *action : {m_use, m_copy, fit, find, m_inlined}) tools.addAction(action);
    addExports(tools);
}

QAction *GroupingCommands::add(const char *id, const QString &text, const char *key, const char *icon,
                               const QString &tip, std::function<void()> run, bool checkable) {
    const QString name = QLatin1String(icon);
    QAction *action = m_context.actions.add(
        {QLatin1String(id), tr("Grouping"), text, QKeySequence(QLatin1String(key)), tip, name, checkable}, &m_view,
        std::move(run));
    if (!name.isEmpty()) action->setIcon(m_context.theme.icon(name));
    return action;
}

void GroupingCommands::addExports(QToolBar &tools) {
    auto *menu = new QMenu(tr("Export"), &m_view);
    for (const QString &suffix : m_view.exportSuffixes()) {
        const QByteArray id = "grouping.export." + suffix.toLatin1();
        menu->addAction(add(id.constData(), tr("Export as %1 \u2026").arg(suffix.toUpper()), "", "export",
                            tr("Write the groups as they are drawn to a file"),
                            [this, suffix] { askForExport(suffix); }));
    }
    auto *button = new QToolButton(&tools);
    button->setText(tr("Export"));
    button->setIcon(m_context.theme.icon(QStringLiteral("export")));
    button->setToolTip(tr("Write the groups as they are drawn to a file"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu);
    tools.addWidget(button);
}

void GroupingCommands::update(const QString &whyNot, bool script, bool backward, bool forward) {
    m_use->setEnabled(whyNot.isEmpty());
    m_use->setToolTip(whyNot.isEmpty() ? tipWithShortcut(m_useTip, m_use->shortcut()) : whyNot);
    m_copy->setEnabled(script);
    m_previous->setEnabled(backward);
    m_next->setEnabled(forward);
}

void GroupingCommands::showInlined(bool shown) { m_inlined->setChecked(shown); }

void GroupingCommands::useSchedule() {
    const ShownGrouping *result = m_view.result();
    const Document *document = m_context.session.document();
    if (result == nullptr || !result->steps || document == nullptr || !document->task ||
        document->task->dag != result->request.dag)
        return;
    const QString mode = result->grouping.mode == GroupingMode::Compat ? tr("compat") : tr("fixed");
    const QString did = tr("grouped, %1, machine %2").arg(mode, qt(machineParametersText(result->grouping.machine)));
    const int number = m_context.session.edits().edit({}, EditedSteps(result->request.dag, *result->steps), did);
    if (number < 0) return;
    m_context.session.messages().note(tr("The grouped schedule is %1; code, measurement and comparison follow it.")
                                          .arg(scheduleName(ScheduleRef{ScheduleRef::Kind::Edited, number})));
}

void GroupingCommands::copyScript() {
    const ShownGrouping *result = m_view.result();
    if (result == nullptr || result->script.isEmpty()) return;
    QApplication::clipboard()->setText(result->script);
    m_context.session.messages().note(tr("The grouped schedule is in the clipboard, as a script."));
}

void GroupingCommands::askForExport(const QString &suffix) {
    const Document *document = m_context.session.document();
    auto *dialog = new QFileDialog(&m_view, tr("Export the groups"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->selectFile(
        QStringLiteral("%1-groups.%2").arg(document ? document->name : QStringLiteral("pipeline"), suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString problem = m_view.exportTo(path); problem.isEmpty())
            m_context.session.messages().note(tr("The groups are in %1").arg(path));
        else
            m_context.session.messages().fail(problem);
    });
    dialog->open();
}

} // namespace loopscope
