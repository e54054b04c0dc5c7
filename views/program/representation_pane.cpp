#include "views/program/representation_pane.h"

#include "views/program/assembly_bar.h"
#include "views/program/line_diff.h"
#include "views/program/pass_bar.h"
#include "views/session/text.h"
#include "views/text/code_text.h"

#include <Qsci/qsciscintilla.h>

#include <QCheckBox>
#include <QHBoxLayout>
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
    for (const QString &tab : {tr("Loops"), tr("C"), tr("LLVM IR"), tr("Assembly")}) m_tabs->addTab(tab);
    m_tabs->setTabToolTip(0, tr("The loop program after each pass of the lowering"));
    m_tabs->setTabToolTip(1, tr("The final loop program as C with OpenMP"));
    m_tabs->setTabToolTip(2, tr("LLVM IR after optimisation"));
    m_tabs->setTabToolTip(3, tr("Machine code for the target"));
    auto *head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 8, 0);
    head->setSpacing(8);
    head->addWidget(m_tabs);
    head->addStretch(1);
    column->addLayout(head);

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
    const std::array<CodeLanguage, kFormKinds> languages{CodeLanguage::LoopProgram, CodeLanguage::C,
                                                         CodeLanguage::LlvmIr, CodeLanguage::Assembly};
    for (size_t i = 0; i < languages.size(); ++i) {
        auto *text = m_texts[i] = new CodeText(context.theme, languages[i], true, m_stack);
        m_stack->addWidget(text);
        connect(text, &CodeText::lineClicked, this, &RepresentationPane::lineClicked);
        connect(text, &CodeText::lineHovered, this, &RepresentationPane::lineHovered);
        text->editor()->setAccessibleName(m_tabs->tabText(static_cast<int>(i)));
    }
    column->addWidget(m_stack, 1);

    m_status = new QWidget(this);
    auto *row = new QHBoxLayout(m_status);
    row->setContentsMargins(8, 4, 8, 4);
    m_statusText = new QLabel(m_status);
    m_statusText->setWordWrap(true);
    m_statusButton = new QToolButton(m_status);
    row->addWidget(m_statusText, 1);
    row->addWidget(m_statusButton);
    m_status->hide();
    column->addWidget(m_status);
    connect(m_statusButton, &QToolButton::clicked, this, [this] {
        if (m_shown.disassemblyPending)
            Q_EMIT cancelAsked();
        else
            Q_EMIT retryAsked();
    });

    connect(m_tabs, &QTabBar::currentChanged, this, [this] {
        m_revealNext = true;
        update();
        Q_EMIT formChanged();
    });
    connect(m_passBar, &PassBar::passChanged, this, [this] {
        m_revealNext = true;
        update();
    });
    connect(m_passBar, &PassBar::showsChangesChanged, this, &RepresentationPane::compareWithPassBefore);
    setFocusProxy(m_texts[0]);
}

