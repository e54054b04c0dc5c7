#include "views/sketch_tree/sketch_tree_view.h"

#include "views/session/text.h"
#include "views/sketch_tree/lineage_view.h"
#include "views/sketch_tree/reasons_panel.h"
#include "views/sketch_tree/tree_picture.h"

#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QSplitter>
#include <QToolBar>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {
constexpr size_t kMostNodes = 200;  // shown at first; the rest is collapsed
constexpr size_t kSlice = 4000;     // rules tried, read between two frames
constexpr int kRefreshMs = 100;     // numbers of a running search
constexpr double kStartZoom = 0.85; // smaller is not legible: then the beginning is shown, not everything
constexpr double kLeastFit = 0.65;  // the same when the user asks for everything
} // namespace

SketchTreeView::SketchTreeView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("SketchTreeView"));
    setAccessibleName(tr("Sketch tree"));
    m_graph = new GraphView(context.theme, this);
    m_graph->setAccessibleName(tr("Derivation of the sketches"));
    setFocusProxy(m_graph);
    m_picture = std::make_unique<TreePicture>(*m_graph, context.theme);
    m_graph->setReadable(kLeastFit);
    m_side = new QSplitter(Qt::Vertical, this);
    m_reasons = new ReasonsPanel(context.theme, m_side);
    m_lineage = new LineageView(context, m_side);
    m_summary = new QLabel(this);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setContentsMargins(8, 2, 8, 4);
    m_summary->setWordWrap(true);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    makeTools();

    auto *tree = new QWidget(this);
    auto *column = new QVBoxLayout(tree);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_findBar);
    column->addWidget(m_graph, 1);
    column->addWidget(m_summary);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->addWidget(tree);
    m_splitter->addWidget(m_side);
    m_splitter->setCollapsible(0, false);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setSizes({3 * m_lineage->sizeHint().width(), m_lineage->sizeHint().width()});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tools);
    layout->addWidget(m_splitter, 1);
    makeActions();
    connectInput();

    m_refresh.setSingleShot(true);
    m_refresh.setInterval(kRefreshMs);
    connect(&m_refresh, &QTimer::timeout, this, &SketchTreeView::refreshNumbers);
    m_slice.setSingleShot(true);
    m_slice.setInterval(0);
    connect(&m_slice, &QTimer::timeout, this, &SketchTreeView::readSlice);
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &SketchTreeView::readDocument);
    connect(&session.documents(), &Documents::sketchesChanged, this, &SketchTreeView::readDocument);
    connect(&session.documents(), &Documents::problemChanged, this, &SketchTreeView::showEmpty);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, [this] { numbersChanged(false); });
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [this] { numbersChanged(true); });
    connect(&session.trials(), &TaskTrials::trialsReset, this, [this] { numbersChanged(true); });
    connect(&session.trials(), &TaskTrials::roundsChanged, this, [this] { numbersChanged(false); });
    connect(&session.trials(), &TaskTrials::bestChanged, this, [this] { numbersChanged(false); });
    connect(&session.selection(), &Selection::changed, this, &SketchTreeView::follow);
    connect(&context.theme, &Theme::changed, this, &SketchTreeView::rebuild);
    readDocument();
}

SketchTreeView::~SketchTreeView() = default;

void SketchTreeView::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_picture) rebuild();
}

// --- What is shown
// ----------------------------------------------------------------------------------------------------

void SketchTreeView::readDocument() {
    const Document *document = m_context.session.document();
    showLineage();
    // Told twice of one change, or of a search that derived the same again: only the numbers may be others.
    const bool same = document && document->id == m_documentId && document->task == m_task &&
                      document->derivation.size() == m_steps && !m_tree.empty();
    if (same) {
        numbersChanged(true);
        showEmpty();
        return;
    }
    m_reader.reset();
    m_slice.stop();
    m_task = document ? document->task : nullptr;
    m_steps = document ? document->derivation.size() : 0;
    if (!m_task || m_steps == 0) {
        takeTree({});
        return;
    }
    m_reader = std::make_unique<DerivationReader>(m_task->dag);
    if (m_steps > kSlice) takeTree({}); // what was shown is of another task
    readSlice();
}

void SketchTreeView::readSlice() {
    const Document *document = m_context.session.document();
    if (!m_reader || !document || document->task != m_task) return; // told of it in a moment
    if (!m_reader->read(document->derivation, kSlice)) {
        m_slice.start();
        return;
    }
    DerivationTree tree = m_reader->finish(document->sketches);
    m_reader.reset();
    takeTree(std::move(tree));
}

