#include "views/sketch_tree/tree_input.h"

#include "views/sketch_tree/nest_lines.h"
#include "views/sketch_tree/tree_find_bar.h"
#include "views/sketch_tree/tree_side.h"
#include "views/sketch_tree/tree_texts.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

namespace loopscope {

TreeInput::TreeInput(const ViewContext &context, TreeContent &content, TreePane &pane, TreeFindBar &findBar,
                     TreeSide &side)
    : m_context(context), m_content(content), m_pane(pane), m_findBar(findBar), m_side(side) {
    GraphView *graph = pane.graph();
    graph->installEventFilter(this);
    graph->viewport()->installEventFilter(this);
    const auto spotAt = [this](const QPointF &point) { return m_pane.picture().spotAt(point); };
    graph->setToolTips([this, spotAt](QGraphicsItem *, const QPointF &point) { return toolTipAt(spotAt(point)); });
    connect(graph, &GraphView::itemClicked, this,
            [this, spotAt](QGraphicsItem *, const QPointF &point) { clicked(spotAt(point), false); });
    connect(graph, &GraphView::itemDoubleClicked, this,
            [this, spotAt](QGraphicsItem *, const QPointF &point) { clicked(spotAt(point), true); });
    connect(
        graph, &GraphView::menuRequested, this,
        [this, spotAt](QGraphicsItem *, const QPointF &point, const QPoint &global) { menu(spotAt(point), global); });
    connect(graph, &GraphView::arrowPressed, this, &TreeInput::arrow);
    connect(graph, &GraphView::nextRequested, this, &TreeInput::step);
    connect(graph, &GraphView::enterPressed, this, [this] {
        if (const int index = m_pane.current(); index >= 0) m_pane.activate(index);
    });
    connect(graph, &GraphView::escapePressed, this, &TreeInput::escape);
}

bool TreeInput::eventFilter(QObject *watched, QEvent *event) {
    GraphView *graph = m_pane.graph();
    if (watched == graph->viewport()) {
        if (event->type() == QEvent::MouseMove) {
            const auto *move = static_cast<QMouseEvent *>(event);
            const TreeSpot spot =
                move->buttons() == Qt::NoButton ? m_pane.picture().spotAt(graph->mapToScene(move->pos())) : TreeSpot{};
            m_pane.picture().setHot(spot);
            const bool link = spot.kind != TreeSpot::Kind::None && spot.kind != TreeSpot::Kind::Row;
            if (move->buttons() == Qt::NoButton)
                graph->viewport()->setCursor(link ? Qt::PointingHandCursor : Qt::ArrowCursor);
        } else if (event->type() == QEvent::Leave) {
            m_pane.picture().setHot({});
        }
    } else if (watched == graph && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
            if (const int index = m_pane.current(); index >= 0) toggleBelow(index);
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

void TreeInput::clicked(const TreeSpot &spot, bool twice) {
    switch (spot.kind) {
    case TreeSpot::Kind::None:
        break;
    case TreeSpot::Kind::Node:
        if (twice)
            toggleBelow(spot.node);
        else
            m_pane.activate(spot.node);
        break;
    case TreeSpot::Kind::Handle:
        toggleBelow(spot.node);
        break;
    case TreeSpot::Kind::Edge: {
        // The stage, everywhere: the one the rule is about, not an input skipped on the way.
        const auto &nodes = m_content.tree().nodes;
        const auto &steps = m_content.shownAt(spot.node).steps;
        if (steps.empty()) break;
        int about = steps.front();
        for (const int step : steps)
            if (!nodes[static_cast<size_t>(step)].skipped()) about = step;
        m_context.session.selection().selectStage(nodes[static_cast<size_t>(about)].by.stage);
        break;
    }
    case TreeSpot::Kind::OnTheWay:
        unfold(spot.node);
        break;
    case TreeSpot::Kind::Refused:
        listRefused(spot.node);
        break;
    case TreeSpot::Kind::Row: {
        const auto &refused = m_content.shownAt(spot.node).refused;
        m_context.session.selection().selectStage(refused[static_cast<size_t>(spot.row)].stage);
        break;
    }
    }
}

void TreeInput::arrow(int key) {
    if (m_content.shown().nodes.empty()) return;
    const int index = m_pane.keysAt();
    if (index < 0) {
        m_pane.setCurrent(0);
        return;
    }
    const ShownNode &node = m_content.shownAt(index);
    switch (key) {
    case Qt::Key_Left:
        m_pane.setCurrent(node.parent);
        break;
    case Qt::Key_Right:
        if (node.hiddenSketches > 0)
            toggleBelow(index);
        else if (!node.children.empty())
            m_pane.setCurrent(node.children[(node.children.size() - 1) / 2]);
        break;
    case Qt::Key_Up:
        m_pane.setCurrent(m_pane.picture().neighbour(index, -1));
        break;
    case Qt::Key_Down:
        m_pane.setCurrent(m_pane.picture().neighbour(index, 1));
        break;
    default:
        break;
    }
}

void TreeInput::step(int direction) {
    if (m_content.shown().nodes.empty() || m_findBar.step(direction)) return;
    const int index = m_pane.keysAt();
    const int count = static_cast<int>(m_content.shown().nodes.size());
    m_pane.setCurrent(index < 0 ? 0 : (index + direction + count) % count);
}

void TreeInput::escape() {
    if (m_findBar.isVisible())
        m_findBar.close();
    else
        m_pane.leave();
}

// --- What opens and closes
// --------------------------------------------------------------------------------------------

void TreeInput::toggleBelow(int index) {
    const ShownNode &node = m_content.shownAt(index);
    if (!node.collapsible) return;
    const int number = node.number;
    TreeChoice choice = m_content.choice();
    if (!choice.collapsed.erase(number)) choice.collapsed.insert(number);
    m_pane.change(std::move(choice), number);
}

void TreeInput::listRefused(int index) {
    const int number = m_content.shownAt(index).number;
    TreeChoice choice = m_content.choice();
    auto &list = choice.listAll || choice.filters() ? choice.unlisted : choice.listed;
    if (!list.erase(number)) list.insert(number);
    m_pane.change(std::move(choice), number, number);
    if (const int now = m_content.indexOf(number); now >= 0 && m_content.shownAt(now).lists) {
        m_side.askReasons();
        m_pane.keepInView(m_pane.picture().nodeRect(now));
    }
}

void TreeInput::unfold(int index) {
    const std::vector<int> steps = m_content.shownAt(index).steps;
    TreeChoice choice = m_content.choice();
    choice.unfolded.insert(steps.begin(), steps.end());
    for (size_t i = 0; i + 1 < steps.size(); ++i) choice.listed.insert(steps[i]); // what was asked for
    m_pane.change(std::move(choice), m_content.shownAt(m_content.shownAt(index).parent).number, steps.front());
    m_side.askReasons();
    QRectF asked;
    for (const int step : steps)
        if (const int at = m_content.indexOf(step); at >= 0) asked |= m_pane.picture().nodeRect(at);
    m_pane.keepInView(asked);
}

// --- What it tells
// ---------------------------------------------------------------------------------------------------

QString TreeInput::toolTipAt(const TreeSpot &spot) const {
    if (spot.node < 0) return {};
    const ShownNode &shown = m_content.shownAt(spot.node);
    const DerivationNode &node = m_content.nodeAt(spot.node);
    switch (spot.kind) {
    case TreeSpot::Kind::None:
        return {};
    case TreeSpot::Kind::Node:
        return stateTip(m_context.theme, m_content.tree(), node,
                        node.sketch >= 0 ? &m_content.statistics().of(node.sketch) : nullptr);
    case TreeSpot::Kind::Handle:
        return shown.hiddenSketches > 0 ? tr("Show what was made of this state")
                                        : tr("Hide what was made of this state");
    case TreeSpot::Kind::Edge:
        return edgeTip(m_content.tree(), shown);
    case TreeSpot::Kind::OnTheWay:
        return refusedTip(refusedOnTheWay(m_content.tree(), shown));
    case TreeSpot::Kind::Refused:
        return refusedTip(shown.refused);
    case TreeSpot::Kind::Row:
        return refusedTip({shown.refused[static_cast<size_t>(spot.row)]});
    }
    return {};
}

void TreeInput::menu(const TreeSpot &spot, const QPoint &global) {
    QMenu menu(m_pane.graph());
    if (spot.node >= 0) {
        const ShownNode &shown = m_content.shownAt(spot.node);
        const DerivationNode &node = m_content.nodeAt(spot.node);
        const int index = spot.node;
        if (shown.collapsible)
            menu.addAction(shown.hiddenSketches > 0 ? tr("Expand") : tr("Collapse"), this,
                           [this, index] { toggleBelow(index); });
        if (!shown.refused.empty())
            menu.addAction(shown.lists ? tr("Hide what was refused here") : tr("List what was refused here"), this,
                           [this, index] { listRefused(index); });
        if (shown.steps.size() > 1)
            menu.addAction(tr("Unfold the way to here"), this, [this, index] { unfold(index); });
        if (node.state)
            menu.addAction(tr("Copy its loops"), this, [state = node.state] {
                QApplication::clipboard()->setText(QString::fromStdString(state->text()));
            });
        RuleTried about = node.by;
        if (spot.kind == TreeSpot::Kind::Row) about = shown.refused[static_cast<size_t>(spot.row)];
        if (!about.stage.isEmpty()) {
            menu.addSeparator();
            menu.addAction(tr("Only stage %1").arg(about.stage), this,
                           [this, about] { Q_EMIT filterChosen(about.stage, {}); });
            menu.addAction(tr("Only rule %1").arg(about.rule), this,
                           [this, about] { Q_EMIT filterChosen({}, about.rule); });
        }
        menu.addSeparator();
    }
    for (const char *id :
         {"sketch_tree.expandAll", "sketch_tree.collapseAll", "sketch_tree.clearFilter", "sketch_tree.copy"})
        if (QAction *action = m_context.actions.find(QString::fromLatin1(id))) menu.addAction(action);
    menu.exec(global);
}

} // namespace loopscope
