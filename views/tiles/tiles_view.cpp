#include "views/tiles/tiles_view.h"

#include "schedule/bound_inference.h"
#include "views/actions/elided_label.h"
#include "views/actions/flow_layout.h"
#include "views/graph/graph_view.h"
#include "views/graph/view_overlays.h"
#include "views/session/kernel_facts.h"
#include "views/session/text.h"
#include "views/tiles/tile_facts.h"
#include "views/tiles/tile_scene.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

constexpr int kSpace = 6;

/// Why there are no tiles, before any schedule was looked at; empty: there may be some.
QString whyNoTiles(const Document *document) {
    if (document == nullptr)
        return QObject::tr("Open a workload to see into which tiles the loops of a schedule cut it: by blocks and "
                           "threads, or by parallel loops.");
    if (document->logTask) return QObject::tr("The workload of this log is not known, so there are no loops to show.");
    if (document->task) return {};
    return document->problem ? QObject::tr("There are no tiles to show: %1").arg(document->problem->sentence)
                             : QObject::tr("Analysing %1 \u2026").arg(document->name);
}

struct Made {
    KernelTilesPtr kernels;
    QString refusal;
};

/// Shared memory is told as everywhere else: as the kernels have it.
void addShared(std::vector<KernelTiles> &kernels, const LoopProgram &program, const Target &target) {
    for (const KernelFacts &facts : kernelFacts(program, target))
        for (KernelTiles &kernel : kernels)
            if (std::ranges::find(facts.limits.computes, kernel.output.name) != facts.limits.computes.end())
                kernel.sharedAsLowered = facts.limits.sharedBytes;
}

Made makeTiles(const Representations &forms, const Target &target) {
    if (!forms.state || !forms.state->concrete()) return {nullptr, forms.refusal};
    const Outcome<BoundedState> bounded = inferBounds(*forms.state, std::make_shared<ExprArena>());
    if (!bounded) return {nullptr, qt(bounded.why())};
    std::vector<KernelTiles> kernels = tilesOf(*bounded);
    const auto &program = forms.program ? forms.program : forms.beyondLimits;
    if (program && target.isGpu()) addShared(kernels, *program, target);
    return {std::make_shared<const std::vector<KernelTiles>>(std::move(kernels)), {}};
}

QString kernelName(const KernelTiles &kernel, size_t number) {
    return QObject::tr("%1: %2").arg(number + 1).arg(qt(kernel.output.name));
}

} // namespace

TilesView::TilesView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("TilesView"));
    build();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &TilesView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &TilesView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (!(now.schedule == before.schedule)) refresh();
        follow(now);
    });
    // Queued, in every view: each shows what came in an event of its own, so that none has to wait for all.
    connect(
        &session.representations(), &RepresentationCache::representationsReady, this,
        [this](const ScheduleRef &ref) {
            if (ref == m_context.session.selection().now().schedule) refresh();
        },
        Qt::QueuedConnection);
    connect(&context.theme, &Theme::changed, this, [this] { m_graph->viewport()->update(); });
    refresh();
}

TilesView::~TilesView() { m_context.session.jobs().cancel(m_job); }

