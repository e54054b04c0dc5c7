// What the user does to the picture: pointer, keys, menu.

#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/nest_lines.h"
#include "views/sketch_tree/reasons_panel.h"
#include "views/sketch_tree/sketch_tree_view.h"
#include "views/sketch_tree/tree_picture.h"
#include "views/sketch_tree/tree_texts.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>

namespace loopscope {

void SketchTreeView::connectInput() {
    m_graph->installEventFilter(this);
    m_graph->viewport()->installEventFilter(this);
    m_graph->setToolTips([this](QGraphicsItem *, const QPointF &point) { return toolTipAt(m_picture->spotAt(point)); });
    connect(m_graph, &GraphView::itemClicked, this,
            [this](QGraphicsItem *, const QPointF &point) { clicked(m_picture->spotAt(point), false); });
    connect(m_graph, &GraphView::itemDoubleClicked, this,
            [this](QGraphicsItem *, const QPointF &point) { clicked(m_picture->spotAt(point), true); });
    connect(m_graph, &GraphView::menuRequested, this,
            [this](QGraphicsItem *, const QPointF &point, const QPoint &global) {
                menu(m_picture->spotAt(point), global);
            });
    connect(m_graph, &GraphView::arrowPressed, this, &SketchTreeView::arrow);
    connect(m_reasons, &ReasonsPanel::stageChosen, this,
            [this](const QString &stage) { m_context.session.selection().selectStage(stage); });
    connect(m_graph, &GraphView::nextRequested, this, &SketchTreeView::step);
    connect(m_graph, &GraphView::enterPressed, this, [this] {
        if (const int index = indexOf(m_current); index >= 0) activate(index);
    });
    connect(m_graph, &GraphView::escapePressed, this, [this] {
        if (m_findBar->isVisible()) {
            closeFind();
            return;
        }
        m_focus = m_current = -1;
        Selected now = m_context.session.selection().now();
        now.derivation = -1;
        m_context.session.selection().set(now);
        mark();
    });
}

bool SketchTreeView::eventFilter(QObject *watched, QEvent *event) {
    if (watched == m_graph->viewport()) {
        if (event->type() == QEvent::MouseMove) {
            const auto *move = static_cast<QMouseEvent *>(event);
            const TreeSpot spot =
                move->buttons() == Qt::NoButton ? m_picture->spotAt(m_graph->mapToScene(move->pos())) : TreeSpot{};
            m_picture->setHot(spot);
            const bool link = spot.kind != TreeSpot::Kind::None && spot.kind != TreeSpot::Kind::Row;
            if (move->buttons() == Qt::NoButton)
                m_graph->viewport()->setCursor(link ? Qt::PointingHandCursor : Qt::ArrowCursor);
        } else if (event->type() == QEvent::Leave) {
            m_picture->setHot({});
        } else if (event->type() == QEvent::Resize) {
            // Behind the view's own answer, which knows only where the picture began before.
            if (m_atStart && m_graph->untouched())
                QTimer::singleShot(0, this, [this] {
                    if (m_graph->untouched()) showStart();
                });
        }
    } else if (watched == m_graph) {
        if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
            mark();
        } else if (event->type() == QEvent::KeyPress) {
            const auto *key = static_cast<QKeyEvent *>(event);
            if (key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
                if (const int index = indexOf(m_current); index >= 0) toggleBelow(index);
                return true;
            }
        }
    }
    return QWidget::eventFilter(watched, event);
}

void SketchTreeView::clicked(const TreeSpot &spot, bool twice) {
    switch (spot.kind) {
    case TreeSpot::Kind::None:
        break;
    case TreeSpot::Kind::Node:
        if (twice)
            toggleBelow(spot.node);
        else
            activate(spot.node);
        break;
    case TreeSpot::Kind::Handle:
        toggleBelow(spot.node);
        break;
    case TreeSpot::Kind::Edge: {
        // The stage, everywhere: the one the rule is about, not an input skipped on the way.
        const auto &steps = m_shown.nodes[static_cast<size_t>(spot.node)].steps;
        if (steps.empty()) break;
        int about = steps.front();
        for (const int step : steps)
            if (!m_tree.nodes[static_cast<size_t>(step)].skipped()) about = step;
        m_context.session.selection().selectStage(m_tree.nodes[static_cast<size_t>(about)].by.stage);
        break;
    }
    case TreeSpot::Kind::OnTheWay:
        unfold(spot.node);
        break;
    case TreeSpot::Kind::Refused:
        listRefused(spot.node);
        break;
    case TreeSpot::Kind::Row: {
        const auto &refused = m_shown.nodes[static_cast<size_t>(spot.node)].refused;
        m_context.session.selection().selectStage(refused[static_cast<size_t>(spot.row)].stage);
        break;
    }
    }
}

