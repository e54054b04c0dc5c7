#include "views/computation/computation_view.h"

#include "views/actions/elided_label.h"
#include "views/computation/completion_words.h"
#include "views/computation/facts_panel.h"
#include "views/computation/log_task_page.h"
#include "views/computation/new_workload_dialog.h"
#include "views/computation/param_form.h"
#include "views/computation/problem_bar.h"
#include "views/computation/target_form.h"
#include "views/computation/task_list.h"
#include "views/session/file_start.h"
#include "views/session/samples.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kMargin = 8;
constexpr int kOutlineDelay = 150; // ms after the last key
constexpr int kStageDelay = 250;   // ms that the caret rests: walking through the text is no history

} // namespace

ComputationView::ComputationView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("ComputationView"));
    addActions();
    build();
    m_outlineSoon.setSingleShot(true);
    m_outlineSoon.setInterval(kOutlineDelay);
    m_stageSoon.setSingleShot(true);
    m_stageSoon.setInterval(kStageDelay);
    connect(&m_outlineSoon, &QTimer::timeout, this, &ComputationView::refreshOutline);
    connect(&m_stageSoon, &QTimer::timeout, this, &ComputationView::selectStageOfLine);

    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &ComputationView::documentChanged);
    connect(&session.documents(), &Documents::documentsChanged, this, &ComputationView::restyle);
    connect(&session.documents(), &Documents::problemChanged, this, &ComputationView::analysed);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now) { follow(now); });
    connect(m_form, &ParamForm::changed, this,
            [this](const ParamOverrides &params) { m_context.session.documents().setParams(params); });
    connect(m_target, &TargetForm::targetChosen, this,
            [this](const QString &text) { m_context.session.documents().setTarget(text); });
    connect(m_editor, &CodeText::textEdited, this, &ComputationView::textEdited);
    connect(m_editor, &CodeText::lineClicked, this, &ComputationView::lineClicked);
    connect(&context.theme, &Theme::changed, this, &ComputationView::restyle);
    readBenchmarks();
    restyle();
    documentChanged();
}

ComputationView::~ComputationView() = default;

void ComputationView::addActions() {
    Actions &actions = m_context.actions;
    const QString category = QStringLiteral("Computation");
    const auto add = [&](const char *id, const QString &text, const QKeySequence &keys, const QString &tip,
                         const QString &icon, QObject *owner, std::function<void()> run) {
        QAction *action = actions.add({QLatin1String(id), category, text, keys, tip, icon}, owner, std::move(run));
        if (!icon.isEmpty()) action->setIcon(m_context.theme.icon(icon));
        return action;
    };
    // No widget owns it: it works anywhere in the window.
    m_new = add(actionId(Capability::NewWorkload), QStringLiteral("New workload from an operator \u2026"),
                {}, // File > New has the key
                QStringLiteral("Put a workload together from an operator of the library"), QStringLiteral("new"),
                new QObject(this), [this] { newWorkload(); });
    m_copyKey = add("computation.copyKey", QStringLiteral("Copy task key"), {},
                    QStringLiteral("Copy the whole task key, which records are filed by"), QStringLiteral("copy"), this,
                    [this] { QApplication::clipboard()->setText(m_facts->key()); });
    m_goTo = add("computation.goToProblem", QStringLiteral("Go to"), QKeySequence(Qt::Key_F8),
                 QStringLiteral("Put the caret where the problem is"), {}, this, [this] { goToProblem(); });
    add("computation.undo", QStringLiteral("Undo in the text"), QKeySequence(QKeySequence::Undo), {}, {}, this,
        [this] { m_editor->editor()->undo(); });
    add("computation.redo", QStringLiteral("Redo in the text"), QKeySequence(QKeySequence::Redo), {}, {}, this,
        [this] { m_editor->editor()->redo(); });
    m_findWorkload = add("computation.findWorkload", QStringLiteral("Find its workload \u2026"), {},
                         QStringLiteral("Choose the workload (.te) that this log was tuned from"),
                         QStringLiteral("open"), this, [this] { findWorkload(); });
    m_revert = add("computation.revert", QStringLiteral("Revert to the file"), {},
                   QStringLiteral("Replace the text by what the file has; can be undone"), QStringLiteral("back"), this,
                   [this] { revert(); });
    m_resetParams =
        add("computation.resetParameters", QStringLiteral("Reset parameters"), {},
            QStringLiteral("Give every parameter the value of the file"), {}, this, [this] { m_form->reset(); });
    add("computation.editParameters", QStringLiteral("Edit the parameters"), QKeySequence(Qt::ALT | Qt::Key_P), {}, {},
        this, [this] { m_form->focusFirst(); });
    add("computation.editText", QStringLiteral("Edit the text"), QKeySequence(Qt::ALT | Qt::Key_T), {}, {}, this,
        [this] { m_editor->editor()->setFocus(); });
}

