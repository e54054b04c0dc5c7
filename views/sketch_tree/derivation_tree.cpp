#include "views/sketch_tree/derivation_tree.h"

#include "views/session/text.h"

#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

void noteOnce(QStringList &list, const QString &text) {
    if (!text.isEmpty() && !list.contains(text)) list << text;
}

} // namespace

std::vector<int> DerivationTree::pathTo(int node) const {
    std::vector<int> path;
    for (int at = node; at >= 0 && static_cast<size_t>(at) < nodes.size(); at = nodes[static_cast<size_t>(at)].parent)
        path.push_back(at);
    std::reverse(path.begin(), path.end());
    return path;
}

DerivationReader::DerivationReader(DagPtr dag) : m_dag(std::move(dag)) {}

QString DerivationReader::text(std::string_view text) {
    const auto known = m_texts.find(text);
    return known != m_texts.end() ? known->second : m_texts.emplace(std::string(text), qt(text)).first->second;
}

DerivationNode &DerivationReader::node(int number) {
    auto &nodes = m_tree.nodes;
    while (nodes.size() <= static_cast<size_t>(number)) {
        const auto next = static_cast<int>(nodes.size());
        nodes.emplace_back().number = next;
    }
    return nodes[static_cast<size_t>(number)];
}

RuleTried DerivationReader::triedOf(const SketchStep &step, const LoopState *state) {
    RuleTried tried{text(step.rule), {}, false, text(step.reason)};
    if (state && step.stage >= 0 && static_cast<size_t>(step.stage) < state->stageCount()) {
        const Op &op = *state->stage(StageId(step.stage)).op;
        tried.stage = text(op.name);
        tried.placeholder = op.isPlaceholder();
    }
    return tried;
}

bool DerivationReader::read(const std::vector<SketchStep> &steps, size_t most) {
    if (m_read == 0 && !steps.empty()) node(0).state = std::make_shared<const LoopState>(m_dag);
    for (; m_read < steps.size() && most > 0; ++m_read, --most) {
        const SketchStep &step = steps[m_read];
        const RuleTried tried = triedOf(step, node(step.parent).state.get());
        noteOnce(m_tree.stages, tried.stage);
        noteOnce(m_tree.rules, tried.rule);
        if (!step.applied) {
            node(step.parent).refused.push_back(tried);
            ++m_tree.refused;
            continue;
        }
        ++m_tree.applied;
        for (size_t i = 0; i < step.children.size(); ++i) {
            auto &child = node(step.children[i]);
            child.parent = step.parent;
            child.by = tried;
            if (step.children.size() > 1) {
                child.way = static_cast<int>(i) + 1;
                child.ways = static_cast<int>(step.children.size());
            }
            if (i < step.states.size()) child.state = step.states[i];
            node(step.parent).children.push_back(step.children[i]);
        }
    }
    return m_read >= steps.size();
}

DerivationTree DerivationReader::finish(const std::vector<Sketch> &sketches) {
    auto &nodes = m_tree.nodes;
    m_tree.endOf.assign(sketches.size(), -1);
    for (size_t i = 0; i < sketches.size(); ++i)
        for (const int end : sketches[i].ends) {
            if (end < 0 || static_cast<size_t>(end) >= nodes.size()) continue;
            auto &at = nodes[static_cast<size_t>(end)];
            at.sketch = static_cast<int>(i);
            at.again = m_tree.endOf[i] >= 0;
            if (!at.again) m_tree.endOf[i] = end;
        }
    return std::move(m_tree);
}

QString ruleText(const DerivationNode &node) {
    if (node.skipped()) return QStringLiteral("skip %1").arg(node.by.stage);
    QString text = QStringLiteral("%1 \u00b7 %2").arg(node.by.rule, node.by.stage);
    if (node.ways > 1) text += QStringLiteral(" (way %1 of %2)").arg(node.way).arg(node.ways);
    return text;
}

QString refusalText(const RuleTried &tried) {
    return QStringLiteral("%1 was refused on %2: %3.").arg(tried.rule, tried.stage, tried.reason);
}

QString rulesText(const Sketch &sketch) {
    QStringList rules;
    for (const auto &rule : sketch.rules) rules << qt(rule);
    return rules.isEmpty() ? QStringLiteral("every stage as it is") : rules.join(QStringLiteral(" \u00b7 "));
}

} // namespace loopscope
