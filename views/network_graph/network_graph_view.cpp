#include "views/network_graph/network_graph_view.h"

#include "views/graph/graph_find_bar.h"
#include "views/graph/view_overlays.h"
#include "views/network_graph/details_page.h"
#include "views/network_graph/dims_dialog.h"
#include "views/network_graph/network_bar.h"
#include "views/network_graph/network_commands.h"
#include "views/network_graph/network_legend.h"
#include "views/session/text.h"

#include <QEvent>
#include <QPointer>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr double kReadableZoom = 0.4; // of a graph that does not fit

bool ofRun(Overlay overlay) {
    return overlay == Overlay::Time || overlay == Overlay::Roofline || overlay == Overlay::Error;
}

QString hoverText(const NetworkPicture &picture, const NetworkHit &hit) {
    if (hit.arrow >= 0) {
        QStringList lines;
        for (const int flow : picture.arrows[static_cast<size_t>(hit.arrow)].flows)
            lines << picture.facts->flows[static_cast<size_t>(flow)].tip.toHtmlEscaped().replace(
                u'\n', QStringLiteral("<br/>"));
        lines.removeDuplicates();
        return lines.join(QStringLiteral("<br/>"));
    }
    if (hit.frame >= 0) return NetworkGraphView::tr("Click to fold these nodes again");
    if (hit.box < 0) return {};
    const NetworkBox &box = picture.boxes[static_cast<size_t>(hit.box)];
    if (box.fold >= 0)
        return NetworkGraphView::tr("<b>%1</b><br/>%2<br/>E shows them one by one")
            .arg(box.title.toHtmlEscaped(), countedText(box.nodes.size(), "node"));
    const NodeFact &node = picture.facts->nodes[static_cast<size_t>(box.nodes[0])];
    QStringList lines{QStringLiteral("<b>%1</b> %2").arg(node.op.toHtmlEscaped(), node.name.toHtmlEscaped())};
    if (!node.layer.isEmpty()) lines << node.layer.toHtmlEscaped();
    lines << QStringLiteral("%1 %2").arg(node.shape, node.dtype);
    for (const SymbolFact &symbol : picture.facts->symbols)
        if (symbol.node == box.nodes[0])
            lines << NetworkGraphView::tr("binds %1: %2").arg(symbol.symbol, symbol.where).toHtmlEscaped();
    if (node.flops > 0) lines << overlayText(node.flops, Overlay::Flops);
    return lines.join(QStringLiteral("<br/>"));
}

} // namespace

NetworkGraphView::NetworkGraphView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_networks(context.session.networks()), m_bar(new NetworkBar(context, this)),
      m_graph(new GraphView(context.theme, this)), m_scene(*m_graph, context.theme),
      m_find(new GraphFindBar(context.theme, tr("Find nodes by name, operator, shape or attribute"),
                              tr("Find in the network"), this)),
      m_legend(new NetworkLegend(context.theme, m_graph)), m_split(new QSplitter(this)),
      m_details(new QTextBrowser(this)) {
    setObjectName(QStringLiteral("NetworkGraphView"));
    setFocusProxy(m_graph);
    m_graph->setAccessibleName(tr("Network"));
    m_graph->setReadable(kReadableZoom);
    m_options.fonts = networkFonts();
    m_details->setObjectName(QStringLiteral("network_details"));
    m_details->setAccessibleName(tr("What is selected in the network"));
    m_details->setOpenLinks(false);
    m_details->setFrameShape(QFrame::NoFrame);
    m_split->addWidget(m_graph);
    m_split->addWidget(m_details);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 0);
    const int letter = fontMetrics().averageCharWidth();
    m_split->setSizes({letter * 120, letter * 42});
    m_details->setMinimumWidth(letter * 12);
    m_graph->setMinimumWidth(letter * 20);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_find);
    column->addWidget(m_split, 1);
    m_commands = new NetworkCommands(context, *this, *m_bar->tools());
    connectGraph();
    connect(m_find, &GraphFindBar::wordsChanged, this, &NetworkGraphView::find);
    connect(m_find, &GraphFindBar::stepRequested, this, &NetworkGraphView::findStep);
    connect(m_find, &GraphFindBar::closed, this, [this] {
        m_found.clear();
        m_scene.setMatches({}, false);
        m_graph->setFocus();
    });
    connect(m_details, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) {
        const int number = link.path().toInt();
        if (link.scheme() == QLatin1String("task")) return m_networks.openTask(m_network, static_cast<size_t>(number));
        if (const NetworkPicture *picture = m_scene.picture();
            picture != nullptr && static_cast<size_t>(number) < picture->boxOf.size())
            m_networks.select(m_network, picture->facts->nodes[static_cast<size_t>(number)].sources);
    });
    connect(&m_networks, &OpenNetworks::currentChanged, this, &NetworkGraphView::networkChanged);
    connect(&m_networks, &OpenNetworks::networkChanged, this, [this](int id) {
        if (const OpenNetwork *shown = m_networks.current(); shown != nullptr && shown->id == id) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::formChanged, this, [this](int id) {
        if (id == m_network) networkChanged();
    });
    connect(&m_networks, &OpenNetworks::selectionChanged, this, [this](int id) {
        if (id == m_network) followSelection();
    });
    connect(&m_networks, &OpenNetworks::profileChanged, this, [this](int id) {
        if (id != m_network) return;
        m_commands->refresh(m_options.fold, m_options.overlay);
        if (ofRun(m_options.overlay)) layOutAgain();
    });
    connect(&m_context.session.peaks(), &MeasuredPeaks::peaksReady, this, [this] {
        if (m_options.overlay == Overlay::Roofline) layOutAgain();
    });
    connect(&m_context.session.jobs(), &Jobs::cancelled, this, &NetworkGraphView::layoutCancelled);
    connect(&m_context.theme, &Theme::changed, this, [this] {
        showDetails();
        m_legend->update();
    });
    networkChanged();
}

