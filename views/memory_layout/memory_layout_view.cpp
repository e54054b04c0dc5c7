#include "views/memory_layout/memory_layout_view.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_layout.h"
#include "views/actions/page_stack.h"
#include "views/memory_layout/candidate_model.h"
#include "views/memory_layout/memory_canvas.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <utility>

namespace loopscope {

namespace {

constexpr int kMargin = 6;

QString whyNoLayouts(const Document *document) {
    if (document == nullptr)
        return QObject::tr("Open a workload to see in which order the elements of its tensors lie in memory.");
    if (document->logTask) return QObject::tr("The workload of this log is not known, so its tensors are not either.");
    if (!document->task)
        return document->problem ? QObject::tr("There are no layouts to show: %1").arg(document->problem->sentence)
                                 : QObject::tr("Analysing %1 \u2026").arg(document->name);
    if (document->task->target.isGpu())
        return QObject::tr("The target is a GPU. What a layout costs is computed for the caches of processors.");
    return {};
}

} // namespace

MemoryLayoutView::MemoryLayoutView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("MemoryLayoutView"));
    build();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &MemoryLayoutView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &MemoryLayoutView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (now.stage != before.stage) {
            const int row = m_tensors->findText(now.stage);
            if (row >= 0 && row != m_tensors->currentIndex()) m_tensors->setCurrentIndex(row);
        }
        if (!(now.schedule == before.schedule)) refresh();
    });
    connect(
        &session.representations(), &RepresentationCache::representationsReady, this,
        [this](const ScheduleRef &ref) {
            if (ref == m_context.session.selection().now().schedule) refresh();
        },
        Qt::QueuedConnection);
    context.actions.add({QStringLiteral("memory_layout.apply"),
                         tr("Memory layout"),
                         tr("Lay the tensor out as chosen"),
                         {},
                         tr("The text of the workload becomes the rewritten one"),
                         QStringLiteral("edit")},
                        this, [this] { apply(); });
    context.actions.add({QStringLiteral("memory_layout.undo"),
                         tr("Memory layout"),
                         tr("Take the applied layout back"),
                         QKeySequence(QKeySequence::Undo),
                         tr("The text of the workload becomes what it was before; nothing typed since is lost"),
                         {}},
                        this, [this] { goBack(); });
    context.actions.add({QStringLiteral("memory_layout.redo"),
                         tr("Memory layout"),
                         tr("Apply the layout again"),
                         QKeySequence(QStringLiteral("Ctrl+Shift+Z")),
                         {},
                         {}},
                        this, [this] { goForward(); });
    refresh();
}

MemoryLayoutView::~MemoryLayoutView() {
    if (m_job != 0) m_context.session.jobs().cancel(m_job);
}

void MemoryLayoutView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    m_pages = new PageStack(this);
    page->addWidget(m_pages);
    m_empty = addSentence(*m_pages, 4 * kMargin);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(kMargin, kMargin / 2, kMargin, kMargin / 2);
    column->setSpacing(kMargin / 2);
    buildBar(column);
    auto *splitter = new QSplitter(Qt::Vertical, full);
    splitter->setChildrenCollapsible(false);
    auto *pictures = new QWidget(splitter);
    auto *stack = new QVBoxLayout(pictures);
    stack->setContentsMargins(0, 0, 0, 0);
    auto *both = new QHBoxLayout;
    m_before = new MemoryCanvas(m_context.theme, pictures);
    m_before->setAccessibleName(tr("Memory order as it is"));
    m_after = new MemoryCanvas(m_context.theme, pictures);
    m_after->setAccessibleName(tr("Memory order as chosen"));
    both->addWidget(m_before);
    both->addWidget(m_after);
    stack->addLayout(both, 1);
    // A line each: beside one another they would be cut where the panel is narrow.
    m_readoutBefore = new ElidedLabel(pictures);
    m_readoutBefore->setAccessibleName(tr("Element under the cursor, as it is"));
    m_readoutAfter = new ElidedLabel(pictures);
    m_readoutAfter->setAccessibleName(tr("Element under the cursor, as chosen"));
    stack->addWidget(m_readoutBefore);
    stack->addWidget(m_readoutAfter);
    m_table = new QTreeView(splitter);
    m_table->setAccessibleName(tr("Layouts"));
    m_model = new CandidateModel(m_context.theme, this);
    m_table->setModel(m_model);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setFrameShape(QFrame::NoFrame);
    setFocusProxy(nullptr);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);
    m_said = new QLabel(full);
    m_said->setWordWrap(true);
    m_said->setTextFormat(Qt::PlainText);
    m_said->setAccessibleName(tr("Choice"));
    column->addWidget(m_said);

    connect(m_before, &MemoryCanvas::cellPointed, this, &MemoryLayoutView::point);
    connect(m_after, &MemoryCanvas::cellPointed, this, &MemoryLayoutView::point);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &MemoryLayoutView::showPictures);
    connect(m_table, &QTreeView::activated, this, &MemoryLayoutView::apply);
}

