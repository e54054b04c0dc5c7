#include "views/program/program_view.h"

#include "views/program/pass_bar.h"
#include "views/program/schedule_words.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kReadDelay = 60;     // ms: who walks through candidates does not want each of them compiled
constexpr int kChooseDelay = 40;   // ms: who walks through lines does not want each of them in the history
constexpr int kSplitColumns = 150; // characters two representations need side by side

} // namespace

ProgramView::ProgramView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("ProgramView"));
    setWindowTitle(tr("Code"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    m_header = new QLabel(this);
    m_header->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_header->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_header->setAccessibleName(tr("Schedule shown"));
    row->addWidget(m_header, 1);
    column->addLayout(row);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setChildrenCollapsible(false);
    m_first = makePane(QStringLiteral("FirstForm"));
    m_second = makePane(QStringLiteral("SecondForm"));
    m_splitter->addWidget(m_first);
    m_splitter->addWidget(m_second);
    column->addWidget(m_splitter, 1);
    m_active = m_first;
    setFocusProxy(m_first);
    addActions();
    for (const char *id :
         {"program.split", "program.wrap", "program.fold", "program.unfold", "program.find", "program.save"}) {
        auto *button = new QToolButton(this);
        button->setDefaultAction(m_context.actions.find(QString::fromLatin1(id)));
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setAutoRaise(true);
        button->setAccessibleName(button->defaultAction()->text());
        row->addWidget(button);
    }

    m_readTimer.setSingleShot(true);
    m_readTimer.setInterval(kReadDelay);
    connect(&m_readTimer, &QTimer::timeout, this, &ProgramView::read);
    m_chooseTimer.setSingleShot(true);
    m_chooseTimer.setInterval(kChooseDelay);
    connect(&m_chooseTimer, &QTimer::timeout, this, [this] {
        const QScopedValueRollback<RepresentationPane *> origin(m_origin, m_choice.from);
        m_context.session.selection().selectNode(m_choice.node, m_choice.stage, m_choice.iterator);
    });

    Session &session = m_context.session;
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (!(now.schedule == before.schedule)) askSoon();
        follow(now, true);
    });
    connect(&session.documents(), &Documents::documentChanged, this, &ProgramView::askSoon);
    connect(&session.documents(), &Documents::problemChanged, this, &ProgramView::askSoon);
    const auto ready = [this](const ScheduleRef &ref) {
        if (ref == m_texts.ref) read();
    };
    connect(&session.representations(), &RepresentationCache::representationsReady, this, ready, Qt::QueuedConnection);
    connect(&session.representations(), &RepresentationCache::disassemblyReady, this, ready, Qt::QueuedConnection);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &ProgramView::askSoon);
    connect(&session.documents(), &Documents::sketchesChanged, this, &ProgramView::askSoon);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, &ProgramView::sayHeader);
    connect(&session.trials(), &TaskTrials::bestChanged, this, &ProgramView::sayHeader);
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, &ProgramView::sayHeader);
    connect(&m_context.theme, &Theme::changed, this, [this] {
        applySplit();
        for (QAction *action : actions()) action->setIcon(m_context.theme.icon(m_context.actions.info(action).icon));
    });
    restore();
    read();
}

RepresentationPane *ProgramView::makePane(const QString &name) {
    auto *pane = new RepresentationPane(m_context, name, m_splitter);
    connect(
        pane, &RepresentationPane::nodeChosen, this,
        [this, pane](int node, const QString &stage, const QString &iterator) { choose(pane, node, stage, iterator); });
    connect(pane, &RepresentationPane::programLinesHovered, this, [this, pane](const LineRanges &lines) {
        RepresentationPane *other = pane == m_first ? m_second : m_first;
        if (isSplit()) other->hover(lines);
    });
    connect(pane, &RepresentationPane::entered, this, [this, pane] { m_active = pane; });
    connect(pane, &RepresentationPane::formChanged, this, [this, pane] {
        m_active = pane;
        m_context.settings.setValue(QStringLiteral("program/") + pane->objectName(), static_cast<int>(pane->form()));
        read();
    });
    connect(pane, &RepresentationPane::cancelAsked, this,
            [this] { m_context.session.representations().cancelDisassembly(m_texts.ref); });
    connect(pane, &RepresentationPane::retryAsked, this, [this] {
        m_context.session.representations().retryDisassembly(m_texts.ref);
        read();
    });
    return pane;
}

