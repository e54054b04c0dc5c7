#include "schedule/translate/tir_python.h"

#include "base/check.h"
#include "base/foreign_text.h"
#include "language/expr/arena.h"
#include "schedule/bound_inference.h"
#include "schedule/iteration_graph.h"
#include "schedule/translate/loop_moves.h"
#include "schedule/translate/python_computes.h"
#include "schedule/translate/tir_limits.h"
#include "schedule/translate/tir_program.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>

namespace loopscope {

namespace {

constexpr int64_t kWidestVector = 128; // elements; the code generator makes one vector of them
constexpr int64_t kMaxUnrolled = 512;
constexpr size_t kLongestLoopName = 40;

std::vector<int> finalOrder(const Stage &stage) {
    std::vector<int> leaves;
    for (const Iter &iter : stage.iters) leaves.push_back(iter.node);
    return leaves;
}
bool adjacent(const std::vector<int> &parts, const std::vector<int> &order) {
    const auto at = std::ranges::find(order, parts.front());
    return order.end() - at >= static_cast<ptrdiff_t>(parts.size()) && std::equal(parts.begin(), parts.end(), at);
}
std::vector<int> besideEachOther(const std::vector<int> &parts, const std::vector<int> &order) {
    std::vector<int> wanted;
    for (const int node : order) {
        if (node == parts.front())
            wanted.insert(wanted.end(), parts.begin(), parts.end());
        else if (std::ranges::find(parts, node) == parts.end())
            wanted.push_back(node);
    }
    return wanted;
}
/// The order from which all fusions to come can be made, where there is one: that of the end, with fused loops
/// taken apart and the parts of loops yet to be split put together.
std::vector<int> beforeFusing(const Stage &stage, const std::vector<LoopMove> &moves, size_t from,
                              const std::vector<int> &order) {
    std::vector<int> wanted = finalOrder(stage);
    for (size_t m = moves.size(); m-- > from;) {
        const LoopMove &move = moves[m];
        std::vector<int> earlier;
        bool put = false;
        for (const int node : wanted) {
            if (move.fuses && node == move.whole) {
                earlier.insert(earlier.end(), move.parts.begin(), move.parts.end());
            } else if (!move.fuses && std::ranges::find(move.parts, node) != move.parts.end()) {
                if (!put) earlier.push_back(move.whole);
                put = true;
            } else {
                earlier.push_back(node);
            }
        }
        wanted = std::move(earlier);
    }
    LOOPSCOPE_CHECK(std::is_permutation(wanted.begin(), wanted.end(), order.begin(), order.end()),
                    "loops of " + stage.op->name + " taken apart");
    return wanted;
}

class TirSchedule {
  public:
    /// `base` is the computation that the function holds; `cached` are the steps after it that make copies.
    TirSchedule(const BoundedState &bounded, const ComputeDag &base, const PythonComputes &computes,
                std::span<const Step> cached)
        : m_bounded(bounded), m_state(bounded.state), m_names(pythonNames()), m_cached(cached) {
        for (size_t op = 0; op < base.size(); ++op)
            m_blocks.push_back({.variable = "", .name = computes.name(op), .buffer = computes.tensor(op)});
        m_loops.resize(m_state.stageCount());
        m_inner.resize(m_state.stageCount());
    }

    [[nodiscard]] std::optional<Refusal> write() {
        for (size_t i = 0; i < m_state.stageCount(); ++i)
            if (auto refused = whyNotTensorIr(m_state, StageId(i))) return refused;
        for (const Step &step : m_cached) {
            if (const auto *read = std::get_if<CacheReadStep>(&step)) cacheRead(*read);
            if (const auto *write = std::get_if<CacheWriteStep>(&step)) cacheWrite(*write);
        }
        LOOPSCOPE_CHECK(m_blocks.size() == m_state.stageCount(), "a block for each stage");
        inlineStages();
        for (size_t i = m_state.stageCount(); i-- > 0;) {
            const Stage &stage = m_state.stage(StageId(i));
            if (!stage.op->isPlaceholder() && stage.location != ComputeLocation::Inlined) writeStage(StageId(i));
        }
        startSums();
        return std::nullopt;
    }
    [[nodiscard]] const std::vector<std::string> &lines() const { return m_lines; }
    [[nodiscard]] bool startsSums() const { return m_startsSums; }
    [[nodiscard]] bool asksLength() const { return m_asksLength; }

