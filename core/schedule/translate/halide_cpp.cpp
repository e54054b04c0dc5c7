#include "schedule/translate/halide_cpp.h"

#include "base/foreign_text.h"
#include "language/expr/arena.h"
#include "schedule/bound_inference.h"
#include "schedule/translate/halide_limits.h"
#include "schedule/translate/halide_text.h"
#include "schedule/translate/loop_moves.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <translate_texts.h>

namespace loopscope {

namespace {

constexpr int64_t kWidestHalideVector = 128; // elements
constexpr size_t kLongestVariable = 40;
constexpr int64_t kMaxHalideCopies = 512; // of an unrolled body
constexpr std::string_view kGuard = "TailStrategy::GuardWithIf";

class HalideSchedule {
  public:
    HalideSchedule(const BoundedState &bounded, const HalideFuncs &funcs, Identifiers &names)
        : m_bounded(bounded), m_state(bounded.state), m_funcs(funcs), m_names(names), m_loops(m_state.stageCount()) {
        for (const Tensor *argument : m_state.dag()->args()) m_arguments.insert(argument->op);
    }

    [[nodiscard]] std::optional<Refusal> write() {
        for (size_t i = m_state.stageCount(); i-- > 0;) {
            const Stage &stage = m_state.stage(StageId(i));
            if (stage.op->isPlaceholder() || stage.location == ComputeLocation::Inlined) continue;
            if (auto refused = whyNotHalide(m_state, StageId(i))) return refused;
            writeStage(StageId(i));
        }
        return std::nullopt;
    }
    [[nodiscard]] const std::vector<std::string> &lines() const { return m_lines; }

  private:
    [[nodiscard]] const Stage &stageOf(StageId id) const { return m_state.stage(id); }
    [[nodiscard]] const std::string &nameOf(StageId id) const { return m_funcs.name(id.index()); }
    void line(std::string text) { m_lines.push_back(std::move(text)); }
    void leftOut(StageId id, int node, std::string_view what, std::string_view why) {
        line(fmt::format("// {} of {} is left out: {}", what, commentText(m_loops[id.index()][node]), why));
    }

    [[nodiscard]] std::vector<IterKind> nodeKinds(StageId id) const {
        const Stage &stage = stageOf(id);
        std::vector<IterKind> kinds(static_cast<size_t>(stage.nodeCount), IterKind::Spatial);
        for (size_t node = stage.op->axes.size(); node < m_funcs.axes(id.index()).size(); ++node)
            kinds[node] = IterKind::Reduction;
        const auto at = [&](int node) -> IterKind & { return kinds[static_cast<size_t>(node)]; };
        for (const IterRelation &relation : stage.relations) {
            if (relation.kind == IterRelation::Kind::Split)
                at(relation.outer) = at(relation.inner) = at(relation.parent);
            else
                at(relation.parent) = at(relation.outer); // no step fuses loops of two kinds
        }
        return kinds;
    }

    /// The variable of a loop, declared where it stands for the first time.
    const std::string &nameLoop(StageId id, int node, IterKind kind, std::string_view preferred) {
        std::string &name = m_loops[id.index()][node];
        name = m_names.fresh(preferred);
        line(fmt::format("{} {}(\"{}\");", kind == IterKind::Spatial ? "Var" : "RVar", name, name));
        return name;
    }

