#include "views/edits/edit_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace loopscope {

namespace {

class EditLayout {
  public:
    explicit EditLayout(const std::vector<EditNode> &nodes)
        : m_nodes(nodes), m_children(nodes.size()), m_height(nodes.size(), 0) {
        for (size_t i = nodes.size(); i-- > 0;) { // parents come before their children
            if (nodes[i].dropped) continue;
            const int parent = nodes[i].parent;
            if (parent < 0) continue;
            m_children[static_cast<size_t>(parent)].insert(m_children[static_cast<size_t>(parent)].begin(),
                                                           static_cast<int>(i));
            int &height = m_height[static_cast<size_t>(parent)];
            height = std::max(height, m_height[i] + 1);
        }
        m_out.rowOfNode.assign(nodes.size(), -1);
    }

    EditRows make() {
        for (size_t i = 0; i < m_nodes.size(); ++i)
            if (!m_nodes[i].dropped && m_nodes[i].parent < 0) addLine(static_cast<int>(i), -1, 0);
        return std::move(m_out);
    }

  private:
    void addLine(int node, int parent, int depth) {
        for (bool first = true; node >= 0; first = false) {
            const int row = static_cast<int>(m_out.rows.size());
            std::vector<int> &siblings = parent < 0 ? m_out.roots : m_out.rows[static_cast<size_t>(parent)].children;
            EditRow made;
            made.node = node;
            made.parent = parent;
            made.ordinal = static_cast<int>(siblings.size());
            made.depth = depth;
            made.first = first;
            siblings.push_back(row);
            m_out.rowOfNode[static_cast<size_t>(node)] = row;
            m_out.rows.push_back(std::move(made));
            const std::vector<int> &next = m_children[static_cast<size_t>(node)];
            const auto furthest = std::max_element(next.begin(), next.end(), [this](int a, int b) {
                return m_height[static_cast<size_t>(a)] < m_height[static_cast<size_t>(b)]; // the oldest of equals
            });
            for (const int child : next)
                if (child != *furthest) addLine(child, row, depth + 1);
            m_out.rows[static_cast<size_t>(row)].last = next.empty();
            node = next.empty() ? -1 : *furthest;
        }
    }

    const std::vector<EditNode> &m_nodes;
    std::vector<std::vector<int>> m_children; // nodes
    std::vector<int> m_height;                // edits that follow, at most
    EditRows m_out;
};

} // namespace

EditRows editRows(const std::vector<EditNode> &nodes) { return EditLayout(nodes).make(); }

} // namespace loopscope
