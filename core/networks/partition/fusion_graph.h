#pragma once
// The graph that fusion works on: the nodes that results depend on in depth-first post-order, arguments from left to
// right, then those that nothing depends on, with what reads them, and the immediate post-dominator of each. Where TVM
// has tuples and their fields as nodes of their own (the arguments of concat, the parts of a split), so has this graph,
// since fusing counts them.

#include "networks/graph/function.h"
#include "networks/op/operator.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace loopscope {

struct FusionEdge {
    size_t reader = 0;
    PatternKind kind = PatternKind::Opaque; // the reader's; a broadcast that keeps the shape is elementwise
};

struct FusionVertex {
    enum class Role : uint8_t { Operator, Tuple, Field };
    Role role = Role::Operator;
    NodeId node; // of a tuple the one that reads it
    PatternKind kind = PatternKind::Opaque;
    size_t size = 1;       // with the scalar constants that go along
    bool external = false; // stands in memory: a result, indices, or read by nobody
    std::vector<FusionEdge> readers;

    std::optional<size_t> dominator; // every way from here to a result goes through it
    size_t depth = 1;
    PatternKind way = PatternKind::Elementwise; // the largest kind of edges on the ways there
};

struct FusionGraph {
    std::vector<FusionVertex> vertices;
    std::vector<size_t> ofNode;
};

FusionGraph fusionGraphOf(const GraphFunction &function);

} // namespace loopscope
