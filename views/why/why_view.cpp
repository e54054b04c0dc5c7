#include "views/why/why_view.h"

#include "measure/disassembly.h"
#include "views/actions/elided_label.h"
#include "views/actions/page_stack.h"
#include "views/session/baseline.h"
#include "views/session/session.h"
#include "views/session/text.h"
#include "views/why/reason_table.h"
#include "views/why/why_rows.h"

#include <QHeaderView>
#include <QLabel>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeView>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kSpace = 8;
constexpr int kMinLetters = 44;    // that a table has, or it stands alone
constexpr int kBaselineColumn = 3; // of the nearest schedules

QString whyNothing(const Document *document) {
    if (document == nullptr)
        return QObject::tr("Open a workload: here stands why its schedules are as fast as they are.");
    if (document->logTask)
        return QObject::tr("The workload of this log is not known, so nothing can be said of its loops.");
    return document->problem ? QObject::tr("The workload has an error: %1. Why its schedules are as fast as they are "
                                           "stands here once it is repaired.")
                                   .arg(document->problem->sentence)
                             : QObject::tr("Analysing the workload \u2026");
}

void tell(QLabel &title, const QString &name, const QString &why) {
    title.setText(why.isEmpty() ? name : QStringLiteral("%1 \u2013 %2").arg(name, why));
}

} // namespace

WhyView::WhyView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("WhyView"));
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    m_pages = new PageStack(this);
    page->addWidget(m_pages);
    m_empty = addSentence(*m_pages, 4 * kSpace);
    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_head = new QLabel(full);
    m_head->setWordWrap(true);
    m_head->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_head->setContentsMargins(kSpace, kSpace / 2, kSpace, kSpace / 2);
    m_head->setAccessibleName(tr("What bounds the schedule"));
    column->addWidget(m_head);
    m_tabs = new QTabBar(full);
    m_tabs->setAccessibleName(tr("Parts of Why"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    column->addWidget(m_tabs);
    m_splitter = new QSplitter(Qt::Vertical, full);
    column->addWidget(m_splitter, 1);
    m_moves = addSection(*m_splitter, tr("Steps predicted best"), {tr("Time"), tr("Step")}, {0});
    m_nearest = addSection(*m_splitter, tr("Nearest measured schedules"),
                           {tr("Trial"), tr("Time"), tr("Change"), tr("vs baseline"), tr("Differs in")}, {0, 1, 2, 3});
    m_remarks = addSection(*m_splitter, tr("The compiler remarks"), {tr("Loop"), tr("Pass"), tr("Remark")}, {});

    for (const char *name : {QT_TR_NOOP("Steps"), QT_TR_NOOP("Nearest"), QT_TR_NOOP("Remarks")})
        m_tabs->addTab(tr(name));
    connect(m_tabs, &QTabBar::currentChanged, this, &WhyView::arrange);
    arrange();
    connect(m_remarks.view, &QTreeView::clicked, this, [this](const QModelIndex &index) { goToRemark(index.row()); });
    connect(m_remarks.view, &QTreeView::activated, this, [this](const QModelIndex &index) { goToRemark(index.row()); });
    connect(m_moves.view, &QTreeView::activated, this, [this](const QModelIndex &index) { makeMove(index.row()); });
    connect(m_nearest.view, &QTreeView::clicked, this,
            [this](const QModelIndex &index) { goToNeighbour(index.row()); });
    // Not `activated`: after the first click of two the table is another schedule's.
    auto *enter = new QShortcut(QKeySequence(Qt::Key_Return), m_nearest.view);
    enter->setContext(Qt::WidgetShortcut);
    connect(enter, &QShortcut::activated, this, [this] { goToNeighbour(m_nearest.view->currentIndex().row()); });

    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &WhyView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &WhyView::refresh);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &WhyView::refresh);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &WhyView::refresh); // measured again
    connect(&session.trials(), &TaskTrials::baselineChanged, this, &WhyView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now) {
        if (!(now.schedule == m_shown) || !m_some) refresh();
    });
    const auto mine = [this](auto show) {
        return [this, show](const ScheduleRef &ref) {
            if (ref == m_shown && isVisible()) (this->*show)();
        };
    };
    connect(&session.explanations(), &Explanations::explained, this, mine(&WhyView::showAdvice));
    connect(&session.explanations(), &Explanations::advised, this, mine(&WhyView::showAdvice));
    connect(&session.representations(), &RepresentationCache::disassemblyReady, this, mine(&WhyView::showRemarks),
            Qt::QueuedConnection);
    connect(&session.representations(), &RepresentationCache::representationsReady, this, mine(&WhyView::showRemarks),
            Qt::QueuedConnection);
    connect(&context.theme, &Theme::changed, this, &WhyView::restyle);
    restyle();
    refresh();
}

WhyView::Section WhyView::addSection(QSplitter &splitter, const QString &name, const QStringList &columns,
                                     const std::vector<int> &numbers) {
    Section section;
    auto *part = new QWidget(&splitter);
    section.part = part;
    auto *column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    section.title = new ElidedLabel(part); // three stand side by side in a low dock: there is one line for each
    section.title->setText(name);
    section.title->setObjectName(name);
    section.title->setContentsMargins(kSpace, kSpace / 2, kSpace, kSpace / 2);
    column->addWidget(section.title);
    section.view = new QTreeView(part);
    section.view->setAccessibleName(name);
    section.view->setRootIsDecorated(false);
    section.view->setUniformRowHeights(true);
    section.view->setAllColumnsShowFocus(true);
    section.view->setFrameShape(QFrame::NoFrame);
    section.table = new ReasonTable(columns, numbers, section.view);
    section.view->setModel(section.table);
    column->addWidget(section.view, 1);
    return section;
}