void MemoryLayoutView::buildBar(QLayout *column) {
    auto *bar = new QWidget(m_pages->widget(1));
    auto *line = new FlowLayout(bar, 2 * kMargin, kMargin / 2);
    line->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString &text, const QString &name) {
        auto *group = new QWidget(bar);
        auto *row = new QHBoxLayout(group);
        row->setContentsMargins(0, 0, 0, 0);
        if (!text.isEmpty()) row->addWidget(new QLabel(text, group));
        auto *combo = new QComboBox(group);
        combo->setAccessibleName(name);
        combo->setToolTip(name);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        row->addWidget(combo);
        line->addWidget(group);
        return combo;
    };
    m_tensors = add({}, tr("Tensor"));
    m_rows = add(QStringLiteral("\u2193"), tr("Axis drawn downward"));
    m_columns = add(QStringLiteral("\u2192"), tr("Axis drawn to the right"));
    m_vector = add(tr("vectors along"), tr("Axis along which a vector reads"));
    auto *own = new QWidget(bar); // what is typed and the button stay together when the bar needs two lines
    auto *ownRow = new QHBoxLayout(own);
    ownRow->setContentsMargins(0, 0, 0, 0);
    m_line = new QLineEdit(own);
    m_line->setPlaceholderText(tr("a layout, as [j/16] [k] [j%16]"));
    m_line->setAccessibleName(tr("A layout of one's own"));
    m_line->setMinimumWidth(m_line->fontMetrics().horizontalAdvance(m_line->placeholderText()) + 4 * kMargin);
    ownRow->addWidget(m_line);
    m_apply = new QPushButton(tr("Apply"), own);
    m_apply->setToolTip(
        tr("The text of the workload becomes the rewritten one; the task before stays with the document"));
    ownRow->addWidget(m_apply);
    line->addWidget(own);
    column->addWidget(bar);

    connect(m_tensors, &QComboBox::currentIndexChanged, this, [this] {
        if (m_filling || m_tensors->currentText() == m_tensor) return;
        m_tensor = m_tensors->currentText();
        m_typed.clear();
        showStudy();
    });
    for (QComboBox *combo : {m_rows, m_columns, m_vector})
        connect(combo, &QComboBox::currentIndexChanged, this, [this] {
            if (!m_filling) showPictures();
        });
    connect(m_line, &QLineEdit::returnPressed, this, &MemoryLayoutView::type);
    connect(m_apply, &QPushButton::clicked, this, &MemoryLayoutView::apply);
}

// --- What is shown
// ---------------------------------------------------------------------------------------------------

void MemoryLayoutView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    refresh(); // what is made for it is made only while somebody looks
}

void MemoryLayoutView::refresh() {
    const Document *document = m_context.session.document();
    if (const QString why = whyNoLayouts(document); !why.isEmpty()) return showEmpty(why);
    if (!isVisible()) return;
    const ScheduleRef ref = m_context.session.selection().now().schedule;
    const RepresentationsPtr forms = m_context.session.representations().of(ref);
    if (!forms) return; // what is shown stays until representationsReady
    if (forms == m_forms && document->task == m_task) return;
    if (document->task != m_task) m_typed.clear();
    m_task = document->task;
    m_forms = forms;
    if (!forms->state || !forms->state->concrete())
        return showEmpty(tr("The %1 has lengths that are still open, so its loops cannot be counted. Choose a schedule "
                            "whose lengths are known.")
                             .arg(scheduleName(ref)));
    if (m_job != 0) m_context.session.jobs().cancel(std::exchange(m_job, 0));
    if (!m_weighed) {
        m_empty->setText(tr("Weighing the layouts of %1 \u2026").arg(document->name));
        m_pages->setCurrentIndex(0);
    }
    m_job = m_context.session.jobs().start(
        tr("weighing layouts"), this,
        [forms, task = document->task](JobControl &) { return weighLayouts(task->dag, *forms->state, task->target); },
        [this](const WeighedLayoutsPtr &weighed) { take(weighed); },
        [this](const QString &problem) { showEmpty(problem); });
}

