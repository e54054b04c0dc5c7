#include "views/compare/compare_view.h"

#include "measure/disassembly.h"
#include "views/compare/compare_facts.h"
#include "views/compare/diff_text.h"
#include "views/compare/side_card.h"
#include "views/session/step_names.h"
#include "views/session/text.h"
#include "views/text/find_line.h"

#include <QComboBox>
#include <QLabel>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>

namespace loopscope {

namespace {

CodeLanguage languageOf(CompareView::Tab tab) {
    switch (tab) {
    case CompareView::Loops:
        return CodeLanguage::LoopProgram;
    case CompareView::C:
        return CodeLanguage::C;
    case CompareView::Assembly:
        return CodeLanguage::Assembly;
    case CompareView::Steps:
        break;
    }
    return CodeLanguage::Plain;
}

/// Steps as lines; those of one kind on one loop belong together, whatever their factors are.
SideText stepsText(const DagPtr &dag, const Steps &steps) {
    SideText side;
    side.firstNumber = 0; // as refusals number them
    const NamedSteps named = nameSteps(dag, steps);
    for (const NamedStep &step : named.steps) {
        side.text += QStringLiteral("%1  %2\n").arg(step.tag, -4).arg(step.sentence).toStdString();
        side.keys.push_back(std8(step.tag + QLatin1Char('\t') + step.stage + QLatin1Char('\t') + step.iterator));
    }
    return side;
}

const QString kState = QStringLiteral("state");

} // namespace

void CompareView::compare(const ScheduleRef &left, const ScheduleRef &right) {
    m_sides[AlignedText::Left] = left;
    m_sides[AlignedText::Right] = right;
    refresh();
}

void CompareView::choose(AlignedText::Side side, const ScheduleRef &ref) {
    m_sides[side] = ref;
    refresh();
}

void CompareView::setTab(Tab tab) { m_tabs->setCurrentIndex(tab); }

void CompareView::documentShown() {
    const Document *document = m_context.session.document();
    for (auto &side : m_sides)
        if (side && (document == nullptr || !scheduleExists(*document, *side))) side.reset();
    m_made.reset();
    refresh();
}

RepresentationsPtr CompareView::representationsOf(AlignedText::Side side) const {
    return m_sides[side] ? m_context.session.representations().of(*m_sides[side]) : nullptr;
}

DiffFilter CompareView::filter() const {
    DiffFilter filter;
    filter.ignoreBlanks = m_blanks->isChecked();
    filter.ignoreRegisters = m_tab == Assembly && m_registers->isChecked();
    filter.hideDirectives = m_tab == Assembly && m_directives->isChecked();
    return filter;
}

std::optional<SideText> CompareView::sideText(AlignedText::Side side, QString &sentence) const {
    const ScheduleRef ref = *m_sides[side];
    const QString name = scheduleName(ref);
    SideText text;
    if (m_tab == Assembly) {
        QString problem;
        const DisassemblyPtr disassembly = m_context.session.representations().disassembly(ref, &problem);
        if (!disassembly) {
            sentence = problem.isEmpty() ? tr("Compiling %1 \u2026").arg(name)
                                         : tr("There is no assembly of %1: %2").arg(name, problem);
            return std::nullopt;
        }
        text.text = disassembly->assembly.text;
        return text;
    }
    const RepresentationsPtr &representations = m_representations[side];
    if (!representations) {
        sentence = tr("Lowering %1 \u2026").arg(name);
        return std::nullopt;
    }
    const bool refused = !representations->refusal.isEmpty() || representations->passes.empty();
    if (m_tab == Steps) return stepsText(m_context.session.document()->task->dag, representations->steps);
    if (m_tab == Loops) {
        const bool state = m_pass->currentText() == kState || !m_representations[0] || !m_representations[1] ||
                           m_representations[0]->passes.empty() || m_representations[1]->passes.empty();
        if (state && representations->stateText.isEmpty()) {
            sentence = tr("%1 has no loops: %2").arg(name, representations->refusal);
            return std::nullopt;
        }
        const auto pass = std::find_if(representations->passes.begin(), representations->passes.end(),
                                       [this](const PassForm &p) { return p.name == m_pass->currentText(); });
        text.text = std8(state                                   ? representations->stateText
                         : pass == representations->passes.end() ? representations->passes.back().text
                                                                 : pass->text);
        return text;
    }
    if (refused) {
        sentence = tr("There is no C of %1: %2").arg(name, representations->refusal);
        return std::nullopt;
    }
    text.text = std8(representations->cText);
    return text;
}

void CompareView::refresh() {
    const Document *document = m_context.session.document();
    for (const auto side : {AlignedText::Left, AlignedText::Right}) m_cards[side]->setSchedule(m_sides[side]);
    const bool both = m_sides[0] && m_sides[1] && document != nullptr && document->task;
    m_verdict->setText(both ? speedVerdict(*document, *m_sides[0], *m_sides[1]) : QString());
    m_verdict->setVisible(!m_verdict->text().isEmpty());
    m_pass->setVisible(m_tab == Loops && both);
    m_registers->setEnabled(m_tab == Assembly);
    m_directives->setEnabled(m_tab == Assembly);
    if (!both) {
        m_made.reset();
        if (m_job != 0) m_context.session.jobs().cancel(std::exchange(m_job, 0));
        m_representations[0].reset();
        m_representations[1].reset();
        if (document == nullptr)
            say(tr("Nothing is open"), tr("Open a workload or a tuning log to compare its schedules."));
        else
            say(tr("Two schedules side by side"),
                tr("Select two trials in the table and press Compare (Ctrl+D), drop them on the fields above, or "
                   "choose any two schedules there: trials, sketches, the naive one."));
        return;
    }
    m_representations[0] = representationsOf(AlignedText::Left);
    m_representations[1] = representationsOf(AlignedText::Right);
    if (m_representations[0] && m_representations[1]) offerPasses();
    QString waiting;
    std::optional<SideText> texts[2];
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        QString sentence;
        texts[side] = sideText(side, sentence);
        if (!sentence.isEmpty()) waiting += (waiting.isEmpty() ? QString() : QStringLiteral("\n")) + sentence;
    }
    if (!texts[0] || !texts[1]) {
        m_made.reset();
        const bool refused = !waiting.contains(QChar(0x2026));
        say(refused ? tr("Nothing to compare here") : tr("One moment"), waiting);
        return;
    }
    Made made{m_tab, filter(), m_tab == Loops ? m_pass->currentText() : QString(), {nullptr, nullptr}};
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        if (m_tab == Assembly) m_listings[side] = m_context.session.representations().disassembly(*m_sides[side]);
        made.sources[side] =
            m_tab == Assembly ? m_listings[side].get() : static_cast<const void *>(m_representations[side].get());
    }
    if (m_made == made) return;
    m_made = made;
    startDiff(std::move(*texts[0]), std::move(*texts[1]));
}