  private:
    struct Block {
        std::string variable; // empty until it is asked for
        std::string name;     // in the function; of a copy: what its loops begin with
        std::string buffer;   // that it writes
    };

    [[nodiscard]] const Stage &stageOf(StageId id) const { return m_state.stage(id); }
    [[nodiscard]] const std::string &nameOf(StageId id) const { return m_blocks[id.index()].name; }
    [[nodiscard]] int64_t extentOf(StageId id, int node) const {
        return m_bounded.stages[id.index()].nodeExtent[static_cast<size_t>(node)];
    }
    void line(std::string text) { m_lines.push_back(std::move(text)); }
    void leftOut(StageId id, const Iter &iter, std::string_view what, std::string_view why) {
        line(fmt::format("# {} of {} is left out: {}", what, commentText(loopName(id, iter.node)), why));
    }

    /// The variable of a block, which is asked for by name where it stands for the first time.
    const std::string &block(StageId id) {
        Block &of = m_blocks[id.index()];
        if (of.variable.empty()) {
            of.variable = m_names.fresh(of.name);
            line(fmt::format("{} = sch.get_sblock({})", of.variable, pythonString(of.name)));
        }
        return of.variable;
    }

    /// The function's block computes into the copy's memory from now on, and a new one copies.
    void cacheWrite(const CacheWriteStep &step) {
        Block &of = m_blocks[step.stage.index()];
        const std::string label = identifierText(of.name + "_" + step.scope);
        if (of.variable.empty()) {
            of.variable = m_names.fresh(label);
            line(fmt::format("{} = sch.get_sblock({})", of.variable, pythonString(of.name)));
        }
        Block copy{.variable = m_names.fresh(of.name), .name = of.name, .buffer = of.buffer};
        line(fmt::format("{} = sch.cache_write({}, 0, \"{}\")", copy.variable, of.variable, scopeOf(step.scope)));
        of.name = label;
        of.buffer = fmt::format("{}_{}", of.buffer, scopeOf(step.scope));
        m_blocks.insert(m_blocks.begin() + step.stage.value + 1, std::move(copy));
    }
    void cacheRead(const CacheReadStep &step) {
        std::vector<std::string> readers;
        for (const StageId reader : step.readers) readers.push_back(block(reader));
        const Block &of = m_blocks[step.stage.index()];
        Block copy{.variable = "", .name = identifierText(of.name + "_" + step.scope), .buffer = ""};
        copy.variable = m_names.fresh(copy.name);
        copy.buffer = fmt::format("{}_{}", of.buffer, scopeOf(step.scope));
        line(fmt::format("{} = sch.cache_read({}, \"{}\", \"{}\", consumer_blocks=[{}])", copy.variable, readers[0],
                         of.buffer, scopeOf(step.scope), fmt::join(readers, ", ")));
        m_blocks.insert(m_blocks.begin() + step.stage.value + 1, std::move(copy));
    }
    /// Processors have one memory; only names differ.
    static std::string_view scopeOf(std::string_view scope) { return scope == "local" ? "local" : "global"; }

    [[nodiscard]] std::string loopName(StageId id, int node) const {
        const auto &names = m_loops[id.index()];
        const auto found = names.find(node);
        return found == names.end() ? fmt::format("loop {}", node) : found->second;
    }
    const std::string &nameLoop(StageId id, int node, std::string_view preferred) {
        return m_loops[id.index()][node] = m_names.fresh(preferred);
    }

    void inlineStages() {
        for (size_t i = 0; i < m_state.stageCount(); ++i) {
            const StageId id(i);
            if (stageOf(id).op->isPlaceholder() || stageOf(id).location != ComputeLocation::Inlined) continue;
            const Block &of = m_blocks[i];
            line(fmt::format("sch.compute_inline({})", of.variable.empty() ? pythonString(of.name) : of.variable));
        }
    }

