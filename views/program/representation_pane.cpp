#include "views/program/representation_pane.h"

#include "views/actions/flow_layout.h"
#include "views/program/assembly_bar.h"
#include "views/program/form_status.h"
#include "views/program/hot_block_bar.h"
#include "views/program/kernel_bar.h"
#include "views/program/line_diff.h"
#include "views/program/pass_bar.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QCheckBox>
#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kLittle = 400'000; // bytes read on the spot

std::u16string_view wide(const QString &text) {
    return {reinterpret_cast<const char16_t *>(text.utf16()), static_cast<size_t>(text.size())};
}

/// Marks in the text of a pass what the pass before it did not have.
void markChanges(CodeText &loops, PassBar &bar, const std::vector<PassForm> &passes) {
    const int at = bar.pass();
    if (!bar.showsChanges() || static_cast<size_t>(at) >= passes.size() || at < 1) {
        loops.setMarks(LineMark::Added, {});
        loops.setMarks(LineMark::Changed, {});
        loops.setMarks(LineMark::RemovedBelow, {});
        return bar.sayNothing();
    }
    const LineDiff diff =
        diffLines(wide(passes[static_cast<size_t>(at) - 1].text), wide(passes[static_cast<size_t>(at)].text));
    loops.setMarks(LineMark::Added, diff.added);
    loops.setMarks(LineMark::Changed, diff.changed);
    loops.setMarks(LineMark::RemovedBelow, diff.removedBelow);
    bar.sayChanges(diff.addedCount, diff.removedCount);
}

QString nothingOfIt() {
    return RepresentationPane::tr("Nothing in the machine code was made from the selected statement: it was folded "
                                  "into others, or only the naive form has it.");
}

/// Of the innermost loops of the disassembly.
QStringList loopNames(const ScheduleTexts &texts) {
    QStringList names;
    for (const AssemblyLoop &loop : texts.disassembly->summary.innermostLoops)
        names << loopNameAt(texts.nodes(), loop.programLine);
    return names;
}

} // namespace

RepresentationPane::RepresentationPane(const ViewContext &context, const QString &name, QWidget *parent)
    : QWidget(parent), m_context(context) {
    setObjectName(name);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_tabs = new QTabBar(this);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setAccessibleName(tr("Forms of the schedule"));
    for (int i = 0; i < kFormKinds; ++i) m_tabs->addTab(QString());
    auto *headBar = new QWidget(this);
    auto *head = new FlowLayout(headBar, 8, 2); // all is there to click in a narrow half
    head->addWidget(m_tabs);
    column->addWidget(headBar);

    m_passBar = new PassBar(context.theme, this);
    m_bars = new QWidget(this); // of its bars one is shown; the other takes no room
    auto *bars = new QVBoxLayout(m_bars);
    bars->setContentsMargins(0, 0, 0, 0);
    m_bars->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_bars->layout()->addWidget(m_passBar);
    buildAssemblyControls();
    head->addWidget(m_instructionsButton);
    head->addWidget(m_selectedButton);
    column->addWidget(m_bars);

    m_stack = new QStackedWidget(this);
    for (size_t i = 0; i < m_texts.size(); ++i) {
        auto *text = m_texts[i] =
            new CodeText(context.theme, formLanguage(static_cast<FormKind>(i), false), true, m_stack);
        m_stack->addWidget(text);
        connect(text, &CodeText::lineClicked, this, &RepresentationPane::lineClicked);
        connect(text, &CodeText::lineHovered, this,
                [this](int line) { Q_EMIT programLinesHovered(links().programLines(line)); });
    }
    column->addWidget(m_stack, 1);
    nameForms();

    m_status = new FormStatus(this);
    column->addWidget(m_status);
    connect(m_status, &FormStatus::cancelAsked, this, &RepresentationPane::cancelAsked);
    connect(m_status, &FormStatus::retryAsked, this, &RepresentationPane::retryAsked);

    connect(m_tabs, &QTabBar::currentChanged, this, [this] {
        m_revealNext = true;
        update();
        Q_EMIT formChanged();
    });
    connect(m_passBar, &PassBar::passChanged, this, [this] {
        m_revealNext = true;
        update();
    });
    connect(m_passBar, &PassBar::showsChangesChanged, this, &RepresentationPane::showChanges);
    setFocusProxy(m_texts[0]);
}

