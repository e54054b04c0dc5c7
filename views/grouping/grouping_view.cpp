#include "views/grouping/grouping_view.h"

#include "views/graph/view_overlays.h"
#include "views/grouping/grouping_commands.h"
#include "views/grouping/grouping_tables.h"
#include "views/grouping/merge_scrubber.h"
#include "views/grouping/stage_find.h"
#include "views/session/text.h"

#include <QBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QToolBar>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

QString whyNoGroups(const Document *document) {
    if (document == nullptr)
        return QObject::tr(
            "Open a workload to see how the grouping scheduler puts its stages together, merge by merge.");
    if (document->logTask)
        return QObject::tr("The workload of this log is not known, so there are no stages to group.");
    if (document->task) return {};
    return document->problem ? QObject::tr("There is nothing to group: %1").arg(document->problem->sentence)
                             : QObject::tr("Analysing %1 \u2026").arg(document->name);
}

} // namespace

GroupingView::GroupingView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_grouping(context.session.jobs()), m_step(context.session.jobs()),
      m_layout(context.session.jobs(), Jobs::Lane::Any), m_weighing(context.session.jobs()),
      m_overlap(context.session.jobs()) {
    setObjectName(QStringLiteral("GroupingView"));
    build();
    m_form->keepIn(m_context.settings);
    connectParts();
    refresh();
}

GroupingView::~GroupingView() = default;

void GroupingView::build() {
    m_tools = new QToolBar(this);
    m_tools->setIconSize({16, 16});
    m_tools->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_form = new MachineForm(m_context.theme, this);
    m_notice = new QLabel(this);
    m_notice->setWordWrap(true);
    m_notice->setTextFormat(Qt::PlainText);
    m_notice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_notice->setContentsMargins(8, 2, 8, 4);
    m_notice->setAccessibleName(tr("What to know about the grouping"));
    m_notice->hide();
    m_splitter = new QSplitter(Qt::Vertical, this);
    auto *upper = new QWidget(m_splitter);
    m_graph = new GraphView(m_context.theme, upper);
    m_graph->setAccessibleName(tr("Stages and groups"));
    setFocusProxy(m_graph);
    m_scene = std::make_unique<GroupingScene>(*m_graph, m_context.theme);
    m_find = new StageFind(*m_graph, *m_scene, this);
    m_commands = new GroupingCommands(m_context, *this, *m_tools);
    m_scrubber = new MergeScrubber(upper);
    m_scrubber->setActions(m_commands->previous(), m_commands->next());
    auto *above = new QVBoxLayout(upper);
    above->setContentsMargins(0, 0, 0, 0);
    above->setSpacing(0);
    above->addWidget(m_graph, 1);
    above->addWidget(m_scrubber);
    m_tables = new GroupingTables(m_context.theme, m_splitter);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setSizes({620, 380});
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(m_tools);
    page->addWidget(m_form);
    page->addWidget(m_notice);
    page->addWidget(m_find);
    page->addWidget(m_splitter, 1);
}

void GroupingView::connectParts() {
    Session &session = m_context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &GroupingView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &GroupingView::refresh);
    connect(&session.selection(), &Selection::changed, this, &GroupingView::follow);
    connect(m_form, &MachineForm::changed, this, &GroupingView::compute);
    connect(m_form, &MachineForm::problemChanged, this, &GroupingView::updateNotice);
    connect(m_scrubber, &MergeScrubber::placeChosen, this, &GroupingView::goTo);
    connect(m_tables, &GroupingTables::placeChosen, this, &GroupingView::goTo);
    connect(m_tables, &GroupingTables::candidateChosen, this, &GroupingView::weigh);
    connect(&m_tables->overlap(), &OverlapPage::stageChosen, this, [this](int buffer) {
        if (m_result && buffer >= 0) choose(stageName(m_result->pipeline(), buffer));
    });
    connect(m_graph, &GraphView::itemClicked, this, [this](QGraphicsItem *item) {
        if (const QString stage = m_scene->stageAt(item); !stage.isEmpty()) choose(stage);
    });
    connect(m_graph, &GraphView::escapePressed, this, [this] { choose({}); });
    connect(m_graph, &GraphView::nextRequested, this, &GroupingView::goBy);
    m_graph->setToolTips([this](QGraphicsItem *item, QPointF) { return m_scene->toolTipOf(item); });
    connect(m_find, &StageFind::chosen, this, &GroupingView::choose);
}

// --- From the document to a grouping
// ----------------------------------------------------------------------------------

void GroupingView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    refresh();
}

