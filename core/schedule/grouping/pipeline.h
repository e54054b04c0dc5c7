#pragma once
// A pipeline as the grouping scheduler sees it, made from a ComputeDag: stages whose axes have an origin, and for each
// stage one node, or two where it reduces (the initial values, then the updates). A value of this module's own,
// because the DAG's axes all begin at 0: a halo stage then reads at shifted coordinates, and the additions in its
// indices would be counted where the algorithm has none.
//
// Axes, dimensions of boxes and loops are listed innermost first here, unlike in the DAG.

#include "language/dag/compute_dag.h"
#include "language/expr/interval.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct PipelineAxis {
    Expr var;
    std::string name;
    int64_t min = 0;
    int64_t extent = 1;
    [[nodiscard]] Interval range() const { return {min, min + extent - 1}; }
};

/// What is computed together in one nest: the values of a stage, its initial values or its updates, which are steps of
/// a reduction or of a scan.
struct PipelineNode {
    int stage = 0;
    int number = 0; // 0, or 1 for updates
    /// Reduce axes, which updates have, then the spatial ones; innermost first.
    std::vector<PipelineAxis> loops;
    size_t reduceLoops = 0;
    std::vector<Expr> values;     // what is computed twice is bound by lets
    std::vector<Expr> openValues; // the same without lets, once early inlining is done
    std::vector<Expr> conditions; // of a reduction; read from, but not counted
    /// By axis of the stage: the loop that runs along it. -1: none does, and where it writes is computed; then it may
    /// be anywhere along that axis.
    std::vector<int> loopOf;
    std::vector<Expr> places; // what is computed to find where to write
    bool inOrder = false;     // steps of a scan: its reduce loop runs along an axis, from one end to the other

    [[nodiscard]] bool update() const { return number > 0; }
};

struct PipelineStage {
    std::string name;
    int op = -1; // of the DAG
    std::vector<const TensorSymbol *> tensors;
    std::vector<PipelineAxis> axes; // spatial
    std::vector<int> nodes;
    bool output = false;
    bool removed = false; // inlined before grouping began

    [[nodiscard]] bool pure() const { return nodes.size() == 1; }
    [[nodiscard]] int64_t bytes() const;
};

struct PipelineInput {
    std::string name;
    const TensorSymbol *tensor = nullptr;
};

/// Number of a stage, or of an input behind them all.
using BufferNumber = int;

/// A variable that is no axis: known when a pipeline runs, here by its estimate. The bounds of a clamp to the edge of
/// an image of any size are such.
struct PipelineParameter {
    Expr var;
    int64_t value = 0;
};

struct Pipeline {
    DagPtr dag;
    std::vector<ArenaPtr> arenas;
    std::vector<PipelineStage> stages; // each after those it reads
    std::vector<PipelineNode> nodes;
    std::vector<PipelineInput> inputs;
    std::vector<PipelineParameter> parameters;
    std::map<const TensorSymbol *, BufferNumber> buffers;
    std::vector<int> outputs; // stages
    std::vector<int> byName;  // stages in the order of their names

    [[nodiscard]] BufferNumber bufferOf(Expr load) const { return buffers.at(load->symbol); }
    [[nodiscard]] bool isInput(BufferNumber buffer) const { return buffer >= static_cast<int>(stages.size()); }
    [[nodiscard]] size_t bufferCount() const { return stages.size() + inputs.size(); }
    [[nodiscard]] size_t rankOf(BufferNumber buffer) const;
    [[nodiscard]] const std::string &nameOf(BufferNumber buffer) const;
    [[nodiscard]] int64_t bytesOf(BufferNumber buffer) const;
    [[nodiscard]] int lastNode(int stage) const { return stages[static_cast<size_t>(stage)].nodes.back(); }
    [[nodiscard]] const PipelineNode &node(int id) const { return nodes[static_cast<size_t>(id)]; }
    [[nodiscard]] const PipelineStage &stageOf(int node) const {
        return stages[static_cast<size_t>(nodes[static_cast<size_t>(node)].stage)];
    }
    /// "conv", "conv.update(0)".
    [[nodiscard]] std::string nodeName(int id) const;
    [[nodiscard]] int stageNamed(std::string_view name) const; // -1: none
};

/// The first coordinate of each axis of a stage, by name of the stage; outermost first, as the DAG lists axes.
using Origins = std::map<std::string, std::vector<int64_t>>;

/// Stages that are not among `origins` begin where what they read lies around their own coordinates evenly
/// (`centredOrigins`), inputs at 0.
Pipeline pipelineOf(const DagPtr &dag, const Origins &origins = {});

/// Where the workload says where axes begin, there; a stage of no axis of its own at 0. Where it says so of none: a
/// symmetric stencil, which a DAG of counts can only write as f[x], f[x + 1], f[x + 2], is centred one further, at f[x
/// - 1], f[x], f[x + 1]; any other stage begins where most of its loads are not shifted. A stage behind it that reads
/// it without a shift begins there, too.
Origins centredOrigins(const ComputeDag &dag, const Origins &known = {});

} // namespace loopscope
