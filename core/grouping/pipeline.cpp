#include "grouping/pipeline.h"

#include "check.h"
#include "expr/walk.h"
#include "grouping/common_values.h"
#include "grouping/cost_simplifier.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace loopscope {

namespace {

std::vector<int64_t> originOf(const Op &op, const Origins &origins) {
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
        const std::vector<int64_t> origin = originOf(op, m_origins);
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
        if (!op.reduction) {
            stage.nodes.push_back(addNode(index, 0, stage.axes, 0));
            for (const Expr value : op.body) m_pipeline.nodes.back().values.push_back(rewritten(value));
        } else {
            addReduction(op, stage, index, std::move(steps), rewritten);
        }
        m_pipeline.stages.push_back(std::move(stage));
    }

  private:
    int addNode(int stage, int number, std::vector<PipelineAxis> loops, size_t reduceLoops) {
        m_pipeline.nodes.push_back({stage, number, std::move(loops), reduceLoops, {}, {}, {}});
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

    /// Loads of stages in their coordinates.
    Expr shifted(Expr e) {
        return rewriteBottomUp(e, [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            const Op *producer = asTensor(node->symbol).op;
            if (producer == nullptr) return node;
            const std::vector<int64_t> origin =
                producer->isPlaceholder() ? std::vector<int64_t>(node->argCount, 0) : originOf(*producer, m_origins);
            std::vector<Expr> indices;
            for (size_t i = 0; i < node->argCount; ++i) indices.push_back(simplifiedForCost(node->arg(i) + origin[i]));
            return withOperands(node, indices);
        });
    }

    Pipeline &m_pipeline;
    const Origins &m_origins;
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