/// As what is shown calls them; processors have no form below their assembly.
void RepresentationPane::nameForms() {
    for (int i = 0; i < kFormKinds; ++i) {
        const auto form = static_cast<FormKind>(i);
        CodeText &text = *m_texts[static_cast<size_t>(i)];
        m_tabs->setTabText(i, formTitle(form, m_shown.gpu));
        m_tabs->setTabToolTip(i, formTip(form, m_shown.gpu));
        text.setLanguage(formLanguage(form, m_shown.gpu));
        text.editor()->setAccessibleName(m_tabs->tabText(i));
    }
    m_tabs->setTabVisible(static_cast<int>(FormKind::Machine), m_shown.gpu);
}

void RepresentationPane::buildAssemblyControls() {
    m_assemblyBar = new AssemblyBar(m_context.theme, m_bars);
    m_bars->layout()->addWidget(m_assemblyBar);
    m_kernelBar = new KernelBar(m_context.theme, m_bars);
    m_bars->layout()->addWidget(m_kernelBar);
    m_instructionsButton = new QCheckBox(tr("Instructions only"), this);
    m_instructionsButton->setToolTip(tr("Without directives, data and labels that nothing jumps to"));
    m_selectedButton = new QCheckBox(tr("Selected loop only"), this);
    m_selectedButton->setToolTip(tr("Only what was made from the selected loop or statement"));
    connect(m_instructionsButton, &QCheckBox::toggled, this, [this](bool on) {
        m_filter.instructionsOnly = on;
        m_revealNext = true;
        update();
        Q_EMIT instructionsOnlyChanged(on);
    });
    connect(m_selectedButton, &QCheckBox::toggled, this, [this](bool on) {
        m_filter.selectedOnly = on;
        m_revealNext = true;
        mark(true);
    });
    connect(m_assemblyBar, &AssemblyBar::loopAsked, this, [this](int line, int programLine) {
        if (const auto chosen = FormLinks{m_shown.nodes(), nullptr, &m_shown.nodes()}.at(programLine))
            Q_EMIT nodeChosen(chosen->node, chosen->stage, chosen->iterator);
        if (const int shown = m_assembly.shownLine(line); shown > 0) text().goTo(shown);
        text().setFocus();
    });
}

void RepresentationPane::setWordWrap(bool wrap) {
    for (CodeText *text : m_texts) text->setWordWrap(wrap);
}
void RepresentationPane::setInstructionsOnly(bool only) { m_instructionsButton->setChecked(only); }
void RepresentationPane::setSelectedOnly(bool only) { m_selectedButton->setChecked(only); }

FormKind RepresentationPane::form() const { return static_cast<FormKind>(m_tabs->currentIndex()); }
void RepresentationPane::showForm(FormKind form) { m_tabs->setCurrentIndex(static_cast<int>(form)); }

const PassForm *RepresentationPane::pass() const {
    const int at = m_passBar->pass();
    if (!m_shown.representations || at < 0 || static_cast<size_t>(at) >= m_shown.representations->passes.size())
        return nullptr;
    return &m_shown.representations->passes[static_cast<size_t>(at)];
}

FormLinks RepresentationPane::links() const {
    const std::vector<ProgramNode> &nodes = m_shown.nodes();
    switch (form()) {
    case FormKind::Loops:
        break;
    case FormKind::C:
        return {nodes, &m_cMap, nullptr};
    case FormKind::Ir:
        return {nodes, &m_irMap, nullptr};
    case FormKind::Assembly:
        return {nodes, &m_assembly.map, nullptr};
    case FormKind::Machine:
        return {nodes, &m_machine.map, nullptr};
    }
    const PassForm *shown = pass();
    const bool last = shown != nullptr && shown == &m_shown.representations->passes.back();
    return {nodes, nullptr, last ? &nodes : shown != nullptr ? shown->nodes.get() : nullptr};
}

// --- Content -------------------------------------------------------------------------------------------------------

template <typename Work, typename Done>
void RepresentationPane::prepare(size_t bytes, const Work &work, const Done &done) {
    const int number = ++m_preparing;
    if (bytes <= kLittle) return done(work());
    m_context.session.jobs().start(
        tr("Reading the code of %1").arg(scheduleName(m_shown.ref)), this, [work](JobControl &) { return work(); },
        [this, number, done](auto made) {
            if (number == m_preparing) done(std::move(made));
        });
}

void RepresentationPane::setTexts(const ScheduleTexts &texts) {
    const bool another = !(texts.ref == m_shown.ref);
    const bool otherKind = texts.absent.isEmpty() && texts.gpu != m_shown.gpu;
    const bool gpu = texts.absent.isEmpty() ? texts.gpu : m_shown.gpu;
    m_shown = texts;
    m_shown.gpu = gpu;
    if (otherKind) nameForms();
    if (another) m_revealNext = true;
    if (m_shown.representations) m_passBar->setPasses(m_shown.representations->passes);
    update();
}