    void writeStage(StageId id) {
        if (!m_lines.empty()) line("");
        const std::string name = block(id);
        const AttachPoint at = m_state.attachedTo(id);
        if (at.stage.value >= 0)
            line(fmt::format("sch.compute_at({}, {}, preserve_unit_loops=True)", name,
                             loopName(at.stage, stageOf(at.stage).iters[at.iter.index()].node)));
        writeLoops(id);
        writeAnnotations(id);
    }

    /// The loops of the axes, then what is made of them, then their order.
    void writeLoops(StageId id) {
        const Stage &stage = stageOf(id);
        const auto axes = static_cast<int>(axisCount(*stage.op));
        if (axes == 0) return;
        std::vector<int> order;
        std::vector<std::string> names;
        for (int node = 0; node < axes; ++node) {
            order.push_back(node);
            names.push_back(nameLoop(
                id, node, fmt::format("{}_{}", nameOf(id), axisOf(*stage.op, static_cast<size_t>(node)).name())));
        }
        line(fmt::format("{}{} = sch.get_loops({})[-{}:]", fmt::join(names, ", "), axes == 1 ? "," : "", block(id),
                         axes));
        const std::vector<LoopMove> moves = loopMoves(stage, m_bounded.stages[id.index()]);
        for (size_t m = 0; m < moves.size(); ++m) {
            if (!moves[m].fuses)
                split(id, moves[m], order);
            else {
                if (!adjacent(moves[m].parts, order)) reorder(id, beforeFusing(stage, moves, m, order), order);
                if (!adjacent(moves[m].parts, order)) reorder(id, besideEachOther(moves[m].parts, order), order);
                fuse(id, moves[m], order);
            }
        }
        reorder(id, finalOrder(stage), order);
    }

    void split(StageId id, const LoopMove &move, std::vector<int> &order) {
        const std::string whole = loopName(id, move.whole);
        std::vector<std::string> parts;
        for (size_t p = 0; p < move.parts.size(); ++p)
            parts.push_back(nameLoop(id, move.parts[p], fmt::format("{}_{}", whole, p)));
        m_inner[id.index()].insert(move.parts.begin() + 1, move.parts.end());
        line(fmt::format("{} = sch.split({}, [None, {}])", fmt::join(parts, ", "), whole,
                         fmt::join(move.lengths, ", ")));
        const auto at = order.erase(std::ranges::find(order, move.whole));
        order.insert(at, move.parts.begin(), move.parts.end());
    }

    void fuse(StageId id, const LoopMove &move, std::vector<int> &order) {
        std::vector<std::string> parts;
        std::string preferred;
        for (const int part : move.parts) {
            parts.push_back(loopName(id, part));
            const bool first = preferred.empty();
            preferred +=
                first || !parts.back().starts_with(nameOf(id)) ? parts.back() : parts.back().substr(nameOf(id).size());
        }
        if (preferred.size() > kLongestLoopName) preferred = nameOf(id) + "_fused";
        line(fmt::format("{} = sch.fuse({})", nameLoop(id, move.whole, preferred), fmt::join(parts, ", ")));
        const auto at = std::ranges::find(order, move.parts.front());
        *at = move.whole;
        order.erase(at + 1, at + static_cast<ptrdiff_t>(move.parts.size()));
    }

    void reorder(StageId id, const std::vector<int> &wanted, std::vector<int> &order) {
        if (wanted == order) return;
        std::vector<std::string> names;
        for (const int node : wanted) names.push_back(loopName(id, node));
        line(fmt::format("sch.reorder({})", fmt::join(names, ", ")));
        order = wanted;
    }