void CompareView::offerPasses() {
    // A sketch has no program, but loops all the same: both sides then show the state.
    const bool programs = !m_representations[0]->passes.empty() && !m_representations[1]->passes.empty();
    QStringList passes{kState};
    if (programs)
        for (const PassForm &pass :
             m_representations[m_representations[0]->passes.size() >= m_representations[1]->passes.size() ? 0 : 1]
                 ->passes)
            passes << pass.name;
    const QSignalBlocker quiet(m_pass);
    QStringList shown;
    for (int i = 0; i < m_pass->count(); ++i) shown << m_pass->itemText(i);
    if (passes != shown) {
        m_pass->clear();
        m_pass->addItems(passes);
    }
    const bool wanted = passes.contains(m_wantedPass);
    m_pass->setCurrentIndex(static_cast<int>(wanted ? passes.indexOf(m_wantedPass) : passes.size() - 1));
    m_pass->setEnabled(programs);
}

void CompareView::startDiff(SideText left, SideText right) {
    if (m_job != 0) m_context.session.jobs().cancel(m_job);
    const QString title = tr("Comparing %1 with %2").arg(scheduleName(*m_sides[0]), scheduleName(*m_sides[1]));
    if (!m_aligned || m_stack->currentWidget() != m_diff) say(tr("One moment"), title + QStringLiteral(" \u2026"));
    const DiffFilter filter = this->filter();
    m_job = m_context.session.jobs().start(
        title, this,
        [left = std::move(left), right = std::move(right), filter](JobControl &control) mutable {
            return AlignedText::make(std::move(left), std::move(right), filter, &control.cancelFlag());
        },
        [this](std::shared_ptr<const AlignedText> aligned) {
            m_job = 0;
            if (!aligned) return;
            m_aligned = std::move(aligned);
            showDiff();
        });
}