void RepresentationPane::update() {
    m_stack->setCurrentIndex(static_cast<int>(form()));
    setFocusProxy(&text());
    const bool instructions = form() == FormKind::Assembly || form() == FormKind::Machine;
    m_instructionsButton->setVisible(instructions);
    m_selectedButton->setVisible(instructions);
    m_instructionsButton->setEnabled(m_shown.disassembly != nullptr);
    m_selectedButton->setEnabled(m_shown.disassembly != nullptr);
    const bool compiled =
        m_shown.gpu ? m_shown.gpuCode != nullptr : m_assemblyOf && m_assemblyOf == m_shown.disassembly;
    m_bars->setVisible((form() == FormKind::Loops && !m_shown.refused() && m_shown.representations) ||
                       (instructions && compiled));
    m_passBar->setVisible(form() == FormKind::Loops);
    m_assemblyBar->setVisible(!m_shown.gpu && form() != FormKind::Loops);
    m_kernelBar->setVisible(m_shown.gpu && form() != FormKind::Loops);
    if (m_shown.gpuCode) m_kernelBar->show(*m_shown.gpuCode);
    if (!m_shown.absent.isEmpty()) {
        text().setText({});
        text().setPlaceholder(m_shown.absent);
        m_loopsOf = nullptr;
        m_cOf = nullptr;
        m_irOf = nullptr;
        m_assemblyOf = nullptr;
        m_machineOf = nullptr;
        m_bars->hide();
    } else if (form() == FormKind::Loops) {
        updateLoops();
    } else if (form() == FormKind::C) {
        updateC();
    } else {
        updateDisassembly();
    }
    m_status->say(m_shown, form());
}

void RepresentationPane::updateLoops() {
    if (!m_shown.representations) return text().setDimmed(m_shown.formsPending);
    const int at = m_passBar->pass();
    if (m_loopsOf != m_shown.representations || m_loopsPass != at) {
        m_loopsOf = m_shown.representations;
        m_loopsPass = at;
        text().setPlaceholder(m_shown.representations->refusal);
        text().setText(pass() ? pass()->text : m_shown.representations->stateText);
        showChanges();
    }
    text().setDimmed(false);
    mark(std::exchange(m_revealNext, false));
}

void RepresentationPane::updateC() {
    if (!m_shown.representations) return text().setDimmed(m_shown.formsPending);
    if (m_cOf != m_shown.representations) {
        m_cOf = m_shown.representations;
        m_cMap = LineMap(m_cOf->c.links);
        text().setPlaceholder(!m_cOf->refusal.isEmpty() ? m_cOf->refusal : m_cOf->cProblem);
        text().setText(m_cOf->cText);
    }
    text().setDimmed(false);
    mark(std::exchange(m_revealNext, false));
}

void RepresentationPane::updateDisassembly() {
    if (m_shown.refused() || !m_shown.disassemblyProblem.isEmpty()) {
        text().setText({});
        text().setPlaceholder(m_shown.refused() ? m_shown.representations->refusal : m_shown.disassemblyProblem);
        if (form() == FormKind::Machine)
            m_machineOf = nullptr;
        else
            (form() == FormKind::Ir ? m_irOf : m_assemblyOf) = nullptr;
        return;
    }
    if (!m_shown.disassembly) {
        text().setPlaceholder({});
        text().setDimmed(true);
        return;
    }
    if (form() == FormKind::Assembly) return showAssemblyText();
    if (form() == FormKind::Machine) return showMachineText();
    if (m_irOf == m_shown.disassembly) {
        text().setDimmed(false);
        return mark(std::exchange(m_revealNext, false));
    }
    struct Made {
        QString text;
        LineMap map;
    };
    prepare(
        m_shown.disassembly->ir.text.size(),
        [disassembly = m_shown.disassembly] { return Made{qt(disassembly->ir.text), LineMap(disassembly->ir.links)}; },
        [this, disassembly = m_shown.disassembly](Made made) {
            m_irOf = disassembly;
            m_irMap = std::move(made.map);
            m_texts[static_cast<size_t>(FormKind::Ir)]->setText(made.text);
            if (form() == FormKind::Ir) mark(std::exchange(m_revealNext, false));
        });
}

