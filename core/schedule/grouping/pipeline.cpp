#include "schedule/grouping/pipeline.h"

#include "base/check.h"
#include "language/expr/walk.h"
#include "language/te/axis_origins.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"
#include "schedule/grouping/common_values.h"
#include "schedule/grouping/cost_simplifier.h"
#include "schedule/grouping/real_range.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace loopscope {

namespace {

std::vector<int64_t> firstOf(const Op &op, const Origins &origins) {
    const auto found = origins.find(op.name);
    std::vector<int64_t> origin(op.axes.size(), 0);
    if (found == origins.end()) return origin;
    LOOPSCOPE_CHECK(found->second.size() == origin.size(), "origins of " + op.name);
    return found->second;
}

/// Rewrites what ops compute into the coordinates of the pipeline.
class IntoPipeline {
  public:
    IntoPipeline(Pipeline &pipeline, const Origins &origins) : m_pipeline(pipeline), m_origins(origins) {}

    void addInput(const Op &op) { m_pipeline.inputs.push_back({op.name, &op.output()}); }

    void addStage(const Op &op, int number, bool output) {
        const std::vector<int64_t> origin = firstOf(op, m_origins);
        PipelineStage stage;
        stage.name = op.name;
        stage.op = number;
        stage.output = output;
        for (const auto &tensor : op.outputs) stage.tensors.push_back(tensor.get());
        Substitution map;
        const auto placed = [&](const Axis &axis, int64_t first) {
            Expr var = axis.var;
            if (first != 0) {
                var = makeVar(axis.name(), axis.var->dtype);
                map.emplace_back(axis.var.node(), var - first);
            }
            return PipelineAxis{var, std::string(axis.name()), first, axis.extent};
        };
        for (size_t i = op.axes.size(); i-- > 0;) stage.axes.push_back(placed(op.axes[i], origin[i]));
        std::vector<PipelineAxis> steps;
        for (size_t i = op.reduceRank(); i-- > 0;)
            steps.push_back(placed(op.reduction->axes[i], op.reduction->axes[i].origin));
        const int index = static_cast<int>(m_pipeline.stages.size());
        const auto rewritten = [&](Expr e) { return sharedValues(shifted(substitute(e, map))); };
        if (const std::optional<Scan> scan = scanOf(op)) {
            addScan(op, *scan, stage, index, map);
        } else if (!op.reduction) {
            stage.nodes.push_back(addNode(index, 0, stage.axes, 0));
            for (const Expr value : op.body) m_pipeline.nodes.back().values.push_back(rewritten(value));
        } else {
            addReduction(op, stage, index, std::move(steps), rewritten);
            if (const std::optional<Scatter> scatter = scatterOf(op))
                scatterUpdates(op, *scatter, stage, origin, rewritten);
        }
        m_pipeline.stages.push_back(std::move(stage));
    }

  private:
    int addNode(int stage, int number, std::vector<PipelineAxis> loops, size_t reduceLoops) {
        PipelineNode &node = m_pipeline.nodes.emplace_back();
        node.stage = stage;
        node.number = number;
        for (size_t loop = reduceLoops; loop < loops.size(); ++loop) node.loopOf.push_back(static_cast<int>(loop));
        node.loops = std::move(loops);
        node.reduceLoops = reduceLoops;
        return static_cast<int>(m_pipeline.nodes.size()) - 1;
    }

    void addReduction(const Op &op, PipelineStage &stage, int index, std::vector<PipelineAxis> loops,
                      const std::function<Expr(Expr)> &rewritten) {
        const Combiner &combiner = op.reduction->combiner;
        stage.nodes.push_back(addNode(index, 0, stage.axes, 0));
        m_pipeline.nodes.back().values = combiner.identity;
        loops.insert(loops.end(), stage.axes.begin(), stage.axes.end());
        stage.nodes.push_back(addNode(index, 1, std::move(loops), op.reduction->axes.size()));
        PipelineNode &update = m_pipeline.nodes.back();
        std::vector<Expr> own;
        for (size_t i = stage.axes.size(); i-- > 0;) own.push_back(stage.axes[i].var);
        Substitution parts;
        for (size_t i = 0; i < op.body.size(); ++i) {
            parts.emplace_back(combiner.left[i].node(), makeLoad(*stage.tensors[i], own));
            parts.emplace_back(combiner.right[i].node(), rewritten(op.body[i]));
        }
        for (const Expr result : combiner.result) update.values.push_back(sharedValues(substitute(result, parts)));
        if (op.reduction->condition) update.conditions.push_back(rewritten(op.reduction->condition));
    }