NetworkGraphView::~NetworkGraphView() { m_context.session.jobs().cancel(m_job); }

void NetworkGraphView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    if (m_stale) networkChanged();
}

void NetworkGraphView::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange && event->type() != QEvent::ApplicationFontChange) return;
    if (m_options.fonts == networkFonts() || !m_scene.picture()) return;
    m_options.fonts = networkFonts();
    layOutAgain();
}

// --- Network and layout
// -----------------------------------------------------------------------------------------------

void NetworkGraphView::networkChanged() {
    m_stale = !isVisible();
    if (m_stale) return; // docked away: no work until it is seen
    const OpenNetwork *shown = m_networks.current();
    const int before = std::exchange(m_network, shown != nullptr ? shown->id : 0);
    if (m_network != before) {
        m_options.expanded.clear();
        m_first = true;
    }
    const FunctionPtr function = shown != nullptr ? shown->function() : nullptr;
    const bool kernelsCame = m_options.fold == FoldBy::Kernels && shown != nullptr && shown->kernels;
    if (function != m_function || kernelsCame) {
        if (function != m_function) m_facts.reset();
        m_function = function;
        if (m_function) layOutAgain();
    }
    if (!m_function) {
        m_context.session.jobs().cancel(std::exchange(m_job, 0));
        m_graph->notices().clearBusy();
        m_scene.clear();
        m_legend->setWanted(false);
    }
    showState();
    showDetails();
}

void NetworkGraphView::showState() {
    const OpenNetwork *shown = network();
    m_graph->notices().setNote({});
    if (shown == nullptr) {
        QAction *open = m_context.actions.find(Capability::OpenFile);
        m_graph->notices().setEmptyText(tr("Open a network (.onnx, .net) to see its operators with their shapes, the "
                                           "kernels they become, and to go "
                                           "from any of them to its schedules and code."),
                                        open != nullptr ? tr("Open \u2026") : QString(),
                                        [open = QPointer<QAction>(open)] {
                                            if (open) open->trigger();
                                        });
    } else if (shown->state == OpenNetwork::State::Reading && !m_function) {
        m_graph->notices().setEmptyText(tr("Reading %1 \u2026").arg(shown->name()), tr("Cancel"),
                                        [this] { m_networks.cancel(m_network); });
    } else if (!m_function && shown->contents && !shown->contents->symbols.empty()) {
        m_graph->notices().setEmptyText(shown->problem + QStringLiteral("\n\n") +
                                            symbolsSentence(shown->contents->symbols),
                                        tr("Give numbers \u2026"), [this] { m_commands->askForDims(); });
    } else if (!m_function) {
        m_graph->notices().setEmptyText(shown->problem, tr("Read anew"), [this] { m_networks.reopen(m_network); });
    } else if (m_job != 0) {
        m_graph->notices().setEmptyText(tr("Laying out %1 \u2026").arg(shown->name()));
    }
    m_details->setVisible(shown != nullptr && shown->contents != nullptr);
    m_graph->setDimmed(m_scene.picture() != nullptr && m_scene.picture()->facts->function != m_function);
    m_bar->setFacts(m_facts.get());
    m_commands->refresh(m_options.fold, m_options.overlay);
    showOverlayNote();
}