    [[nodiscard]] bool insideParallel(StageId id, size_t iter) const {
        const Stage &stage = stageOf(id);
        for (size_t i = 0; i < iter; ++i)
            if (stage.iters[i].annotation == Annotation::Parallel && stage.iters[i].kind == IterKind::Spatial)
                return true;
        const AttachPoint at = m_state.attachedTo(id);
        return at.stage.value >= 0 && insideParallel(at.stage, at.iter.index() + 1);
    }
    [[nodiscard]] bool holdsOthers(StageId id, size_t iter) const {
        for (size_t i = iter; i < stageOf(id).iters.size(); ++i)
            if (m_state.hasAttachedAt(id, IterId(i))) return true;
        return false;
    }

    /// How often a loop over what is left of a region runs may depend on the loops around it, as TensorIR counts; it
    /// makes vectors and copies of others only.
    std::string ifKnown(StageId id, int node) {
        if (m_state.attachedTo(id).stage.value < 0 || m_inner[id.index()].contains(node)) return {};
        m_asksLength = true;
        return fmt::format("if constant_length(sch, {}):\n        ", loopName(id, node));
    }

    void writeAnnotations(StageId id) {
        const Stage &stage = stageOf(id);
        for (size_t i = 0; i < stage.iters.size(); ++i) {
            const Iter &iter = stage.iters[i];
            const std::string name = loopName(id, iter.node);
            const int64_t extent = extentOf(id, iter.node);
            switch (iter.annotation) {
            case Annotation::Parallel:
                if (iter.kind != IterKind::Spatial)
                    leftOut(id, iter, "parallel", "it carries a sum");
                else if (insideParallel(id, i))
                    leftOut(id, iter, "parallel", "the loop stands inside a parallel one");
                else
                    line(fmt::format("sch.parallel({})", name));
                break;
            case Annotation::Vectorize:
                if (iter.kind != IterKind::Spatial)
                    leftOut(id, iter, "vectorize", "it carries a sum");
                else if (holdsOthers(id, i))
                    leftOut(id, iter, "vectorize", "another stage is computed inside it");
                else if (std::ranges::any_of(std::span(stage.iters).subspan(i + 1), [](const Iter &inner) {
                             return inner.annotation == Annotation::Vectorize && inner.kind == IterKind::Spatial;
                         }))
                    leftOut(id, iter, "vectorize", "the loop holds one that is made vectors");
                else if (stage.op->output().dtype == DType::BFloat16)
                    leftOut(id, iter, "vectorize", "TVM 0.27 makes no vectors of bfloat16");
                else if (extent == 1)
                    break;
                else if (extent > kWidestVector)
                    leftOut(id, iter, "vectorize", fmt::format("{} elements are no vector", extent));
                else
                    line(fmt::format("{}sch.vectorize({})", ifKnown(id, iter.node), name));
                break;
            case Annotation::Unroll:
                if (extent > kMaxUnrolled)
                    leftOut(id, iter, "unroll", fmt::format("{} copies are too many", extent));
                else
                    line(fmt::format("{}sch.unroll({})", ifKnown(id, iter.node), name));
                break;
            default:
                break;
            }
        }
        if (stage.autoUnrollMaxStep >= 0 && !stage.iters.empty()) {
            const std::string name = loopName(id, stage.iters.front().node);
            line(fmt::format("sch.annotate({}, \"pragma_auto_unroll_max_step\", {})", name, stage.autoUnrollMaxStep));
            line(fmt::format("sch.annotate({}, \"pragma_unroll_explicit\", 1)", name));
        }
        writeAlignment(id);
    }

    void writeAlignment(StageId id) {
        const Stage &stage = stageOf(id);
        if (stage.storageAlignFactor == 0) return;
        const bool output = std::ranges::any_of(m_state.dag()->args(),
                                                [&](const Tensor *argument) { return argument->op == stage.op.get(); });
        const int axis = stage.storageAlignIter;
        if (output)
            line(fmt::format("# storage_align of {} is left out: it is an argument", commentText(nameOf(id))));
        else if (axis < 0 || axis >= static_cast<int>(stage.op->axes.size()))
            line(fmt::format("# storage_align of {} is left out: its loop is no whole dimension",
                             commentText(nameOf(id))));
        else
            line(fmt::format("sch.storage_align({}, 0, axis={}, factor={}, offset={})", block(id), axis,
                             stage.storageAlignFactor, stage.storageOffset));
    }