void GroupingView::refresh() {
    if (!isVisible()) return; // made only while somebody looks
    const Document *document = m_context.session.document();
    if (const QString why = whyNoGroups(document); !why.isEmpty()) return showNothing(why);
    const Target &target = document->task->target;
    if (m_result && document->task->dag == m_dag && target == m_target) return updateNotice();
    if (document->task->dag != m_dag) {
        m_atEnd = true;
        m_inlined.reset();
    }
    m_dag = document->task->dag;
    m_target = target;
    m_form->setPresets(machinePresets(target));
    if (!m_result) m_graph->notices().setEmptyText(tr("Grouping the stages of %1 \u2026").arg(document->name));
    compute();
}

void GroupingView::showNothing(const QString &why) {
    m_grouping.drop();
    m_step.drop();
    m_layout.drop();
    m_weighing.drop();
    m_overlap.drop();
    m_dag.reset();
    m_result.reset();
    m_facts.reset();
    m_scene->clear();
    m_tables->clear();
    m_graph->notices().setEmptyText(why);
    for (QWidget *part :
         {static_cast<QWidget *>(m_tools), static_cast<QWidget *>(m_form), static_cast<QWidget *>(m_notice),
          static_cast<QWidget *>(m_scrubber), static_cast<QWidget *>(m_tables)})
        part->hide();
    m_commands->update(why, false, false, false);
}

void GroupingView::compute() {
    if (!m_dag) return;
    const GroupingRequest request{m_dag, m_target, {m_form->mode(), m_form->machine()}};
    m_grouping.want(
        tr("grouping stages"), [request](JobControl &control) { return makeGrouping(request, control.cancelFlag()); },
        [this](const ShownGroupingPtr &result) {
            if (result->request.dag == m_dag) showResult(result);
        },
        [this](const QString &problem) {
            const DagPtr dag = m_dag; // not again until it is another
            showNothing(tr("The stages cannot be grouped: %1").arg(problem));
            m_dag = dag;
            m_form->setVisible(true); // another machine may do
        });
}

void GroupingView::showResult(const ShownGroupingPtr &result) {
    m_result = result;
    const size_t last = lastPlace(result->grouping);
    m_place = m_atEnd ? last : std::min(m_place, last);
    for (QWidget *part : {static_cast<QWidget *>(m_tools), static_cast<QWidget *>(m_form),
                          static_cast<QWidget *>(m_scrubber), static_cast<QWidget *>(m_tables)})
        part->show();
    m_scrubber->setPlaces(last, m_place);
    m_tables->showRounds(result);
    layOutAgain();
    goTo(m_place);
    updateNotice();
}

void GroupingView::layOutAgain() {
    if (!m_result) return;
    GroupingPictureOptions options;
    const bool large = m_result->pipeline().stages.size() > kInlinedShownUpTo;
    options.inlined = m_inlined.value_or(!large);
    options.fonts = groupingFonts();
    m_commands->showInlined(options.inlined);
    const GroupingPicturePtr before =
        m_scene->picture() == nullptr ? nullptr : std::make_shared<const GroupingPicture>(*m_scene->picture());
    m_layout.want(
        tr("laying out the groups"),
        [result = m_result, options, before](JobControl &control) -> GroupingPicturePtr {
            GroupingPicture picture =
                groupingPicture(*result, stepFacts(*result, lastPlace(result->grouping)), options);
            if (before && picture.sameShape(*before)) return nullptr; // it lies as it should
            return layOut(std::move(picture), control.cancelFlag());
        },
        [this](const GroupingPicturePtr &picture) {
            if (picture && m_result && picture->dag == m_result->pipeline().dag) showPicture(picture);
        },
        [this](const QString &problem) {
            m_context.session.messages().fail(tr("The groups cannot be laid out."), problem);
            if (m_scene->picture() == nullptr)
                m_graph->notices().setEmptyText(problem, tr("Try again"), [this] { layOutAgain(); });
        });
}

void GroupingView::showPicture(const GroupingPicturePtr &picture) {
    const bool first = m_scene->picture() == nullptr || m_scene->picture()->dag != picture->dag;
    const bool moved = !m_graph->untouched();
    m_scene->show(picture);
    m_scene->setSelected(m_context.session.selection().now().stage);
    if (first || !moved) m_graph->showStart(picture->boxes.empty() ? QRectF() : picture->boxes.front().rect, 0.5);
}

// --- Through the merges
// -----------------------------------------------------------------------------------------------

void GroupingView::goTo(size_t place) {
    if (!m_result) return;
    const size_t last = lastPlace(m_result->grouping);
    m_place = std::min(place, last);
    m_atEnd = m_place == last;
    m_scrubber->setPlace(m_place);
    m_step.want(
        tr("looking at the groups"),
        [result = m_result, at = m_place](JobControl &) {
            return std::make_shared<const StepFacts>(stepFacts(*result, at));
        },
        [this, result = m_result](const std::shared_ptr<const StepFacts> &facts) {
            if (result == m_result && !m_step.outdated()) showStep(facts);
        });
    updateNotice();
}

void GroupingView::goBy(int rounds) {
    if (rounds < 0 && m_place == 0) return;
    goTo(rounds < 0 ? m_place - 1 : m_place + 1);
}

