#include "schedule/translate/te_python.h"

#include "base/foreign_text.h"
#include "schedule/stepwise_replay.h"
#include "schedule/translate/python_computes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

namespace loopscope {

namespace {

class TeSchedule {
  public:
    TeSchedule(const DagPtr &dag, const PythonComputes &computes, Identifiers &names) : m_names(names) {
        for (size_t op = 0; op < dag->size(); ++op) {
            StageText &stage = m_stages.emplace_back();
            const bool several = dag->op(op).outputs.size() > 1;
            stage.name = computes.tensor(op, 0);
            stage.base = computes.name(op);
            if (several)
                for (size_t k = 0; k < dag->op(op).outputs.size(); ++k) stage.outputs.push_back(computes.tensor(op, k));
        }
    }

    /// A step that applied, between the two states.
    [[nodiscard]] std::optional<Refusal> write(const LoopState &before, const Step &step, const LoopState &after,
                                               size_t number) {
        m_before = &before;
        m_after = &after;
        m_refused.reset();
        m_number = number;
        m_tag = stepTag(step);
        std::visit([&](const auto &s) { writeStep(s); }, step);
        return m_refused;
    }
    [[nodiscard]] const std::vector<std::string> &lines() const { return m_lines; }

  private:
    struct StageText {
        std::string name;                 // variable of its tensor
        std::string base;                 // what its loops begin with
        std::vector<std::string> outputs; // of all its tensors, where it has several
        bool axesNamed = false;
        std::map<int, std::string> loops; // variables by node
    };

    StageText &stage(StageId id) { return m_stages[id.index()]; }
    void line(std::string text) { m_lines.push_back(std::move(text)); }

    /// The variable of a loop; the first one asked for names all axes of the stage.
    std::string loop(const LoopState &state, StageId id, int node) {
        StageText &text = stage(id);
        if (!text.axesNamed) {
            text.axesNamed = true;
            const Op &op = *state.stage(id).op;
            const auto named = [&](const std::vector<Axis> &axes, size_t first, std::string_view which) {
                if (axes.empty()) return;
                std::vector<std::string> names;
                for (size_t a = 0; a < axes.size(); ++a) {
                    names.push_back(m_names.fresh(fmt::format("{}_{}", text.base, axes[a].name())));
                    text.loops[static_cast<int>(first + a)] = names.back();
                }
                line(fmt::format("{}{} = s[{}].op.{}", fmt::join(names, ", "), axes.size() == 1 ? "," : "", text.name,
                                 which));
            };
            named(op.axes, 0, "axis");
            if (op.reduction) named(op.reduction->axes, op.axes.size(), "reduce_axis");
        }
        return text.loops.at(node);
    }
    std::string leaf(StageId id, IterId iter) {
        return loop(*m_before, id, m_before->stage(id).iters[iter.index()].node);
    }
    [[nodiscard]] std::string leafName(StageId id, int node) const {
        for (const Iter &iter : m_after->stage(id).iters)
            if (iter.node == node) return iter.name;
        return {};
    }

    /// What a split or fusion added to the stage. The row of binary splits that one into several parts is keeps its
    /// intermediate loops in the variable of the part they end in.
    void writeRelations(StageId id) {
        const std::vector<IterRelation> &relations = m_after->stage(id).relations;
        const size_t known = m_before->stage(id).relations.size();
        if (known < relations.size() && relations[known].kind == IterRelation::Kind::Split)
            loop(*m_before, id, relations[known].parent);
        StageText &text = stage(id);
        const auto variable = [&](int node) {
            // Down to the leaf that keeps what is left of the loop.
            int end = node;
            for (size_t r = known; r < relations.size(); ++r)
                if (relations[r].kind == IterRelation::Kind::Split && relations[r].parent == end)
                    end = relations[r].byFactor ? relations[r].outer : relations[r].inner;
            std::string &name = text.loops[end];
            if (name.empty()) name = m_names.fresh(fmt::format("{}_{}", text.base, leafName(id, end)));
            text.loops[node] = name;
            return name;
        };
        for (size_t r = known; r < relations.size(); ++r) {
            const IterRelation &relation = relations[r];
            const std::string parent = text.loops[relation.parent];
            const std::string outer = variable(relation.outer);
            const std::string inner = variable(relation.inner);
            line(fmt::format("{}, {} = s[{}].split({}, {}={})", outer, inner, text.name, parent,
                             relation.byFactor ? "factor" : "nparts", relation.length));
        }
    }

