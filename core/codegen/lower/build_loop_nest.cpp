#include "codegen/lower/nest_builder.h"

#include "base/check.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/loop_kind.h"
#include "language/dag/layout_free.h"
#include "language/expr/walk.h"
#include "language/te/scan.h"
#include "language/te/scatter.h"
#include "schedule/iteration_graph.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace loopscope {

namespace {

constexpr uint8_t kSpatial = 1;
constexpr uint8_t kReduce = 2;

/// Which axes each node of the iteration graph comes from.
void findRoles(const Stage &stage, std::span<uint8_t> roles) {
    const size_t axes = axisCount(*stage.op);
    for (size_t i = 0; i < axes; ++i) roles[i] = i < stage.op->axes.size() ? kSpatial : kReduce;
    for (const IterRelation &r : stage.relations) {
        const auto at = [&](int node) -> uint8_t & { return roles[static_cast<size_t>(node)]; };
        if (r.kind == IterRelation::Kind::Fuse)
            at(r.parent) = at(r.outer) | at(r.inner);
        else
            at(r.outer) = at(r.inner) = at(r.parent);
    }
}

SplitSum sumOfVar(Expr var, int64_t extent) {
    SplitSum sum;
    if (extent == 1) return sum;
    SplitTerm term;
    term.base = var;
    term.range = Interval::upTo(extent);
    sum.add(term);
    return sum;
}

Expr identityCast(Expr identity, DType type) { return identity->dtype == type ? identity : castTo(type, identity); }

constexpr int kDeepestNest = 64; // the features keep a bit a loop

int deepestNest(Stmt stmt) {
    int deepest = 0;
    for (const Stmt child : stmt->body()) deepest = std::max(deepest, deepestNest(child));
    return deepest + (stmt->kind == StmtKind::For ? 1 : 0);
}

template <typename T> std::span<T> arenaArray(size_t count) {
    T *items = ExprArena::current().allocateArray<T>(count);
    std::fill_n(items, count, T{});
    return {items, count};
}

} // namespace

NestBuilder::NestBuilder(const BoundedState &bounded, const NestOptions &options)
    : Simplifier(options.forFeatures ? Divisions::AsAnsor : Divisions::Full), m_bounded(bounded),
      m_state(bounded.state), m_dag(*bounded.state.dag()), m_options(options) {}

Outcome<LoopProgram> NestBuilder::build() {
    makeBuffers();
    Stmt body;
    size_t loops = 0; // of all stages: nearly always fewer than may be in each other
    for (size_t i = m_state.stageCount(); i > 0; --i) {
        const Stage &stage = m_state.stage(StageId(i - 1));
        loops += stage.iters.size();
        for (const Iter &iter : stage.iters)
            if (iter.annotation == Annotation::Tensorize && stage.location != ComputeLocation::Inlined)
                return Refusal{"loop " + iter.name + " of " + stage.op->name +
                               " is annotated tensorize, for which there is no code: use vectorize or unroll"};
        if (stage.op->isPlaceholder() || stage.location != ComputeLocation::Root) continue;
        body = pipeline(i - 1, body, false);
    }
    LOOPSCOPE_CHECK(static_cast<bool>(body), "a DAG without a compute op");
    if (loops > kDeepestNest)
        if (const int deepest = deepestNest(body); deepest > kDeepestNest)
            return Refusal{"the stages nest " + std::to_string(deepest) + " loops in each other, at most " +
                           std::to_string(kDeepestNest) + " are kept: split less, or compute a stage further out"};
    m_program.root = body;
    m_program.keepAlive = m_state.dag();
    numberNodes(m_program);
    return std::move(m_program);
}