    void writeStage(StageId id) {
        const Stage &stage = stageOf(id);
        if (!m_lines.empty()) line("");
        const bool scans = scanOf(*stage.op).has_value();
        m_stage = nameOf(id) + (stage.op->reduction ? ".update()" : scans ? ".update(1)" : "");
        if (scans) line(fmt::format("{}.update(0).unscheduled();", nameOf(id)));
        const AttachPoint at = m_state.attachedTo(id);
        if (m_arguments.contains(stage.op.get()))
            boundOutput(id);
        else if (at.stage.value >= 0)
            line(fmt::format("{}.compute_at({}, {});", nameOf(id), nameOf(at.stage),
                             m_loops[at.stage.index()][stageOf(at.stage).iters[at.iter.index()].node]));
        else
            line(fmt::format("{}.compute_root();", nameOf(id)));
        const size_t before = m_lines.size();
        const std::vector<IterKind> kinds = nodeKinds(id);
        const std::vector<std::string> &axes = m_funcs.axes(id.index());
        for (size_t node = 0; node < axes.size(); ++node) m_loops[id.index()][static_cast<int>(node)] = axes[node];
        std::set<int> constant; // loops whose number of iterations Halide knows
        const std::map<int, std::string> &terms = m_funcs.terms(id.index());
        for (const auto &[node, name] : terms) {
            m_loops[id.index()][node] = name;
            constant.insert(node);
        }
        for (const LoopMove &move : loopMoves(stage, m_bounded.stages[id.index()])) {
            const IterKind kind = kinds[static_cast<size_t>(move.whole)];
            if (kind == IterKind::Reduction && !terms.empty()) continue; // they are there
            if (move.fuses)
                fuse(id, move, kinds);
            else
                split(id, move, kinds, constant);
        }
        std::vector<std::string> leaves; // Halide counts from the innermost
        for (const Iter &iter : stage.iters) leaves.insert(leaves.begin(), m_loops[id.index()][iter.node]);
        if (leaves.size() > 1) line(fmt::format("{}.reorder({});", m_stage, fmt::join(leaves, ", ")));
        writeAnnotations(id, constant);
        // Halide warns of an update of which a schedule says nothing.
        const auto scheduled = [&](const std::string &text) { return text.starts_with(m_stage + "."); };
        if (m_stage != nameOf(id) &&
            std::none_of(m_lines.begin() + static_cast<std::ptrdiff_t>(before), m_lines.end(), scheduled))
            line(fmt::format("{}.unscheduled();", m_stage));
    }

    void boundOutput(StageId id) {
        const Op &op = *stageOf(id).op;
        std::string bounds;
        for (size_t a = 0; a < op.axes.size(); ++a)
            bounds += fmt::format(".bound({}, 0, {})", m_funcs.axes(id.index())[a], op.axes[a].extent);
        if (!bounds.empty()) line(fmt::format("{}{};", nameOf(id), bounds));
    }

    void split(StageId id, const LoopMove &move, const std::vector<IterKind> &kinds, std::set<int> &constant) {
        auto &loops = m_loops[id.index()];
        const std::string whole = loops[move.whole];
        for (size_t p = 0; p < move.parts.size(); ++p) {
            nameLoop(id, move.parts[p], kinds[static_cast<size_t>(move.whole)], fmt::format("{}_{}", whole, p));
            if (p > 0) constant.insert(move.parts[p]);
        }
        const std::string outermost = loops[move.parts[0]];
        std::string text = m_stage;
        for (size_t p = move.parts.size() - 1; p > 0; --p)
            text += fmt::format(".split({}, {}, {}, {}, {})", p + 1 == move.parts.size() ? whole : outermost, outermost,
                                loops[move.parts[p]], move.lengths[p - 1], kGuard);
        line(text + ";");
    }

    void fuse(StageId id, const LoopMove &move, const std::vector<IterKind> &kinds) {
        auto &loops = m_loops[id.index()];
        std::string preferred;
        for (const int part : move.parts) {
            const bool first = preferred.empty();
            preferred +=
                first || !loops[part].starts_with(nameOf(id)) ? loops[part] : loops[part].substr(nameOf(id).size());
        }
        if (preferred.size() > kLongestVariable) preferred = nameOf(id) + "_fused";
        const std::string fused = nameLoop(id, move.whole, kinds[static_cast<size_t>(move.whole)], preferred);
        std::string text = m_stage;
        for (size_t p = 1; p < move.parts.size(); ++p)
            text +=
                fmt::format(".fuse({}, {}, {})", loops[move.parts[p]], p == 1 ? loops[move.parts[0]] : fused, fused);
        line(text + ";");
    }

    [[nodiscard]] bool holdsOthers(StageId id, size_t iter) const {
        for (size_t i = iter; i < stageOf(id).iters.size(); ++i)
            if (m_state.hasAttachedAt(id, IterId(i))) return true;
        return false;
    }