void ComputationView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    m_pages = new QStackedWidget(this);
    page->addWidget(m_pages);

    auto *nothing = new QWidget(m_pages);
    auto *middle = new QVBoxLayout(nothing);
    m_empty = new QLabel(QStringLiteral("Open a workload or a tuning log, or make a workload from an operator of the "
                                        "library."),
                         nothing);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    auto *create = new QPushButton(QStringLiteral("New workload \u2026"), nothing);
    create->setToolTip(m_new->toolTip());
    connect(create, &QPushButton::clicked, m_new, &QAction::trigger);
    middle->addStretch(1);
    middle->addWidget(m_empty);
    middle->addWidget(create, 0, Qt::AlignHCenter);
    middle->addStretch(1);
    middle->setContentsMargins(4 * kMargin, kMargin, 4 * kMargin, kMargin);
    middle->setSpacing(2 * kMargin);
    m_pages->addWidget(nothing);

    auto *full = new QWidget(m_pages);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QVBoxLayout;
    head->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    head->setSpacing(kMargin);
    auto *titleRow = new QHBoxLayout;
    titleRow->setSpacing(2);
    m_title = new ElidedLabel(full);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    titleRow->addWidget(m_title, 1);
    for (QAction *action : {m_revert, m_new}) {
        auto *button = new QToolButton(full);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setAccessibleName(action->text());
        titleRow->addWidget(button);
    }
    head->addLayout(titleRow);
    m_facts = new FactsPanel(m_context.theme, m_copyKey, full);
    head->addWidget(m_facts);
    m_form = new ParamForm(m_context.theme, full);
    head->addWidget(m_form);
    m_target = new TargetForm(m_context.theme, full);
    head->addWidget(m_target);
    auto *tasks = new TaskList(m_context, full);
    tasks->setObjectName(QStringLiteral("workload_tasks")); // the page of a log without workload has one, too
    head->addWidget(tasks);
    column->addLayout(head);
    m_editor = new CodeText(m_context.theme, CodeLanguage::Te, false, full);
    m_editor->setAccessibleName(QStringLiteral("Text of the workload"));
    column->addWidget(m_editor, 1);
    setFocusProxy(m_editor);
    m_problem = new ProblemBar(m_context.theme, m_goTo, full);
    column->addWidget(m_problem);
    m_pages->addWidget(full);
    m_pages->addWidget(new LogTaskPage(m_context, m_findWorkload, m_pages));
}

void ComputationView::readBenchmarks() {
    const QString path = samplesFolder() + QStringLiteral("/benchmarks.txt");
    m_context.session.jobs().start(
        QStringLiteral("reading benchmarks.txt"), this,
        [path](JobControl &) {
            QFile file(path); // the samples may not be installed; the networks' shapes are there all the same
            if (!file.open(QIODevice::ReadOnly)) return std::vector<BenchmarkLine>{};
            return parseBenchmarks(QString::fromUtf8(file.readAll()));
        },
        [this](std::vector<BenchmarkLine> lines) {
            m_benchmarks = std::move(lines);
            refreshForm();
        });
}

void ComputationView::documentChanged() {
    const Document *document = m_context.session.document();
    m_pages->setCurrentIndex(document == nullptr ? 0 : document->logTask ? 2 : 1);
    const int id = document == nullptr ? -1 : document->id;
    if (id != m_documentId) {
        m_documentId = id;
        m_outline = {};
        m_opsOf.clear();
        m_opsWorkload.reset();
        m_editor->clearMarks();
        m_editor->setText(document == nullptr ? QString() : document->text);
    } else if (document != nullptr && m_editor->text() != document->text) {
        const QScopedValueRollback taking(m_taking, true); // the document has it already
        replaceText(document->text);
    }
    restyle();
    analysed();
}

void ComputationView::analysed() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    m_problem->show(document->problem, document->analysing);
    m_target->setTarget(document->targetText);
    std::vector<CodeProblem> problems;
    if (document->problem && document->problem->line > 0)
        problems.push_back(
            {document->problem->line, std::max(1, document->problem->column), 0, document->problem->sentence, false});
    m_editor->setProblems(problems);
    if (m_task != document->task) {
        m_task = document->task;
        m_taskFacts = m_task ? std::optional(factsOf(*m_task)) : std::nullopt;
    }
    m_facts->setFacts(m_taskFacts, document->problem.has_value());
    m_copyKey->setEnabled(document->task != nullptr);
    refreshForm();
    refreshOutline();
    if (!document->problem && document->workload && m_opsWorkload != document->workload) findOps();
}

void ComputationView::findOps() {
    const Document *document = m_context.session.document();
    m_opsWorkload = document->workload;
    m_context.session.jobs().start(
        QStringLiteral("finding the stages of the text"), this,
        [text = std8(document->text), params = document->params](JobControl &) {
            TextOutline outline = outlineText(qt(text));
            attachOps(outline, text, params);
            std::map<QString, QStringList> ops;
            for (Definition &definition : outline.definitions) ops[definition.handle] = std::move(definition.ops);
            return ops;
        },
        [this, workload = document->workload](std::map<QString, QStringList> ops) {
            if (workload != m_opsWorkload) return; // another text by now
            m_opsOf = std::move(ops);
            refreshOutline();
        });
}