void NestBuilder::makeBuffers() {
    size_t count = 0;
    m_firstBuffer.reserve(m_dag.size());
    for (size_t i = 0; i < m_dag.size(); ++i) {
        m_firstBuffer.push_back(count);
        count += m_dag.op(i).outputs.size();
    }
    m_bufferOf.assign(count, nullptr);
    for (const Tensor *tensor : m_dag.args()) {
        const int stage = m_dag.indexOf(tensor->op);
        Buffer &buffer = addBuffer(*tensor, static_cast<size_t>(stage));
        buffer.argIndex = static_cast<int>(m_program.args.size());
        buffer.layoutFree = tensor->op->isPlaceholder() && isLayoutFree(m_dag, tensor);
        m_program.args.push_back({&buffer, !tensor->op->isPlaceholder(), tensor->shape, {}});
    }
    for (size_t i = 0; i < m_dag.size(); ++i) {
        const Op &op = m_dag.op(i);
        if (op.isPlaceholder() || m_state.stage(StageId(i)).location == ComputeLocation::Inlined) continue;
        for (size_t k = 0; k < op.outputs.size(); ++k)
            if (bufferOf(i, k) == nullptr) addBuffer(op.output(k), i).scope = MemoryScope::Heap;
    }
}

Buffer &NestBuilder::addBuffer(const Tensor &tensor, size_t stage) {
    auto buffer = std::make_unique<Buffer>();
    buffer->name = tensorText(tensor);
    buffer->dtype = tensor.dtype;
    buffer->shape = tensor.shape;
    buffer->stage = StageId(stage);
    buffer->strides.resize(tensor.shape.size());
    int64_t stride = 1;
    for (size_t d = tensor.shape.size(); d > 0; --d) {
        buffer->strides[d - 1] = stride;
        stride *= tensor.shape[d - 1];
    }
    bufferOf(stage, static_cast<size_t>(tensor.outputIndex)) = buffer.get();
    m_program.buffers.push_back(std::move(buffer));
    return *m_program.buffers.back();
}

Expr NestBuilder::rewriteLoad(Expr load) {
    const Tensor &tensor = asTensor(load->symbol);
    const auto stage = static_cast<size_t>(m_dag.indexOf(tensor.op));
    const auto output = static_cast<size_t>(tensor.outputIndex);
    Buffer *buffer = bufferOf(stage, output);
    if (buffer != nullptr) {
        Expr *indices = ExprArena::current().allocateArray<Expr>(load->argCount);
        for (uint32_t i = 0; i < load->argCount; ++i) indices[i] = (*this)(load->arg(i));
        return makeLoad(*buffer, {indices, load->argCount});
    }
    const std::span<SplitSum> indices = arenaArray<SplitSum>(load->argCount);
    for (uint32_t i = 0; i < load->argCount; ++i) indices[i] = sum(load->arg(i));
    return inlined(stage, output, indices);
}

Expr NestBuilder::inlined(size_t stage, size_t output, std::span<const SplitSum> indices) {
    const Op &op = m_dag.op(stage);
    if (m_options.forFeatures && op.attrs.contains("const_matrix"))
        return isFloat(op.output(output).dtype) ? makeFloat(1, op.output(output).dtype)
                                                : makeInt(1, op.output(output).dtype);
    const size_t outer = mark();
    for (size_t a = 0; a < op.axes.size(); ++a) bindValue(op.axes[a].var, indices[a]);
    const Expr value = (*this)(op.body[output]);
    release(outer);
    return value;
}

Stmt NestBuilder::pipeline(size_t stage, Stmt consumer, bool insideParallel) {
    setRegions(stage);
    Stmt body = nest(stage, insideParallel);
    if (consumer) {
        const std::array<Stmt, 2> both = {body, consumer};
        body = makeBlock(both);
    }
    for (size_t k = m_dag.op(stage).outputs.size(); k > 0; --k) {
        const Buffer *buffer = bufferOf(stage, k - 1);
        if (buffer->argIndex < 0) body = makeAllocate(*buffer, body);
    }
    return body;
}

void NestBuilder::setRegions(size_t stage) {
    const Op &op = m_dag.op(stage);
    for (size_t k = 0; k < op.outputs.size(); ++k) {
        Buffer &buffer = *bufferOf(stage, k);
        if (buffer.argIndex >= 0) continue;
        const auto &axes = m_bounded.stages[stage].axes;
        buffer.regionMin.resize(op.axes.size());
        buffer.regionExtent.resize(op.axes.size());
        for (size_t a = 0; a < op.axes.size(); ++a) {
            buffer.regionExtent[a] = axes[a].extent;
            if (!axes[a].min) continue;
            const Expr min = (*this)(axes[a].min);
            if (!isInt(min, 0)) buffer.regionMin[a] = min;
        }
    }
}