void SketchTreeView::takeTree(DerivationTree tree) {
    const Document *document = m_context.session.document();
    m_tree = std::move(tree);
    const int id = document ? document->id : -1;
    TreeChoice fresh;
    fresh.fold = m_choice.fold;
    fresh.refused = m_choice.refused;
    if (id == m_documentId) { // the filter stays while one edits, when it still names something
        if (m_tree.stages.contains(m_choice.stage)) fresh.stage = m_choice.stage;
        if (m_tree.rules.contains(m_choice.rule)) fresh.rule = m_choice.rule;
    }
    m_documentId = id;
    m_choice = fresh;
    m_choice.collapsed = collapseBeyond(m_tree, m_choice, kMostNodes);
    m_focus = m_current = -1;
    closeFind();
    fillFilters();
    if (document) m_statistics.reset(*document);
    m_counted = document ? document->trials.size() : 0;
    rebuild();
    follow(m_context.session.selection().now(), {});
    showStart();
}

void SketchTreeView::showStart() {
    // Everything, where that is legible; else the naive state at the left edge and the first rows: in a small tree it
    // stands in the middle of them, in a tall one at their top.
    QRectF first = m_picture->nodeRect(0);
    const double seen = (m_graph->viewport()->height() - 32) / kStartZoom;
    const double top = std::max(m_picture->bounds().top(), first.center().y() - seen / 2);
    first = QRectF(first.left(), top, first.width(), first.height());
    m_graph->showStart(first, kStartZoom);
    m_atStart = true;
}

void SketchTreeView::zoomToFit() {
    m_atStart = false; // the view itself fits again when its size changes
    m_graph->zoomToFit();
}

void SketchTreeView::rebuild() {
    m_shown = makeShownTree(m_tree, m_choice);
    m_reasonsOf = -2;
    if (m_shown.nodes.empty()) {
        m_picture->clear();
    } else {
        m_picture->build(m_tree, m_shown, m_context.session.document()->sketches);
        m_picture->setNumbers(m_tree, m_shown, m_statistics);
        mark();
    }
    showEmpty();
    updateSummary();
}

void SketchTreeView::showEmpty() {
    const Document *document = m_context.session.document();
    QString text;
    if (!document)
        text = tr("Open a workload to see how its sketches are derived.");
    else if (!document->task && document->problem)
        text = tr("No sketches: %1.").arg(document->problem->sentence);
    else if (!document->sketchProblem.isEmpty())
        text = tr("No sketches: %1").arg(document->sketchProblem);
    else if (document->analysing || !document->task || m_reader)
        text = tr("Deriving the sketches \u2026");
    else
        text = tr("The rules made no sketch of this workload.");
    m_graph->setEmptyText(text);
    if (m_shown.nodes.empty()) showReasons();
    const bool some = !m_shown.nodes.empty();
    m_tools->setEnabled(some);
    m_summary->setVisible(some);
    m_graph->setDimmed(some && document && document->problem.has_value()); // of the last text that was good
}

void SketchTreeView::numbersChanged(bool all) {
    m_recount = m_recount || all;
    if (!m_refresh.isActive()) m_refresh.start();
}

void SketchTreeView::refreshNumbers() {
    showLineage();
    const Document *document = m_context.session.document();
    if (!document || m_shown.nodes.empty()) return;
    if (m_recount || document->trials.size() < m_counted) {
        m_statistics.reset(*document);
    } else {
        m_statistics.countSampled(*document);
        m_statistics.add(*document, m_counted);
    }
    m_counted = document->trials.size();
    m_recount = false;
    m_picture->setNumbers(m_tree, m_shown, m_statistics);
    mark();
    updateSummary();
}

void SketchTreeView::updateSummary() {
    const Document *document = m_context.session.document();
    if (!document) return;
    QStringList parts;
    const auto sketches = static_cast<int>(document->sketches.size());
    parts << (countedText(static_cast<size_t>(sketches), "sketch", "sketches"));
    parts << tr("%1 rules applied, %2 refused").arg(m_tree.applied).arg(m_tree.refused);
    if (m_shown.hiddenByFilter > 0)
        parts << tr("%1 hidden by the filter")
                     .arg(countedText(static_cast<size_t>(m_shown.hiddenByFilter), "sketch", "sketches"));
    if (document->trials.empty())
        parts << tr("not searched yet");
    else if (m_statistics.bestSketch() >= 0)
        parts << tr("%1, the best of sketch %2")
                     .arg(trialCountText(document->trials.size()))
                     .arg(m_statistics.bestSketch());
    else
        parts << trialCountText(document->trials.size());
    if (m_statistics.unknown() > 0) parts << tr("%1 of no sketch here").arg(m_statistics.unknown());
    m_summary->setText(parts.join(QStringLiteral("  \u00b7  ")));
    m_summary->setToolTip(m_summary->text());
    QPalette palette = m_summary->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
    m_summary->setPalette(palette);
}

