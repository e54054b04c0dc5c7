#include "harness/naive_program.h"

#include "base/check.h"
#include "language/expr/walk.h"

#include <map>

namespace loopscope {

Stmt loopOver(Expr var, int64_t extent, LoopKind kind, Stmt body) {
    StmtNode loop{};
    loop.kind = StmtKind::For;
    loop.loop = kind;
    loop.var = var;
    loop.extent = makeInt(extent);
    return makeFor(loop, body);
}

namespace {

struct Builder {
    LoopProgram program;
    NaiveOptions options;
    std::map<const TensorSymbol *, const Buffer *> bufferOf;

    Expr toBuffers(Expr e, const Substitution &vars) {
        return rewriteBottomUp(substitute(e, vars), [&](Expr node) {
            if (node->kind != ExprKind::Load) return node;
            return makeLoad(*bufferOf.at(node->symbol), node->operands());
        });
    }

    Stmt nest(const Op &op) {
        const Buffer &buffer = *bufferOf.at(&op.output());
        std::vector<Expr> inits;
        std::vector<Expr> updates;
        Substitution initVars;
        Substitution vars;
        for (const Axis &axis : op.axes) {
            inits.push_back(makeVar(std::string(axis.name()) + "_init"));
            updates.push_back(makeVar(axis.name()));
            initVars.emplace_back(axis.var.node(), inits.back());
            vars.emplace_back(axis.var.node(), updates.back());
        }
        const size_t rank = op.axes.size();
        const auto kind = [&](size_t d) {
            return d + 1 == rank ? options.innermost : d == 0 ? options.outermost : LoopKind::Serial;
        };
        if (!op.reduction) {
            Stmt body = makeStore(buffer, updates, toBuffers(op.body[0], vars), StageId(0));
            for (size_t d = rank; d-- > 0;) body = loopOver(updates[d], op.axes[d].extent, kind(d), body);
            return body;
        }
        const Combiner &combiner = op.reduction->combiner;
        Stmt init = makeStore(buffer, inits, combiner.identity[0], StageId(0), true);
        for (size_t d = rank; d-- > 0;) init = loopOver(inits[d], op.axes[d].extent, kind(d), init);

        std::vector<std::pair<Expr, int64_t>> reduceLoops;
        for (const Axis &axis : op.reduction->axes) {
            reduceLoops.emplace_back(makeVar(axis.name()), axis.extent);
            vars.emplace_back(axis.var.node(), reduceLoops.back().first);
        }
        const Substitution combine = {{combiner.left[0].node(), makeLoad(buffer, updates)},
                                      {combiner.right[0].node(), toBuffers(op.body[0], vars)}};
        Stmt body = makeStore(buffer, updates, substitute(combiner.result[0], combine), StageId(0));
        if (op.reduction->condition) body = makeIf(toBuffers(op.reduction->condition, vars), body);
        const auto reduce = [&] {
            for (size_t r = reduceLoops.size(); r-- > 0;)
                body = loopOver(reduceLoops[r].first, reduceLoops[r].second, options.reduction, body);
        };
        if (options.innermostOutside) reduce();
        for (size_t d = rank; d-- > 0;) {
            body = loopOver(updates[d], op.axes[d].extent, kind(d), body);
            if (d + 1 == rank && !options.innermostOutside) reduce();
        }
        const Stmt both[] = {init, body};
        return makeBlock(both);
    }
};

} // namespace

LoopProgram naiveProgram(const DagPtr &dag, const NaiveOptions &options) {
    Builder builder;
    builder.options = options;
    LoopProgram &program = builder.program;
    program.arena = std::make_shared<ExprArena>();
    program.keepAlive = dag;
    const ArenaScope scope(program.arena);
    std::vector<const Buffer *> inner;
    for (const OpPtr &op : dag->ops()) {
        LOOPSCOPE_CHECK(op->outputs.size() == 1, "naive programs have ops with one output");
        auto buffer = std::make_unique<Buffer>();
        static_cast<TensorSymbol &>(*buffer) = op->output();
        buffer->strides.resize(buffer->shape.size());
        int64_t stride = 1;
        for (size_t d = buffer->shape.size(); d-- > 0; stride *= buffer->shape[d]) buffer->strides[d] = stride;
        buffer->scope = MemoryScope::Heap;
        builder.bufferOf[&op->output()] = buffer.get();
        program.buffers.push_back(std::move(buffer));
    }
    for (const Tensor *tensor : dag->args()) {
        auto *buffer = const_cast<Buffer *>(builder.bufferOf.at(tensor));
        buffer->scope = MemoryScope::Argument;
        buffer->argIndex = static_cast<int>(program.args.size());
        program.args.push_back({buffer, !tensor->op->isPlaceholder(), tensor->shape, {}});
    }
    std::vector<Stmt> nests;
    for (const OpPtr &op : dag->ops())
        if (!op->isPlaceholder()) nests.push_back(builder.nest(*op));
    Stmt root = makeBlock(nests);
    for (const auto &buffer : program.buffers)
        if (buffer->scope == MemoryScope::Heap) root = makeAllocate(*buffer, root);
    program.root = root;
    numberNodes(program);
    return std::move(builder.program);
}

} // namespace loopscope
