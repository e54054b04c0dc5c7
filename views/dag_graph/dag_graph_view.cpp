#include "views/dag_graph/dag_graph_view.h"

#include "views/dag_graph/dag_commands.h"
#include "views/dag_graph/dag_find.h"
#include "views/dag_graph/dag_legend.h"
#include "views/dag_graph/stage_tooltip.h"
#include "views/graph/graph_find_bar.h"
#include "views/graph/view_overlays.h"
#include "views/session/text.h"

#include <QEvent>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

DagGraphView::DagGraphView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_graph(new GraphView(context.theme, this)),
      m_scene(std::make_unique<DagScene>(*m_graph, context.theme)),
      m_find(new GraphFindBar(context.theme, tr("Find a stage by name, axis, attribute or expression"),
                              tr("Find in the ComputeDAG"), this)),
      m_legend(new DagLegend(context.theme, m_graph)), m_tools(new QToolBar(this)), m_summary(new QLabel(this)),
      m_navigation(context.session.selection(), *m_graph, *m_scene) {
    setObjectName(QStringLiteral("DagGraphView"));
    setFocusProxy(m_graph);
    m_graph->setAccessibleName(tr("ComputeDAG"));
    m_tools->setIconSize({16, 16});
    m_tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_commands = new DagCommands(context, *this, m_navigation, *m_legend, *m_tools);

    auto *row = new QHBoxLayout;
    row->setContentsMargins(4, 0, 8, 0);
    row->addWidget(m_tools, 1);
    row->addWidget(m_summary);
    m_summary->setMinimumWidth(1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_find);
    layout->addWidget(m_graph, 1);

    connectGraph();
    connect(m_find, &GraphFindBar::wordsChanged, this, &DagGraphView::find);
    connect(m_find, &GraphFindBar::stepRequested, this, &DagGraphView::findStep);
    connect(m_find, &GraphFindBar::closed, this, [this] {
        m_found.clear();
        m_scene->setMatches({}, false);
        m_graph->setFocus();
    });
    Session &session = m_context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &DagGraphView::documentChanged);
    connect(&session.documents(), &Documents::problemChanged, this, &DagGraphView::showState);
    // Queued, in every view: each shows what came in an event of its own, so that none has to wait for all.
    const auto placements = [this](const ScheduleRef &ref) {
        if (ref == m_context.session.selection().now().schedule) updatePlacements();
    };
    connect(&session.representations(), &RepresentationCache::representationsReady, this, placements,
            Qt::QueuedConnection);
    connect(&session.selection(), &Selection::changed, this, &DagGraphView::follow);
    connect(&session.jobs(), &Jobs::cancelled, this, &DagGraphView::layoutCancelled);
    // Colours are looked up when painting, but the size of the code font is part of the layout.
    connect(&m_context.theme, &Theme::changed, this, [this] {
        if (m_scene->picture() && m_scene->picture()->options.fonts != nodeFonts(m_context.theme)) layOutAgain();
    });
    documentChanged();
}

DagGraphView::~DagGraphView() { m_context.session.jobs().cancel(m_job); }

void DagGraphView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    if (m_stale) documentChanged();
}

void DagGraphView::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if ((event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) && m_scene->picture() &&
        m_scene->picture()->options.fonts != nodeFonts(m_context.theme))
        layOutAgain();
}

// --- Document and layout
// ----------------------------------------------------------------------------------------------

void DagGraphView::documentChanged() {
    m_stale = !isVisible();
    if (m_stale) return; // docked away: no work until it is seen
    const Document *document = m_context.session.document();
    if (!document || !document->task) {
        m_context.session.jobs().cancel(m_job);
        m_job = 0;
        m_graph->notices().clearBusy();
        m_dag.reset();
        m_facts.reset();
        if (!document) m_scene->clear(); // the picture before stays until the new text is understood
        showState();
        return;
    }
    if (document->id != m_document) {
        m_collapse.reset();
        m_expanded.clear();
        m_anchor.reset();
        m_placements.clear();
    }
    if (document->task->dag != m_dag) {
        m_dag = document->task->dag;
        m_facts.reset();
        layOutAgain();
    }
    showState();
    updatePlacements();
}

void DagGraphView::showState() {
    if (m_stale) return;
    const Document *document = m_context.session.document();
    m_graph->notices().setNote({});
    if (!document) {
        QAction *open = m_context.actions.find(Capability::OpenFile);
        m_graph->notices().setEmptyText(
            tr("Open a workload to see its ComputeDAG: what is computed from what, and how it is read."),
            open ? tr("Open \u2026") : QString(), [open = QPointer<QAction>(open)] {
                if (open) open->trigger();
            });
    } else if (document->problem && !document->task) {
        QString text = tr("There is no ComputeDAG to show: %1").arg(document->problem->sentence);
        if (document->problem->line > 0)
            text = tr("There is no ComputeDAG to show. Line %1: %2")
                       .arg(document->problem->line)
                       .arg(document->problem->sentence);
        m_graph->notices().setEmptyText(text);
        m_scene->clear();
    } else if (!document->task) {
        m_graph->notices().setEmptyText(tr("Analysing %1 \u2026").arg(document->name));
    } else if (m_job != 0) {
        m_graph->notices().setEmptyText(tr("Laying out %1 \u2026").arg(document->name));
    }
    const bool outdated = document && document->problem && document->task;
    if (outdated && m_job == 0) m_graph->notices().setNote(tr("The text has an error; this is its last good version."));
    m_graph->setDimmed(m_scene->picture() && (outdated || m_scene->picture()->facts != m_facts));
    updateSummary();
}