    /// Halide makes vectors and copies of loops whose length it knows; a loop over what a region has is split by it.
    std::string knownLength(StageId id, const Iter &iter, const std::set<int> &constant, int64_t extent) {
        std::string name = m_loops[id.index()][iter.node];
        if (constant.contains(iter.node)) return name;
        std::string inner = m_names.fresh(name + "_all");
        line(fmt::format("{} {}(\"{}\");", iter.kind == IterKind::Spatial ? "Var" : "RVar", inner, inner));
        line(fmt::format("{0}.split({1}, {1}, {2}, {3}, {4});", m_stage, name, inner, extent, kGuard));
        return inner;
    }

    void writeAnnotations(StageId id, const std::set<int> &constant) {
        const Stage &stage = stageOf(id);
        bool parallel = false;
        int64_t vector = 0;
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            const int64_t extent = m_bounded.stages[id.index()].nodeExtent[static_cast<size_t>(iter.node)];
            switch (iter.annotation) {
            case Annotation::Parallel:
                if (iter.kind != IterKind::Spatial) {
                    leftOut(id, iter.node, "parallel", "it carries a sum");
                } else {
                    line(fmt::format("{}.parallel({});", m_stage, m_loops[id.index()][iter.node]));
                    parallel = true;
                }
                break;
            case Annotation::Vectorize:
                if (iter.kind != IterKind::Spatial) {
                    leftOut(id, iter.node, "vectorize", "it carries a sum");
                } else if (holdsOthers(id, i)) {
                    leftOut(id, iter.node, "vectorize", "another Func is computed inside it");
                } else if (extent > kWidestHalideVector) {
                    leftOut(id, iter.node, "vectorize", fmt::format("{} elements are no vector", extent));
                } else if (extent > 1) {
                    line(fmt::format("{}.vectorize({});", m_stage, knownLength(id, iter, constant, extent)));
                    vector = extent;
                }
                break;
            case Annotation::Unroll:
                if (extent > kMaxHalideCopies)
                    leftOut(id, iter.node, "unroll", fmt::format("{} copies are too many", extent));
                else if (extent > 1)
                    line(fmt::format("{}.unroll({});", m_stage, knownLength(id, iter, constant, extent)));
                break;
            default:
                break;
            }
        }
        if (stage.op->reduction && !stage.op->axes.empty()) startSums(id, parallel, vector);
        if (stage.autoUnrollMaxStep > 0)
            line(fmt::format("// auto_unroll_max_step {} of {} is left out: Halide unrolls named loops only",
                             stage.autoUnrollMaxStep, nameOf(id)));
        if (stage.storageAlignFactor > 0)
            line(fmt::format("// storage_align of {} is left out: Halide pads innermost dimensions only", nameOf(id)));
    }

    /// The initial values are loops of their own in front of the update.
    void startSums(StageId id, bool parallel, int64_t vector) {
        const Op &op = *stageOf(id).op;
        const std::vector<std::string> &axes = m_funcs.axes(id.index());
        const std::string &innermost = axes[op.axes.size() - 1];
        if (vector > 1) {
            const std::string lanes = m_names.fresh(innermost + "_start");
            line(fmt::format("Var {}(\"{}\");", lanes, lanes));
            line(fmt::format("{0}.split({1}, {1}, {2}, {3}, {4}).vectorize({2});", nameOf(id), innermost, lanes, vector,
                             kGuard));
        }
        if (parallel) line(fmt::format("{}.parallel({});", nameOf(id), axes[0]));
    }