void NestBuilder::bindAxes(size_t stageNumber, std::span<SplitSum> nodes) {
    const Stage &stage = m_state.stage(StageId(stageNumber));
    const StageBounds &bounds = m_bounded.stages[stageNumber];
    const auto extent = [&](int node) { return bounds.nodeExtent[static_cast<size_t>(node)]; };
    for (size_t i = stage.relations.size(); i > 0; --i) {
        const IterRelation &r = stage.relations[i - 1];
        SplitSum &parent = nodes[static_cast<size_t>(r.parent)];
        SplitSum &outer = nodes[static_cast<size_t>(r.outer)];
        SplitSum &inner = nodes[static_cast<size_t>(r.inner)];
        if (r.kind == IterRelation::Kind::Fuse) {
            outer = floorDiv(parent, extent(r.inner), DType::Int32, divisions());
            inner = floorMod(parent, extent(r.inner), DType::Int32, divisions());
        } else {
            parent = SplitSum{};
            parent.add(outer, extent(r.inner));
            parent.add(inner);
        }
    }
    for (size_t a = 0; a < bounds.axes.size(); ++a) {
        const Expr var = axisOf(*stage.op, a).var;
        if (!bounds.axes[a].min) {
            bindValue(var, nodes[a]);
            continue;
        }
        SplitSum absolute = sum(bounds.axes[a].min);
        absolute.add(nodes[a]);
        bindValue(var, absolute);
    }
}

/// The conditions that keep split tails and region overhangs out; only nodes with a wanted role count.
std::span<const Expr> NestBuilder::guards(size_t stageNumber, std::span<SplitSum> nodes, std::span<const uint8_t> roles,
                                          uint8_t wanted) {
    const Stage &stage = m_state.stage(StageId(stageNumber));
    const StageBounds &bounds = m_bounded.stages[stageNumber];
    const std::span<Expr> conditions = arenaArray<Expr>(stage.relations.size() + 2 * bounds.axes.size());
    size_t count = 0;
    const auto require = [&](ExprKind kind, const SplitSum &value, int64_t bound) {
        conditions[count++] = makeBinary(kind, write(value, DType::Int32), makeInt(bound));
    };
    // A guard of a node holds for the outer part of its splits too, and for what fuses that part with others.
    const std::span<bool> held = arenaArray<bool>(static_cast<size_t>(stage.nodeCount));
    for (const IterRelation &r : stage.relations) {
        const auto parent = static_cast<size_t>(r.parent);
        const auto outer = static_cast<size_t>(r.outer);
        if (r.kind == IterRelation::Kind::Fuse) {
            held[parent] = held[outer];
            continue;
        }
        const int64_t extent = bounds.nodeExtent[parent];
        const int64_t covered = bounds.nodeExtent[outer] * bounds.nodeExtent[static_cast<size_t>(r.inner)];
        if (covered > extent && !held[parent] && (roles[parent] & wanted) != 0 &&
            nodes[parent].values().max >= extent) {
            require(ExprKind::Lt, nodes[parent], extent);
            held[parent] = true;
        }
        held[outer] = held[parent];
    }
    for (size_t a = 0; a < bounds.axes.size(); ++a) {
        if ((roles[a] & wanted) == 0) continue;
        const int64_t size = axisOf(*stage.op, a).extent;
        Interval region = Interval::upTo(bounds.axes[a].extent);
        SplitSum absolute;
        if (bounds.axes[a].min) {
            absolute = sum(bounds.axes[a].min);
            region = region + absolute.values();
        }
        absolute.add(nodes[a]);
        if (region.max >= size) require(ExprKind::Lt, absolute, size);
        if (region.min < 0) require(ExprKind::Ge, absolute, 0);
    }
    return conditions.first(count);
}

