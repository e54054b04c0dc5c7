#include "views/computation/new_workload_dialog.h"

#include "views/computation/new_workload_form.h"
#include "views/computation/target_choices.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStyle>
#include <QTabWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace loopscope {

namespace {
constexpr int kPreviewDelay = 120; // ms after the last change
constexpr int kNameRole = Qt::UserRole;
} // namespace

NewWorkloadDialog::NewWorkloadDialog(const ViewContext &context, QWidget *parent)
    : QDialog(parent), m_context(context) {
    setObjectName(QStringLiteral("NewWorkloadDialog"));
    setWindowTitle(QStringLiteral("New workload from an operator"));
    setModal(false);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kPreviewDelay);
    connect(&m_soon, &QTimer::timeout, this, &NewWorkloadDialog::requestPreview);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(buildChooser());
    auto *right = new QSplitter(Qt::Vertical, splitter);
    right->setChildrenCollapsible(false);
    right->addWidget(buildForm());
    right->addWidget(buildPreview());
    right->setStretchFactor(0, 1);
    right->setStretchFactor(1, 1);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 5);
    column->addWidget(splitter, 1);
    column->addLayout(buildTarget());
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton *create = m_buttons->addButton(QStringLiteral("Create"), QDialogButtonBox::AcceptRole);
    create->setDefault(true);
    m_buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    column->addWidget(m_buttons);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &NewWorkloadDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&context.theme, &Theme::changed, this, &NewWorkloadDialog::restyle);
    const int em = fontMetrics().averageCharWidth();
    resize(em * 165, fontMetrics().height() * 48);
    splitter->setSizes({em * 42, em * 123});
    right->setSizes({fontMetrics().height() * 24, fontMetrics().height() * 22});
    restyle();
    chooseOperator(QStringLiteral("conv2d_nchw"));
}

QWidget *NewWorkloadDialog::buildChooser() {
    auto *box = new QWidget(this);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 4, 0);
    m_filter = new QLineEdit(box);
    m_filter->setPlaceholderText(QStringLiteral("Filter operators"));
    m_filter->setAccessibleName(QStringLiteral("Filter operators"));
    m_filter->setClearButtonEnabled(true);
    column->addWidget(m_filter);
    m_operators = new QTreeWidget(box);
    m_operators->setHeaderHidden(true);
    m_operators->setColumnCount(1);
    m_operators->setUniformRowHeights(true);
    m_operators->setRootIsDecorated(false);
    m_operators->setAccessibleName(QStringLiteral("Operators by family"));
    for (const auto &[family, specs] : operatorFamilies()) {
        auto *head = new QTreeWidgetItem(m_operators, {family});
        head->setFlags(Qt::ItemIsEnabled);
        QFont bold = font();
        bold.setBold(true);
        head->setFont(0, bold);
        for (const OperatorSpec *spec : specs) {
            auto *item = new QTreeWidgetItem(head, {qt(spec->name)});
            item->setData(0, kNameRole, qt(spec->name));
            item->setToolTip(0, QStringLiteral("%1\n%2").arg(qt(spec->doc), qt(signatureText(*spec))));
        }
    }
    m_operators->expandAll();
    column->addWidget(m_operators, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &NewWorkloadDialog::applyFilter);
    connect(m_operators, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem *item) {
        if (item != nullptr) chooseOperator(item->data(0, kNameRole).toString());
    });
    return box;
}

void NewWorkloadDialog::fillForm() {
    const OperatorSpec *spec = findOperatorSpec(std8(m_draft.op));
    if (spec == nullptr) return;
    m_doc->setText(QStringLiteral("%1\n%2").arg(qt(signatureText(*spec)), qt(spec->doc)));
    delete m_scroll->takeWidget();
    auto *form = new NewWorkloadForm(m_draft);
    connect(form, &NewWorkloadForm::touched, this, &NewWorkloadDialog::touched);
    // After the click is done with: its button goes with the form.
    connect(form, &NewWorkloadForm::redrafted, this, &NewWorkloadDialog::setDraft, Qt::QueuedConnection);
    m_scroll->setMinimumWidth(form->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent) + 4);
    m_scroll->setWidget(form);
}

QWidget *NewWorkloadDialog::buildForm() {
    auto *box = new QWidget(this);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(4, 0, 0, 0);
    m_doc = new QLabel(box);
    m_doc->setWordWrap(true);
    m_doc->setTextFormat(Qt::PlainText);
    column->addWidget(m_doc);
    m_scroll = new QScrollArea(box);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_scroll, 1);
    return box;
}

QWidget *NewWorkloadDialog::buildPreview() {
    auto *box = new QWidget(this);
    auto *column = new QVBoxLayout(box);
    column->setContentsMargins(4, 0, 0, 0);
    m_tabs = new QTabWidget(box);
    m_tabs->setDocumentMode(true);
    m_text = new CodeText(m_context.theme, CodeLanguage::Te, true, m_tabs);
    m_dag = new CodeText(m_context.theme, CodeLanguage::Te, true, m_tabs);
    m_tabs->addTab(m_text, QStringLiteral("Text"));
    m_tabs->addTab(m_dag, QStringLiteral("ComputeDAG"));
    column->addWidget(m_tabs, 1);
    m_verdict = new QLabel(box);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_verdict);
    return box;
}

QHBoxLayout *NewWorkloadDialog::buildTarget() {
    auto *row = new QHBoxLayout;
    m_target = new QComboBox(this);
    m_target->setAccessibleName(QStringLiteral("Target"));
    m_target->setToolTip(QStringLiteral("The machine that kernels of the workload are for; it can be changed later"));
    m_target->setMaxVisibleItems(24);
    auto *label = new QLabel(QStringLiteral("&Target"), this);
    label->setBuddy(m_target);
    row->addWidget(label);
    row->addWidget(m_target);
    row->addStretch(1);
    offerTargets();
    return row;
}