// --- The selection
// ----------------------------------------------------------------------------------------------------

int SketchTreeView::nodeOf(const Selected &selected) const {
    const Document *document = m_context.session.document();
    const auto endOf = [this](int sketch) {
        return sketch >= 0 && static_cast<size_t>(sketch) < m_tree.endOf.size()
                   ? m_tree.endOf[static_cast<size_t>(sketch)]
                   : -1;
    };
    if (!document) return -1;
    const int number = selected.schedule.number;
    switch (selected.schedule.kind) {
    case ScheduleRef::Kind::Naive:
        return -1;
    case ScheduleRef::Kind::Sketch:
        return endOf(number);
    case ScheduleRef::Kind::Trial:
        if (number < 0 || static_cast<size_t>(number) >= document->trials.size()) return -1;
        return endOf(document->trials[static_cast<size_t>(number)].sketch);
    }
    return -1;
}

int SketchTreeView::indexOf(int number) const {
    return number >= 0 && static_cast<size_t>(number) < m_shown.placeOf.size()
               ? m_shown.placeOf[static_cast<size_t>(number)]
               : -1;
}

void SketchTreeView::follow(const Selected &now, const Selected &before) {
    const bool scheduleNew = !(now.schedule == before.schedule);
    const bool nodeNew = now.derivation != before.derivation;
    const int known = static_cast<int>(m_tree.nodes.size());
    // What changed last is what one looks at.
    if (nodeNew && now.derivation >= 0 && now.derivation < known)
        m_focus = now.derivation;
    else if (scheduleNew || nodeNew)
        m_focus = nodeOf(now);
    if ((nodeNew || scheduleNew) && m_focus >= 0) m_current = m_focus; // the keys go on from there
    if (m_shown.nodes.empty()) return;
    mark();
    const int index = indexOf(m_focus);
    if (index >= 0) m_graph->setFocusRect(m_picture->nodeRect(index));
    if (index >= 0 && !m_own && (scheduleNew || nodeNew)) m_graph->reveal(m_picture->nodeRect(index));
}

void SketchTreeView::mark() {
    if (m_shown.nodes.empty()) return;
    const Selected &now = m_context.session.selection().now();
    std::vector<TreeMarks> marks(m_shown.nodes.size());
    const int focus = indexOf(m_focus);
    for (int at = focus; at >= 0; at = m_shown.nodes[static_cast<size_t>(at)].parent)
        marks[static_cast<size_t>(at)].onPath = true;
    if (focus >= 0) marks[static_cast<size_t>(focus)].selected = true;
    if (const int current = indexOf(m_current); current >= 0 && m_graph->hasFocus())
        marks[static_cast<size_t>(current)].current = true;
    if (!now.stage.isEmpty())
        for (size_t i = 0; i < marks.size(); ++i)
            for (const int step : m_shown.nodes[i].steps)
                if (m_tree.nodes[static_cast<size_t>(step)].by.stage == now.stage) marks[i].stage = true;
    for (size_t i = 0; i < m_found.size(); ++i)
        if (const int at = indexOf(m_found[i].number); at >= 0) {
            marks[static_cast<size_t>(at)].found = true;
            if (static_cast<int>(i) == m_foundNow) marks[static_cast<size_t>(at)].foundNow = true;
        }
    m_picture->setMarks(marks);
    showReasons();

    // The selected trial among the times of its sketch.
    int sketch = -1;
    double seconds = std::numeric_limits<double>::quiet_NaN();
    const Document *document = m_context.session.document();
    const size_t trial = static_cast<size_t>(std::max(now.schedule.number, 0));
    if (document && now.schedule.kind == ScheduleRef::Kind::Trial && trial < document->trials.size()) {
        sketch = document->trials[trial].sketch;
        if (document->trials[trial].valid()) seconds = document->trials[trial].seconds();
    }
    m_picture->setSelectedSeconds(sketch, seconds);
}

// --- Export
// -----------------------------------------------------------------------------------------------------------

QString SketchTreeView::text() const { return shownText(m_tree, m_shown); }

QStringList SketchTreeView::exportSuffixes() const { return m_graph->exportSuffixes() << QStringLiteral("txt"); }

QString SketchTreeView::exportTo(const QString &path) {
    if (QFileInfo(path).suffix().compare(QLatin1String("txt"), Qt::CaseInsensitive) != 0)
        return m_graph->exportTo(path);
    QFile file(path);
    const QByteArray bytes = text().toUtf8();
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(bytes) != bytes.size())
        return tr("%1 cannot be written: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