void CompareView::showDiff() {
    if (!m_aligned) return;
    constexpr int kContext = 3;
    m_diff->setText(m_only->isChecked() ? m_aligned->folded(kContext) : m_aligned, languageOf(m_tab));
    m_stack->setCurrentWidget(m_diff);
    if (m_find->isVisible()) find();
    followSelection();
    showCount();
}

void CompareView::say(const QString &title, const QString &sentence) {
    m_noticeTitle->setText(title);
    m_notice->setText(sentence);
    m_stack->setCurrentIndex(1);
    showCount();
}

QString CompareView::notice() const { return m_stack->currentWidget() == m_diff ? QString() : m_notice->text(); }

void CompareView::showCount() {
    const bool some = m_stack->currentWidget() == m_diff && m_diff->text() && !m_diff->text()->differences().empty();
    for (const char *id : {"compare.next", "compare.previous"})
        if (QAction *action = m_context.actions.find(QLatin1String(id))) action->setEnabled(some);
    if (m_stack->currentWidget() != m_diff || !m_diff->text()) {
        m_count->clear();
        return;
    }
    const auto total = m_diff->text()->differences().size();
    if (total == 0) {
        const bool same = m_aligned->text(AlignedText::Left) == m_aligned->text(AlignedText::Right);
        m_count->setText(same ? tr("identical") : tr("no difference with these filters"));
        return;
    }
    const QString lines = tr("~%1  +%2  \u2212%3")
                              .arg(m_aligned->count(DiffKind::Changed))
                              .arg(m_aligned->count(DiffKind::Added))
                              .arg(m_aligned->count(DiffKind::Removed));
    const int current = m_diff->currentDifference();
    m_count->setText((current < 0 ? (total == 1 ? tr("1 difference") : tr("%1 differences").arg(total))
                                  : tr("%1 of %2").arg(current + 1).arg(total)) +
                     (width() > fontMetrics().averageCharWidth() * 110 ? QStringLiteral("   ") + lines : QString()));
    m_count->setToolTip(tr("%1: lines changed, only on the right, only on the left").arg(lines));
}

// --- The selection of the window -----------------------------------------------------------------------------------

void CompareView::followSelection() {
    const Selected &now = m_context.session.selection().now();
    if (m_stack->currentWidget() != m_diff || !m_diff->text()) return;
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        std::set<int> numbers;
        const RepresentationsPtr &representations = m_representations[side];
        if (m_tab == Steps) {
            if (m_sides[side] == now.schedule && now.step >= 0) numbers.insert(now.step);
        } else if (representations && !now.stage.isEmpty() && !now.iterator.isEmpty() &&
                   !representations->passes.empty()) {
            const bool last = m_tab != Loops || m_pass->currentIndex() == m_pass->count() - 1;
            if (last)
                for (const ProgramNode &node : representations->nodes())
                    if (node.stage == now.stage && node.iterator == now.iterator) numbers.insert(node.line);
            if (m_tab == C || m_tab == Assembly) {
                const std::set<int> programLines = std::exchange(numbers, {});
                const auto *disassembly = static_cast<const Disassembly *>(m_listings[side].get());
                const LinkedText *linked = m_tab == C               ? &representations->c
                                           : disassembly == nullptr ? nullptr
                                                                    : &disassembly->assembly;
                if (linked != nullptr)
                    for (const LineLink &link : linked->links)
                        if (programLines.contains(link.programLine)) numbers.insert(link.textLine);
            }
        }
        m_diff->setMarked(side, std::move(numbers), !m_diff->hasFocus());
    }
}