void TilesView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    m_bar = new QWidget(this);
    auto *bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(kSpace, kSpace / 2, kSpace, kSpace / 2);
    m_kernels = new QComboBox(m_bar);
    m_kernels->setAccessibleName(tr("Kernel"));
    m_kernels->setToolTip(tr("Which of the kernels of the schedule"));
    m_kernels->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kernels->setMinimumContentsLength(12);
    bar->addWidget(m_kernels);
    m_axes = new QWidget(m_bar);
    auto *axes = new QHBoxLayout(m_axes);
    axes->setContentsMargins(0, 0, 0, 0);
    const auto addAxis = [&](const QString &text, const QString &name) {
        axes->addWidget(new QLabel(text, m_axes));
        auto *combo = new QComboBox(m_axes);
        combo->setAccessibleName(name);
        combo->setToolTip(name);
        axes->addWidget(combo);
        return combo;
    };
    m_rows = addAxis(QStringLiteral("\u2193"), tr("Axis shown downward"));
    m_columns = addAxis(QStringLiteral("\u2192"), tr("Axis shown to the right"));
    bar->addWidget(m_axes);
    m_summary = new ElidedLabel(m_bar);
    m_summary->setAccessibleName(tr("Tiles in short"));
    bar->addWidget(m_summary, 1);
    page->addWidget(m_bar);

    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_graph = new GraphView(m_context.theme, m_splitter);
    m_graph->setAccessibleName(tr("Tiles"));
    setFocusProxy(m_graph);
    m_scene = std::make_unique<TileScene>(*m_graph, m_context.theme);
    m_facts = new TileFactModel(m_context.theme, this);
    m_table = new QTreeView(m_splitter);
    m_table->setAccessibleName(tr("Tiles in numbers"));
    m_table->setModel(m_facts);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    page->addWidget(m_splitter, 1);

    m_graph->setToolTips([this](QGraphicsItem *, QPointF scenePoint) { return tipAt(scenePoint); });
    connect(m_graph, &GraphView::itemClicked, this,
            [this](QGraphicsItem *, QPointF scenePoint, Qt::KeyboardModifiers) { click(scenePoint); });
    connect(m_kernels, &QComboBox::currentIndexChanged, this, [this](int number) {
        if (!m_filling) chooseKernel(number);
    });
    for (QComboBox *combo : {m_rows, m_columns})
        connect(combo, &QComboBox::currentIndexChanged, this, [this, combo] {
            if (m_filling) return;
            if (m_rows->currentIndex() == m_columns->currentIndex()) { // the other one makes room
                const QScopedValueRollback filling(m_filling, true);
                QComboBox *other = combo == m_rows ? m_columns : m_rows;
                other->setCurrentIndex(combo->currentIndex() == 0 ? 1 : 0);
            }
            m_focus.rows = m_rows->currentIndex();
            m_focus.columns = m_columns->currentIndex();
            showPicture(false);
        });
    connect(m_table, &QTreeView::clicked, this, [this](const QModelIndex &index) { pickRow(index.row()); });
    connect(m_table, &QTreeView::activated, this, [this](const QModelIndex &index) { pickRow(index.row()); });
}

// --- What is shown
// ---------------------------------------------------------------------------------------------------

const KernelTiles *TilesView::kernel() const {
    return m_tiles && static_cast<size_t>(m_kernel) < m_tiles->size() ? &(*m_tiles)[static_cast<size_t>(m_kernel)]
                                                                      : nullptr;
}

void TilesView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    refresh(); // what is made for it is made only while somebody looks
}

void TilesView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange(false);
    m_scene->arrange();
}

void TilesView::arrange(bool anew) {
    const Qt::Orientation wanted = width() > height() * 5 / 4 ? Qt::Horizontal : Qt::Vertical;
    if (!anew && m_splitter->orientation() == wanted) return;
    m_splitter->setOrientation(wanted);
    const int room = wanted == Qt::Horizontal ? m_splitter->width() : m_splitter->height();
    m_splitter->setSizes({room * 3 / 5, room * 2 / 5});
}

void TilesView::refresh() {
    if (!isVisible()) return;
    const Document *document = m_context.session.document();
    const QString why = whyNoTiles(document);
    if (!why.isEmpty()) return showNothing(why);
    const ScheduleRef ref = m_context.session.selection().now().schedule;
    const RepresentationsPtr forms = m_context.session.representations().of(ref);
    if (!forms) return; // the picture before stays until representationsReady
    if (document->taskId != m_task || !(ref == m_shown)) m_focus = {};
    m_task = document->taskId;
    m_shown = ref;
    m_context.session.jobs().cancel(m_job);
    m_job = m_context.session.jobs().start(
        tr("looking for the tiles"), this,
        [forms, target = document->task->target](JobControl &) { return makeTiles(*forms, target); },
        [this](const Made &made) {
            m_job = 0;
            if (made.kernels) return showKernels(made.kernels);
            showNothing(
                tr("The %1 has no tiles to show: %2.")
                    .arg(scheduleName(m_shown), made.refusal.isEmpty() ? tr("it is not complete") : made.refusal));
        });
}

void TilesView::showNothing(const QString &why) {
    m_context.session.jobs().cancel(m_job);
    m_job = 0;
    m_tiles.reset();
    m_scene->clear();
    m_graph->notices().setEmptyText(why);
    m_facts->setFacts({});
    m_table->hide();
    m_bar->hide();
}