    void writeStep(const SplitStep &s) { writeRelations(s.stage); }
    void writeStep(const FollowSplitStep &s) { writeRelations(s.stage); }
    void writeStep(const FollowFusedSplitStep &s) { writeRelations(s.stage); }
    void writeStep(const FuseStep &s) {
        std::vector<std::string> parts;
        for (const IterId iter : s.iters) parts.push_back(leaf(s.stage, iter));
        if (parts.size() == 1) return; // nothing changes
        // Of none: a loop of one iteration around the others.
        const Iter &fused = m_after->stage(s.stage).iters[parts.empty() ? 0 : s.iters.front().index()];
        StageText &text = stage(s.stage);
        std::string name = parts.empty() ? "unit" : fused.name.size() < 60 ? fused.name : "fused";
        name = m_names.fresh(fmt::format("{}_{}", text.base, name));
        line(fmt::format("{} = s[{}].fuse({})", name, text.name, fmt::join(parts, ", ")));
        text.loops[fused.node] = name;
    }
    void writeStep(const ReorderStep &s) {
        std::vector<std::string> order;
        for (const IterId iter : s.order) order.push_back(leaf(s.stage, iter));
        if (!order.empty()) line(fmt::format("s[{}].reorder({})", stage(s.stage).name, fmt::join(order, ", ")));
    }
    void writeStep(const AnnotateStep &s) {
        const std::string name = leaf(s.stage, s.iter);
        const std::string of = stage(s.stage).name;
        switch (s.annotation) {
        case Annotation::None:
            return;
        case Annotation::Unroll:
        case Annotation::Vectorize:
        case Annotation::Parallel:
            line(fmt::format("s[{}].{}({})", of, annotationText(s.annotation), name));
            return;
        default:
            line(fmt::format("s[{}].bind({}, te.thread_axis(\"{}\"))", of, name, annotationText(s.annotation)));
        }
    }
    void writeStep(const PragmaStep &s) {
        const auto &iters = m_before->stage(s.stage).iters;
        const int steps = m_after->stage(s.stage).autoUnrollMaxStep;
        const bool unrolls = s.text.starts_with("auto_unroll_max_step");
        if (!unrolls || iters.empty() || s.iter.value < 0 || s.iter.index() >= iters.size()) {
            refuse(unrolls ? fmt::format("stands at no loop of {}; put it at the outermost one, or leave it out where "
                                         "there is none",
                                         m_before->stage(s.stage).op->name)
                           : fmt::format("is the pragma {}, which leaves a stage out of the program; leave out the "
                                         "step instead",
                                         s.text));
            return;
        }
        const std::string name = leaf(s.stage, s.iter);
        line(fmt::format("s[{}].pragma({}, \"auto_unroll_max_step\", {})", stage(s.stage).name, name, steps));
        line(fmt::format("s[{}].pragma({}, \"unroll_explicit\", True)", stage(s.stage).name, name));
    }
    void writeStep(const StorageAlignStep &s) {
        const std::string name = leaf(s.stage, s.iter);
        line(fmt::format("s[{}].storage_align({}, {}, {})", stage(s.stage).name, name, s.factor, s.offset));
    }
    void writeStep(const ComputeAtStep &s) {
        const std::string name = leaf(s.target, s.targetIter);
        line(fmt::format("s[{}].compute_at(s[{}], {})", stage(s.stage).name, stage(s.target).name, name));
    }
    void writeStep(const ComputeInlineStep &s) { line(fmt::format("s[{}].compute_inline()", stage(s.stage).name)); }
    void writeStep(const ComputeRootStep &s) { line(fmt::format("s[{}].compute_root()", stage(s.stage).name)); }