bool DagGraphView::collapsing() const {
    if (m_collapse) return *m_collapse;
    return m_dag && m_dag->size() > kCollapseAbove;
}

void DagGraphView::setCollapsing(bool collapse) {
    if (collapse == collapsing()) return;
    m_collapse = collapse;
    m_expanded.clear();
    layOutAgain();
}

void DagGraphView::setExpanded(const QString &chain, bool expanded) {
    if (expanded)
        m_expanded.insert(chain);
    else
        m_expanded.erase(chain);
    layOutAgain(chain);
}

/// `keep`: a stage that stays where it is on the screen.
void DagGraphView::layOutAgain(const QString &keep) {
    m_commands->showCollapsing(collapsing());
    if (!m_dag) return;
    Jobs &jobs = m_context.session.jobs();
    if (m_job != 0) {
        const int before = std::exchange(m_job, 0); // its end is no news
        jobs.cancel(before);
    }
    const QString anchor = keep.isEmpty() ? m_context.session.selection().now().stage : keep;
    m_anchor.reset();
    if (const int node = m_scene->nodeOfStage(anchor); node >= 0) {
        const QPointF at = m_graph->mapFromScene(m_scene->rectOf(node).topLeft());
        if (m_graph->viewport()->rect().contains(at.toPoint())) m_anchor = Anchor{anchor, at};
    }
    PictureOptions options;
    options.collapse = collapsing();
    options.expanded = m_expanded;
    options.fonts = nodeFonts(m_context.theme);
    const size_t stages = stageCount(*m_dag);
    m_job = jobs.start(
        tr("Laying out the ComputeDAG"), this,
        [dag = m_dag, facts = m_facts, options](JobControl &control) {
            return layOut(dagPicture(facts ? facts : dagFacts(*dag), options), control.cancelFlag());
        },
        [this](const DagPicturePtr &picture) { layoutDone(picture); },
        [this](const QString &problem) { layoutEnded(problem); });
    m_graph->notices().setBusy(tr("Laying out %1 \u2026").arg(countedText(stages, "stage")),
                               [this] { m_context.session.jobs().cancel(m_job); });
    showState();
}

void DagGraphView::layoutDone(const DagPicturePtr &picture) {
    m_job = 0;
    m_graph->notices().clearBusy();
    if (!picture) return;
    const Document *document = m_context.session.document();
    const bool other = !document || document->id != m_document || !m_scene->picture();
    if (document) m_document = document->id;
    const bool moved = !m_graph->untouched();
    m_facts = picture->facts;
    m_scene->show(picture);
    const int anchor = m_anchor ? m_scene->nodeOfStage(m_anchor->stage) : -1;
    if (other || (!moved && anchor < 0))
        m_graph->showStart(m_scene->rectOf(0));
    else if (anchor >= 0)
        m_graph->moveTo(m_scene->rectOf(anchor).topLeft(), m_anchor->at);
    m_anchor.reset();
    if (m_find->isVisible()) find(m_find->words());
    m_legend->place();
    showState();
    updatePlacements();
}

void DagGraphView::layoutEnded(const QString &problem) {
    m_job = 0;
    m_graph->notices().clearBusy();
    m_context.session.messages().fail(tr("The ComputeDAG cannot be laid out."), problem);
    showState();
    const auto again = [this] { layOutAgain(); };
    if (m_scene->picture())
        m_graph->notices().setNote(tr("The layout failed."), tr("Try again"), again);
    else
        m_graph->notices().setEmptyText(problem, tr("Try again"), again);
}

void DagGraphView::layoutCancelled(int job) {
    if (job != m_job || job == 0) return;
    m_job = 0;
    m_graph->notices().clearBusy();
    showState();
    const auto again = [this] { layOutAgain(); };
    if (m_scene->picture()) {
        m_graph->setDimmed(m_scene->picture()->facts != m_facts);
        m_graph->notices().setNote(tr("The layout was cancelled."), tr("Lay out again"), again);
    } else {
        m_graph->notices().setEmptyText(tr("The layout was cancelled."), tr("Lay out again"), again);
    }
}