void RepresentationPane::showAssemblyText() {
    if (!m_shown.disassembly || form() != FormKind::Assembly) return;
    if (m_assemblyOf == m_shown.disassembly && m_assemblyFilter == m_filter) {
        text().setDimmed(false);
        return mark(std::exchange(m_revealNext, false));
    }
    prepare(
        m_shown.disassembly->assembly.text.size(),
        [disassembly = m_shown.disassembly, filter = m_filter, gpu = m_shown.gpu] {
            return gpu ? showAssembly(disassembly->assembly, {}, AssemblySyntax::Ptx, filter)
                       : showAssembly(*disassembly, filter);
        },
        [this, disassembly = m_shown.disassembly, filter = m_filter](AssemblyText made) {
            if (m_assemblyOf != disassembly && !m_shown.gpu) {
                m_assemblyBar->show(disassembly->summary, loopNames(m_shown));
                m_assemblyBar->hottest().show(disassembly->hot,
                                              loopNameAt(m_shown.nodes(), disassembly->hot.programLine),
                                              qt(disassembly->hotProblem));
                m_toHottest = true;
            }
            m_assemblyOf = disassembly;
            m_assemblyFilter = filter;
            takeAssembly(std::move(made));
        });
}

void RepresentationPane::showMachineText() {
    const GpuCodePtr code = m_shown.gpuCode;
    if (!code || form() != FormKind::Machine) return;
    if (!code->sassProblem.isEmpty()) {
        m_machineOf = nullptr;
        m_machine = {};
        text().setText({});
        return text().setPlaceholder(asSentence(code->sassProblem));
    }
    if (m_machineOf == code && m_machineFilter == m_filter) {
        text().setDimmed(false);
        return mark(std::exchange(m_revealNext, false));
    }
    prepare(
        code->sass.text.size(),
        [code, filter = m_filter] { return showAssembly(code->sass, {}, AssemblySyntax::Sass, filter); },
        [this, code, filter = m_filter](AssemblyText made) {
            m_machineOf = code;
            m_machineFilter = filter;
            m_machine = std::move(made);
            CodeText &shown = *m_texts[static_cast<size_t>(FormKind::Machine)];
            shown.setPlaceholder(nothingOfIt());
            shown.setText(m_machine.text);
            if (form() == FormKind::Machine) mark(std::exchange(m_revealNext, false));
        });
}

void RepresentationPane::takeAssembly(AssemblyText made) {
    m_assembly = std::move(made);
    CodeText &shown = *m_texts[static_cast<size_t>(FormKind::Assembly)];
    shown.setPlaceholder(nothingOfIt());
    shown.setText(m_assembly.text);
    shown.setMarks(LineMark::Loop, m_assembly.loops);
    shown.setMarks(LineMark::LoopOther, m_assembly.otherLoops);
    m_bars->setVisible(form() == FormKind::Assembly || m_bars->isVisible());
    if (form() != FormKind::Assembly) return;
    mark(std::exchange(m_revealNext, false));
    if (!std::exchange(m_toHottest, false)) return;
    const HotBlock &hottest = m_assemblyOf->hot;
    if (!hottest.loop || hottest.firstLine == 0 || m_showsSelected) return; // the selection says where to look
    if (const int line = m_assembly.shownLine(hottest.firstLine); line > 0) shown.goTo(line);
}

void RepresentationPane::showChanges() {
    static const std::vector<PassForm> none;
    markChanges(*m_texts[static_cast<size_t>(FormKind::Loops)], *m_passBar,
                m_shown.representations ? m_shown.representations->passes : none);
}

// --- Links ---------------------------------------------------------------------------------------------------------

void RepresentationPane::follow(const Selected &selected, bool reveal) {
    m_selected = selected;
    mark(reveal);
}

void RepresentationPane::mark(bool reveal) {
    if (m_shown.nodes().empty()) {
        text().markLines(LineRanges{}, LineRanges{}, false);
        return;
    }
    if (form() == FormKind::Assembly || form() == FormKind::Machine) {
        m_filter.programLines = m_filter.selectedOnly ? links().programLinesOf(m_selected) : LineRanges();
        const bool machine = form() == FormKind::Machine;
        const bool there = machine ? m_machineOf && m_machineOf == m_shown.gpuCode
                                   : m_assemblyOf && m_assemblyOf == m_shown.disassembly;
        if (there && !((machine ? m_machineFilter : m_assemblyFilter) == m_filter)) {
            m_revealNext = reveal;
            return machine ? showMachineText() : showAssemblyText();
        }
    }
    Highlight shown = links().highlight(m_selected);
    m_showsSelected = !shown.empty();
    text().markLines(std::move(shown.selected), std::move(shown.inside), reveal);
}

void RepresentationPane::lineClicked(int line) {
    Q_EMIT entered();
    if (const auto chosen = links().at(line)) Q_EMIT nodeChosen(chosen->node, chosen->stage, chosen->iterator);
}

void RepresentationPane::hover(const LineRanges &programLines) {
    text().setMarks(LineMark::Hovered, links().lines(programLines));
}

} // namespace loopscope
