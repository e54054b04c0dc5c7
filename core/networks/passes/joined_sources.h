#pragma once
// For which nodes of the imported file a node stands that others were merged into: their sources in the order in which
// they stood, kept while merged nodes are merged again.

#include "networks/graph/function.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

class JoinedSources {
  public:
    /// What `from` stands for, `into` stands for now. `position` is where it stood in the old function.
    void join(NodeId from, const Node &node, int position, NodeId into);
    /// Of a node with its own. What was joined is used up.
    std::vector<std::string> take(NodeId of, const Node &node, int position);

  private:
    std::unordered_map<int, std::vector<std::pair<int, std::string>>> m_joined; // by node: positions and sources
};

} // namespace loopscope