    const BoundedState &m_bounded;
    const LoopState &m_state;
    const HalideFuncs &m_funcs;
    Identifiers &m_names;
    std::set<const Op *> m_arguments;
    std::string m_stage;                             // what is scheduled: the Func, or its update
    std::vector<std::map<int, std::string>> m_loops; // variables, by stage and node
    std::vector<std::string> m_lines;
};

/// Where the loops around a Func end in a guard Halide may compute more of it than the tensor has: nobody reads that,
/// but it reads its inputs.
bool regionsMayExceed(const BoundedState &bounded) {
    const LoopState &state = bounded.state;
    const auto guarded = [&](StageId id) {
        const std::vector<int64_t> &extents = bounded.stages[id.index()].nodeExtent;
        const auto extent = [&](int node) { return extents[static_cast<size_t>(node)]; };
        return std::ranges::any_of(state.stage(id).relations, [&](const IterRelation &relation) {
            return relation.kind == IterRelation::Kind::Split &&
                   extent(relation.outer) * extent(relation.inner) != extent(relation.parent);
        });
    };
    for (size_t i = 0; i < state.stageCount(); ++i)
        for (AttachPoint at = state.attachedTo(StageId(i)); at.stage.value >= 0; at = state.attachedTo(at.stage))
            if (guarded(at.stage)) return true;
    return false;
}

std::string shiftedRight(const std::vector<std::string> &lines, std::string_view blanks) {
    std::string text;
    for (const std::string &line : lines) text += line.empty() ? "\n" : fmt::format("{}{}\n", blanks, line);
    return text;
}

/// Everything after the head: the arguments, the Funcs and their schedule.
std::string pipelineText(const ComputeDag &dag, const HalideFuncs &funcs, const HalideSchedule &schedule) {
    std::string arguments, inputs, outputs, roots;
    std::set<const Op *> listed;
    for (const Tensor *tensor : dag.args()) {
        std::vector<int64_t> shape(tensor->shape.rbegin(), tensor->shape.rend());
        const std::string &name = funcs.name(static_cast<size_t>(dag.indexOf(tensor->op)));
        const bool output = !tensor->op->isPlaceholder();
        arguments += fmt::format("    {{\"{}{}\", {}, {{{}}}, {}}},\n", name,
                                 tensor->op->outputs.size() > 1 ? fmt::format(".{}", tensor->outputIndex) : "",
                                 halideType(tensor->dtype), fmt::join(shape, ", "), output);
        if (!output) inputs += (inputs.empty() ? "" : ", ") + name;
        if (output && listed.insert(tensor->op).second) outputs += (outputs.empty() ? "" : ", ") + name;
    }
    for (size_t op = 0; op < dag.size(); ++op)
        if (!dag.op(op).isPlaceholder()) roots += fmt::format("        {}.compute_root();\n", funcs.name(op));
    return fmt::format("\nconst std::vector<ArgumentFacts> arguments = {{\n{}}};\n\n"
                       "/// The computation with its schedule, or with each Func on its own.\n"
                       "Pipeline build(std::vector<ImageParam> &inputs, bool scheduled) {{\n{}    inputs = {{{}}};\n\n"
                       "    if (!scheduled) {{\n{}        return Pipeline({{{}}});\n    }}\n\n{}"
                       "    return Pipeline({{{}}});\n}}\n",
                       arguments, shiftedRight(funcs.lines(), "    "), inputs, roots, outputs,
                       shiftedRight(schedule.lines(), "    "), outputs);
}

} // namespace

Outcome<std::string> halideCpp(const DagPtr &dag, const Steps &steps) {
    auto state = replay(dag, steps);
    if (!state) return state.refusal();
    const ArenaPtr arena = std::make_shared<ExprArena>();
    auto bounded = inferBounds(*std::move(state), arena);
    if (!bounded) return bounded.refusal();
    const ArenaScope scope(arena); // for constants
    const ComputeDag &all = *bounded->state.dag();

    Identifiers names = halideNames();
    const HalideFuncs funcs(*bounded, names, regionsMayExceed(*bounded));
    if (funcs.refused()) return *funcs.refused();
    HalideSchedule schedule(*bounded, funcs, names);
    if (auto refused = schedule.write()) return *std::move(refused);
    std::string text =
        fmt::format("// {}: a schedule in Halide.\n// g++ -std=c++17 -I/usr/include/halide14 FILE.cpp -lHalide14\n"
                    "// Where Halide misjudges the processor: HL_JIT_TARGET=x86-64-linux-avx2-fma\n{}{}",
                    identifierText(all.name()), kHead, pipelineText(all, funcs, schedule));
    text += kHalideMain;
    return text;
}

} // namespace loopscope