/// The one that new workloads have by themselves is chosen.
void NewWorkloadDialog::offerTargets() {
    const QString own = m_context.settings.value(QStringLiteral("defaults/target"), QStringLiteral("llvm")).toString();
    m_target->clear();
    for (const TargetChoice &choice : targetChoices(own)) {
        if (choice.name.isEmpty()) {
            m_target->insertSeparator(m_target->count());
            continue;
        }
        m_target->addItem(choice.name, choice.text);
        m_target->setItemData(m_target->count() - 1, choice.tip, Qt::ToolTipRole);
        if (choice.text == own) m_target->setCurrentIndex(m_target->count() - 1);
    }
}

void NewWorkloadDialog::begin() {
    offerTargets();
    show();
    raise();
    activateWindow();
    m_filter->setFocus();
    m_filter->selectAll();
    if (!m_current) touched();
}

void NewWorkloadDialog::applyFilter(const QString &text) {
    QTreeWidgetItem *first = nullptr;
    for (int f = 0; f < m_operators->topLevelItemCount(); ++f) {
        QTreeWidgetItem *family = m_operators->topLevelItem(f);
        const bool whole = family->text(0).contains(text, Qt::CaseInsensitive);
        bool any = false;
        for (int k = 0; k < family->childCount(); ++k) {
            QTreeWidgetItem *item = family->child(k);
            const bool hit = whole || item->text(0).contains(text, Qt::CaseInsensitive) ||
                             item->toolTip(0).section(u'\n', 0, 0).contains(text, Qt::CaseInsensitive);
            item->setHidden(!hit);
            any |= hit;
            // A name that begins so is meant before one that has it somewhere.
            if (hit && (first == nullptr || (item->text(0).startsWith(text, Qt::CaseInsensitive) &&
                                             !first->text(0).startsWith(text, Qt::CaseInsensitive))))
                first = item;
        }
        family->setHidden(!any);
    }
    if (first != nullptr && !text.isEmpty()) m_operators->setCurrentItem(first);
}

void NewWorkloadDialog::chooseOperator(const QString &name) {
    const OperatorSpec *spec = name.isEmpty() ? nullptr : findOperatorSpec(std8(name));
    if (spec == nullptr || name == m_draft.op) return;
    setDraft(defaultDraft(*spec));
    for (int f = 0; f < m_operators->topLevelItemCount(); ++f)
        for (int k = 0; k < m_operators->topLevelItem(f)->childCount(); ++k)
            if (QTreeWidgetItem *item = m_operators->topLevelItem(f)->child(k);
                item->data(0, kNameRole) == name && m_operators->currentItem() != item)
                m_operators->setCurrentItem(item);
}

void NewWorkloadDialog::setDraft(const Draft &draft) {
    m_draft = draft;
    fillForm();
    touched();
}

void NewWorkloadDialog::touched() {
    m_current = false;
    ++m_version;
    m_soon.start();
}

void NewWorkloadDialog::requestPreview() {
    m_context.session.jobs().cancel(m_job);
    const int version = m_version;
    m_job = m_context.session.jobs().start(
        QStringLiteral("building the new workload"), this,
        [draft = m_draft](JobControl &) { return previewDraft(draft); },
        [this, version](DraftPreview preview) {
            if (version == m_version) showPreview(std::move(preview));
        });
}

void NewWorkloadDialog::showPreview(DraftPreview preview) {
    m_preview = std::move(preview);
    m_current = true;
    m_text->setText(m_preview.text);
    std::vector<CodeProblem> problems;
    if (m_preview.problem && m_preview.problem->line > 0)
        problems.push_back(
            {m_preview.problem->line, std::max(1, m_preview.problem->column), 0, m_preview.problem->sentence, false});
    m_text->setProblems(problems);
    m_dag->setText(m_preview.dagText);
    if (m_preview.problem) m_dag->setPlaceholder(QStringLiteral("The ComputeDAG appears once the text is right."));
    restyle();
    Q_EMIT previewed();
}

void NewWorkloadDialog::accept() {
    // What is created is what the form says now, were the preview not there yet.
    const QString text = m_current ? m_preview.text : draftText(m_draft);
    m_context.session.documents().openText(m_draft.name, text);
    if (const QString target = m_target->currentData().toString(); !target.isEmpty())
        m_context.session.documents().setTarget(target);
    QDialog::accept();
}

void NewWorkloadDialog::restyle() {
    const Theme &theme = m_context.theme;
    const auto ink = [&](QLabel *label, Role role) {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, theme.color(role));
        label->setPalette(palette);
    };
    ink(m_doc, Role::QuietText);
    ink(m_verdict, m_preview.problem ? Role::Bad : Role::Text);
    if (m_preview.problem) {
        m_verdict->setText(
            m_preview.problem->line > 0
                ? QStringLiteral("Line %1: %2").arg(m_preview.problem->line).arg(m_preview.problem->sentence)
                : m_preview.problem->sentence);
    } else if (m_preview.facts) {
        const TaskFacts &facts = *m_preview.facts;
        m_verdict->setText(
            QStringLiteral("Result %1  \u00b7  %2  \u00b7  %3  \u00b7  %4  \u00b7  %5")
                .arg(m_preview.shape,
                     facts.flops < 0 ? QStringLiteral("work unknown") : countText(facts.flops) + QStringLiteral("FLOP"),
                     bytesText(facts.bytes()), intensityText(facts.intensity()),
                     countedText(static_cast<size_t>(facts.stages), "stage")));
    }
}

} // namespace loopscope
