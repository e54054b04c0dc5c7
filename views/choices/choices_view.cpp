#include "views/choices/choices_view.h"

#include "views/choices/choice_list_model.h"
#include "views/choices/parallel_plot.h"
#include "views/choices/slice_plot.h"
#include "views/choices/weight_bar.h"
#include "views/session/baseline.h"
#include "views/session/text.h"

#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {
constexpr int kMargin = 8;
constexpr int kAtOnce = 30;           // ms
constexpr int kWhileSearching = 3000; // every trial of thousands is replayed
} // namespace

ChoicesView::ChoicesView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("ChoicesView"));
    build();
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &ChoicesView::weigh);
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &ChoicesView::followDocument);
    connect(&session.documents(), &Documents::taskShown, this, &ChoicesView::followDocument);
    connect(&session.trials(), &TaskTrials::trialsAdded, this, &ChoicesView::weighSoon);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &ChoicesView::followDocument);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &ChoicesView::weighSoon);
    connect(&session.trials(), &TaskTrials::baselineChanged, this,
            [this] { take(m_task, WeighedChoicesPtr(m_choices)); });
    connect(&session.selection(), &Selection::changed, this, &ChoicesView::followSelection);
    connect(&session.documents(), &Documents::problemChanged, this, &ChoicesView::tell);
    const auto quiet = [this] {
        m_empty->setStyleSheet(QStringLiteral("color: %1").arg(m_context.theme.color(Role::QuietText).name()));
    };
    connect(&context.theme, &Theme::changed, this, quiet);
    quiet();
    followDocument();
}

ChoicesView::~ChoicesView() = default;

void ChoicesView::build() {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin);
    m_sentence = new QLabel;
    m_sentence->setWordWrap(true);
    column->addWidget(m_sentence);
    m_pages = new QStackedWidget;
    column->addWidget(m_pages, 1);
    m_empty = new QLabel;
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_pages->addWidget(m_empty);

    m_model = new ChoiceListModel(this);
    m_list = new QTreeView;
    m_list->setObjectName(QStringLiteral("ChoiceList"));
    m_list->setAccessibleName(tr("Choices by weight"));
    m_list->setModel(m_model);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setItemDelegateForColumn(ChoiceListModel::Weight, new WeightBar(m_context.theme, m_list));
    m_list->header()->setStretchLastSection(true);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        if (m_taking) return; // the weightiest by itself: another may be it when more trials have come
        m_chosen = now.siblingAtColumn(ChoiceListModel::Name).data().toString();
        chooseSlice();
    });
    m_parallel = new ParallelPlot(m_data, m_context.theme, m_context.settings, this);
    m_slice = new SlicePlot(m_data, m_context.theme, m_context.settings, this);
    m_touched = m_parallel;
    connectPlot(m_parallel);
    connectPlot(m_slice);
    auto *plots = new QSplitter(Qt::Vertical);
    plots->addWidget(m_parallel);
    plots->addWidget(m_slice);
    plots->setChildrenCollapsible(false);
    auto *all = new QSplitter(Qt::Horizontal);
    all->addWidget(m_list);
    all->addWidget(plots);
    all->setStretchFactor(0, 0);
    all->setStretchFactor(1, 1);
    const int letter = fontMetrics().averageCharWidth();
    all->setSizes({letter * 48, letter * 110});
    m_pages->addWidget(all);
}

void ChoicesView::connectPlot(TrialPlot *plot) {
    plot->plot().installEventFilter(this);
    connect(plot, &TrialPlot::trialClicked, this, [this](int trial, Qt::KeyboardModifiers modifiers) {
        Selection &selection = m_context.session.selection();
        if (!modifiers.testFlag(Qt::ControlModifier))
            return selection.selectSchedule({ScheduleRef::Kind::Trial, trial});
        std::vector<int> trials = selection.now().trials; // one more, or one less
        const auto place = std::lower_bound(trials.begin(), trials.end(), trial);
        if (place != trials.end() && *place == trial)
            trials.erase(place);
        else
            trials.insert(place, trial);
        selection.selectTrials(std::move(trials));
    });
    connect(plot, &TrialPlot::trialsBrushed, this,
            [this](const std::vector<int> &trials) { m_context.session.selection().selectTrials(trials); });
}

bool ChoicesView::eventFilter(QObject *watched, QEvent *event) {
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::FocusIn)
        m_touched = watched == &m_slice->plot() ? static_cast<TrialPlot *>(m_slice) : m_parallel;
    return QWidget::eventFilter(watched, event);
}

void ChoicesView::followDocument() {
    const Document *document = m_context.session.document();
    const int task = document ? document->taskId : 0;
    if (task != m_task) m_chosen.clear();
    m_task = task;
    m_data.document = document;
    m_data.series.clear();
    take(task, nullptr);
    followSelection();
    weighSoon();
}

