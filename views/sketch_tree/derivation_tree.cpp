#include "views/sketch_tree/derivation_tree.h"

#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

/// Tens of thousands of refusals share some dozens of texts: each is kept once.
class Texts {
  public:
    QString operator()(std::string_view text) {
        const auto known = m_texts.find(text);
        return known != m_texts.end() ? known->second : m_texts.emplace(std::string(text), qt(text)).first->second;
    }

  private:
    std::map<std::string, QString, std::less<>> m_texts;
};

RuleTried triedOf(const SketchStep &step, const LoopState *state, Texts &texts) {
    RuleTried tried{texts(step.rule), {}, false, texts(step.reason)};
    if (state && step.stage >= 0 && static_cast<size_t>(step.stage) < state->stageCount()) {
        const Op &op = *state->stage(StageId(step.stage)).op;
        tried.stage = texts(op.name);
        tried.placeholder = op.isPlaceholder();
    }
    return tried;
}

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

DerivationTree makeDerivationTree(const DagPtr &dag, const std::vector<SketchStep> &steps,
                                  const std::vector<Sketch> &sketches) {
    DerivationTree tree;
    if (!dag || steps.empty()) return tree;
    int last = 0;
    for (const auto &step : steps)
        for (const int child : step.children) last = std::max(last, child);
    tree.nodes.resize(static_cast<size_t>(last) + 1);
    for (size_t i = 0; i < tree.nodes.size(); ++i) tree.nodes[i].number = static_cast<int>(i);
    tree.nodes[0].state = std::make_shared<const LoopState>(dag);

    Texts texts;
    for (const auto &step : steps) {
        auto &parent = tree.nodes[static_cast<size_t>(step.parent)];
        const RuleTried tried = triedOf(step, parent.state.get(), texts);
        noteOnce(tree.stages, tried.stage);
        noteOnce(tree.rules, tried.rule);
        if (!step.applied) {
            parent.refused.push_back(tried);
            ++tree.refused;
            continue;
        }
        ++tree.applied;
        for (size_t i = 0; i < step.children.size(); ++i) {
            auto &child = tree.nodes[static_cast<size_t>(step.children[i])];
            child.parent = step.parent;
            child.by = tried;
            if (step.children.size() > 1) {
                child.way = static_cast<int>(i) + 1;
                child.ways = static_cast<int>(step.children.size());
            }
            if (i < step.states.size()) child.state = step.states[i];
            parent.children.push_back(child.number);
        }
    }

    tree.endOf.assign(sketches.size(), -1);
    for (size_t i = 0; i < sketches.size(); ++i)
        for (const int end : sketches[i].ends) {
            if (end < 0 || static_cast<size_t>(end) >= tree.nodes.size()) continue;
            auto &node = tree.nodes[static_cast<size_t>(end)];
            node.sketch = static_cast<int>(i);
            node.again = tree.endOf[i] >= 0;
            if (!node.again) tree.endOf[i] = end;
        }
    for (auto node = tree.nodes.rbegin(); node != tree.nodes.rend(); ++node) {
        if (node->sketch >= 0 && !node->again) ++node->sketchesBelow;
        if (node->parent >= 0) tree.nodes[static_cast<size_t>(node->parent)].sketchesBelow += node->sketchesBelow;
    }
    return tree;
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