    /// First what `from` says, everywhere; then every element anew, one after the other. A scan that goes backwards
    /// counts its steps from the end, which is known when the pipeline runs.
    void addScan(const Op &op, const Scan &scan, PipelineStage &stage, int index, const Substitution &map) {
        const size_t along = op.axes.size() - 1 - scan.axis;
        stage.nodes.push_back(addNode(index, 0, stage.axes, 0));
        for (size_t k = 0; k < op.body.size(); ++k)
            m_pipeline.nodes.back().values.push_back(sharedValues(shifted(substitute(scanStart(op, k), map))));
        std::vector<PipelineAxis> loops = {stage.axes[along]};
        loops[0].min += scan.backwards ? 0 : scan.reach;
        loops[0].extent = std::max<int64_t>(1, loops[0].extent - scan.reach);
        Substitution toStep;
        if (scan.backwards) {
            const DType type = loops[0].var->dtype;
            const Expr end = makeVar(loops[0].name + ".end", type);
            const int64_t last = stage.axes[along].range().max;
            m_pipeline.parameters.push_back({end, last + 1});
            loops[0].var = makeVar(loops[0].name, type);
            loops[0].min = scan.reach;
            const Expr place =
                makeBinary(ExprKind::Sub, makeBinary(ExprKind::Sub, end, loops[0].var), makeInt(1, type));
            toStep.emplace_back(stage.axes[along].var.node(), place);
        }
        std::vector<int> loopOf(stage.axes.size(), 0);
        for (size_t d = 0; d < stage.axes.size(); ++d) {
            if (d == along) continue;
            loopOf[d] = static_cast<int>(loops.size());
            loops.push_back(stage.axes[d]);
        }
        stage.nodes.push_back(addNode(index, 1, std::move(loops), 1));
        PipelineNode &update = m_pipeline.nodes.back();
        update.loopOf = std::move(loopOf);
        update.inOrder = true;
        for (size_t k = 0; k < op.body.size(); ++k)
            update.values.push_back(sharedValues(substitute(shifted(substitute(scanStep(op, k), map)), toStep)));
        for (const auto &[var, place] : toStep) update.places.push_back(place);
    }

    /// No loop along the axes that terms have places on.
    void scatterUpdates(const Op &op, const Scatter &scatter, const PipelineStage &stage,
                        const std::vector<int64_t> &origin, const std::function<Expr(Expr)> &rewritten) {
        PipelineNode &update = m_pipeline.nodes.back();
        std::vector<PipelineAxis> loops(update.loops.begin(),
                                        update.loops.begin() + static_cast<std::ptrdiff_t>(update.reduceLoops));
        Substitution toPlaces;
        for (size_t d = 0; d < stage.axes.size(); ++d) {
            const size_t axis = op.axes.size() - 1 - d;
            const ScatterPlace *place = scatter.along(axis);
            update.loopOf[d] = place == nullptr ? static_cast<int>(loops.size()) : -1;
            if (place == nullptr) {
                loops.push_back(stage.axes[d]);
                continue;
            }
            const int64_t own = op.axes[axis].origin;
            const Expr there = withoutIdleClamp(rewritten(shiftedBy(place->index, own)));
            update.places.push_back(shiftedBy(there, origin[axis] - own));
            const Expr var = stage.axes[d].var;
            toPlaces.emplace_back(var.node(), castTo(var->dtype, update.places.back())); // a place may be wider
        }
        update.loops = std::move(loops);
        for (Expr &value : update.values) value = sharedValues(substitute(withoutLets(value), toPlaces));
    }