void NetworkGraphView::foldBy(FoldBy fold) {
    if (fold == m_options.fold) return;
    m_options.fold = fold;
    m_options.expanded.clear();
    m_first = true;
    layOutAgain();
}

void NetworkGraphView::showLabels(bool shown) {
    if (m_options.labels == shown) return;
    m_options.labels = shown;
    layOutAgain();
}

void NetworkGraphView::showLegend(bool shown) {
    m_legendWanted = shown;
    m_legend->setWanted(shown && m_scene.picture() != nullptr);
}

void NetworkGraphView::colourBy(Overlay overlay) {
    if (overlay == m_options.overlay) return;
    m_options.overlay = overlay;
    const Target machine = parseTarget("llvm"); // that networks run on
    if (overlay == Overlay::Roofline && m_context.session.peaks().of(machine) == nullptr)
        m_context.session.peaks().measure(machine);
    layOutAgain();
}

OverlaySource NetworkGraphView::overlaySource() const {
    OverlaySource known;
    const OpenNetwork *shown = network();
    if (shown == nullptr) return known;
    known.kernels = shown->kernels;
    known.profile = shown->profile;
    if (m_options.overlay != Overlay::Roofline || !known.profile) return known;
    if (const MachinePeaks *peaks = m_context.session.peaks().of(parseTarget("llvm")))
        known.rooflines = profileRooflines(known.profile->profile, *peaks);
    return known;
}

/// What the colours need an explanation for.
void NetworkGraphView::showOverlayNote() {
    const NetworkPicture *picture = m_scene.picture();
    if (picture == nullptr) return;
    const OpenNetwork *shown = network();
    if (shown != nullptr && shown->contents && !shown->contents->symbols.empty())
        return m_graph->notices().setNote(symbolsNote(shown->contents->symbols), tr("Give numbers \u2026"),
                                          [this] { m_commands->askForDims(); });
    const Overlay overlay = picture->options.overlay;
    if (overlay == Overlay::Roofline && picture->options.known.rooflines.empty()) {
        m_graph->notices().setNote(m_context.session.peaks().measuring()
                                       ? tr("What this machine can do is being measured \u2026")
                                       : tr("What this machine can do has not been measured."));
    } else if (overlay == Overlay::Roofline && m_scene.most() > 1) {
        m_graph->notices().setNote(tr("Above 100 %: operations on padding are counted, but not done."));
    } else if (overlay == Overlay::Error) {
        const std::vector<int> first = picture->values.firstWrongNodes();
        if (first.empty()) return;
        m_graph->notices().setNote(tr("%1 is the first that computes something else.")
                                       .arg(picture->facts->nodes[static_cast<size_t>(first.back())].name),
                                   tr("Show it"),
                                   [this, sources = picture->facts->nodes[static_cast<size_t>(first.back())].sources] {
                                       m_networks.select(m_network, sources);
                                   });
    }
}

void NetworkGraphView::fillLegend() {
    std::set<BoxKind> kinds;
    for (const NodeFact &node : m_facts->nodes) kinds.insert(node.kind);
    m_legend->show(m_options.overlay, m_scene.most(), kinds);
    showLegend(m_legendWanted);
}

void NetworkGraphView::setExpanded(const QString &fold, bool expanded) {
    if (expanded)
        m_options.expanded.insert(fold);
    else
        m_options.expanded.erase(fold);
    layOutAgain();
}

void NetworkGraphView::layOutAgain() {
    if (!m_function || m_stale) return;
    Jobs &jobs = m_context.session.jobs();
    jobs.cancel(std::exchange(m_job, 0)); // its end is no news
    const OpenNetwork *shown = network();
    m_options.known = overlaySource();
    if (!overlayMissing(m_options.overlay, m_options.known.kernels.get(), m_options.known.profile.get()).isEmpty())
        m_options.overlay = Overlay::None; // another network, or it is being read anew
    m_job = jobs.start(
        tr("Laying out the network"), this,
        [function = m_function, facts = m_facts, options = m_options,
         kernels = shown != nullptr ? shown->kernels : nullptr,
         imported = shown != nullptr ? shown->contents->main : nullptr](JobControl &control) {
            const NetworkFactsPtr known = facts ? facts : networkFacts(function, imported);
            return layOut(networkPicture(known, foldsOf(*known, options.fold, kernels.get()), options),
                          control.cancelFlag());
        },
        [this](const NetworkPicturePtr &picture) { layoutDone(picture); });
    m_graph->notices().setBusy(tr("Laying out %1 \u2026").arg(countedText(m_function->nodeCount(), "node")),
                               [this] { m_context.session.jobs().cancel(m_job); });
}