void SketchTreeView::activate(int index) {
    const int number = m_shown.nodes[static_cast<size_t>(index)].number;
    const auto &node = m_tree.nodes[static_cast<size_t>(number)];
    m_current = number;
    Selected next = m_context.session.selection().now();
    next.derivation = number;
    ScheduleRef schedule = next.schedule;
    if (node.sketch >= 0) schedule = {ScheduleRef::Kind::Sketch, node.sketch};
    if (node.parent < 0) schedule = {};
    if (!(schedule == next.schedule)) {
        next.schedule = schedule;
        next.step = -1;
        next.node = -1;
    }
    m_own = true;
    m_context.session.selection().set(next);
    m_own = false;
    m_focus = number; // selected already, or again
    mark();
}

void SketchTreeView::setCurrent(int index) {
    if (index < 0) return;
    m_current = m_shown.nodes[static_cast<size_t>(index)].number;
    mark();
    m_graph->reveal(m_picture->nodeRect(index));
    m_graph->setFocusRect(m_picture->nodeRect(index));
}

void SketchTreeView::arrow(int key) {
    if (m_shown.nodes.empty()) return;
    const int index = indexOf(m_current >= 0 ? m_current : m_focus);
    if (index < 0) {
        setCurrent(0);
        return;
    }
    const auto &node = m_shown.nodes[static_cast<size_t>(index)];
    switch (key) {
    case Qt::Key_Left:
        setCurrent(node.parent);
        break;
    case Qt::Key_Right:
        if (node.hiddenSketches > 0)
            toggleBelow(index);
        else if (!node.children.empty())
            setCurrent(node.children[(node.children.size() - 1) / 2]);
        break;
    case Qt::Key_Up:
        setCurrent(m_picture->neighbour(index, -1));
        break;
    case Qt::Key_Down:
        setCurrent(m_picture->neighbour(index, 1));
        break;
    default:
        break;
    }
}

void SketchTreeView::step(int direction) {
    if (m_shown.nodes.empty()) return;
    if (m_findBar->isVisible() && !m_found.empty()) {
        showFound(direction);
        return;
    }
    const int index = indexOf(m_current >= 0 ? m_current : m_focus);
    const int count = static_cast<int>(m_shown.nodes.size());
    setCurrent(index < 0 ? 0 : (index + direction + count) % count);
}

void SketchTreeView::toggleBelow(int index) {
    const auto &node = m_shown.nodes[static_cast<size_t>(index)];
    if (!node.collapsible) return;
    const int number = node.number;
    const QPointF before = m_picture->nodeRect(index).topLeft();
    if (!m_choice.collapsed.erase(number)) m_choice.collapsed.insert(number);
    rebuild();
    keepPlace(number, before);
}

void SketchTreeView::listRefused(int index) {
    const auto &node = m_shown.nodes[static_cast<size_t>(index)];
    const int number = node.number;
    const QPointF before = m_picture->nodeRect(index).topLeft();
    const bool byItself = m_choice.listAll || m_choice.filters();
    auto &list = byItself ? m_choice.unlisted : m_choice.listed;
    if (!list.erase(number)) list.insert(number);
    m_current = number;
    rebuild();
    keepPlace(number, before);
    if (const int now = indexOf(number); now >= 0 && m_shown.nodes[static_cast<size_t>(now)].lists) {
        askReasons();
        keepInView(m_picture->nodeRect(now));
    }
}

