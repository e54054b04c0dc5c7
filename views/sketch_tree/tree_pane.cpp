#include "views/sketch_tree/tree_pane.h"

#include <QEvent>

#include <algorithm>
#include <limits>

namespace loopscope {

namespace {
constexpr double kStartZoom = 0.85; // smaller is not legible: then the beginning is shown, not everything
constexpr double kMinFit = 0.65;    // the same when the user asks for everything
} // namespace

TreePane::TreePane(const ViewContext &context, TreeContent &content, QWidget *parent)
    : m_context(context), m_content(content), m_graph(new GraphView(context.theme, parent)),
      m_picture(*m_graph, context.theme) {
    m_graph->setAccessibleName(tr("Derivation of the sketches"));
    m_graph->setReadable(kMinFit);
    m_graph->installEventFilter(this);
    m_graph->viewport()->installEventFilter(this);
    connect(&content, &TreeContent::replacing, this, [this] { m_focus = m_current = -1; });
    connect(&content, &TreeContent::shownChanged, this, &TreePane::draw);
    connect(&content, &TreeContent::replaced, this, [this] {
        follow(m_context.session.selection().now(), {});
        showStart();
    });
    connect(&content, &TreeContent::recounted, this, &TreePane::showNumbers);
    connect(&context.session.selection(), &Selection::changed, this, &TreePane::follow);
    connect(&context.theme, &Theme::changed, this, &TreePane::redraw);
}

int TreePane::keysAt() const { return m_content.indexOf(m_current >= 0 ? m_current : m_focus); }

void TreePane::showStart() {
    // Everything, where that is legible; else the naive state at the left edge and the first rows: in a small tree it
    // stands in the middle of them, in a tall one at their top.
    QRectF first = m_picture.nodeRect(0);
    const double seen = (m_graph->viewport()->height() - 32) / kStartZoom;
    const double top = std::max(m_picture.bounds().top(), first.center().y() - seen / 2);
    first = QRectF(first.left(), top, first.width(), first.height());
    m_graph->showStart(first, kStartZoom);
    m_atStart = true;
}

void TreePane::zoomToFit() {
    m_atStart = false; // the view itself fits again when its size changes
    m_graph->zoomToFit();
}

void TreePane::redraw() { m_content.choose(m_content.choice()); }

void TreePane::draw() {
    if (m_content.shown().nodes.empty()) {
        m_picture.clear();
        return;
    }
    m_picture.build(m_content.tree(), m_content.shown(), m_context.session.document()->sketches);
    showNumbers();
}

void TreePane::showNumbers() {
    if (m_content.shown().nodes.empty()) return;
    m_picture.setNumbers(m_content.tree(), m_content.shown(), m_content.statistics());
    mark();
}

bool TreePane::eventFilter(QObject *watched, QEvent *event) {
    if (watched == m_graph->viewport() && event->type() == QEvent::Resize) {
        // Behind the view's own answer, which knows only where the picture began before.
        if (m_atStart && m_graph->untouched())
            QTimer::singleShot(0, this, [this] {
                if (m_graph->untouched()) showStart();
            });
    } else if (watched == m_graph && (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)) {
        mark();
    }
    return QObject::eventFilter(watched, event);
}

// --- Where one is
// -----------------------------------------------------------------------------------------------------

void TreePane::activate(int index) {
    const DerivationNode &node = m_content.nodeAt(index);
    m_current = node.number;
    Selected next = m_context.session.selection().now();
    next.derivation = node.number;
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
    m_focus = next.derivation; // selected already, or again
    mark();
}

void TreePane::setCurrent(int index) {
    if (index < 0) return;
    m_current = m_content.shownAt(index).number;
    mark();
    m_graph->reveal(m_picture.nodeRect(index));
    m_graph->setFocusRect(m_picture.nodeRect(index));
}

void TreePane::leave() {
    m_focus = m_current = -1;
    Selected now = m_context.session.selection().now();
    now.derivation = -1;
    m_context.session.selection().set(now);
    mark();
}

void TreePane::follow(const Selected &now, const Selected &before) {
    const bool scheduleNew = !(now.schedule == before.schedule);
    const bool nodeNew = now.derivation != before.derivation;
    const int known = static_cast<int>(m_content.tree().nodes.size());
    // What changed last is what one looks at.
    if (nodeNew && now.derivation >= 0 && now.derivation < known)
        m_focus = now.derivation;
    else if (scheduleNew || nodeNew)
        m_focus = m_content.nodeOf(now);
    if ((nodeNew || scheduleNew) && m_focus >= 0) m_current = m_focus; // the keys go on from there
    if (m_content.shown().nodes.empty()) return;
    mark();
    const int index = m_content.indexOf(m_focus);
    if (index >= 0) m_graph->setFocusRect(m_picture.nodeRect(index));
    if (index >= 0 && !m_own && (scheduleNew || nodeNew)) m_graph->reveal(m_picture.nodeRect(index));
}

void TreePane::setFound(std::vector<FoundNode> found) {
    m_found = std::move(found);
    m_foundNow = -1;
    mark();
}

void TreePane::showFound(int now) {
    m_foundNow = now;
    const FoundNode found = m_found[static_cast<size_t>(now)];
    TreeChoice choice = m_content.choice();
    bool changed = false;
    for (const int above : m_content.tree().pathTo(found.number))
        if (above != found.number) changed = choice.collapsed.erase(above) > 0 || changed;
    if (found.refused && !choice.listAll && !choice.filters()) {
        changed = choice.listed.insert(found.number).second || changed;
        const int index = m_content.indexOf(found.number);
        if (index >= 0 && m_content.shownAt(index).number != found.number) {
            const auto &steps = m_content.shownAt(index).steps;
            choice.unfolded.insert(steps.begin(), steps.end());
            changed = true;
        }
    }
    if (changed) m_content.choose(std::move(choice));
    m_current = found.number;
    mark();
    if (const int index = m_content.indexOf(found.number); index >= 0) m_graph->reveal(m_picture.nodeRect(index));
}

// --- What stays in place
// ----------------------------------------------------------------------------------------------

void TreePane::change(TreeChoice choice, int kept, int current) {
    const QPointF before = m_picture.nodeRect(m_content.indexOf(kept)).topLeft();
    if (current >= 0) m_current = current;
    m_content.choose(std::move(choice));
    const int index = m_content.indexOf(kept);
    if (index < 0) return;
    const QPointF after = m_picture.nodeRect(index).topLeft();
    const QPointF middle = m_graph->mapToScene(m_graph->viewport()->rect().center());
    m_graph->centerOn(middle + after - before);
}

void TreePane::keepInView(const QRectF &area) {
    // Behind the layout, should the panel have taken some of the room.
    QTimer::singleShot(0, this, [this, area] {
        const double margin = 24 / m_graph->zoom();
        const QRectF seen = m_graph->mapToScene(m_graph->viewport()->rect()).boundingRect();
        const QSizeF room(std::max(1.0, seen.width() - 2 * margin), std::max(1.0, seen.height() - 2 * margin));
        m_graph->reveal(QRectF(area.topLeft(), area.size().boundedTo(room)));
    });
}

// --- Marks
// ------------------------------------------------------------------------------------------------------------

void TreePane::mark() {
    const ShownTree &shown = m_content.shown();
    if (shown.nodes.empty()) return;
    const Selected &now = m_context.session.selection().now();
    std::vector<TreeMarks> marks(shown.nodes.size());
    const auto at = [&](int index) -> TreeMarks & { return marks[static_cast<size_t>(index)]; };
    const int focus = m_content.indexOf(m_focus);
    for (int above = focus; above >= 0; above = m_content.shownAt(above).parent) at(above).onPath = true;
    if (focus >= 0) at(focus).selected = true;
    if (const int index = current(); index >= 0 && m_graph->hasFocus()) at(index).current = true;
    if (!now.stage.isEmpty())
        for (size_t i = 0; i < marks.size(); ++i)
            for (const int step : shown.nodes[i].steps)
                if (m_content.tree().nodes[static_cast<size_t>(step)].by.stage == now.stage) marks[i].stage = true;
    for (size_t i = 0; i < m_found.size(); ++i)
        if (const int index = m_content.indexOf(m_found[i].number); index >= 0) {
            at(index).found = true;
            if (static_cast<int>(i) == m_foundNow) at(index).foundNow = true;
        }
    m_picture.setMarks(marks);
    Q_EMIT marked();
    markSelectedTime();
}

/// The selected trial among the times of its sketch.
void TreePane::markSelectedTime() {
    const Selected &now = m_context.session.selection().now();
    int sketch = -1;
    double seconds = std::numeric_limits<double>::quiet_NaN();
    const Document *document = m_context.session.document();
    const size_t trial = static_cast<size_t>(std::max(now.schedule.number, 0));
    if (document && now.schedule.kind == ScheduleRef::Kind::Trial && trial < document->trials.size()) {
        sketch = document->trials[trial].sketch;
        if (document->trials[trial].valid() && !document->trials[trial].untimed())
            seconds = document->trials[trial].seconds();
    }
    m_picture.setSelectedSeconds(sketch, seconds);
}

} // namespace loopscope