void WhyView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    refresh(); // what is made for it is made only while somebody looks
}

void WhyView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

void WhyView::arrange() {
    const bool low = width() > 2 * height(); // at the bottom, and not at a side
    m_splitter->setOrientation(low ? Qt::Horizontal : Qt::Vertical);
    const bool tabs = low && width() < 3 * kMinLetters * fontMetrics().averageCharWidth();
    m_tabs->setVisible(tabs);
    int number = 0;
    for (const Section *section : {&m_moves, &m_nearest, &m_remarks})
        section->part->setVisible(!tabs || number++ == m_tabs->currentIndex());
}

void WhyView::refresh() {
    const Document *document = m_context.session.document();
    m_some = document != nullptr && document->task != nullptr;
    m_shown = m_context.session.selection().now().schedule;
    m_pages->setCurrentIndex(m_some ? 1 : 0);
    m_empty->setText(whyNothing(document));
    if (!m_some || !isVisible()) return;
    showAdvice();
    showRemarks();
}

void WhyView::showAdvice() {
    Session &session = m_context.session;
    const ExplainedPtr explained = session.explanations().of(m_shown);
    const QString name = scheduleName(m_shown);
    const QString against = againstBaselineText(*session.document(), m_shown);
    const QString title =
        against.isEmpty() ? asSentence(name) : QStringLiteral("%1, %2").arg(asSentence(name), against);
    m_head->setText(explained ? QStringLiteral("%1. %2").arg(title, explainedSentence(*explained))
                              : tr("Explaining the %1 \u2026").arg(name));
    m_head->setToolTip(againstBaselineTip(*session.document(), m_shown));
    const AdvicePtr advice = session.explanations().advice(m_shown);
    const QString moves = tr("Steps predicted best");
    const QString nearest = tr("Nearest measured schedules");
    if (!advice || !advice->problem.isEmpty()) {
        const QString why = advice ? advice->problem : tr("looking for them \u2026");
        tell(*m_moves.title, moves, why);
        tell(*m_nearest.title, nearest, why);
        m_moves.table->setRows({});
        m_nearest.table->setRows({});
        return;
    }
    tell(*m_moves.title, moves,
         advice->moves.empty() ? tr("no single step is predicted to gain anything")
         : advice->byModel     ? tr("by a model that learnt the trials")
                               : tr("by the analytic estimate"));
    tell(*m_nearest.title, nearestTitle(*advice, *session.document()), neighbourTimes(*advice, *session.document()));
    m_moves.table->setRows(moveRows(*advice));
    m_nearest.table->setRows(neighbourRows(*advice, *session.document()));
    m_nearest.view->setColumnHidden(kBaselineColumn, session.document()->baseline < 0);
    for (const Section *section : {&m_moves, &m_nearest})
        for (int c = 0; c + 1 < section->table->columnCount(); ++c) section->view->resizeColumnToContents(c);
}

void WhyView::showRemarks() {
    const QString name = tr("The compiler remarks");
    QString problem;
    RepresentationCache &cache = m_context.session.representations();
    const RepresentationsPtr forms = cache.of(m_shown);
    // A reason may name a path, which no line break makes fit above a narrow table.
    const auto none = [&](const QString &why) {
        tell(*m_remarks.title, name, tr("none"));
        m_remarks.table->setRows({{{{}, {}, why}, why}});
    };
    if (forms && forms->passes.empty()) return none(forms->refusal);
    const DisassemblyPtr code = forms ? cache.disassembly(m_shown, &problem) : nullptr;
    if (!code) {
        if (!problem.isEmpty()) return none(problem);
        tell(*m_remarks.title, name, tr("compiling \u2026"));
        return m_remarks.table->setRows({});
    }
    tell(*m_remarks.title, name,
         code->remarks.empty() ? tr("nothing") : tr("* asked of a copy, as kernels do not run through that pass"));
    m_remarks.table->setRows(remarkRows(code->remarks, forms->nodes()));
    for (int c = 0; c < 2; ++c) m_remarks.view->resizeColumnToContents(c);
}

void WhyView::goToRemark(int row) {
    RepresentationCache &cache = m_context.session.representations();
    const RepresentationsPtr forms = cache.of(m_shown);
    const DisassemblyPtr code = cache.disassembly(m_shown);
    if (!forms || !code || static_cast<size_t>(row) >= code->remarks.size()) return;
    const ProgramNode *loop = loopAtLine(forms->nodes(), code->remarks[static_cast<size_t>(row)].programLine);
    if (loop != nullptr) m_context.session.selection().selectNode(loop->id, loop->stage, loop->iterator);
}

void WhyView::makeMove(int row) {
    Session &session = m_context.session;
    const AdvicePtr advice = session.explanations().advice(m_shown);
    if (!advice || static_cast<size_t>(row) >= advice->moves.size()) return;
    const QString refused = session.edits().apply(m_shown, advice->moves[static_cast<size_t>(row)].step);
    if (!refused.isEmpty()) tell(*m_moves.title, tr("Steps predicted best"), refused);
}

void WhyView::goToNeighbour(int row) {
    const AdvicePtr advice = m_context.session.explanations().advice(m_shown);
    if (!advice || row < 0 || static_cast<size_t>(row) >= advice->nearest.size()) return;
    m_context.session.selection().selectSchedule(
        {ScheduleRef::Kind::Trial, advice->nearest[static_cast<size_t>(row)].trial});
}

void WhyView::restyle() {
    const QString quiet = QStringLiteral("color: %1").arg(m_context.theme.color(Role::QuietText).name());
    m_empty->setStyleSheet(quiet);
    for (const Section *section : {&m_remarks, &m_moves, &m_nearest}) section->title->setStyleSheet(quiet);
}

} // namespace loopscope