/// The body under its guards, which settle what they can inside it.
template <typename MakeBody>
Stmt NestBuilder::guarded(size_t stage, std::span<SplitSum> nodes, std::span<const uint8_t> roles, uint8_t wanted,
                          const MakeBody &makeBody) {
    const std::span<const Expr> conditions = guards(stage, nodes, roles, wanted);
    const size_t outer = mark();
    for (const Expr condition : conditions) assume(condition);
    Stmt body = makeBody();
    release(outer);
    for (const Expr condition : conditions) body = makeIf(condition, body, {}, true);
    return body;
}

std::span<const Expr> NestBuilder::storeIndices(const Op &op, bool init) {
    const std::optional<Scatter> scatter = init ? std::nullopt : scatterOf(op);
    m_indices.clear();
    for (size_t a = 0; a < op.axes.size(); ++a) {
        const ScatterPlace *place = scatter ? scatter->along(a) : nullptr;
        m_indices.push_back((*this)(place != nullptr ? place->index : op.axes[a].var));
    }
    return m_indices;
}

Stmt NestBuilder::store(size_t stage, size_t output, Expr value, bool init) {
    const Op &op = m_dag.op(stage);
    const Stmt made =
        makeStore(*bufferOf(stage, output), storeIndices(op, init), value, StageId(stage), init && !isScatter(op));
    if (m_unroll < 0) return made;
    StmtNode node = *made.node();
    node.unrollMaxStep = m_unroll;
    return newStmt(node);
}

Stmt NestBuilder::bodyStores(size_t stage) {
    const Op &op = m_dag.op(stage);
    const std::span<Stmt> stores = arenaArray<Stmt>(op.outputs.size());
    for (size_t k = 0; k < op.outputs.size(); ++k) {
        const Expr value = (*this)(op.body[k]);
        stores[k] = store(stage, k, value);
    }
    return makeBlock(stores);
}

Stmt NestBuilder::initStores(size_t stage) {
    const Op &op = m_dag.op(stage);
    const std::span<Stmt> stores = arenaArray<Stmt>(op.outputs.size());
    for (size_t k = 0; k < op.outputs.size(); ++k) {
        const Expr identity = identityCast(op.reduction->combiner.identity[k], op.output(k).dtype);
        stores[k] = store(stage, k, identity, true);
    }
    return makeBlock(stores);
}

Stmt NestBuilder::updateStores(size_t stage) {
    const Op &op = m_dag.op(stage);
    const Reduction &reduction = *op.reduction;
    const size_t count = op.outputs.size();
    const std::span<Expr> old = arenaArray<Expr>(count);
    const size_t outer = mark();
    for (size_t k = 0; k < count; ++k) {
        const Expr source = (*this)(op.body[k]);
        old[k] = makeLoad(*bufferOf(stage, k), storeIndices(op, false));
        bindValue(reduction.combiner.right[k], source);
    }
    // An output stored before a later one is computed from its old value needs that value kept.
    const std::span<Expr> kept = arenaArray<Expr>(count);
    for (size_t k = 0; k < count; ++k) {
        bool readLater = false;
        for (size_t later = k + 1; later < count; ++later)
            readLater = readLater || usesVar(reduction.combiner.result[later], reduction.combiner.left[k]);
        if (readLater) kept[k] = makeVar("old", op.output(k).dtype);
        bindValue(reduction.combiner.left[k], readLater ? kept[k] : old[k]);
    }
    const std::span<Stmt> stores = arenaArray<Stmt>(count);
    for (size_t k = 0; k < count; ++k) {
        const Expr value = (*this)(reduction.combiner.result[k]);
        stores[k] = store(stage, k, value);
    }
    Stmt body = makeBlock(stores);
    for (size_t k = count; k > 0; --k)
        if (kept[k - 1]) body = makeLetStmt(kept[k - 1], old[k - 1], body);
    release(outer);
    const std::optional<Scatter> scatter = scatterOf(op);
    if (const Expr asked = scatter ? scatter->condition : reduction.condition) {
        const Expr condition = (*this)(asked);
        if (!isInt(condition, 1)) body = makeIf(condition, body);
    }
    return body;
}