void NetworkGraphView::layoutDone(const NetworkPicturePtr &picture) {
    m_job = 0;
    m_graph->notices().clearBusy();
    if (!picture || picture->facts->function != m_function) return;
    // What is selected, or else what is in the middle, stays where one looks at it.
    const int anchor = m_scene.selectedBox();
    const QPointF at = anchor >= 0 ? QPointF(m_graph->mapFromScene(m_scene.rectOf(anchor).topLeft())) : QPointF();
    const bool seen = anchor >= 0 && m_graph->viewport()->rect().contains(at.toPoint());
    m_facts = picture->facts;
    m_scene.show(picture);
    fillLegend();
    const OpenNetwork *shown = network();
    if (shown != nullptr) m_scene.setSelected(m_facts->nodesOf(shown->selected));
    if (std::exchange(m_first, false) || !seen || m_scene.selectedBox() < 0) {
        m_graph->showStart(m_scene.selectedBox() >= 0 ? m_scene.selectedRect() : m_scene.rectOf(0));
    } else {
        m_graph->moveTo(m_scene.rectOf(m_scene.selectedBox()).topLeft(), at);
    }
    if (m_find->isVisible()) find(m_find->words());
    showState();
    showDetails();
}

void NetworkGraphView::layoutCancelled(int job) {
    if (job != m_job || job == 0) return;
    m_job = 0;
    m_graph->notices().clearBusy();
    showState();
    const auto again = [this] { layOutAgain(); };
    if (m_scene.picture() != nullptr)
        m_graph->notices().setNote(tr("The layout was cancelled."), tr("Lay out again"), again);
    else
        m_graph->notices().setEmptyText(tr("The layout was cancelled."), tr("Lay out again"), again);
}

// --- Selection
// --------------------------------------------------------------------------------------------------------

void NetworkGraphView::followSelection() {
    const OpenNetwork *shown = network();
    if (shown == nullptr || !m_facts || m_scene.picture() == nullptr) return;
    m_scene.setSelected(m_facts->nodesOf(shown->selected));
    if (!m_own && m_scene.selectedBox() >= 0) {
        const QRectF all = m_scene.selectedRect();
        const QRectF first = m_scene.rectOf(m_scene.selectedBox());
        // Many uses of a task are far apart: then the first of them.
        m_graph->reveal(all.height() * m_graph->zoom() < m_graph->viewport()->height() * 1.5 ? all : first);
    }
    m_commands->refresh(m_options.fold, m_options.overlay);
    showDetails();
}

void NetworkGraphView::showDetails() {
    const OpenNetwork *shown = network();
    if (shown == nullptr || !shown->contents) return m_details->clear();
    if (!shown->contents->main) return m_details->setHtml(problemsPage(*shown->contents));
    if (!m_facts) return m_details->clear();
    const std::vector<int> nodes = m_facts->nodesOf(shown->selected);
    m_details->setHtml(nodes.empty()       ? networkPage(*m_facts, *shown, m_context.theme)
                       : nodes.size() == 1 ? nodePage(*m_facts, nodes[0], shown->kernels.get(), m_context.theme)
                                           : nodesPage(*m_facts, nodes, shown->kernels.get(), m_context.theme));
}

void NetworkGraphView::selectBox(int box, bool more) {
    const NetworkPicture *picture = m_scene.picture();
    const OpenNetwork *shown = network();
    if (picture == nullptr || shown == nullptr || box < 0) return;
    std::set<std::string> sources = more ? shown->selected : std::set<std::string>();
    for (const int node : picture->boxes[static_cast<size_t>(box)].nodes)
        sources.merge(std::set<std::string>(picture->facts->nodes[static_cast<size_t>(node)].sources));
    {
        const QScopedValueRollback own(m_own, true);
        m_networks.select(m_network, std::move(sources));
    }
    m_graph->reveal(m_scene.rectOf(box));
}

bool NetworkGraphView::openTask() {
    const OpenNetwork *shown = network();
    if (shown == nullptr || !shown->kernels) return false;
    const int task = shown->kernels->taskAt(shown->selected);
    if (!shown->kernels->canOpen(task)) return false;
    m_networks.openTask(m_network, static_cast<size_t>(task));
    return true;
}