void TilesView::showKernels(KernelTilesPtr kernels) {
    const bool again = m_tiles && m_tiles->size() == kernels->size();
    m_tiles = std::move(kernels);
    if (m_tiles->empty()) return showNothing(tr("This schedule computes nothing."));
    {
        const QScopedValueRollback filling(m_filling, true);
        m_kernels->clear();
        for (size_t k = 0; k < m_tiles->size(); ++k) m_kernels->addItem(kernelName((*m_tiles)[k], k));
        m_kernels->setVisible(m_tiles->size() > 1);
    }
    if (!again || static_cast<size_t>(m_kernel) >= m_tiles->size()) m_kernel = mainKernel(*m_tiles);
    chooseKernel(m_kernel);
    follow(m_context.session.selection().now());
}

void TilesView::chooseKernel(int number) {
    if (number < 0) return;
    if (number != m_kernel) m_focus = {};
    m_kernel = number;
    {
        const QScopedValueRollback filling(m_filling, true);
        m_kernels->setCurrentIndex(number);
    }
    fillAxes();
    showPicture(false);
}

void TilesView::fillAxes() {
    const QScopedValueRollback filling(m_filling, true);
    const KernelTiles *shown = kernel();
    m_rows->clear();
    m_columns->clear();
    m_axes->setVisible(shown != nullptr && shown->output.axes.size() > 2);
    if (shown == nullptr) return;
    for (size_t a = 0; a < shown->output.axes.size(); ++a)
        for (QComboBox *combo : {m_rows, m_columns})
            combo->addItem(tr("%1 of %2").arg(qt(shown->output.axes[a])).arg(shown->output.shape[a]));
    const TilePlane plane = planeOf(shown->output);
    m_rows->setCurrentIndex(m_focus.rows.value_or(plane.rows));
    m_columns->setCurrentIndex(m_focus.columns.value_or(plane.columns));
}

void TilesView::showPicture(bool again) {
    const KernelTiles *shown = kernel();
    const Document *document = m_context.session.document();
    if (shown == nullptr || document == nullptr || !document->task) return;
    m_bar->show();
    m_summary->setText(tileSummary(*shown));
    if (!hasTiles(*shown)) {
        m_scene->clear();
        m_graph->notices().setEmptyText(
            tr("The loops of %1 cut nothing into tiles in the %2. A schedule that binds loops to blocks and threads, "
               "makes them parallel or splits them has a picture here.")
                .arg(qt(shown->output.name), scheduleName(m_shown)));
        m_facts->setFacts({});
        m_table->hide();
        return;
    }
    if (m_table->isHidden()) { // has had no room yet
        m_table->show();
        arrange(true);
    }
    m_facts->setFacts(tileFacts(*shown, document->task->target));
    for (int c = 0; c + 1 < TileFactModel::ColumnCount; ++c) m_table->resizeColumnToContents(c);
    m_scene->show(tilePicture(*shown, m_focus), again);
}

// --- From and to the selection
// ---------------------------------------------------------------------------------------

void TilesView::select(const TileLoopRef &loop) {
    const QScopedValueRollback choosing(m_choosing, true);
    if (loop.iterator.isEmpty())
        m_context.session.selection().selectStage(loop.stage);
    else
        m_context.session.selection().selectIterator(loop.stage, loop.iterator);
}

void TilesView::pickRow(int row) {
    if (row < 0 || static_cast<size_t>(row) >= m_facts->facts().size()) return;
    const std::vector<TileLoopRef> &loops = m_facts->facts()[static_cast<size_t>(row)].loops;
    if (!loops.empty()) select(loops.front());
}

void TilesView::click(QPointF scenePoint) {
    const KernelTiles *shown = kernel();
    if (shown == nullptr) return;
    const TileScene::Hit hit = m_scene->hitAt(scenePoint);
    if (hit.strip >= 0) return select(m_scene->strips()[static_cast<size_t>(hit.strip)]->strip().loop);
    if (hit.panel < 0) return;
    const TilePanel panel = m_scene->panels()[static_cast<size_t>(hit.panel)]->panel();
    if (hit.place) {
        const std::vector<int64_t> element = elementAt(panel.plane, hit.place->first, hit.place->second);
        if (panel.look == TilePanel::Look::ByThread) {
            // The thread that fetches it: what it computes is looked at.
            std::vector<int64_t> nodes;
            tiledStage(*shown, panel.stage).map.nodesOf(element, nodes);
            const int64_t thread = tiledStage(*shown, panel.stage).thread.of(nodes);
            for (const TilePanelItem *item : m_scene->panels()) {
                if (item->panel().look != TilePanel::Look::ByVirtualThread) continue;
                const auto &parts = item->panel().parts.parts;
                const auto own = std::find_if(parts.begin(), parts.end(), [&](const TilePart &part) {
                    return part.number % item->panel().threads == thread;
                });
                if (own != parts.end())
                    m_focus.elements[kResultStage] = elementAt(item->panel().plane, own->place.row, own->place.column);
            }
        } else {
            m_focus.elements[panel.stage] = element;
        }
        showPicture(true);
    }
    if (!panel.loops.empty()) select(panel.loops.back());
    follow(m_context.session.selection().now());
}

