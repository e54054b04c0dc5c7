#include "views/compare/compared_side.h"

#include "measure/disassembly.h"
#include "views/session/text.h"

#include <QObject>

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope {

QString tabTitle(CompareTab tab, bool gpu) {
    switch (tab) {
    case CompareTab::Loops:
        return QObject::tr("Loops");
    case CompareTab::Steps:
        return QObject::tr("Steps");
    case CompareTab::C:
        return gpu ? QObject::tr("CUDA") : QObject::tr("C");
    case CompareTab::LlvmIr:
        return QObject::tr("LLVM IR");
    case CompareTab::Assembly:
        return gpu ? QObject::tr("PTX") : QObject::tr("Assembly");
    case CompareTab::Machine:
        return QObject::tr("SASS");
    case CompareTab::Facts:
        break;
    }
    return QObject::tr("Facts");
}

QString tabTitle(CompareTab tab, bool leftGpu, bool rightGpu) {
    const auto title = [tab](bool gpu) {
        return tab == CompareTab::Machine && !gpu ? tabTitle(CompareTab::Assembly, false) : tabTitle(tab, gpu);
    };
    const QString left = title(leftGpu);
    const QString right = title(rightGpu);
    return left == right ? left : QStringLiteral("%1 | %2").arg(left, right);
}

CodeLanguage languageOf(CompareTab tab, bool gpu) {
    switch (tab) {
    case CompareTab::Loops:
        return CodeLanguage::LoopProgram;
    case CompareTab::C:
        return gpu ? CodeLanguage::Cuda : CodeLanguage::C;
    case CompareTab::LlvmIr:
        return CodeLanguage::LlvmIr;
    case CompareTab::Assembly:
        return gpu ? CodeLanguage::Ptx : CodeLanguage::Assembly;
    case CompareTab::Machine:
        return gpu ? CodeLanguage::Sass : CodeLanguage::Assembly;
    case CompareTab::Steps:
    case CompareTab::Facts:
        break;
    }
    return CodeLanguage::Plain;
}

bool takesCode(CompareTab tab) {
    return tab == CompareTab::LlvmIr || tab == CompareTab::Assembly || tab == CompareTab::Machine ||
           tab == CompareTab::Facts;
}

std::optional<SideText> ComparedSide::text(CompareTab tab, const QString &pass, QString &sentence) const {
    SideText text;
    if (takesCode(tab) && !disassembly && (tab != CompareTab::Facts || disassemblyProblem.isEmpty())) {
        sentence = disassemblyProblem.isEmpty()
                       ? QObject::tr("Compiling %1 \u2026").arg(name)
                       : QObject::tr("There is no machine code of %1: %2").arg(name, disassemblyProblem);
        return std::nullopt;
    }
    if (tab == CompareTab::Machine && gpu) {
        if (!gpuCode || !gpuCode->sassProblem.isEmpty()) {
            sentence = QObject::tr("There is no SASS of %1: %2")
                           .arg(name, gpuCode ? gpuCode->sassProblem : QObject::tr("nothing is known of its kernels"));
            return std::nullopt;
        }
        text.text = gpuCode->sass.text;
        return text;
    }
    if (tab == CompareTab::LlvmIr || tab == CompareTab::Assembly || tab == CompareTab::Machine) {
        text.text = tab == CompareTab::LlvmIr ? disassembly->ir.text : disassembly->assembly.text;
        return text;
    }
    if (tab == CompareTab::Facts && !explained) {
        sentence = QObject::tr("Explaining %1 \u2026").arg(name);
        return std::nullopt;
    }
    if (!forms) {
        sentence = QObject::tr("Lowering %1 \u2026").arg(name);
        return std::nullopt;
    }
    if (tab == CompareTab::Steps || tab == CompareTab::Facts) return text;
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
    if (!forms->refusal.isEmpty() || forms->passes.empty() || !forms->cProblem.isEmpty()) {
        const bool refused = forms->cProblem.isEmpty();
        sentence = refused ? QObject::tr("There is no C of %1: %2").arg(name, forms->refusal)
                           : QObject::tr("There is no CUDA of %1: %2").arg(name, forms->cProblem);
        return std::nullopt;
    }
    text.text = std8(forms->cText);
    return text;
}

std::pair<const void *, const void *> ComparedSide::source(CompareTab tab) const {
    return {takesCode(tab) ? static_cast<const void *>(disassembly.get()) : forms.get(),
            tab == CompareTab::Facts ? explained.get() : nullptr};
}

std::vector<std::string> ComparedSide::landmarks(CompareTab tab, const QString &pass, const std::string &text) const {
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    std::vector<std::string> keys(lines);
    if (!hasProgram()) return keys;
    const auto stagesOf = [lines](const std::vector<ProgramNode> &nodes, const LinkedText *links) {
        std::map<int, std::string> ofProgram; // line -> stage
        for (const ProgramNode &node : nodes)
            if (!node.stage.isEmpty()) ofProgram.emplace(node.line, std8(node.stage));
        std::vector<std::string> stages(lines);
        const auto put = [&](int line, const std::string &stage) {
            if (line >= 1 && static_cast<size_t>(line) <= lines) stages[static_cast<size_t>(line - 1)] = stage;
        };
        if (links == nullptr)
            for (const auto &[line, stage] : ofProgram) put(line, stage);
        else
            for (const LineLink &link : links->links)
                if (const auto found = ofProgram.find(link.programLine); found != ofProgram.end())
                    put(link.textLine, found->second);
        return stages;
    };
    std::vector<std::string> stages;
    if (tab == CompareTab::Loops) {
        const auto shown = std::find_if(forms->passes.begin(), forms->passes.end(),
                                        [&pass](const PassForm &p) { return p.name == pass; });
        if (shown == forms->passes.end() || !shown->nodes) return keys;
        stages = stagesOf(*shown->nodes, nullptr);
    } else {
        stages = stagesOf(forms->nodes(), linked(tab));
    }
    // Instructions of several stages are mixed by compilers: of machine code only where a stage begins can be told.
    const bool mixed = tab != CompareTab::Loops && tab != CompareTab::C;
    std::map<std::string, int> times;
    std::string before;
    for (size_t i = 0; i < lines; ++i) {
        if (stages[i].empty() || stages[i] == before) continue;
        before = stages[i];
        const int time = ++times[before];
        if (!mixed || time == 1) keys[i] = before + '#' + std::to_string(time);
    }
    return keys;
}

const LinkedText *ComparedSide::linked(CompareTab tab) const {
    if (tab == CompareTab::C) return &forms->c;
    if (!disassembly) return nullptr;
    if (tab == CompareTab::Machine && gpu) return gpuCode ? &gpuCode->sass : nullptr;
    if (tab == CompareTab::LlvmIr) return &disassembly->ir;
    return tab == CompareTab::Assembly || tab == CompareTab::Machine ? &disassembly->assembly : nullptr;
}

std::set<int> ComparedSide::linesOf(CompareTab tab, bool lastPass, const Selected &now) const {
    std::set<int> numbers;
    if (tab == CompareTab::Steps) {
        const bool shown = rows.empty() || std::binary_search(rows.begin(), rows.end(), now.step);
        if (ofShown && ref == now.schedule && now.step >= 0 && shown) numbers.insert(now.step);
        return numbers;
    }
    if (!hasProgram() || tab == CompareTab::Facts || now.stage.isEmpty() || now.iterator.isEmpty()) return numbers;
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
    if (!forms || tab == CompareTab::Facts) return std::nullopt; // facts are of no line
    if (ofShown) now.schedule = ref; // else its loops go by their names, which the one selected may have, too
    now.node = -1;
    now.step = -1;
    if (tab == CompareTab::Steps) {
        if (!ofShown) return std::nullopt;
        now.step = number;
        return now;
    }
    int line = number;
    if (tab != CompareTab::Loops) {
        line = 0;
        if (const LinkedText *text = linked(tab))
            for (const LineLink &link : text->links)
                if (link.textLine == number) line = link.programLine;
    } else if (!lastPass) {
        return std::nullopt; // nodes are those of the last pass
    }
    // A block begins on the line of what it holds first, which is what people mean.
    const auto &nodes = forms->nodes();
    auto node = std::find_if(nodes.begin(), nodes.end(),
                             [line](const ProgramNode &n) { return n.line == line && !n.stage.isEmpty(); });
    if (node == nodes.end())
        node = std::find_if(nodes.begin(), nodes.end(), [line](const ProgramNode &n) { return n.line == line; });
    if (line <= 0 || node == nodes.end()) return std::nullopt;
    if (ofShown) now.node = node->id;
    now.stage = node->stage;
    now.iterator = node->iterator;
    return now;
}

} // namespace loopscope