void RepresentationPane::buildAssemblyControls() {
    m_assemblyBar = new AssemblyBar(m_context.theme, m_bars);
    m_bars->layout()->addWidget(m_assemblyBar);
    m_instructionsButton = new QCheckBox(tr("Instructions only"), this);
    m_instructionsButton->setToolTip(tr("Without directives, data and labels that nothing jumps to"));
    m_selectedButton = new QCheckBox(tr("Selected loop only"), this);
    m_selectedButton->setToolTip(tr("Only what was made from the selected loop or statement"));
    connect(m_instructionsButton, &QCheckBox::toggled, this, [this](bool on) {
        m_filter.instructionsOnly = on;
        m_revealNext = true;
        showAssemblyText();
        Q_EMIT instructionsOnlyChanged(on);
    });
    connect(m_selectedButton, &QCheckBox::toggled, this, [this](bool on) {
        m_filter.selectedOnly = on;
        m_revealNext = true;
        mark(true);
        Q_EMIT selectedOnlyChanged(on);
    });
    connect(m_assemblyBar, &AssemblyBar::loopAsked, this, [this](int line, int programLine) {
        const int node = nodeAtLine(finalNodes(), programLine);
        if (node >= 0) {
            const ProgramNode &chosen = finalNodes()[static_cast<size_t>(node)];
            Q_EMIT nodeChosen(node, chosen.stage, chosen.iterator);
        }
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

QString RepresentationPane::formName() const {
    static const std::array<QString, kFormKinds> names{QStringLiteral("loops"), QStringLiteral("c"),
                                                       QStringLiteral("ir"), QStringLiteral("asm")};
    return names[static_cast<size_t>(form())];
}

const std::vector<ProgramNode> &RepresentationPane::finalNodes() const {
    static const std::vector<ProgramNode> none;
    return m_shown.representations ? m_shown.representations->nodes() : none;
}

const PassForm *RepresentationPane::pass() const {
    const int at = m_passBar->pass();
    if (!m_shown.representations || at < 0 || static_cast<size_t>(at) >= m_shown.representations->passes.size())
        return nullptr;
    return &m_shown.representations->passes[static_cast<size_t>(at)];
}

bool RepresentationPane::showsFinalPass() const {
    return form() == FormKind::Loops && m_shown.representations && pass() == &m_shown.representations->passes.back();
}

const LineMap *RepresentationPane::map() const {
    switch (form()) {
    case FormKind::Loops:
        return nullptr;
    case FormKind::C:
        return &m_cMap;
    case FormKind::Ir:
        return &m_irMap;
    case FormKind::Assembly:
        return &m_assembly.map;
    }
    return nullptr;
}

// --- Content -------------------------------------------------------------------------------------------------------

template <typename Work, typename Done> void RepresentationPane::prepare(size_t bytes, Work work, Done done) {
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
    m_shown = texts;
    if (another) m_revealNext = true;
    if (m_shown.representations) m_passBar->setPasses(m_shown.representations->passes);
    update();
}

void RepresentationPane::update() {
    m_stack->setCurrentIndex(static_cast<int>(form()));
    setFocusProxy(&text());
    m_instructionsButton->setVisible(form() == FormKind::Assembly);
    m_selectedButton->setVisible(form() == FormKind::Assembly);
    m_instructionsButton->setEnabled(m_shown.disassembly != nullptr);
    m_selectedButton->setEnabled(m_shown.disassembly != nullptr);
    const bool refused = m_shown.representations && !m_shown.representations->refusal.isEmpty();
    m_bars->setVisible((form() == FormKind::Loops && !refused && m_shown.representations) ||
                       (form() == FormKind::Assembly && m_assemblyOf && m_assemblyOf == m_shown.disassembly));
    m_passBar->setVisible(form() == FormKind::Loops);
    m_assemblyBar->setVisible(form() != FormKind::Loops);
    if (!m_shown.absent.isEmpty()) {
        text().setText({});
        text().setPlaceholder(m_shown.absent);
        m_loopsOf = nullptr;
        m_cOf = nullptr;
        m_irOf = nullptr;
        m_assemblyOf = nullptr;
        m_bars->hide();
    } else if (form() == FormKind::Loops) {
        updateLoops();
    } else if (form() == FormKind::C) {
        updateC();
    } else {
        updateDisassembly();
    }
    sayStatus();
}

void RepresentationPane::updateLoops() {
    if (!m_shown.representations) return text().setDimmed(m_shown.formsPending);
    const int at = m_passBar->pass();
    if (m_loopsOf != m_shown.representations || m_loopsPass != at) {
        m_loopsOf = m_shown.representations;
        m_loopsPass = at;
        text().setPlaceholder(m_shown.representations->refusal);
        text().setText(pass() ? pass()->text : m_shown.representations->stateText);
        compareWithPassBefore();
    }
    text().setDimmed(false);
    mark(std::exchange(m_revealNext, false));
}

void RepresentationPane::updateC() {
    if (!m_shown.representations) return text().setDimmed(m_shown.formsPending);
    if (m_cOf != m_shown.representations) {
        m_cOf = m_shown.representations;
        m_cMap = LineMap(m_cOf->c.links);
        text().setPlaceholder(m_cOf->refusal);
        text().setText(m_cOf->cText);
    }
    text().setDimmed(false);
    mark(std::exchange(m_revealNext, false));
}

void RepresentationPane::updateDisassembly() {
    const bool refused = m_shown.representations && !m_shown.representations->refusal.isEmpty();
    if (refused || !m_shown.disassemblyProblem.isEmpty()) {
        text().setText({});
        text().setPlaceholder(refused ? m_shown.representations->refusal : m_shown.disassemblyProblem);
        (form() == FormKind::Ir ? m_irOf : m_assemblyOf) = nullptr;
        return;
    }
    if (!m_shown.disassembly) {
        text().setPlaceholder({});
        text().setDimmed(true);
        return;
    }
    if (form() == FormKind::Assembly) return showAssemblyText();
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
        [disassembly = m_shown.disassembly] {
            return Made{qt(disassembly->ir.text), LineMap(disassembly->ir.links)};
        },
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
        [disassembly = m_shown.disassembly, filter = m_filter] { return showAssembly(*disassembly, filter); },
        [this, disassembly = m_shown.disassembly, filter = m_filter](AssemblyText made) {
            if (m_assemblyOf != disassembly) {
                m_assemblyBar->show(disassembly->summary, loopNames());
                m_toHottest = true;
            }
            m_assemblyOf = disassembly;
            m_assemblyFilter = filter;
            takeAssembly(std::move(made));
        });
}

void RepresentationPane::takeAssembly(AssemblyText made) {
    m_assembly = std::move(made);
    CodeText &shown = *m_texts[static_cast<size_t>(FormKind::Assembly)];
    shown.setPlaceholder(
        tr("Nothing in the machine code was made from the selected statement: it was folded into others, "
           "or only the naive form has it."));
    shown.setText(m_assembly.text);
    shown.setMarks(LineMark::Loop, m_assembly.loops);
    shown.setMarks(LineMark::LoopOther, m_assembly.otherLoops);
    m_bars->setVisible(form() == FormKind::Assembly || m_bars->isVisible());
    if (form() != FormKind::Assembly) return;
    mark(std::exchange(m_revealNext, false));
    if (!std::exchange(m_toHottest, false)) return;
    const auto &loops = m_assemblyOf->summary.innermostLoops;
    if (loops.empty() || m_showsSelected) return; // the selection says where to look
    const AssemblyLoop &hottest = loops[loopsByWeight(m_assemblyOf->summary).front()];
    if (const int line = m_assembly.shownLine(hottest.firstLine); line > 0) shown.goTo(line);
}

QStringList RepresentationPane::loopNames() const {
    QStringList names;
    for (const AssemblyLoop &loop : m_shown.disassembly->summary.innermostLoops)
        names << loopNameAt(finalNodes(), loop.programLine);
    return names;
}

void RepresentationPane::compareWithPassBefore() {
    CodeText &loops = *m_texts[static_cast<size_t>(FormKind::Loops)];
    const int at = m_passBar->pass();
    if (!m_passBar->showsChanges() || pass() == nullptr || at < 1) {
        loops.setMarks(LineMark::Added, {});
        loops.setMarks(LineMark::Changed, {});
        loops.setMarks(LineMark::RemovedBelow, {});
        return m_passBar->sayNothing();
    }
    const QString &before = m_shown.representations->passes[static_cast<size_t>(at) - 1].text;
    const LineDiff diff = diffLines(wide(before), wide(pass()->text));
    loops.setMarks(LineMark::Added, diff.added);
    loops.setMarks(LineMark::Changed, diff.changed);
    loops.setMarks(LineMark::RemovedBelow, diff.removedBelow);
    m_passBar->sayChanges(diff.addedCount, diff.removedCount);
}

void RepresentationPane::sayStatus() {
    const bool refused = m_shown.representations && !m_shown.representations->refusal.isEmpty();
    const bool disassembly = needsDisassembly() && m_shown.absent.isEmpty() && !refused;
    const bool compiling = disassembly && m_shown.disassemblyPending;
    const bool failed = disassembly && !m_shown.disassemblyProblem.isEmpty();
    const bool lowering = m_shown.formsPending && m_shown.absent.isEmpty();
    const bool strange = disassembly && m_shown.disassembly && m_shown.representations &&
                         !m_shown.representations->passes.empty() &&
                         qt(m_shown.disassembly->loops) != m_shown.representations->passes.back().text;
    m_status->setVisible(compiling || failed || lowering || strange);
    m_statusButton->setVisible(compiling || failed);
    m_statusButton->setText(compiling ? tr("Cancel") : tr("Try again"));
    const QString name =
        m_shown.ref.kind == ScheduleRef::Kind::Naive ? tr("the naive schedule") : scheduleName(m_shown.ref);
    m_statusText->setText(compiling ? tr("Compiling %1 \u2026").arg(name)
                          : failed  ? tr("There is no machine code of %1.").arg(name)
                          : lowering
                              ? tr("Lowering %1 \u2026").arg(name)
                              : tr("This code was made from another version of the loop program: links are off."));
}

// --- Links ---------------------------------------------------------------------------------------------------------

void RepresentationPane::follow(const Selected &selected, bool reveal) {
    m_selected = selected;
    mark(reveal);
}

void RepresentationPane::mark(bool reveal) {
    if (!m_shown.representations || finalNodes().empty()) {
        text().markLines(LineRanges{}, LineRanges{}, false);
        return;
    }
    const auto &nodes = finalNodes();
    const std::vector<int> selected = nodesOf(nodes, m_selected.stage, m_selected.iterator, m_selected.node);
    Highlight shown;
    if (form() == FormKind::Loops) {
        if (showsFinalPass()) {
            shown = highlightInProgram(nodes, selected);
        } else if (const PassForm *earlier = pass()) {
            std::vector<int> there = nodesOf(earlier->nodes, m_selected.stage, m_selected.iterator, -1);
            if (m_selected.node >= 0 && !selected.empty()) there = sameNodes(nodes, selected.front(), earlier->nodes);
            shown = highlightInProgram(earlier->nodes, there);
        }
    } else {
        if (form() == FormKind::Assembly) {
            m_filter.programLines = m_filter.selectedOnly ? highlightInProgram(nodes, selected).inside : LineRanges();
            if (m_assemblyOf && m_assemblyOf == m_shown.disassembly && !(m_assemblyFilter == m_filter)) {
                m_revealNext = reveal;
                return showAssemblyText();
            }
        }
        shown = highlightInText(nodes, selected, *map());
    }
    m_showsSelected = !shown.empty();
    text().markLines(std::move(shown.selected), std::move(shown.inside), reveal);
}

void RepresentationPane::lineClicked(int line) {
    Q_EMIT entered();
    const auto &nodes = finalNodes();
    if (form() == FormKind::Loops && !showsFinalPass()) {
        const PassForm *earlier = pass();
        const int here = earlier ? nodeAtLine(earlier->nodes, line) : -1;
        if (here < 0) return;
        const ProgramNode &chosen = earlier->nodes[static_cast<size_t>(here)];
        const std::vector<int> final = sameNodes(earlier->nodes, here, nodes);
        const int node = final.size() == 1 ? final.front() : -1;
        if (node >= 0 || !chosen.stage.isEmpty()) Q_EMIT nodeChosen(node, chosen.stage, chosen.iterator);
        return;
    }
    const int programLine = form() == FormKind::Loops ? line : map()->programLine(line);
    const int node = nodeAtLine(nodes, programLine);
    if (node < 0) return;
    Q_EMIT nodeChosen(node, nodes[static_cast<size_t>(node)].stage, nodes[static_cast<size_t>(node)].iterator);
}

void RepresentationPane::lineHovered(int line) {
    LineRanges lines;
    if (line > 0 && form() == FormKind::Loops && !showsFinalPass()) {
        if (const PassForm *earlier = pass(); earlier && !finalNodes().empty()) {
            std::vector<int> own;
            for (const int node : sameNodes(earlier->nodes, nodeAtLine(earlier->nodes, line), finalNodes()))
                own.push_back(finalNodes()[static_cast<size_t>(node)].line);
            lines = rangesOf(std::move(own));
        }
    } else if (line > 0) {
        const int programLine = form() == FormKind::Loops ? line : map()->programLine(line);
        if (programLine > 0) lines = {{programLine, programLine}};
    }
    Q_EMIT programLinesHovered(lines);
}

void RepresentationPane::hover(const LineRanges &programLines) {
    LineRanges lines = programLines;
    if (map() != nullptr) {
        lines = map()->textLines(programLines);
    } else if (!showsFinalPass()) {
        std::vector<int> own;
        if (const PassForm *earlier = pass())
            for (const LineRange &range : programLines)
                for (const int node : sameNodes(finalNodes(), nodeAtLine(finalNodes(), range.first), earlier->nodes))
                    own.push_back(earlier->nodes[static_cast<size_t>(node)].line);
        lines = rangesOf(std::move(own));
    }
    text().setMarks(LineMark::Hovered, std::move(lines));
}

} // namespace loopscope