Stmt NestBuilder::loop(size_t stageNumber, size_t leaf, Expr var, Stmt body, bool serial, int unroll) const {
    const Stage &stage = m_state.stage(StageId(stageNumber));
    const Iter &iter = stage.iters[leaf];
    StmtNode node;
    node.loop = serial && iter.annotation == Annotation::Parallel ? LoopKind::Serial : loopKindOf(iter.annotation);
    node.stage = StageId(stageNumber);
    node.iter = IterId(leaf);
    node.iterKind = iter.kind;
    node.iterName = var->text;
    node.var = var;
    node.extent = makeInt(m_bounded.stages[stageNumber].nodeExtent[static_cast<size_t>(iter.node)]);
    node.unrollMaxStep = unroll;
    return makeFor(node, body);
}

namespace {

/// Of no iterator.
Stmt plainLoop(size_t stage, Expr var, int64_t extent, Stmt body) {
    StmtNode node;
    node.stage = StageId(stage);
    node.var = var;
    node.extent = makeInt(extent);
    node.iterName = var->text;
    return makeFor(node, body);
}

} // namespace

Stmt NestBuilder::initNest(size_t stageNumber, size_t firstReduce, std::span<const uint8_t> roles) {
    const Stage &stage = m_state.stage(StageId(stageNumber));
    const StageBounds &bounds = m_bounded.stages[stageNumber];
    const std::span<SplitSum> nodes = arenaArray<SplitSum>(static_cast<size_t>(stage.nodeCount));
    const std::span<Expr> vars = arenaArray<Expr>(stage.iters.size());
    const size_t outer = mark();
    const int unroll = std::exchange(m_unroll, -1);
    size_t firstLoop = stage.iters.size();
    for (size_t leaf = 0; leaf < stage.iters.size(); ++leaf) {
        const auto node = static_cast<size_t>(stage.iters[leaf].node);
        const int64_t extent = bounds.nodeExtent[node];
        if (leaf < firstReduce) {
            vars[leaf] = bounds.vars[leaf];
        } else if ((roles[node] & kSpatial) != 0 && extent > 1) {
            vars[leaf] = makeVar(bounds.vars[leaf]->name());
            bindRange(vars[leaf], Interval::upTo(extent));
            firstLoop = std::min(firstLoop, leaf);
        } else {
            continue; // counts as 0
        }
        nodes[node] = sumOfVar(vars[leaf], extent);
    }
    // Along an axis that terms are scattered over, the identity has the only loop there is.
    const std::optional<Scatter> scatter = scatterOf(*stage.op);
    const std::span<Expr> whole = arenaArray<Expr>(scatter ? scatter->places.size() : 0);
    for (size_t i = 0; i < whole.size(); ++i) {
        const size_t axis = scatter->places[i].axis;
        whole[i] = makeVar(axisOf(*stage.op, axis).name());
        bindRange(whole[i], Interval::upTo(bounds.nodeExtent[axis]));
        nodes[axis] = sumOfVar(whole[i], bounds.nodeExtent[axis]);
    }
    bindAxes(stageNumber, nodes);
    if (firstLoop == stage.iters.size()) m_unroll = unroll;
    Stmt body = guarded(stageNumber, nodes, roles, kSpatial, [&] { return initStores(stageNumber); });
    for (size_t i = whole.size(); i > 0; --i)
        if (const int64_t extent = bounds.nodeExtent[scatter->places[i - 1].axis]; extent > 1)
            body = plainLoop(stageNumber, whole[i - 1], extent, body);
    for (size_t leaf = stage.iters.size(); leaf > firstReduce; --leaf)
        if (vars[leaf - 1] && (nodes[static_cast<size_t>(stage.iters[leaf - 1].node)].count > 0))
            body = loop(stageNumber, leaf - 1, vars[leaf - 1], body, true, leaf - 1 == firstLoop ? unroll : -1);
    release(outer);
    return body;
}