void ProgramView::addActions() {
    const QString category = tr("Code");
    const auto add = [&](const char *id, const QString &text, const char *key, const char *icon, const QString &tip,
                         std::function<void()> run, bool checkable = false) {
        QAction *action =
            m_context.actions.add({QString::fromLatin1(id), category, text, QKeySequence(QString::fromLatin1(key)), tip,
                                   QString::fromLatin1(icon), checkable},
                                  this, std::move(run));
        action->setIcon(m_context.theme.icon(QString::fromLatin1(icon)));
        return action;
    };
    add("program.loops", tr("Show loops"), "Ctrl+Alt+L", "loops", tr("The loop program after each pass"),
        [this] { active().showForm(FormKind::Loops); });
    add("program.c", tr("Show C or CUDA"), "Ctrl+Alt+C", "code",
        tr("The final loop program as C, or as CUDA C++ where it is for a GPU"),
        [this] { active().showForm(FormKind::C); });
    add("program.ir", tr("Show LLVM IR"), "Ctrl+Alt+I", "code", tr("LLVM IR after optimisation"),
        [this] { active().showForm(FormKind::Ir); });
    add("program.assembly", tr("Show assembly or PTX"), "Ctrl+Alt+A", "code",
        tr("Machine code for the target, or PTX where it is for a GPU"),
        [this] { active().showForm(FormKind::Assembly); });
    add("program.machine", tr("Show SASS"), "Ctrl+Alt+B", "code", tr("Machine code of a GPU"), [this] {
        if (m_texts.gpu) active().showForm(FormKind::Machine);
    });
    add(
        "program.split", tr("Two representations side by side"), "Ctrl+\\", "columns",
        tr("Shows two representations of the schedule side by side"), [this] { setSplit(!isSplit()); }, true);
    add("program.find", tr("Find in code"), "", "find", tr("Find in the text shown (Ctrl+F)"), [this] { startFind(); });
    add("program.next_block", tr("Next linked block"), "F8", "",
        tr("To the next lines that were made from what is selected"), [this] { nextBlock(1); });
    add("program.previous_block", tr("Previous linked block"), "Shift+F8", "",
        tr("To the lines before that were made from what is selected"), [this] { nextBlock(-1); });
    add("program.next_pass", tr("Next pass with changes"), "Alt+PgDown", "", {}, [this] { active().passes().step(1); });
    add("program.previous_pass", tr("Previous pass with changes"), "Alt+PgUp", "", {},
        [this] { active().passes().step(-1); });
    add("program.changes", tr("Mark what the pass changed"), "Ctrl+Alt+D", "", {},
        [this] { active().passes().setShowsChanges(!active().passes().showsChanges()); });
    add("program.instructions_only", tr("Assembly without directives"), "Ctrl+Alt+N", "", {},
        [this] { active().setInstructionsOnly(!active().instructionsOnly()); });
    add("program.selected_only", tr("Assembly of the selected loop only"), "Ctrl+Alt+O", "", {},
        [this] { active().setSelectedOnly(!active().selectedOnly()); });
    add("program.fold", tr("Fold all"), "Ctrl+Shift+[", "collapse", tr("Folds every loop, function and label"),
        [this] { active().text().foldAll(true); });
    add("program.unfold", tr("Unfold all"), "Ctrl+Shift+]", "expand", tr("Unfolds everything"),
        [this] { active().text().foldAll(false); });
    QAction *wrap = add(
        "program.wrap", tr("Wrap long lines"), "Alt+Z", "wrap", tr("Lines longer than the view go on in the next row"),
        [] {}, true);
    connect(wrap, &QAction::toggled, this, [this](bool on) {
        m_context.settings.setValue(QStringLiteral("program/wrap"), on);
        for (RepresentationPane *pane : {m_first, m_second}) pane->setWordWrap(on);
    });
    add("program.save", tr("Save code as \u2026"), "Ctrl+Alt+S", "save", tr("Writes the text shown to a file"),
        [this] { saveAs(); });
}

void ProgramView::restore() {
    const Settings &settings = m_context.settings;
    const auto form = [&](RepresentationPane *pane, FormKind usual) {
        const int kept =
            settings.value(QStringLiteral("program/") + pane->objectName(), static_cast<int>(usual)).toInt();
        pane->showForm(static_cast<FormKind>(std::clamp(kept, 0, kFormKinds - 1)));
    };
    form(m_first, FormKind::Loops);
    form(m_second, FormKind::Assembly);
    const QString split = settings.value(QStringLiteral("program/split")).toString();
    m_splitChoice = split == QLatin1String("on")    ? SplitChoice::On
                    : split == QLatin1String("off") ? SplitChoice::Off
                                                    : SplitChoice::Auto;
    m_splitter->restoreState(settings.value(QStringLiteral("program/splitter")).toByteArray());
    connect(m_splitter, &QSplitter::splitterMoved, this,
            [this] { m_context.settings.setValue(QStringLiteral("program/splitter"), m_splitter->saveState()); });
    m_context.actions.find(QStringLiteral("program.wrap"))
        ->setChecked(settings.value(QStringLiteral("program/wrap"), false).toBool());
    const bool instructions = settings.value(QStringLiteral("program/instructionsOnly"), false).toBool();
    const bool changes = settings.value(QStringLiteral("program/changes"), true).toBool();
    for (RepresentationPane *pane : {m_first, m_second}) {
        pane->setInstructionsOnly(instructions);
        pane->passes().setShowsChanges(changes);
        connect(pane, &RepresentationPane::instructionsOnlyChanged, this,
                [this](bool only) { m_context.settings.setValue(QStringLiteral("program/instructionsOnly"), only); });
        connect(&pane->passes(), &PassBar::showsChangesChanged, this, [this, pane] {
            m_context.settings.setValue(QStringLiteral("program/changes"), pane->passes().showsChanges());
        });
    }
    m_active = m_first;
    applySplit();
}

