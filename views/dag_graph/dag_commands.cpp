#include "views/dag_graph/dag_commands.h"

#include "views/dag_graph/dag_graph_view.h"
#include "views/dag_graph/dag_legend.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QToolButton>

namespace loopscope {

DagCommands::DagCommands(const ViewContext &context, DagGraphView &view, DagNavigation &navigation, DagLegend &legend,
                         QToolBar &tools)
    : QObject(&view), m_context(context), m_view(view), m_navigation(navigation) {
    const QString category = tr("ComputeDAG");
    const auto add = [&](const char *id, const QString &text, const char *key, const char *icon, const QString &tip,
                         auto &&run, bool checkable = false) {
        return m_context.actions.add(
            {QLatin1String(id), category, text, QKeySequence(QLatin1String(key)), tip, QLatin1String(icon), checkable},
            &m_view, run);
    };
    QAction *fit =
        add("dag.fit", tr("Fit"), "", "zoom-fit", tr("Show the whole ComputeDAG"), [this] { m_view.zoomToFit(); });
    QAction *findAction =
        add("dag.find", tr("Find"), "", "find", tr("Find a stage by name, axis, attribute or expression (Ctrl+F)"),
            [this] { m_view.startFind(); });
    m_collapse = add(
        "dag.collapse", tr("Fold chains"), "C", "collapse", tr("Draw chains of elementwise stages as one node"),
        [this] { m_view.setCollapsing(m_collapse->isChecked()); }, true);
    QAction *legendAction =
        add("dag.legend", tr("Legend"), "L", "help", tr("What colours and marks mean"), [] {}, true);
    const QString legendKey = QStringLiteral("dag/legend");
    legendAction->setChecked(m_context.settings.value(legendKey, false).toBool());
    legend.setVisible(legendAction->isChecked());
    connect(legendAction, &QAction::toggled, this, [this, &legend, legendKey](bool shown) {
        legend.setVisible(shown);
        legend.place();
        m_context.settings.setValue(legendKey, shown);
    });
    add("dag.next", tr("Next stage"), ".", "forward", tr("Select the next stage in topological order"),
        [this] { m_navigation.selectNext(1); });
    add("dag.previous", tr("Previous stage"), ",", "back", tr("Select the previous stage in topological order"),
        [this] { m_navigation.selectNext(-1); });
    add("dag.producer", tr("Go to producer"), "Alt+Up", "", tr("Select a stage that this one reads"),
        [this] { m_navigation.selectNeighbour(Qt::Key_Up); });
    add("dag.consumer", tr("Go to consumer"), "Alt+Down", "", tr("Select a stage that reads this one"),
        [this] { m_navigation.selectNeighbour(Qt::Key_Down); });
    add("dag.copy", tr("Copy expression"), "Ctrl+C", "copy", tr("Copy the selected stage's name and expression"),
        [this] {
            if (const QString text = m_navigation.selectedExpression(); !text.isEmpty())
                QApplication::clipboard()->setText(text);
        });
    auto *exports = new QMenu(tr("Export"), &m_view);
    for (const QString &suffix : m_view.exportSuffixes()) {
        const QByteArray id = "dag.export." + suffix.toLatin1();
        exports->addAction(add(id.constData(), tr("Export as %1 \u2026").arg(suffix.toUpper()), "", "export",
                               tr("Write the whole ComputeDAG as it is shown to a file"),
                               [this, suffix] { askForExport(suffix); }));
    }
    for (QAction *action : {fit, findAction, m_collapse, legendAction}) {
        action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
        tools.addAction(action);
    }
    exports->menuAction()->setIcon(m_context.theme.icon(QStringLiteral("export")));
    auto *button = new QToolButton(&tools);
    button->setText(tr("Export"));
    button->setIcon(m_context.theme.icon(QStringLiteral("export")));
    button->setToolTip(tr("Write the whole ComputeDAG as it is shown to a file"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(exports);
    tools.addWidget(button);
}

void DagCommands::showCollapsing(bool collapsing) { m_collapse->setChecked(collapsing); }

void DagCommands::popUp(QGraphicsItem *item, QPointF point, QPoint globalPoint) {
    const DagHit hit = m_view.scene().hit(item, point);
    const DagPicture *picture = m_view.scene().picture();
    auto *menu = new QMenu(&m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const char *id) {
        if (QAction *action = m_context.actions.find(QLatin1String(id))) menu->addAction(action);
    };
    if (picture && hit.node >= 0) {
        const PictureNode &node = picture->nodes[static_cast<size_t>(hit.node)];
        const QString name = picture->facts->stages[static_cast<size_t>(node.stages[0])].name;
        if (node.folded) {
            menu->addAction(tr("Expand the chain"), this, [this, name] { m_view.setExpanded(name, true); });
        } else {
            m_context.session.selection().selectStage(name);
            menu->addAction(tr("Copy name"), this, [name] { QApplication::clipboard()->setText(name); });
            add("dag.copy");
        }
        menu->addAction(tr("Zoom to it"), this, [this, number = hit.node] { m_navigation.zoomToNode(number); });
        menu->addSeparator();
        if (!node.folded) {
            add("dag.producer");
            add("dag.consumer");
            menu->addSeparator();
        }
    }
    add("dag.fit");
    add("dag.find");
    add("dag.collapse");
    add("dag.legend");
    menu->addSeparator();
    for (const QString &suffix : m_view.exportSuffixes()) add(("dag.export." + suffix.toLatin1()).constData());
    menu->popup(globalPoint);
}

void DagCommands::askForExport(const QString &suffix) {
    const Document *document = m_context.session.document();
    auto *dialog = new QFileDialog(&m_view, tr("Export the ComputeDAG"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->selectFile(QStringLiteral("%1-dag.%2").arg(document ? document->name : QStringLiteral("compute"), suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString problem = m_view.exportTo(path); problem.isEmpty())
            m_context.session.messages().note(tr("The ComputeDAG is in %1").arg(path));
        else
            m_context.session.messages().fail(problem);
    });
    dialog->open();
}

} // namespace loopscope