void TilesView::follow(const Selected &now) {
    if (!m_tiles || !isVisible()) return;
    const auto has = [&](const KernelTiles &one) {
        return qt(one.output.name) == now.stage ||
               std::any_of(one.inside.begin(), one.inside.end(),
                           [&](const TiledStage &stage) { return qt(stage.name) == now.stage; });
    };
    if (!m_choosing && !now.stage.isEmpty() && kernel() != nullptr && !has(*kernel())) {
        const auto other = std::find_if(m_tiles->begin(), m_tiles->end(), has);
        if (other != m_tiles->end()) chooseKernel(static_cast<int>(other - m_tiles->begin()));
    }
    m_scene->setSelected({now.stage, now.iterator});
    int row = now.stage.isEmpty() ? -1 : m_facts->rowOf({now.stage, now.iterator});
    if (row < 0 && !now.stage.isEmpty()) row = m_facts->rowOf({now.stage, {}});
    if (row < 0)
        m_table->clearSelection();
    else
        m_table->setCurrentIndex(m_facts->index(row, 0));
}

QString TilesView::tipAt(QPointF scenePoint) const {
    const KernelTiles *shown = kernel();
    if (shown == nullptr) return {};
    const TileScene::Hit hit = m_scene->hitAt(scenePoint);
    const auto lines = [](const QString &head, const QString &text) {
        return QStringLiteral("<p style='white-space:pre'><b>%1</b><br>%2</p>")
            .arg(head.toHtmlEscaped(), text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
    };
    if (hit.strip >= 0) {
        const TileStrip &strip = m_scene->strips()[static_cast<size_t>(hit.strip)]->strip();
        return lines(strip.text, strip.subtitle);
    }
    if (hit.panel < 0) return {};
    const TilePanel &panel = m_scene->panels()[static_cast<size_t>(hit.panel)]->panel();
    if (!hit.place) return lines(panel.title, panel.subtitle);
    const TiledStage &stage = tiledStage(*shown, panel.stage);
    const std::vector<int64_t> element = elementAt(panel.plane, hit.place->first, hit.place->second);
    QString text = placeText(stage, element);
    std::vector<int64_t> nodes;
    stage.map.nodesOf(element, nodes);
    if (panel.look == TilePanel::Look::ByThread)
        text = tr("fetched by thread %1 of %2\n").arg(stage.thread.of(nodes)).arg(shown->threadCount()) + text;
    else if (shown->gpu && panel.stage == kResultStage)
        text = tr("block %1, thread %2\n").arg(stage.block.of(nodes)).arg(stage.thread.of(nodes)) + text;
    return lines(elementText(stage, element), text);
}

// --- Roles
// -----------------------------------------------------------------------------------------------------------

QStringList TilesView::exportSuffixes() const { return m_graph->exportSuffixes() << QStringLiteral("txt"); }

QString TilesView::exportTo(const QString &path) {
    if (!path.endsWith(QLatin1String(".txt"), Qt::CaseInsensitive)) return m_graph->exportTo(path);
    const KernelTiles *shown = kernel();
    if (shown == nullptr) return tr("%1: there are no tiles to export").arg(path);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(qt(tilesText(*shown)).toUtf8()) < 0 || !file.commit())
        return QStringLiteral("%1: %2").arg(path, file.errorString());
    return {};
}

void TilesView::zoomIn() { m_graph->zoomIn(); }
void TilesView::zoomOut() { m_graph->zoomOut(); }
void TilesView::zoomToFit() { m_graph->zoomToFit(); }

} // namespace loopscope
