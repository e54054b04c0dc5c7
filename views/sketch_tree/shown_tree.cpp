#include "views/sketch_tree/shown_tree.h"

#include "views/session/text.h"

#include <QStringList>

#include <algorithm>
#include <deque>

namespace loopscope {

namespace {

class Builder {
  public:
    Builder(const DerivationTree &tree, const TreeChoice &choice) : m_tree(tree), m_choice(choice) {
        m_shown.placeOf.assign(tree.nodes.size(), -1);
        if (choice.filters()) filter();
    }

    ShownTree build() {
        if (!m_tree.empty()) walk();
        return std::move(m_shown);
    }

    /// Level by level while there is room; where it ends, a node keeps its children to itself.
    [[nodiscard]] std::set<int> collapseBeyond(size_t most) const {
        std::set<int> collapsed;
        if (m_tree.empty()) return collapsed;
        std::deque<int> level = {0};
        size_t count = 1;
        while (!level.empty()) {
            const int at = level.front();
            level.pop_front();
            const auto children = childrenOf(at);
            if (children.empty()) continue;
            if (count + children.size() > most) {
                collapsed.insert(at);
                continue;
            }
            count += children.size();
            for (const int child : children) level.push_back(edgeFrom(child).back());
        }
        return collapsed;
    }

  private:
    [[nodiscard]] const DerivationNode &node(int number) const { return m_tree.nodes[static_cast<size_t>(number)]; }
    [[nodiscard]] bool kept(int number) const { return m_keep.empty() || m_keep[static_cast<size_t>(number)]; }
    [[nodiscard]] bool refusedMatches(const DerivationNode &of) const {
        return m_choice.refused && std::any_of(of.refused.begin(), of.refused.end(),
                                               [this](const RuleTried &tried) { return m_choice.matches(tried); });
    }

    /// Kept are the ways to a match and all that comes from a matching step.
    void filter() {
        const size_t count = m_tree.nodes.size();
        m_keep.assign(count, false);
        std::vector<bool> from(count, false);
        for (size_t i = 0; i < count; ++i) {
            const auto &at = m_tree.nodes[i];
            const bool step = at.parent >= 0 && m_choice.matches(at.by);
            from[i] = step || (at.parent >= 0 && from[static_cast<size_t>(at.parent)]);
            if (from[i] || refusedMatches(at)) m_keep[i] = true;
        }
        for (size_t i = count; i-- > 1;)
            if (m_keep[i] && m_tree.nodes[i].parent >= 0) m_keep[static_cast<size_t>(m_tree.nodes[i].parent)] = true;
        m_keep[0] = true;
        for (size_t i = 0; i < count; ++i)
            if (!m_keep[i] && m_tree.nodes[i].sketch >= 0 && !m_tree.nodes[i].again) ++m_shown.hiddenByFilter;
    }

    [[nodiscard]] std::vector<int> childrenOf(int number) const {
        std::vector<int> children;
        for (const int child : node(number).children)
            if (kept(child)) children.push_back(child);
        return children;
    }

    /// Whether the step that made `next` may stand on one edge with those in `steps`.
    [[nodiscard]] bool joins(const std::vector<int> &steps, const DerivationNode &next) const {
        const auto idle = [](const DerivationNode &step) { return step.skipped() && step.by.placeholder; };
        if (m_choice.filters()) {
            const auto matches = [this](int step) { return m_choice.matches(node(step).by); };
            if (m_choice.matches(next.by)) return false;
            return idle(next) || std::none_of(steps.begin(), steps.end(), matches);
        }
        if (idle(next)) return true;
        for (const int step : steps)
            if (!idle(node(step)) && node(step).by.rule != next.by.rule) return false;
        return true;
    }

    /// The steps of the edge that begins with the one that made `first`.
    [[nodiscard]] std::vector<int> edgeFrom(int first) const {
        std::vector<int> steps = {first};
        while (m_choice.fold && !m_choice.unfolded.contains(first)) {
            const int at = steps.back();
            const auto children = childrenOf(at);
            if (children.size() != 1 || m_choice.collapsed.contains(at)) break;
            if (m_choice.filters() && refusedMatches(node(at))) break;
            if (m_choice.unfolded.contains(children.front()) || !joins(steps, node(children.front()))) break;
            steps.push_back(children.front());
        }
        return steps;
    }

    void walk() {
        struct Open {
            int number;
            int parent;
            std::vector<int> steps;
        };
        std::vector<Open> stack = {{0, -1, {}}};
        while (!stack.empty()) {
            const Open open = stack.back();
            stack.pop_back();
            const int index = add(open.number, open.parent, open.steps);
            const auto children = childrenOf(open.number);
            if (m_choice.collapsed.contains(open.number)) {
                hide(open.number, index);
                continue;
            }
            for (auto child = children.rbegin(); child != children.rend(); ++child) {
                auto steps = edgeFrom(*child);
                const int end = steps.back();
                stack.push_back({end, index, std::move(steps)});
            }
        }
    }