// --- What is shown -------------------------------------------------------------------------------------------------

void ProgramView::askSoon() {
    sayHeader();
    m_readTimer.start();
}

bool ProgramView::wantsDisassembly() const {
    return needsDisassembly(m_first->form()) || (isSplit() && needsDisassembly(m_second->form()));
}

void ProgramView::read() {
    m_readTimer.stop();
    Session &session = m_context.session;
    const Document *document = session.document();
    ScheduleTexts texts;
    texts.ref = session.selection().now().schedule;
    texts.absent = whyNoSchedule(document, texts.ref);
    if (texts.absent.isEmpty()) {
        if (!isVisible()) return; // nobody looks: showEvent asks
        texts.gpu = document->task->target.isGpu();
        texts.representations = session.representations().of(texts.ref);
        texts.formsPending = texts.representations == nullptr;
        const bool lowered = texts.representations && texts.representations->refusal.isEmpty();
        if (lowered && wantsDisassembly()) {
            texts.disassembly = session.representations().disassembly(texts.ref, &texts.disassemblyProblem);
            texts.gpuCode = session.representations().gpuCode(texts.ref);
            texts.disassemblyPending = !texts.disassembly && texts.disassemblyProblem.isEmpty();
        } else if (!texts.representations && texts.ref == m_texts.ref) {
            texts.disassembly = m_texts.disassembly;
            texts.gpuCode = m_texts.gpuCode;
        }
        texts.disassemblyPending = texts.disassemblyPending || (texts.formsPending && wantsDisassembly());
    }
    m_texts = texts;
    const Selected &now = session.selection().now();
    for (RepresentationPane *pane : {m_first, m_second}) {
        if (pane == m_second && !isSplit()) continue;
        pane->follow(now, false);
        pane->setTexts(m_texts);
    }
    sayHeader();
}

void ProgramView::sayHeader() {
    const Document *document = m_context.session.document();
    const ScheduleRef ref = m_context.session.selection().now().schedule;
    const bool known = document && whyNoSchedule(document, ref).isEmpty();
    const QString words = known ? scheduleWords(*document, ref, m_texts.representations) : QString();
    m_header->setText(words);
    m_header->setToolTip(words);
}

void ProgramView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    applySplit();
    read();
}

void ProgramView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    if (m_splitChoice == SplitChoice::Auto) applySplit();
}

bool ProgramView::isSplit() const { return !m_second->isHidden(); }

void ProgramView::setSplit(bool split) {
    m_splitChoice = split ? SplitChoice::On : SplitChoice::Off;
    m_context.settings.setValue(QStringLiteral("program/split"), split ? QStringLiteral("on") : QStringLiteral("off"));
    applySplit();
}

void ProgramView::applySplit() {
    const int column = QFontMetrics(m_context.theme.codeFont()).horizontalAdvance(QLatin1Char('0'));
    const bool split =
        m_splitChoice == SplitChoice::On || (m_splitChoice == SplitChoice::Auto && width() >= kSplitColumns * column);
    m_context.actions.find(QStringLiteral("program.split"))->setChecked(split);
    if (split == isSplit()) return;
    m_second->setVisible(split);
    if (!split) m_active = m_first;
    if (isVisible()) read();
}

// --- Links ---------------------------------------------------------------------------------------------------------

void ProgramView::follow(const Selected &now, bool reveal) {
    for (RepresentationPane *pane : {m_first, m_second})
        if (pane == m_first || isSplit()) pane->follow(now, reveal && pane != m_origin);
}

void ProgramView::choose(RepresentationPane *from, int node, const QString &stage, const QString &iterator) {
    m_choice = {from, node, stage, iterator};
    m_chooseTimer.start();
}

void ProgramView::nextBlock(int direction) { active().text().goToMark(direction); }

// --- Roles ---------------------------------------------------------------------------------------------------------

void ProgramView::startFind() { active().text().startFind(); }
QStringList ProgramView::exportSuffixes() const { return active().text().exportSuffixes(); }
QString ProgramView::exportTo(const QString &path) { return active().text().exportTo(path); }
void ProgramView::zoomIn() { active().text().zoomIn(); }
void ProgramView::zoomOut() { active().text().zoomOut(); }
void ProgramView::zoomToFit() { active().text().zoomToFit(); }

void ProgramView::saveAs() {
    const Document *document = m_context.session.document();
    if (!document || active().text().text().isEmpty()) {
        m_context.session.messages().warn(tr("There is no code to save"), whyNoSchedule(document, m_texts.ref));
        return;
    }
    const QString suffix = exportSuffixes().front();
    QString name = scheduleName(m_texts.ref);
    name.replace(u' ', u'_');
    auto *dialog = new QFileDialog(this, tr("Save code as"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(QStringLiteral("%1_%2.%3").arg(document->name, name, suffix));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        const QString problem = exportTo(path);
        if (problem.isEmpty())
            m_context.session.messages().note(tr("Saved %1").arg(path));
        else
            m_context.session.messages().fail(tr("The code was not saved"), problem);
    });
    dialog->open();
}

} // namespace loopscope
