// What one does with the graph: actions, clicks, keys, menu, export.

#include "views/dag_graph/dag_graph_view.h"
#include "views/dag_graph/dag_legend.h"
#include "views/dag_graph/stage_tooltip.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>

#include <cmath>

namespace loopscope {

void DagGraphView::addActions() {
    const QString category = tr("ComputeDAG");
    const auto add = [&](const char *id, const QString &text, const char *key, const char *icon, const QString &tip,
                         auto &&run, bool checkable = false) {
        return m_context.actions.add(
            {QLatin1String(id), category, text, QKeySequence(QLatin1String(key)), tip, QLatin1String(icon), checkable},
            this, run);
    };
    QAction *fit = add("dag.fit", tr("Fit"), "", "zoom-fit", tr("Show the whole ComputeDAG"), [this] { zoomToFit(); });
    QAction *findAction =
        add("dag.find", tr("Find"), "", "find", tr("Find a stage by name, axis, attribute or expression (Ctrl+F)"),
            [this] { startFind(); });
    m_collapseAction = add(
        "dag.collapse", tr("Fold chains"), "C", "collapse", tr("Draw chains of elementwise stages as one node"),
        [this] { setCollapsing(m_collapseAction->isChecked()); }, true);
    m_legendAction = add(
        "dag.legend", tr("Legend"), "L", "help", tr("What colours and marks mean"),
        [this] {
            m_legend->setVisible(m_legendAction->isChecked());
            m_legend->place();
            m_context.settings.setValue(QStringLiteral("dag/legend"), m_legendAction->isChecked());
        },
        true);
    add("dag.next", tr("Next stage"), ".", "forward", tr("Select the next stage in topological order"),
        [this] { selectNext(1); });
    add("dag.previous", tr("Previous stage"), ",", "back", tr("Select the previous stage in topological order"),
        [this] { selectNext(-1); });
    add("dag.producer", tr("Go to producer"), "Alt+Up", "", tr("Select a stage that this one reads"),
        [this] { selectNeighbour(Qt::Key_Up); });
    add("dag.consumer", tr("Go to consumer"), "Alt+Down", "", tr("Select a stage that reads this one"),
        [this] { selectNeighbour(Qt::Key_Down); });
    add("dag.copy", tr("Copy expression"), "Ctrl+C", "copy", tr("Copy the selected stage's name and expression"),
        [this] { copySelected(); });
    auto *exports = new QMenu(tr("Export"), this);
    for (const QString &suffix : exportSuffixes()) {
        const QByteArray id = "dag.export." + suffix.toLatin1();
        exports->addAction(add(id.constData(), tr("Export as %1 \u2026").arg(suffix.toUpper()), "", "export",
                               tr("Write the whole ComputeDAG as it is shown to a file"),
                               [this, suffix] { askForExport(suffix); }));
    }
    for (QAction *action : {fit, findAction, m_collapseAction, m_legendAction}) {
        action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
        m_tools->addAction(action);
    }
    exports->menuAction()->setIcon(m_context.theme.icon(QStringLiteral("export")));
    auto *button = new QToolButton(m_tools);
    button->setText(tr("Export"));
    button->setIcon(m_context.theme.icon(QStringLiteral("export")));
    button->setToolTip(tr("Write the whole ComputeDAG as it is shown to a file"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(exports);
    m_tools->addWidget(button);
}

void DagGraphView::connectGraph() {
    connect(m_graph, &GraphView::itemClicked, this, [this](QGraphicsItem *item, QPointF point) { click(item, point); });
    connect(m_graph, &GraphView::itemDoubleClicked, this, [this](QGraphicsItem *item, QPointF point) {
        if (const int node = m_scene->hit(item, point).node; node >= 0) zoomToNode(node);
    });
    connect(m_graph, &GraphView::itemHovered, this, [this](QGraphicsItem *item) { m_scene->setHovered(item); });
    connect(m_graph, &GraphView::menuRequested, this,
            [this](QGraphicsItem *item, QPointF point, QPointF global) { showMenu(item, point, global.toPoint()); });
    connect(m_graph, &GraphView::escapePressed, this, [this] {
        if (m_found.empty()) {
            Selected now = m_context.session.selection().now();
            now.stage.clear();
            now.iterator.clear();
            now.node = -1;
            m_context.session.selection().set(now);
        } else {
            m_found.clear();
            m_scene->setMatches({}, false);
        }
    });
    connect(m_graph, &GraphView::nextRequested, this, &DagGraphView::selectNext);
    connect(m_graph, &GraphView::arrowPressed, this, &DagGraphView::selectNeighbour);
    connect(m_graph, &GraphView::enterPressed, this, [this] { zoomToNode(m_scene->selectedNode()); });
    m_graph->setToolTips([this](QGraphicsItem *item, QPointF point) { return toolTipAt(item, point); });
}

// --- Selecting
// --------------------------------------------------------------------------------------------------------

void DagGraphView::click(QGraphicsItem *item, QPointF point) {
    const DagHit hit = m_scene->hit(item, point);
    const DagPicture *picture = m_scene->picture();
    if (!picture) return;
    if (hit.frame >= 0) {
        setExpanded(picture->frames[static_cast<size_t>(hit.frame)].name, false);
        return;
    }
    if (hit.node < 0) return;
    const PictureNode &node = picture->nodes[static_cast<size_t>(hit.node)];
    const StageFact &first = picture->facts->stages[static_cast<size_t>(node.stages[0])];
    if (node.folded) {
        setExpanded(first.name, true);
        return;
    }
    m_own = true;
    if (!hit.added.isEmpty())
        m_context.session.selection().selectStage(hit.added);
    else if (hit.axis >= 0)
        m_context.session.selection().selectIterator(first.name, first.axes[static_cast<size_t>(hit.axis)].name);
    else
        m_context.session.selection().selectStage(first.name);
    m_own = false;
}

void DagGraphView::selectNode(int node) {
    const DagPicture *picture = m_scene->picture();
    if (!picture || node < 0) return;
    const auto stage = static_cast<size_t>(picture->nodes[static_cast<size_t>(node)].stages[0]);
    m_context.session.selection().selectStage(picture->facts->stages[stage].name);
    m_graph->reveal(m_scene->rectOf(node));
}

void DagGraphView::selectNext(int direction) {
    const DagPicture *picture = m_scene->picture();
    if (!picture) return;
    const int count = static_cast<int>(picture->nodes.size());
    const int now = m_scene->selectedNode();
    selectNode(now < 0 ? (direction > 0 ? 0 : count - 1) : std::clamp(now + direction, 0, count - 1));
}

/// Up and Down follow the arrows, Left and Right go to what lies beside.
void DagGraphView::selectNeighbour(int key) {
    const DagPicture *picture = m_scene->picture();
    const int now = m_scene->selectedNode();
    if (!picture) return;
    if (now < 0) {
        selectNode(0);
        return;
    }
    const QPointF here = m_scene->rectOf(now).center();
    int best = -1;
    double least = 0;
    const auto consider = [&](int node, double distance) {
        if (best >= 0 && distance >= least) return;
        best = node;
        least = distance;
    };
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        for (const PictureEdge &edge : picture->edges) {
            const int other = key == Qt::Key_Up ? (edge.to == now ? edge.from : -1) : (edge.from == now ? edge.to : -1);
            if (other < 0) continue;
            // What is computed goes before inputs.
            const auto stage = static_cast<size_t>(picture->nodes[static_cast<size_t>(other)].stages[0]);
            const bool input = picture->facts->stages[stage].kind == StageKind::Placeholder;
            consider(other, std::abs(m_scene->rectOf(other).center().x() - here.x()) + (input ? 1e7 : 0));
        }
    } else {
        for (int i = 0; i < static_cast<int>(picture->nodes.size()); ++i) {
            const QPointF there = m_scene->rectOf(i).center() - here;
            const bool right = there.x() > 1;
            if (i == now || std::abs(there.x()) <= 1 || right != (key == Qt::Key_Right)) continue;
            consider(i, std::abs(there.x()) + 4 * std::abs(there.y()));
        }
    }
    selectNode(best);
}

void DagGraphView::zoomToNode(int node) {
    const QRectF rect = m_scene->rectOf(node);
    if (rect.isEmpty()) return;
    // With what it reads and who reads it at its edges.
    m_graph->zoomTo(rect.adjusted(-rect.width() * 0.2, -rect.height() * 0.5, rect.width() * 0.2, rect.height() * 0.5));
}

QString DagGraphView::toolTipAt(QGraphicsItem *item, QPointF point) const {
    const DagHit hit = m_scene->hit(item, point);
    const DagPicture *picture = m_scene->picture();
    if (!picture) return {};
    if (hit.edge >= 0)
        return edgeToolTip(*picture->facts, picture->edges[static_cast<size_t>(hit.edge)], m_context.theme);
    if (hit.node < 0) return {};
    const PictureNode &node = picture->nodes[static_cast<size_t>(hit.node)];
    if (node.folded) return chainToolTip(*picture->facts, node);
    const auto placement = m_placements.find(picture->facts->stages[static_cast<size_t>(node.stages[0])].name);
    return stageToolTip(*picture->facts, node.stages[0], placement == m_placements.end() ? nullptr : &placement->second,
                        m_context.theme);
}

// --- Menu, copy, export
// -----------------------------------------------------------------------------------------------

void DagGraphView::copySelected() const {
    const DagPicture *picture = m_scene->picture();
    const int stage = picture ? picture->facts->find(m_context.session.selection().now().stage) : -1;
    if (stage < 0) return;
    const StageFact &fact = picture->facts->stages[static_cast<size_t>(stage)];
    QStringList axes;
    for (const AxisFact &axis : fact.axes)
        if (!axis.reduce) axes << axis.name;
    QApplication::clipboard()->setText(
        fact.kind == StageKind::Placeholder
            ? fact.name
            : QStringLiteral("%1(%2) %3").arg(fact.name, axes.join(QStringLiteral(", ")), fact.expression));
}

void DagGraphView::showMenu(QGraphicsItem *item, QPointF point, QPoint globalPoint) {
    const DagHit hit = m_scene->hit(item, point);
    const DagPicture *picture = m_scene->picture();
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const char *id) {
        if (QAction *action = m_context.actions.find(QLatin1String(id))) menu->addAction(action);
    };
    if (picture && hit.node >= 0) {
        const PictureNode &node = picture->nodes[static_cast<size_t>(hit.node)];
        const QString name = picture->facts->stages[static_cast<size_t>(node.stages[0])].name;
        if (node.folded) {
            menu->addAction(tr("Expand the chain"), this, [this, name] { setExpanded(name, true); });
        } else {
            m_context.session.selection().selectStage(name);
            menu->addAction(tr("Copy name"), this, [name] { QApplication::clipboard()->setText(name); });
            add("dag.copy");
        }
        menu->addAction(tr("Zoom to it"), this, [this, number = hit.node] { zoomToNode(number); });
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
    for (const QString &suffix : exportSuffixes()) add(("dag.export." + suffix.toLatin1()).constData());
    menu->popup(globalPoint);
}

void DagGraphView::askForExport(const QString &suffix) {
    const Document *document = m_context.session.document();
    auto *dialog = new QFileDialog(this, tr("Export the ComputeDAG"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setNameFilter(QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->selectFile(QStringLiteral("%1-dag.%2").arg(document ? document->name : QStringLiteral("compute"), suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString problem = exportTo(path); problem.isEmpty())
            m_context.session.messages().note(tr("The ComputeDAG is in %1").arg(path));
        else
            m_context.session.messages().fail(problem);
    });
    dialog->open();
}

} // namespace loopscope
