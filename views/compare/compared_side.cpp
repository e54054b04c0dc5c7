#include "views/compare/compared_side.h"

#include "measure/disassembly.h"
#include "views/session/step_names.h"
#include "views/session/text.h"

#include <QObject>

#include <algorithm>
#include <string>
#include <utility>

namespace loopscope {

namespace {

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

} // namespace

CodeLanguage languageOf(CompareTab tab) {
    switch (tab) {
    case CompareTab::Loops:
        return CodeLanguage::LoopProgram;
    case CompareTab::C:
        return CodeLanguage::C;
    case CompareTab::Assembly:
        return CodeLanguage::Assembly;
    case CompareTab::Steps:
        break;
    }
    return CodeLanguage::Plain;
}

std::optional<SideText> ComparedSide::text(CompareTab tab, const QString &pass, const DagPtr &dag,
                                           QString &sentence) const {
    const QString name = scheduleName(ref);
    SideText text;
    if (tab == CompareTab::Assembly) {
        if (!disassembly) {
            sentence = disassemblyProblem.isEmpty()
                           ? QObject::tr("Compiling %1 \u2026").arg(name)
                           : QObject::tr("There is no assembly of %1: %2").arg(name, disassemblyProblem);
            return std::nullopt;
        }
        text.text = disassembly->assembly.text;
        return text;
    }
    if (!forms) {
        sentence = QObject::tr("Lowering %1 \u2026").arg(name);
        return std::nullopt;
    }
    if (tab == CompareTab::Steps) return stepsText(dag, forms->steps);
    if (tab == CompareTab::Loops) {
        const bool state = pass == kStatePass || !hasProgram();
        if (state && forms->stateText.isEmpty()) {
            sentence = QObject::tr("%1 has no loops: %2").arg(name, forms->refusal);
            return std::nullopt;
        }
        const auto shown = std::find_if(forms->passes.begin(), forms->passes.end(),
                                        [&pass](const PassForm &p) { return p.name == pass; });
        text.text = std8(state                          ? forms->stateText
                         : shown == forms->passes.end() ? forms->passes.back().text
                                                        : shown->text);
        return text;
    }
    if (!forms->refusal.isEmpty() || forms->passes.empty()) {
        sentence = QObject::tr("There is no C of %1: %2").arg(name, forms->refusal);
        return std::nullopt;
    }
    text.text = std8(forms->cText);
    return text;
}

SideText ComparedSide::alignedSteps(const std::vector<StepPair> &pairs, AlignedText::Side side) {
    SideText text;
    text.firstNumber = 0; // as refusals number them
    for (size_t i = 0; i < pairs.size(); ++i) {
        const StepPair &pair = pairs[i];
        if ((side == AlignedText::Left ? pair.a : pair.b) < 0) continue;
        std::string key("p");
        key += std::to_string(i);
        if (pair.followed) text.text.append(key).append(": ");
        text.text.append(side == AlignedText::Left ? pair.lineA : pair.lineB).append("\n");
        text.keys.push_back(std::move(key));
    }
    return text;
}

const void *ComparedSide::source(CompareTab tab) const {
    return tab == CompareTab::Assembly ? static_cast<const void *>(disassembly.get()) : forms.get();
}

const LinkedText *ComparedSide::linked(CompareTab tab) const {
    if (tab == CompareTab::C) return &forms->c;
    return tab == CompareTab::Assembly && disassembly ? &disassembly->assembly : nullptr;
}

std::set<int> ComparedSide::linesOf(CompareTab tab, bool lastPass, const Selected &now) const {
    std::set<int> numbers;
    if (tab == CompareTab::Steps) {
        if (ref == now.schedule && now.step >= 0) numbers.insert(now.step);
        return numbers;
    }
    if (!hasProgram() || now.stage.isEmpty() || now.iterator.isEmpty()) return numbers;
    if (tab == CompareTab::Loops && !lastPass) return numbers;
    for (const ProgramNode &node : forms->nodes())
        if (node.stage == now.stage && node.iterator == now.iterator) numbers.insert(node.line);
    if (tab == CompareTab::Loops) return numbers;
    const std::set<int> programLines = std::exchange(numbers, {});
    if (const LinkedText *text = linked(tab))
        for (const LineLink &link : text->links)
            if (programLines.contains(link.programLine)) numbers.insert(link.textLine);
    return numbers;
}

std::optional<Selected> ComparedSide::selectionAt(CompareTab tab, bool lastPass, int number, Selected now) const {
    if (!forms) return std::nullopt;
    now.schedule = ref;
    now.node = -1;
    now.step = -1;
    if (tab == CompareTab::Steps) {
        now.step = number;
        return now;
    }
    int line = number;
    if (tab == CompareTab::C || tab == CompareTab::Assembly) {
        line = 0;
        if (const LinkedText *text = linked(tab))
            for (const LineLink &link : text->links)
                if (link.textLine == number) line = link.programLine;
    } else if (!lastPass) {
        return std::nullopt; // nodes are those of the last pass
    }
    const auto &nodes = forms->nodes();
    const auto node = std::find_if(nodes.begin(), nodes.end(), [line](const ProgramNode &n) { return n.line == line; });
    if (line <= 0 || node == nodes.end()) return std::nullopt;
    now.node = node->id;
    now.stage = node->stage;
    now.iterator = node->iterator;
    return now;
}

} // namespace loopscope