void NetworkGraphView::zoomToBox(int box) {
    const QRectF rect = m_scene.rectOf(box);
    if (!rect.isEmpty())
        m_graph->zoomTo(rect.adjusted(-rect.width() * 0.3, -rect.height(), rect.width() * 0.3, rect.height()));
}

// --- Mouse and keys
// ---------------------------------------------------------------------------------------------------

void NetworkGraphView::connectGraph() {
    connect(m_graph, &GraphView::itemClicked, this,
            [this](QGraphicsItem *item, QPointF, Qt::KeyboardModifiers modifiers) {
                const NetworkHit hit = m_scene.hit(item);
                const NetworkPicture *picture = m_scene.picture();
                if (picture == nullptr) return;
                if (hit.frame >= 0) {
                    const FoldFrame &frame = picture->frames[static_cast<size_t>(hit.frame)];
                    return setExpanded(picture->folds[static_cast<size_t>(frame.fold)].key, false);
                }
                if (hit.box >= 0) return selectBox(hit.box, (modifiers & Qt::ControlModifier) != 0);
                if (hit.arrow < 0) m_networks.select(m_network, {});
            });
    connect(m_graph, &GraphView::itemDoubleClicked, this,
            [this](QGraphicsItem *item, QPointF) { doubleClicked(item); });
    connect(m_graph, &GraphView::itemHovered, this, [this](QGraphicsItem *item) { m_scene.setHovered(item); });
    connect(m_graph, &GraphView::menuRequested, this,
            [this](QGraphicsItem *item, QPointF, QPointF global) { m_commands->popUp(item, global.toPoint()); });
    connect(m_graph, &GraphView::escapePressed, this, [this] {
        if (m_found.empty()) return m_networks.select(m_network, {});
        m_found.clear();
        m_scene.setMatches({}, false);
    });
    connect(m_graph, &GraphView::nextRequested, this, [this](int direction) { m_commands->selectNext(direction); });
    connect(m_graph, &GraphView::arrowPressed, this, [this](int key) { m_commands->selectNeighbour(key); });
    connect(m_graph, &GraphView::enterPressed, this, [this] {
        if (!openTask()) zoomToBox(m_scene.selectedBox());
    });
    m_graph->setToolTips([this](QGraphicsItem *item, QPointF) {
        return m_scene.picture() != nullptr ? hoverText(*m_scene.picture(), m_scene.hit(item)) : QString();
    });
}

/// Into the task; a fold of several kernels opens up instead.
void NetworkGraphView::doubleClicked(QGraphicsItem *item) {
    const NetworkHit hit = m_scene.hit(item);
    const NetworkPicture *picture = m_scene.picture();
    if (picture == nullptr || hit.box < 0) return;
    const NetworkBox &box = picture->boxes[static_cast<size_t>(hit.box)];
    if (box.fold >= 0 && m_options.fold != FoldBy::Kernels)
        return setExpanded(picture->folds[static_cast<size_t>(box.fold)].key, true);
    selectBox(hit.box);
    if (!openTask()) zoomToBox(hit.box);
}

// --- Find
// -------------------------------------------------------------------------------------------------------------

void NetworkGraphView::startFind() { m_find->open(); }

void NetworkGraphView::find(const QString &words) {
    m_found = m_facts ? findNodes(*m_facts, words) : std::vector<int>{};
    m_foundAt = -1;
    m_scene.setMatches(m_found, !words.trimmed().isEmpty());
    m_find->setFound(m_foundAt, static_cast<int>(m_found.size()));
    if (!m_found.empty() && m_scene.picture() != nullptr)
        m_graph->reveal(m_scene.rectOf(m_scene.picture()->boxOf[static_cast<size_t>(m_found[0])]));
}

void NetworkGraphView::findStep(int direction) {
    if (m_found.empty() || !m_facts || m_scene.picture() == nullptr) return;
    const int count = static_cast<int>(m_found.size());
    m_foundAt = m_foundAt < 0 ? (direction > 0 ? 0 : count - 1) : (m_foundAt + direction + count) % count;
    m_find->setFound(m_foundAt, count);
    const auto node = static_cast<size_t>(m_found[static_cast<size_t>(m_foundAt)]);
    m_networks.select(m_network, m_facts->nodes[node].sources);
    m_graph->reveal(m_scene.rectOf(m_scene.picture()->boxOf[node]));
}

} // namespace loopscope