void MemoryLayoutView::take(const WeighedLayoutsPtr &weighed) {
    m_job = 0;
    const QStringList names = layoutTensors(*weighed);
    if (!weighed->problem.isEmpty()) return showEmpty(weighed->problem);
    if (names.isEmpty())
        return showEmpty(
            tr("No tensor of %1 that lies in memory has two axes, so there is nothing to lay out otherwise.")
                .arg(qt(weighed->dag->name())));
    m_weighed = weighed;
    {
        const QScopedValueRollback filling(m_filling, true);
        const QString stage = m_context.session.selection().now().stage;
        if (!names.contains(m_tensor)) m_tensor = names.contains(stage) ? stage : names.front(); // the dearest
        m_tensors->clear();
        m_tensors->addItems(names);
        m_tensors->setCurrentText(m_tensor);
    }
    m_pages->setCurrentIndex(1);
    if (hasFocus()) m_table->setFocus();
    showStudy();
}

void MemoryLayoutView::showStudy() {
    if (!m_weighed) return;
    m_model->setStudy(studyOf(*m_weighed, m_tensor, m_typed));
    const LayoutStudy &study = m_model->study();
    fillAxes();
    for (int c = 0; c < m_model->columnCount(); ++c) m_table->resizeColumnToContents(c);
    int row = study.best > 0 ? study.best : study.candidates.size() > 1 ? 1 : 0;
    if (!m_typed.empty())
        for (size_t c = 0; c < study.candidates.size(); ++c)
            if (study.candidates[c].layout.sameAddresses(m_typed.back())) row = static_cast<int>(c);
    m_table->setCurrentIndex(m_model->index(row, 0));
    showPictures();
    say(study.why);
}

void MemoryLayoutView::fillAxes() {
    const QScopedValueRollback filling(m_filling, true);
    const LayoutStudy &study = m_model->study();
    const MemoryCorner first = firstCorner(study.shape, study.axes, study.elementBytes);
    for (QComboBox *combo : {m_rows, m_columns, m_vector}) {
        combo->clear();
        for (size_t axis = 0; axis < study.axes.size(); ++axis)
            combo->addItem(combo == m_vector ? study.axes[axis]
                                             : tr("%1 of %2").arg(study.axes[axis]).arg(study.shape[axis]));
    }
    m_rows->setCurrentIndex(first.rows);
    m_columns->setCurrentIndex(first.columns);
    m_vector->setCurrentIndex(study.vectorAxis);
}

const LayoutCandidate *MemoryLayoutView::chosen() const {
    const int row = m_table->currentIndex().row();
    const auto &all = m_model->study().candidates;
    return row >= 0 && static_cast<size_t>(row) < all.size() ? &all[static_cast<size_t>(row)] : nullptr;
}

void MemoryLayoutView::showPictures() {
    const LayoutStudy &study = m_model->study();
    const LayoutCandidate *candidate = chosen();
    if (candidate == nullptr || study.candidates.empty()) return;
    MemoryCorner corner = firstCorner(study.shape, study.axes, study.elementBytes);
    corner.rows = m_rows->currentIndex();
    corner.columns = m_columns->currentIndex();
    corner.vectorAxis = m_vector->currentIndex();
    corner.lanes = study.lanes;
    m_before->setPicture(MemoryPicture(study.candidates.front().layout, corner),
                         tr("%1 as it is: %2").arg(study.tensor, study.candidates.front().text));
    m_after->setPicture(MemoryPicture(candidate->layout, corner), tr("%1 as %2").arg(study.tensor, candidate->text));
    m_apply->setEnabled(candidate->problem.isEmpty() && candidate != study.candidates.data());
    if (const auto stayed = m_before->pointed()) point(stayed);
}

void MemoryLayoutView::point(std::optional<int> cell) {
    m_before->setPointed(cell);
    m_after->setPointed(cell);
    if (!cell || static_cast<size_t>(*cell) >= m_before->picture().cells().size()) {
        m_readoutBefore->clear();
        m_readoutAfter->clear();
        return;
    }
    m_readoutBefore->setText(tr("Before: %1").arg(m_before->picture().cellText(m_model->study().tensor, *cell)));
    m_readoutAfter->setText(tr("After: %1").arg(m_after->picture().cellText(m_model->study().tensor, *cell)));
}