void SketchTreeView::unfold(int index) {
    const auto steps = m_shown.nodes[static_cast<size_t>(index)].steps;
    const int number = m_shown.nodes[static_cast<size_t>(m_shown.nodes[static_cast<size_t>(index)].parent)].number;
    const QPointF before = m_picture->nodeRect(indexOf(number)).topLeft();
    m_choice.unfolded.insert(steps.begin(), steps.end());
    for (size_t i = 0; i + 1 < steps.size(); ++i) m_choice.listed.insert(steps[i]); // what was asked for
    m_current = steps.front();
    rebuild();
    keepPlace(number, before);
    askReasons();
    QRectF asked;
    for (const int step : steps)
        if (const int at = indexOf(step); at >= 0) asked |= m_picture->nodeRect(at);
    keepInView(asked);
}

void SketchTreeView::keepInView(const QRectF &area) {
    // Behind the layout, should the panel have taken some of the room.
    QTimer::singleShot(0, this, [this, area] {
        const double margin = 24 / m_graph->zoom();
        const QRectF seen = m_graph->mapToScene(m_graph->viewport()->rect()).boundingRect();
        const QSizeF room(std::max(1.0, seen.width() - 2 * margin), std::max(1.0, seen.height() - 2 * margin));
        m_graph->reveal(QRectF(area.topLeft(), area.size().boundedTo(room)));
    });
}

/// Opened by the first who wants to know; closed, it stays closed.
void SketchTreeView::askReasons() {
    if (!m_context.settings.value(QStringLiteral("sketch_tree/reasons_panel")).isValid())
        m_reasonsAction->setChecked(true);
    showReasons();
}

void SketchTreeView::showReasons() {
    const bool wanted = m_reasonsAction && m_reasonsAction->isChecked() && !m_shown.nodes.empty();
    m_reasons->setVisible(wanted);
    m_side->setVisible(wanted || !m_lineage->isHidden());
    if (!wanted) {
        m_reasonsOf = -2;
        return;
    }
    const int index = indexOf(m_current >= 0 ? m_current : m_focus);
    if (index == m_reasonsOf) return;
    m_reasonsOf = index;
    m_reasons->show(m_tree, m_shown, index);
}

void SketchTreeView::keepPlace(int number, const QPointF &before) {
    const int index = indexOf(number);
    if (index < 0) return;
    const QPointF after = m_picture->nodeRect(index).topLeft();
    const QPointF middle = m_graph->mapToScene(m_graph->viewport()->rect().center());
    m_graph->centerOn(middle + after - before);
}

QString SketchTreeView::toolTipAt(const TreeSpot &spot) const {
    if (spot.node < 0) return {};
    const auto &shown = m_shown.nodes[static_cast<size_t>(spot.node)];
    const auto &node = m_tree.nodes[static_cast<size_t>(shown.number)];
    switch (spot.kind) {
    case TreeSpot::Kind::None:
        return {};
    case TreeSpot::Kind::Node:
        return stateTip(m_context.theme, m_tree, node, node.sketch >= 0 ? &m_statistics.of(node.sketch) : nullptr);
    case TreeSpot::Kind::Handle:
        return shown.hiddenSketches > 0 ? tr("Show what was made of this state")
                                        : tr("Hide what was made of this state");
    case TreeSpot::Kind::Edge:
        return edgeTip(m_tree, shown);
    case TreeSpot::Kind::OnTheWay:
        return refusedTip(refusedOnTheWay(m_tree, shown));
    case TreeSpot::Kind::Refused:
        return refusedTip(shown.refused);
    case TreeSpot::Kind::Row:
        return refusedTip({shown.refused[static_cast<size_t>(spot.row)]});
    }
    return {};
}

void SketchTreeView::menu(const TreeSpot &spot, const QPoint &global) {
    QMenu menu(this);
    if (spot.node >= 0) {
        const auto &shown = m_shown.nodes[static_cast<size_t>(spot.node)];
        const auto &node = m_tree.nodes[static_cast<size_t>(shown.number)];
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
            menu.addAction(tr("Only stage %1").arg(about.stage), this, [this, about] { setFilter(about.stage, {}); });
            menu.addAction(tr("Only rule %1").arg(about.rule), this, [this, about] { setFilter({}, about.rule); });
        }
        menu.addSeparator();
    }
    for (const char *id :
         {"sketch_tree.expandAll", "sketch_tree.collapseAll", "sketch_tree.clearFilter", "sketch_tree.copy"})
        if (QAction *action = m_context.actions.find(QString::fromLatin1(id))) menu.addAction(action);
    menu.exec(global);
}

} // namespace loopscope