    void insertStage(size_t at, const std::string &base) {
        StageText added;
        added.base = m_names.fresh(base);
        added.name = added.base;
        m_stages.insert(m_stages.begin() + static_cast<ptrdiff_t>(at), std::move(added));
    }
    void forgetLoops(StageId id) {
        stage(id).axesNamed = false;
        stage(id).loops.clear();
    }
    void writeStep(const CacheReadStep &s) {
        std::vector<std::string> readers;
        for (const StageId reader : s.readers) readers.push_back(stage(reader).name);
        insertStage(s.stage.index() + 1, stage(s.stage).base + "_" + s.scope);
        line(fmt::format("{} = s.cache_read({}, {}, [{}])", m_stages[s.stage.index() + 1].name, stage(s.stage).name,
                         pythonString(s.scope), fmt::join(readers, ", ")));
    }
    void writeStep(const CacheWriteStep &s) {
        if (!m_before->stage(s.stage).relations.empty()) {
            refuse("copies a stage whose loops were split or fused before, and tensor expressions then lay the copy "
                   "out in the order of these loops; put it in front of them");
            return;
        }
        insertStage(s.stage.index(), stage(s.stage).base + "_" + s.scope);
        StageText &cache = stage(s.stage);
        StageText &copy = m_stages[s.stage.index() + 1];
        if (copy.outputs.empty()) {
            line(fmt::format("{}, = s.cache_write([{}], {})", cache.name, copy.name, pythonString(s.scope)));
        } else {
            for (size_t k = 0; k < copy.outputs.size(); ++k)
                cache.outputs.push_back(m_names.fresh(fmt::format("{}_v{}", cache.base, k)));
            cache.name = cache.outputs[0];
            line(fmt::format("{} = s.cache_write([{}], {})", fmt::join(cache.outputs, ", "),
                             fmt::join(copy.outputs, ", "), pythonString(s.scope)));
        }
        forgetLoops(StageId(s.stage.index() + 1));
    }
    void writeStep(const RfactorStep &s) {
        const std::string name = leaf(s.stage, s.iter);
        const size_t outputs = m_before->stage(s.stage).op->outputs.size();
        insertStage(s.stage.index(), stage(s.stage).base + "_rf");
        StageText &partial = stage(s.stage);
        const StageText &whole = m_stages[s.stage.index() + 1];
        if (outputs > 1) {
            for (size_t k = 0; k < outputs; ++k)
                partial.outputs.push_back(m_names.fresh(fmt::format("{}_v{}", partial.base, k)));
            partial.name = partial.outputs[0];
        }
        line(fmt::format("{} = s.rfactor({}, {}, {})",
                         outputs > 1 ? fmt::format("{}", fmt::join(partial.outputs, ", ")) : partial.name, whole.name,
                         name, s.factorIter));
        forgetLoops(StageId(s.stage.index() + 1));
    }

    void refuse(const std::string &why) { m_refused = Refusal{fmt::format("step {} ({}) {}", m_number, m_tag, why)}; }

    Identifiers &m_names;
    std::vector<StageText> m_stages;
    std::vector<std::string> m_lines;
    const LoopState *m_before = nullptr;
    const LoopState *m_after = nullptr;
    size_t m_number = 0;
    std::string_view m_tag;
    std::optional<Refusal> m_refused;
};

} // namespace

Outcome<std::string> tePython(const DagPtr &dag, const Steps &steps) {
    if (auto refused = whyNoTeCompute(*dag)) return *std::move(refused);
    Identifiers names = pythonNames();
    const PythonComputes computes(*dag, names, {.scalars = "tir", .attributes = true, .plainEquality = true});
    TeSchedule schedule(dag, computes, names);
    StepwiseReplay replay(dag, steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
        const LoopState before = replay.state();
        if (const Refused refused = replay.apply(steps[i])) return Refusal{refused->sentence()};
        if (auto refused = schedule.write(before, steps[i], replay.state(), i)) return *std::move(refused);
    }
    if (!replay.state().concrete())
        return Refusal{
            "a schedule with an open split length cannot be exported: fill all lengths of the SP steps first"};

    std::vector<std::string> outputs;
    for (const Tensor *tensor : dag->args())
        if (!tensor->op->isPlaceholder() && tensor->outputIndex == 0)
            outputs.push_back(computes.tensor(static_cast<size_t>(dag->indexOf(tensor->op))) + ".op");
    std::string text = fmt::format("# {}: a schedule in TVM's tensor expressions (TVM up to 0.18).\n"
                                   "import tvm\nfrom tvm import te, tir\n\n",
                                   identifierText(dag->name()));
    for (const std::string &line : computes.lines()) text += line + "\n";
    text += fmt::format("\ns = te.create_schedule([{}])\n", fmt::join(outputs, ", "));
    for (const std::string &line : schedule.lines()) text += line + "\n";
    text += fmt::format("\nprint(tvm.lower(s, [{}], simple_mode=True))\n", fmt::join(computes.arguments(), ", "));
    return text;
}

} // namespace loopscope