void ChoicesView::followSelection() {
    const Selected &now = m_context.session.selection().now();
    m_data.selected = now.schedule.kind == ScheduleRef::Kind::Trial ? now.schedule.number : -1;
    m_data.brushed = now.trials;
    m_parallel->updateSelection();
    m_slice->updateSelection();
}

void ChoicesView::weighSoon() {
    m_stale = true;
    if (!isVisible() || m_soon.isActive()) return;
    m_soon.start(m_context.session.search().underWay() && m_choices ? kWhileSearching : kAtOnce);
}

void ChoicesView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    if (m_stale) weighSoon();
}

void ChoicesView::weigh() {
    const Document *document = m_context.session.document();
    m_stale = false;
    m_context.session.jobs().cancel(m_job);
    m_job = 0;
    if (document == nullptr || !document->task || document->trials.empty()) return take(m_task, nullptr);
    m_job = m_context.session.jobs().start(
        tr("weighing choices"), this,
        [input = choiceInput(*document)](JobControl &control) { return weighChoices(input, control.cancelFlag()); },
        [this, task = m_task](const WeighedChoicesPtr &choices) {
            m_job = 0;
            if (task == m_task) take(task, choices);
        });
}

void ChoicesView::take(int taskId, const WeighedChoicesPtr &choices) {
    const QScopedValueRollback taking(m_taking, true);
    const Document *document = m_context.session.document();
    const bool current = document != nullptr && document->taskId == taskId;
    m_choices = current && choices && choices->trials <= document->trials.size() ? choices : nullptr;
    ChoiceListModel::Shown shown;
    if (current) {
        shown = {document->best, document->baseline, {}};
        if (const auto told = againstBaseline(*document, {ScheduleRef::Kind::Trial, shown.best}))
            shown.against = shown.best == shown.baseline ? tr("the baseline") : deltaText(told->change);
    }
    m_model->setChoices(m_choices, shown);
    m_list->setColumnHidden(ChoiceListModel::OfBaseline, shown.baseline < 0);
    m_parallel->setChoices(m_choices);
    const int row = std::max(0, m_model->rowOf(m_chosen));
    if (m_choices && m_model->rowCount() > 0) {
        m_list->setCurrentIndex(m_model->index(row, 0));
        for (int section = 0; section < ChoiceListModel::OfBaseline; ++section) m_list->resizeColumnToContents(section);
    }
    chooseSlice();
    tell();
}

void ChoicesView::chooseSlice() {
    const QModelIndex at = m_list->currentIndex();
    m_slice->setChoice(m_choices, m_model->choiceAt(at.isValid() ? at.row() : -1));
}

/// How far it is to be believed, or why there is nothing.
void ChoicesView::tell() {
    const Document *document = m_context.session.document();
    const bool any = m_choices && !m_choices->order.empty();
    m_pages->setCurrentIndex(any ? 1 : 0);
    m_sentence->setVisible(any);
    if (any) {
        const double explained = m_choices->importance.explained;
        m_sentence->setText(
            noneTimed(document)
                ? tr("The answers of these trials are right, and nothing was timed: nothing can be weighed yet.")
            : m_choices->importance.share.empty()
                ? tr("Fewer than %1 valid trials, or all equally fast: nothing can be weighed yet.")
                      .arg(kMinForImportance)
                : tr("These choices explain %1 of the differences in time between trials the model was not fitted "
                     "to%2")
                      .arg(percentText(std::max(0., explained)),
                           explained < 0.2 ? tr(": too little to believe the weights.") : QStringLiteral(".")));
        return;
    }
    if (document == nullptr)
        m_empty->setText(
            tr("Open a workload and search, or open a tuning log: what its trials chose is weighed here."));
    else if (document->logTask)
        m_empty->setText(tr("The workload of this log is not known, so what its trials chose cannot be named."));
    else if (document->task == nullptr && document->problem)
        m_empty->setText(
            tr("The workload has an error: %1. What its trials choose is weighed here once it is repaired.")
                .arg(document->problem->sentence));
    else if (document->trials.empty())
        m_empty->setText(tr("No trials yet. Once there are some, this shows in what they differ and what of it made "
                            "them fast."));
    else if (m_choices)
        m_empty->setText(tr("All trials chose the same."));
    else
        m_empty->setText(tr("Weighing what the trials chose \u2026"));
}

QStringList ChoicesView::exportSuffixes() const { return m_touched->plot().exportSuffixes(); }
QString ChoicesView::exportTo(const QString &path) { return m_touched->plot().exportTo(path); }
void ChoicesView::zoomIn() { m_touched->plot().zoomIn(); }
void ChoicesView::zoomOut() { m_touched->plot().zoomOut(); }
void ChoicesView::zoomToFit() { m_touched->plot().zoomToFit(); }

} // namespace loopscope