void CompareView::lineChosen(AlignedText::Side side, int number) {
    const RepresentationsPtr &representations = m_representations[side];
    if (!m_sides[side] || !representations) return;
    Selected next = m_context.session.selection().now();
    next.schedule = *m_sides[side];
    next.node = -1;
    next.step = -1;
    if (m_tab == Steps) {
        next.step = number;
    } else {
        int line = number;
        if (m_tab == C || m_tab == Assembly) {
            const auto *disassembly = static_cast<const Disassembly *>(m_listings[side].get());
            const LinkedText *linked = m_tab == C               ? &representations->c
                                       : disassembly == nullptr ? nullptr
                                                                : &disassembly->assembly;
            line = 0;
            if (linked != nullptr)
                for (const LineLink &link : linked->links)
                    if (link.textLine == number) line = link.programLine;
        } else if (m_pass->currentIndex() != m_pass->count() - 1) {
            return; // nodes are those of the last pass
        }
        const auto &nodes = representations->nodes();
        const auto node =
            std::find_if(nodes.begin(), nodes.end(), [line](const ProgramNode &n) { return n.line == line; });
        if (line <= 0 || node == nodes.end()) return;
        next.node = node->id;
        next.stage = node->stage;
        next.iterator = node->iterator;
    }
    m_context.session.selection().set(std::move(next));
}

// --- Find and export -----------------------------------------------------------------------------------------------

void CompareView::startFind() {
    m_find->begin({});
    find();
}

void CompareView::find() {
    std::vector<FindMatch> matches[2];
    QString problem;
    const AlignedText *text = m_diff->text().get();
    if (text != nullptr && m_stack->currentWidget() == m_diff)
        for (const auto side : {AlignedText::Left, AlignedText::Right}) {
            MatchFinder finder(m_find->query());
            problem = finder.problem();
            if (finder.empty()) continue;
            while (!finder.advance(text->text(side), int64_t(1) << 24)) {
            }
            matches[side] = finder.matches();
        }
    m_diff->setMatches(std::move(matches[0]), std::move(matches[1]));
    if (!problem.isEmpty())
        m_find->setResult(problem, true);
    else
        m_find->setResult(m_find->query().text.isEmpty() ? QString() : m_diff->matchText(), false);
}

QString CompareView::exportTo(const QString &path) {
    if (m_stack->currentWidget() != m_diff || !m_aligned) return tr("There is nothing to export yet");
    QByteArray out =
        QStringLiteral("--- %1\n+++ %2\n").arg(scheduleName(*m_sides[0]), scheduleName(*m_sides[1])).toUtf8();
    const auto put = [&](char sign, AlignedText::Side side, int line) {
        const std::string_view text = m_aligned->line(side, line);
        out += sign;
        out.append(text.data(), static_cast<qsizetype>(text.size()));
        out += '\n';
    };
    for (const AlignedRow &row : m_aligned->rows()) {
        if (row.kind == DiffKind::Same) {
            put(' ', AlignedText::Left, row.left);
            continue;
        }
        if (row.left >= 0) put('-', AlignedText::Left, row.left);
        if (row.right >= 0) put('+', AlignedText::Right, row.right);
    }
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(out) == out.size() && file.commit()) return {};
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

void CompareView::zoomIn() { m_diff->zoomIn(); }
void CompareView::zoomOut() { m_diff->zoomOut(); }
void CompareView::zoomToFit() { m_diff->zoomToFit(); }

} // namespace loopscope