void ComputationView::refreshForm() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    std::vector<WorkloadParam> params;
    if (document->workload) params = document->workload->params;
    for (WorkloadParam &param : params) {
        param.value = param.fallback;
        for (const auto &[name, value] : document->params)
            if (name == param.name) param.value = value;
    }
    const QString name = document->workload ? qt(document->workload->name) : QString();
    m_form->setParams(params, presetsFor(name, params, m_benchmarks));
    m_resetParams->setEnabled(!m_form->overrides().empty());
}

/// As somebody who types it would: one step back to the text before.
void ComputationView::replaceText(const QString &text) {
    QsciScintilla *editor = m_editor->editor();
    editor->beginUndoAction();
    editor->selectAll();
    editor->replaceSelectedText(text);
    editor->setCursorPosition(0, 0);
    editor->endUndoAction();
}

void ComputationView::textEdited(const QString &text) {
    if (m_taking) return;
    m_context.session.documents().setText(text);
    m_outlineSoon.start();
}

void ComputationView::refreshOutline() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    m_outline = outlineText(m_editor->text());
    for (Definition &definition : m_outline.definitions)
        if (const auto ops = m_opsOf.find(definition.handle); ops != m_opsOf.end()) definition.ops = ops->second;
    m_editor->setCompletions(completionWords(m_outline));
    m_ownPick = true; // the text may have moved under the marks; the view stays where it is
    follow(m_context.session.selection().now());
    m_ownPick = false;
}

void ComputationView::follow(const Selected &now) {
    const std::vector<int> lines = m_outline.linesOf(now.stage);
    if (lines.empty())
        m_editor->clearMarks();
    else
        m_editor->markLines(lines, !m_ownPick && !m_editor->editor()->hasFocus());
}

void ComputationView::lineClicked(int line) {
    m_line = line;
    m_stageSoon.start();
}

void ComputationView::selectStageOfLine() {
    const QString stage = m_outline.stageAt(m_line);
    const QString selected = m_context.session.selection().now().stage;
    const Definition *definition = m_outline.definitionAt(m_line);
    // One of several stages of the same definition is selected already: that says more than its last one.
    if (stage.isEmpty() || (definition != nullptr && definition->ops.contains(selected))) return;
    m_ownPick = true;
    m_context.session.selection().selectStage(stage);
    m_ownPick = false;
}

void ComputationView::goToProblem() {
    const Document *document = m_context.session.document();
    if (document == nullptr || !document->problem || document->problem->line <= 0) return;
    m_editor->goTo(document->problem->line, std::max(1, document->problem->column));
    m_editor->editor()->setFocus();
}

void ComputationView::revert() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    const QString source = document->path.isEmpty() ? document->origin : document->path;
    if (source.isEmpty()) return;
    m_context.session.jobs().start(
        QStringLiteral("reading %1").arg(source), this,
        [path = source](JobControl &) {
            const auto [bytes, problem] = readWhole(path);
            if (!problem.isEmpty()) throw Error(std8(path), 0, 0, std8(problem));
            return QString::fromUtf8(bytes);
        },
        [this, id = document->id](const QString &text) {
            const Document *now = m_context.session.document();
            if (now != nullptr && now->id == id && m_editor->text() != text) replaceText(text);
        });
}

void ComputationView::findWorkload() {
    const Document *document = m_context.session.document();
    if (document == nullptr || !document->logTask) return;
    auto *dialog =
        new QFileDialog(this, QStringLiteral("Find the workload of %1").arg(document->name),
                        QFileInfo(document->logPath).absolutePath(), QStringLiteral("Workloads (*.te);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString &path) { m_context.session.files().findWorkload(path); });
    dialog->open();
}

NewWorkloadDialog *ComputationView::newWorkload() {
    if (m_dialog == nullptr) m_dialog = new NewWorkloadDialog(m_context, this);
    m_dialog->begin();
    return m_dialog;
}

void ComputationView::restyle() {
    const Document *document = m_context.session.document();
    m_empty->setStyleSheet(QStringLiteral("color: %1").arg(m_context.theme.color(Role::QuietText).name()));
    m_revert->setEnabled(document != nullptr && !(document->path + document->origin).isEmpty() && document->modified);
    m_findWorkload->setEnabled(document != nullptr && document->logTask.has_value());
    if (document == nullptr) return;
    m_title->setText(document->modified ? document->name + QStringLiteral(" \u2022") : document->name);
    m_title->setToolTip(!document->origin.isEmpty()
                            ? QStringLiteral("A copy of the sample %1; saving asks where").arg(document->origin)
                        : document->path.isEmpty() ? QStringLiteral("Not saved yet")
                        : document->modified       ? document->path + QStringLiteral("\nChanged since it was saved")
                                                   : document->path);
}

void ComputationView::startFind() { m_editor->startFind(); }
QStringList ComputationView::exportSuffixes() const { return {QStringLiteral("te"), QStringLiteral("txt")}; }
QString ComputationView::exportTo(const QString &path) { return m_editor->exportTo(path); }
void ComputationView::zoomIn() { m_editor->zoomIn(); }
void ComputationView::zoomOut() { m_editor->zoomOut(); }
void ComputationView::zoomToFit() { m_editor->zoomToFit(); }

} // namespace loopscope