void DagGraphView::updatePlacements() {
    if (m_stale || !m_facts) return;
    const RepresentationsPtr forms =
        m_context.session.representations().of(m_context.session.selection().now().schedule);
    if (!forms) return; // the ones before stay until representationsReady
    const Document *document = m_context.session.document();
    const bool gpu = document && document->task && document->task->target.isGpu();
    m_placements = forms->state ? placements(*forms->state, *m_facts, gpu) : std::map<QString, Placement>{};
    m_scene->setPlacements(m_placements);
    const auto kept = [](const auto &one) { return one.memory != ScopeRank::Global; };
    m_legend->setMemories(std::any_of(m_placements.begin(), m_placements.end(), [&](const auto &placed) {
        return kept(placed.second) || std::any_of(placed.second.added.begin(), placed.second.added.end(), kept);
    }));
    updateSummary();
}

void DagGraphView::updateSummary() {
    const Document *document = m_context.session.document();
    QStringList parts;
    if (document && document->task) {
        parts << countedText(stageCount(*document->task->dag), "stage");
        if (document->flops() > 0) {
            const QString count = countText(document->flops()); // "231.2 M"
            parts << (count.contains(u' ') ? count : count + u' ') + QStringLiteral("FLOP");
        }
        parts << scheduleName(m_context.session.selection().now().schedule);
    }
    m_summaryParts = parts;
    m_summary->setToolTip(parts.isEmpty() ? QString()
                                          : tr("%1: stages of the ComputeDAG, its floating-point operations, and the "
                                               "schedule whose placement is shown")
                                                .arg(parts.join(QStringLiteral(" · "))));
    showSummary();
}

void DagGraphView::showSummary() {
    const int room = width() - m_tools->sizeHint().width() - 24;
    // What does not fit whole is left out, from the end: half a number says nothing.
    QStringList shown = m_summaryParts;
    const auto text = [&shown] { return shown.join(QStringLiteral(" · ")); };
    while (!shown.isEmpty() && m_summary->fontMetrics().horizontalAdvance(text()) > room) shown.removeLast();
    m_summary->setText(text());
}

void DagGraphView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    showSummary();
}

void DagGraphView::follow(const Selected &now, const Selected &before) {
    m_scene->setSelected(now.stage, now.iterator);
    if (now.schedule != before.schedule) updatePlacements();
    updateSummary();
    if (!m_own && now.stage != before.stage) m_graph->reveal(m_scene->rectOf(m_scene->selectedNode()));
}

// --- Mouse and keys
// ---------------------------------------------------------------------------------------------------

void DagGraphView::connectGraph() {
    connect(m_graph, &GraphView::itemClicked, this, [this](QGraphicsItem *item, QPointF point) { click(item, point); });
    connect(m_graph, &GraphView::itemDoubleClicked, this, [this](QGraphicsItem *item, QPointF point) {
        if (const int node = m_scene->hit(item, point).node; node >= 0) m_navigation.zoomToNode(node);
    });
    connect(m_graph, &GraphView::itemHovered, this, [this](QGraphicsItem *item) { m_scene->setHovered(item); });
    connect(m_graph, &GraphView::menuRequested, this, [this](QGraphicsItem *item, QPointF point, QPointF global) {
        m_commands->popUp(item, point, global.toPoint());
    });
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
    connect(m_graph, &GraphView::nextRequested, this, [this](int direction) { m_navigation.selectNext(direction); });
    connect(m_graph, &GraphView::arrowPressed, this, [this](int key) { m_navigation.selectNeighbour(key); });
    connect(m_graph, &GraphView::enterPressed, this, [this] { m_navigation.zoomToNode(m_scene->selectedNode()); });
    m_graph->setToolTips([this](QGraphicsItem *item, QPointF point) { return toolTipAt(item, point); });
}

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

// --- Find
// -------------------------------------------------------------------------------------------------------------

void DagGraphView::startFind() { m_find->open(); }

void DagGraphView::find(const QString &words) {
    m_found = m_facts ? findStages(*m_facts, words) : std::vector<int>{};
    m_foundAt = -1;
    m_scene->setMatches({m_found.begin(), m_found.end()}, !words.trimmed().isEmpty());
    m_find->setFound(m_foundAt, static_cast<int>(m_found.size()));
    if (!m_found.empty() && m_scene->picture())
        m_graph->reveal(m_scene->rectOf(m_scene->picture()->nodeOf[static_cast<size_t>(m_found[0])]));
}

void DagGraphView::findStep(int direction) {
    if (m_found.empty() || !m_facts) return;
    const int count = static_cast<int>(m_found.size());
    m_foundAt = m_foundAt < 0 ? (direction > 0 ? 0 : count - 1) : (m_foundAt + direction + count) % count;
    m_find->setFound(m_foundAt, count);
    const auto stage = static_cast<size_t>(m_found[static_cast<size_t>(m_foundAt)]);
    m_context.session.selection().selectStage(m_facts->stages[stage].name);
    m_graph->reveal(m_scene->rectOf(m_scene->selectedNode()));
}

} // namespace loopscope