Stmt NestBuilder::nest(size_t stageNumber, bool insideParallel) {
    const StageId id(stageNumber);
    const Stage &stage = m_state.stage(id);
    const StageBounds &bounds = m_bounded.stages[stageNumber];
    const size_t leaves = stage.iters.size();
    const size_t outer = mark();
    const std::span<SplitSum> nodes = arenaArray<SplitSum>(static_cast<size_t>(stage.nodeCount));
    const std::span<uint8_t> roles = arenaArray<uint8_t>(static_cast<size_t>(stage.nodeCount));
    findRoles(stage, roles);
    size_t firstReduce = leaves;
    size_t firstLoop = leaves;
    size_t firstParallel = leaves;
    for (size_t leaf = leaves; leaf > 0; --leaf) {
        const Iter &iter = stage.iters[leaf - 1];
        const auto node = static_cast<size_t>(iter.node);
        const int64_t extent = bounds.nodeExtent[node];
        bindRange(bounds.vars[leaf - 1], Interval::upTo(extent));
        nodes[node] = sumOfVar(bounds.vars[leaf - 1], extent);
        if (extent > 1) firstLoop = leaf - 1;
        if (extent > 1 && iter.annotation == Annotation::Parallel) firstParallel = leaf - 1;
        if ((roles[node] & kReduce) != 0) firstReduce = leaf - 1;
    }
    if (const std::optional<Scan> scan = scanOf(*stage.op); scan && scan->backwards) {
        SplitSum fromTheEnd;
        fromTheEnd.constant = bounds.nodeExtent[scan->axis] - 1;
        fromTheEnd.add(nodes[scan->axis], -1);
        nodes[scan->axis] = fromTheEnd;
    }
    bindAxes(stageNumber, nodes);

    // The unroll pragma stands at the first iterator and holds for all inside it. Where that iterator makes no loop,
    // what comes before the first real loop carries the pragma itself.
    const int outerUnroll = m_unroll;
    const int unroll = stage.autoUnrollMaxStep >= 0 ? stage.autoUnrollMaxStep : outerUnroll;
    const auto unrollAt = [&](size_t leaf) { return leaf <= firstLoop ? unroll : -1; };
    m_unroll = unrollAt(leaves);

    const bool reduces = stage.op->reduction.has_value();
    Stmt body = guarded(stageNumber, nodes, roles, kSpatial | kReduce,
                        [&] { return reduces ? updateStores(stageNumber) : bodyStores(stageNumber); });
    const auto addInit = [&] {
        m_unroll = unrollAt(firstReduce);
        const std::array<Stmt, 2> both = {initNest(stageNumber, firstReduce, roles), body};
        body = makeBlock(both);
    };
    if (reduces && firstReduce == leaves) addInit();
    for (size_t leaf = leaves; leaf > 0; --leaf) {
        const IterId iter(leaf - 1);
        m_unroll = unrollAt(leaf);
        for (size_t other = stageNumber; other > 0; --other)
            if (m_state.attachedTo(StageId(other - 1)) == AttachPoint{id, iter})
                body = pipeline(other - 1, body, insideParallel || firstParallel < leaf);
        const auto node = static_cast<size_t>(stage.iters[leaf - 1].node);
        const bool nested = insideParallel || firstParallel < leaf - 1;
        if (nested && bounds.nodeExtent[node] > 1 && stage.iters[leaf - 1].annotation == Annotation::Parallel)
            m_program.serialised.push_back({SerialisedLoop::Why::InsideParallel, LoopKind::Parallel, id,
                                            IterId(leaf - 1), bounds.vars[leaf - 1]->text});
        if (bounds.nodeExtent[node] > 1)
            body =
                loop(stageNumber, leaf - 1, bounds.vars[leaf - 1], body, nested, leaf - 1 == firstLoop ? unroll : -1);
        if (reduces && leaf - 1 == firstReduce) addInit();
    }
    m_unroll = outerUnroll;
    release(outer);
    return body;
}

Outcome<LoopProgram> buildLoopNest(const BoundedState &bounded, const NestOptions &options) {
    return NestBuilder(bounded, options).build();
}

} // namespace loopscope