void GroupingView::showStep(std::shared_ptr<const StepFacts> facts) {
    m_facts = std::move(facts);
    m_scene->setStep(m_result, m_facts);
    m_scrubber->setTexts(placeTitle(*m_result, m_facts->place), placeChange(*m_result, *m_facts));
    m_tables->showPlace(m_facts->place);
    showTileOf(m_context.session.selection().now().stage);
}

void GroupingView::weigh(int candidate) {
    if (!m_result || !m_facts || m_facts->place == 0) return;
    const size_t round = m_facts->place - 1;
    m_weighing.want(
        tr("weighing tiles"),
        [result = m_result, round, candidate](JobControl &) {
            const GroupMerge &merge = result->grouping.rounds[round].candidates[static_cast<size_t>(candidate)];
            return std::make_shared<std::vector<WeighedGroup>>(weighMerge(result->grouping, round, merge));
        },
        [this, result = m_result, round, candidate](const std::shared_ptr<std::vector<WeighedGroup>> &weighed) {
            if (result == m_result && m_facts && m_facts->place == round + 1 && m_tables->candidate() == candidate)
                m_tables->showTiles(std::move(*weighed));
        });
}

/// Of the group of that stage; otherwise of the one the round merged into, or the largest.
void GroupingView::showTileOf(const QString &stage) {
    if (!m_result || !m_facts || m_facts->groups.empty()) return;
    const Pipeline &pipeline = m_result->pipeline();
    const int buffer = pipeline.stageNamed(std8(stage));
    int group = m_facts->groupOf(buffer);
    if (group < 0 && m_facts->merge) group = m_facts->groupOf(pipeline.node(m_facts->merge->consumers.back()).stage);
    if (group < 0) {
        const auto largest =
            std::ranges::max_element(m_facts->groups, {}, [](const ShownGroup &shown) { return shown.stages.size(); });
        group = static_cast<int>(largest - m_facts->groups.begin());
    }
    const ShownGroup &shown = m_facts->groups[static_cast<size_t>(group)];
    m_overlap.want(
        tr("looking at a tile"),
        [result = m_result, of = shown.group](JobControl &) mutable {
            if (std::ranges::all_of(of.tile, [](int64_t size) { return size == 1; })) // point by point: no tiles
                std::ranges::fill(of.tile, 0);
            return std::make_shared<const OverlappedTile>(overlappedTile(result->grouping, of));
        },
        [this, result = m_result, output = shown.stage, buffer](std::shared_ptr<const OverlappedTile> tile) {
            if (result != m_result || m_overlap.outdated()) return;
            m_tables->overlap().showTile(result, std::move(tile), output);
            m_tables->overlap().setSelected(buffer);
        });
}

bool GroupingView::settled() const {
    return m_result && m_facts && m_facts->place == m_place && m_scene->picture() != nullptr && !m_grouping.busy() &&
           !m_step.busy() && !m_layout.busy() && !m_weighing.busy() && !m_overlap.busy();
}

// --- What is done with it
// ---------------------------------------------------------------------------------------------

void GroupingView::follow(const Selected &now, const Selected &before) {
    if (now.stage == before.stage) return;
    m_scene->setSelected(now.stage);
    if (!isVisible()) return;
    if (!m_own) m_graph->reveal(m_scene->rectOf(now.stage));
    showTileOf(now.stage);
}

void GroupingView::choose(const QString &stage) {
    const QScopedValueRollback own(m_own, true);
    m_context.session.selection().selectStage(stage);
}

QString GroupingView::notice() const { return m_notice->isHidden() ? QString() : m_notice->text(); }

void GroupingView::updateNotice() {
    const Document *document = m_context.session.document();
    QString whyNot = tr("There is no grouping yet");
    QStringList lines;
    if (!m_form->problem().isEmpty()) lines << m_form->problem();
    if (m_result && document != nullptr && document->task) {
        whyNot = m_result->refusal.isEmpty() ? QString() : tr("The groups make no schedule: %1").arg(m_result->refusal);
        if (!whyNot.isEmpty()) lines << whyNot;
        constexpr qsizetype most = 3;
        lines << m_result->notes.mid(0, most);
        if (m_result->notes.size() > most) lines << tr("and %1 more such stages").arg(m_result->notes.size() - most);
        if (document->problem) lines << tr("The text has an error; this is its last good version.");
    }
    m_notice->setText(lines.join(u'\n'));
    m_notice->setVisible(!lines.isEmpty() && m_result);
    m_commands->update(whyNot, m_result && !m_result->script.isEmpty(), m_result && m_place > 0,
                       m_result && m_place < lastPlace(m_result->grouping));
}

void GroupingView::setInlinedShown(bool shown) {
    m_inlined = shown;
    layOutAgain();
}

void GroupingView::startFind() { m_find->open(); }

} // namespace loopscope