    /// Where the first loop over terms is: TensorIR would otherwise ask in front of each term whether it is the first.
    void startSums() {
        for (size_t i = m_state.stageCount(); i-- > 0;) {
            const StageId id(i);
            const Stage &stage = stageOf(id);
            if (!stage.op->reduction || stage.location == ComputeLocation::Inlined) continue;
            const auto loop =
                std::ranges::find_if(stage.iters, [](const Iter &iter) { return iter.kind != IterKind::Spatial; });
            if (loop == stage.iters.end() || loop->kind == IterKind::Mixed) continue;
            if (!m_startsSums) line("");
            m_startsSums = true;
            line(fmt::format("start_sum(sch, {}, {})", block(id), loopName(id, loop->node)));
        }
    }

    const BoundedState &m_bounded;
    const LoopState &m_state;
    Identifiers m_names; // of the function `schedule`
    std::span<const Step> m_cached;
    std::vector<Block> m_blocks;                     // by stage
    std::vector<std::map<int, std::string>> m_loops; // variables, by stage and node
    std::vector<std::set<int>> m_inner;              // nodes whose lengths were given, by stage
    std::vector<std::string> m_lines;
    bool m_startsSums = false;
    bool m_asksLength = false;
};

/// How many of the steps the function has behind it when it is written: those up to the last that makes a stage which
/// TensorIR would make otherwise. Its partial sums keep the loops they were split from; a block with several outputs
/// has no copy.
size_t heldSteps(const LoopState &state) {
    size_t held = 0;
    int outputs = 0;
    for (const OpPtr &op : state.dag()->ops()) outputs = std::max(outputs, static_cast<int>(op->outputs.size()));
    for (size_t i = 0; i < state.steps().size(); ++i) {
        const Step &step = state.steps()[i];
        const bool copies = std::holds_alternative<CacheWriteStep>(step) || std::holds_alternative<CacheReadStep>(step);
        if (std::holds_alternative<RfactorStep>(step) || (copies && outputs > 1)) held = i + 1;
    }
    return held;
}

} // namespace

Outcome<std::string> tirPython(const DagPtr &dag, const Steps &steps) {
    if (auto refused = whyNoTeCompute(*dag)) return *std::move(refused);
    auto state = replay(dag, steps);
    if (!state) return state.refusal();
    const size_t held = heldSteps(*state);
    const auto behind = replay(dag, Steps(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(held)));
    if (!behind) return behind.refusal();
    auto bounded = inferBounds(*std::move(state), std::make_shared<ExprArena>());
    if (!bounded) return bounded.refusal();
    const ComputeDag &all = *behind->dag();

    Identifiers names = pythonNames();
    const PythonComputes computes(all, names, {.scalars = "tirx", .boundedIndices = true});
    TirSchedule schedule(*bounded, all, computes, std::span(steps).subspan(held));
    if (auto refused = schedule.write()) return *std::move(refused);

    std::string arguments;
    for (const Tensor *tensor : all.args()) {
        const auto op = static_cast<size_t>(all.indexOf(tensor->op));
        arguments += fmt::format(
            "    ({}, ({}), {}, {}),\n", pythonString(computes.tensor(op, static_cast<size_t>(tensor->outputIndex))),
            fmt::format("{}{}", fmt::join(tensor->shape, ", "), tensor->shape.size() == 1 ? "," : ""),
            pythonString(dtypeName(tensor->dtype)), tensor->op->isPlaceholder() ? "False" : "True");
    }
    return tirProgramText({.name = identifierText(all.name()),
                           .arguments = arguments,
                           .workload = computes.lines(),
                           .given = fmt::format("{}", fmt::join(computes.arguments(), ", ")),
                           .schedule = schedule.lines(),
                           .startsSums = schedule.startsSums(),
                           .asksLength = schedule.asksLength()});
}

} // namespace loopscope