    int add(int number, int parent, const std::vector<int> &steps) {
        const int index = static_cast<int>(m_shown.nodes.size());
        const auto &from = node(number);
        ShownNode shown;
        shown.number = number;
        shown.parent = parent;
        shown.steps = steps;
        shown.collapsible = !childrenOf(number).empty();
        if (parent >= 0) {
            auto &above = m_shown.nodes[static_cast<size_t>(parent)];
            shown.depth = above.depth + 1;
            above.children.push_back(index);
        }
        describe(shown);
        for (const int step : steps) m_shown.placeOf[static_cast<size_t>(step)] = index;
        m_shown.placeOf[static_cast<size_t>(number)] = index;
        if (m_choice.refused)
            for (const auto &tried : from.refused)
                if (m_choice.matches(tried)) shown.refused.push_back(tried);
        shown.lists = m_choice.listAll || m_choice.filters() ? !m_choice.unlisted.contains(number)
                                                             : m_choice.listed.contains(number);
        shown.lists = shown.lists && !shown.refused.empty();
        m_shown.nodes.push_back(std::move(shown));
        return index;
    }

    void describe(ShownNode &shown) const {
        QStringList skipped;
        QStringList stages;
        QStringList other;
        QString rule;
        int way = 0;
        int ways = 0;
        // Several steps that the filter is not about are only counted.
        const bool foreign =
            m_choice.filters() && shown.steps.size() > 1 && !m_choice.matches(node(shown.steps.front()).by);
        for (size_t i = 0; i < shown.steps.size(); ++i) {
            const auto &step = node(shown.steps[i]);
            if (i + 1 < shown.steps.size() && m_choice.refused)
                for (const auto &tried : step.refused) shown.refusedOnTheWay += m_choice.matches(tried);
            if (step.skipped()) {
                skipped << step.by.stage;
            } else if (foreign && !m_choice.matches(step.by)) {
                other << ruleText(step);
            } else {
                rule = step.by.rule;
                stages << step.by.stage;
                way = step.way;
                ways = step.ways;
            }
        }
        const QString skip = skipped.isEmpty() ? QString() : QStringLiteral("skip %1").arg(someNames(skipped));
        if (!other.isEmpty()) {
            // Only what is a choice is named, so that branches can be told apart.
            shown.label = other.size() == 1 ? other.front() : QStringLiteral("%1 other steps").arg(other.size());
            shown.detail = other.size() == 1 ? skip : someNames(other, 1);
            shown.quiet = true;
        } else if (stages.isEmpty()) {
            shown.label = skip;
            shown.quiet = true;
        } else {
            shown.label = QStringLiteral("%1 \u00b7 %2").arg(rule, someNames(stages));
            if (ways > 1 && stages.size() == 1) shown.label += QStringLiteral(" (way %1 of %2)").arg(way).arg(ways);
            shown.detail = skip;
        }
        if (m_choice.filters() && !shown.steps.empty() && !m_choice.matches(node(shown.steps.front()).by))
            shown.quiet = true;
    }

    void hide(int number, int index) {
        std::vector<int> stack = childrenOf(number);
        auto &shown = m_shown.nodes[static_cast<size_t>(index)];
        while (!stack.empty()) {
            const int at = stack.back();
            stack.pop_back();
            m_shown.placeOf[static_cast<size_t>(at)] = index;
            if (node(at).sketch >= 0 && !node(at).again) ++shown.hiddenSketches;
            for (const int child : childrenOf(at)) stack.push_back(child);
        }
    }

    const DerivationTree &m_tree;
    const TreeChoice &m_choice;
    std::vector<bool> m_keep; // by number; empty = all
    ShownTree m_shown;
};

} // namespace

QString someNames(const QStringList &names, int most) {
    if (names.size() <= most + 1) return names.join(QStringLiteral(", ")); // "and 1 more" is no shorter than the name
    return QStringLiteral("%1 and %2 more").arg(names.mid(0, most).join(QStringLiteral(", "))).arg(names.size() - most);
}

ShownTree makeShownTree(const DerivationTree &tree, const TreeChoice &choice) { return Builder(tree, choice).build(); }

std::set<int> collapseBeyond(const DerivationTree &tree, const TreeChoice &choice, size_t most) {
    TreeChoice open = choice;
    open.collapsed.clear();
    return Builder(tree, open).collapseBeyond(most);
}

QString shownText(const DerivationTree &tree, const ShownTree &shown) {
    QString text;
    for (const auto &node : shown.nodes) {
        const QString indent(2 * node.depth, QLatin1Char(' '));
        const auto &of = tree.nodes[static_cast<size_t>(node.number)];
        QStringList parts;
        parts << (node.parent < 0 ? QStringLiteral("naive schedule") : node.label);
        if (!node.detail.isEmpty()) parts << node.detail;
        if (of.sketch >= 0)
            parts << (of.again ? QStringLiteral("again sketch %1") : QStringLiteral("sketch %1")).arg(of.sketch);
        if (node.hiddenSketches > 0)
            parts << QStringLiteral("collapsed: %1")
                         .arg(countedText(static_cast<size_t>(node.hiddenSketches), "sketch", "sketches"));
        if (node.refusedOnTheWay > 0) parts << QStringLiteral("%1 refused on the way").arg(node.refusedOnTheWay);
        if (!node.refused.empty() && !node.lists) parts << QStringLiteral("%1 refused").arg(node.refused.size());
        text += indent + parts.join(QStringLiteral(" | ")) + QLatin1Char('\n');
        if (node.lists)
            for (const auto &tried : node.refused)
                text += indent + QStringLiteral("  x ") + refusalText(tried) + QLatin1Char('\n');
    }
    return text;
}

} // namespace loopscope