    /// Loads of stages in their coordinates, and those of numbers that are known when the pipeline runs.
    Expr shifted(Expr e) {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            const Op *producer = asTensor(node->symbol).op;
            if (producer == nullptr) return node;
            if (producer->isPlaceholder() && node->argCount == 0) return numberOf(node);
            const std::vector<int64_t> origin =
                producer->isPlaceholder() ? std::vector<int64_t>(node->argCount, 0) : firstOf(*producer, m_origins);
            std::vector<Expr> indices;
            for (size_t i = 0; i < node->argCount; ++i) indices.push_back(simplifiedForCost(node->arg(i) + origin[i]));
            return withOperands(node, indices);
        });
    }

    Expr numberOf(Expr load) {
        const auto [entry, novel] = m_numbers.try_emplace(load->symbol);
        if (novel) entry->second = makeVar(load->symbol->name, load->dtype);
        return entry->second;
    }

    Pipeline &m_pipeline;
    const Origins &m_origins;
    std::map<const TensorSymbol *, Expr> m_numbers;
};

} // namespace

int64_t PipelineStage::bytes() const {
    int64_t bytes = 0;
    for (const TensorSymbol *tensor : tensors) bytes += dtypeBytes(tensor->dtype);
    return bytes;
}

size_t Pipeline::rankOf(BufferNumber buffer) const {
    const auto i = static_cast<size_t>(buffer);
    return isInput(buffer) ? inputs[i - stages.size()].tensor->shape.size() : stages[i].axes.size();
}

const std::string &Pipeline::nameOf(BufferNumber buffer) const {
    const auto i = static_cast<size_t>(buffer);
    return isInput(buffer) ? inputs[i - stages.size()].name : stages[i].name;
}

int64_t Pipeline::bytesOf(BufferNumber buffer) const {
    const auto i = static_cast<size_t>(buffer);
    return isInput(buffer) ? dtypeBytes(inputs[i - stages.size()].tensor->dtype) : stages[i].bytes();
}

std::string Pipeline::nodeName(int id) const {
    const PipelineNode &which = node(id);
    const std::string &name = stages[static_cast<size_t>(which.stage)].name;
    return which.number == 0 ? name : fmt::format("{}.update({})", name, which.number - 1);
}

int Pipeline::stageNamed(std::string_view name) const {
    for (size_t i = 0; i < stages.size(); ++i)
        if (stages[i].name == name) return static_cast<int>(i);
    return -1;
}

Pipeline pipelineOf(const DagPtr &dag, const Origins &origins) {
    Pipeline pipeline;
    pipeline.dag = dag;
    pipeline.arenas = dag->arenas();
    pipeline.arenas.push_back(std::make_shared<ExprArena>());
    const ArenaScope scope(pipeline.arenas.back());
    const Origins centred = centredOrigins(*dag, origins);
    IntoPipeline into(pipeline, centred);
    const auto &args = dag->args();
    for (size_t i = 0; i < dag->size(); ++i) {
        const Op &op = dag->op(i);
        const bool output = std::any_of(args.begin(), args.end(), [&](const Tensor *arg) { return arg->op == &op; });
        if (op.isPlaceholder())
            into.addInput(op);
        else
            into.addStage(op, static_cast<int>(i), output);
    }
    for (size_t i = 0; i < pipeline.stages.size(); ++i) {
        for (const TensorSymbol *tensor : pipeline.stages[i].tensors) pipeline.buffers[tensor] = static_cast<int>(i);
        pipeline.byName.push_back(static_cast<int>(i));
    }
    for (const Tensor *arg : args) {
        if (arg->op->isPlaceholder()) continue;
        const int stage = pipeline.buffers.at(arg);
        if (std::find(pipeline.outputs.begin(), pipeline.outputs.end(), stage) == pipeline.outputs.end())
            pipeline.outputs.push_back(stage);
    }
    for (size_t i = 0; i < pipeline.inputs.size(); ++i)
        pipeline.buffers[pipeline.inputs[i].tensor] = static_cast<int>(pipeline.stages.size() + i);
    std::sort(pipeline.byName.begin(), pipeline.byName.end(), [&](int a, int b) {
        return pipeline.stages[static_cast<size_t>(a)].name < pipeline.stages[static_cast<size_t>(b)].name;
    });
    return pipeline;
}

} // namespace loopscope
