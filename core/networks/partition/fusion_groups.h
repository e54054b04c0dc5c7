#pragma once
// Which vertices of a fusion graph become one kernel: TVM's three sweeps over union-find groups.

#include "networks/partition/fusion_graph.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

class FusionGroups {
  public:
    static constexpr size_t kMaxVertices = 256; // of one group, as in TVM

    explicit FusionGroups(const FusionGraph &graph);
    void sweep();

    /// The vertex that stands for its group.
    [[nodiscard]] size_t rootOf(size_t vertex);
    [[nodiscard]] PatternKind kindOfGroup(size_t vertex) { return m_groups[rootOf(vertex)].kind; }
    /// Of kind OutputFusable.
    [[nodiscard]] std::optional<size_t> anchorOf(size_t vertex) { return m_groups[rootOf(vertex)].anchor; }
    /// The vertex was not fused because its group would have had too many.
    [[nodiscard]] bool wasTooLarge(size_t vertex) const { return m_tooLarge[vertex]; }
    /// What on the ways from `vertex` to its post-dominator, that one included, is of another kind than those allowed.
    [[nodiscard]] std::optional<size_t> obstacle(size_t vertex, PatternKind maxOnTheWay);

  private:
    struct Group {
        size_t parent = 0;
        PatternKind kind = PatternKind::Opaque;
        size_t size = 1;
        std::optional<size_t> anchor;
    };

    /// `allowed(kind of group, is the last one)` holds on all ways; where not, the first vertex met.
    template <typename Allowed> std::optional<size_t> firstNot(size_t from, size_t to, const Allowed &allowed);
    template <typename Each> void eachOnTheWay(size_t from, size_t to, const Each &each);
    bool tooManyWith(size_t from, size_t to);
    void tryFusing(size_t vertex, int phase);
    void fuse(size_t from, size_t to);
    void merge(size_t child, size_t parent);

    const FusionGraph &m_graph;
    std::vector<Group> m_groups;
    std::vector<bool> m_tooLarge;
    std::vector<size_t> m_seen; // by vertex, the walk that was last there
    size_t m_walk = 0;
};

} // namespace loopscope