void MemoryLayoutView::say(const QString &text, bool refused) {
    m_said->setText(text);
    QPalette palette = m_said->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.color(refused ? Role::Bad : Role::Text));
    m_said->setPalette(palette);
}

void MemoryLayoutView::showEmpty(const QString &why) {
    if (m_job != 0) m_context.session.jobs().cancel(std::exchange(m_job, 0));
    m_weighed.reset();
    m_task.reset();
    m_forms.reset();
    m_model->setStudy({});
    m_empty->setText(why);
    m_pages->setCurrentIndex(0);
}

QString MemoryLayoutView::said() const { return m_said->text(); }
QString MemoryLayoutView::readout() const { return m_readoutBefore->text() + u'\n' + m_readoutAfter->text(); }
QString MemoryLayoutView::emptyText() const { return m_pages->currentIndex() == 0 ? m_empty->text() : QString(); }

// --- What is done
// ----------------------------------------------------------------------------------------------------

void MemoryLayoutView::type() {
    const LayoutStudy &shown = m_model->study();
    std::vector<std::string> axes;
    for (const QString &axis : shown.axes) axes.push_back(std8(axis));
    const Outcome<Layout> layout = parseLayout(std8(m_line->text()), shown.shape, axes);
    if (!layout) return say(asSentence(qt(layout.why())), true);
    m_typed.push_back(*layout);
    showStudy();
}

/// The task before stays with the document, as after any edit of its text.
void MemoryLayoutView::apply() {
    const Document *document = m_context.session.document();
    const LayoutCandidate *candidate = chosen();
    if (document == nullptr || !document->task || candidate == nullptr) return;
    const Outcome<RewrittenWorkload> rewritten =
        rewriteForLayout(*document->task->dag, {std8(m_model->study().tensor), candidate->layout, candidate->readers});
    if (!rewritten) return say(asSentence(qt(rewritten.why())), true);
    if (rewritten->by == LaidOutBy::Nobody)
        return say(tr("%1 lies so already: nothing is rewritten.").arg(m_model->study().tensor));
    const QString text = candidate->text;
    const QString tensor = m_model->study().tensor;
    const int id = document->id;
    if (rewritten->prepack) {
        const Workload &prepack = *rewritten->prepack;
        m_context.session.documents().openText(qt(prepack.name),
                                               qt(printWorkload(prepack.name, prepack.ops, prepack.args)));
        m_context.session.documents().setCurrent(id);
    }
    m_applied.add(id, document->text, qt(rewritten->text));
    m_context.session.documents().setText(qt(rewritten->text));
    m_context.session.messages().note(rewritten->prepack
                                          ? tr("%1 arrives as %2; the workload that packs it, once, is open as %3")
                                                .arg(tensor, text, qt(rewritten->prepack->name))
                                          : tr("%1 lies as %2, by %3; the task before is in the list of Computation")
                                                .arg(tensor, text, qt(laidOutByText(rewritten->by))));
}

void MemoryLayoutView::goBack() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    becomes(m_applied.back(document->id, document->text), tr("The layout applied last is taken back."),
            tr("The text is not what a layout applied here made of it, so there is nothing to take back; what was "
               "edited is undone in Computation."));
}

void MemoryLayoutView::goForward() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    becomes(m_applied.forward(document->id, document->text), tr("The layout is applied again."),
            tr("No layout of this text was taken back."));
}

void MemoryLayoutView::becomes(const std::optional<QString> &text, const QString &said, const QString &nothing) {
    if (!text) return say(nothing, true);
    m_context.session.documents().setText(*text);
    m_context.session.messages().note(said);
}

QStringList MemoryLayoutView::exportSuffixes() const {
    return {QStringLiteral("png"), QStringLiteral("tsv"), QStringLiteral("txt")};
}

QString MemoryLayoutView::exportTo(const QString &path) {
    if (m_model->rowCount() == 0) return tr("%1: there are no layouts to export").arg(path);
    if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
        return grab().save(path, "PNG") ? QString() : tr("%1: the picture cannot be written").arg(path);
    QSaveFile file(path);
    const QByteArray out = m_model->text().toUtf8();
    if (file.open(QIODevice::WriteOnly) && file.write(out) == out.size() && file.commit()) return {};
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

} // namespace loopscope
