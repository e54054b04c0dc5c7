#include "networks/passes/joined_sources.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace loopscope {

namespace {

/// A node of a text, which names no others, stands for itself.
void append(std::vector<std::pair<int, std::string>> &to, const Node &node, int position) {
    for (const std::string &source : node.sources) to.emplace_back(position, source);
    if (node.sources.empty()) to.emplace_back(position, node.name);
}

} // namespace

void JoinedSources::join(NodeId from, const Node &node, int position, NodeId into) {
    std::vector<std::pair<int, std::string>> joined;
    if (const auto at = m_joined.find(from.value); at != m_joined.end()) {
        joined = std::move(at->second);
        m_joined.erase(at);
    }
    // The larger list stays as it is: a node may take over another's many sources time and again.
    std::vector<std::pair<int, std::string>> &to = m_joined[into.value];
    if (to.size() < joined.size()) to.swap(joined);
    std::move(joined.begin(), joined.end(), std::back_inserter(to));
    append(to, node, position);
}

std::vector<std::string> JoinedSources::take(NodeId of, const Node &node, int position) {
    const auto joined = m_joined.find(of.value);
    if (joined == m_joined.end()) return node.sources;
    std::vector<std::pair<int, std::string>> all = std::move(joined->second);
    append(all, node, position);
    std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<std::string> sources;
    std::unordered_set<std::string> seen;
    for (auto &[place, source] : all)
        if (seen.insert(source).second) sources.push_back(std::move(source));
    return sources;
}

} // namespace loopscope
