#include "deploy/dispatch/program_aligner.h"

#include "codegen/loop_ir/walk.h"
#include "language/expr/walk.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace loopscope {

namespace {

/// Of all: whether they agree in what `of` tells.
template <typename T, typename Of> bool agree(std::span<const T> all, const Of &of) {
    return std::all_of(all.begin(), all.end(), [&](const T &one) { return of(one) == of(all[0]); });
}

std::string placeText(Stmt stmt) {
    if (stmt->kind == StmtKind::For) return fmt::format("the loop {}", stmt->var->name());
    if (stmt->buffer != nullptr) return fmt::format("what is done to {}", stmt->buffer->name);
    return "a statement";
}

} // namespace

bool ProgramAligner::fail(std::string why) {
    if (m_why.empty()) m_why = std::move(why);
    return false;
}

bool ProgramAligner::align(LoopProgram &out) {
    m_out = &out;
    const LoopProgram &first = *m_programs[0];
    out.name = first.name;
    out.serialised = first.serialised;
    for (const LoopProgram *program : m_programs)
        if (program->args.size() != first.args.size()) return fail("the kernel has another number of arguments");
    for (size_t a = 0; a < first.args.size(); ++a) {
        std::vector<const Buffer *> buffers;
        for (const LoopProgram *program : m_programs) {
            const ProgramArg &arg = program->args[a];
            const bool same = std::ranges::equal(arg.packing, first.args[a].packing, [](const auto &x, const auto &y) {
                return x.origin == y.origin && x.stride == y.stride && x.extent == y.extent;
            });
            if (!same) return fail(fmt::format("{} is laid out otherwise", arg.buffer->name));
            buffers.push_back(arg.buffer);
        }
        Buffer *const joined = buffer(buffers);
        if (joined == nullptr) return false;
        ProgramArg arg = first.args[a];
        arg.buffer = joined;
        out.args.push_back(std::move(arg));
    }
    std::vector<Stmt> roots;
    for (const LoopProgram *program : m_programs) roots.push_back(program->root);
    out.root = stmt(roots);
    return static_cast<bool>(out.root);
}

Buffer *ProgramAligner::buffer(std::vector<const Buffer *> buffers) {
    const std::span<const Buffer *const> all(buffers);
    if (!agree(all, [](const Buffer *b) { return b->dtype; }) ||
        !agree(all, [](const Buffer *b) { return b->shape.size(); })) {
        fail(fmt::format("{} is of another type", buffers[0]->name));
        return nullptr;
    }
    auto joined = std::make_unique<Buffer>(*buffers[0]);
    for (const Buffer *one : buffers)
        if (one->scope == MemoryScope::Heap) joined->scope = MemoryScope::Heap; // of the larger ones
    if (!dims(*joined, buffers)) return nullptr;
    Buffer *const result = joined.get();
    m_out->buffers.push_back(std::move(joined));
    m_buffers.push_back({std::move(buffers), result});
    return result;
}

Buffer *ProgramAligner::known(std::span<const TensorSymbol *const> symbols) {
    for (const JoinedBuffer &one : m_buffers)
        if (one.buffers[0] == symbols[0]) {
            if (std::equal(symbols.begin(), symbols.end(), one.buffers.begin())) return one.joined;
            break;
        }
    fail(fmt::format("another buffer stands in the place of {}", symbols[0]->name));
    return nullptr;
}

Expr ProgramAligner::variable(std::span<const Expr> all) {
    for (size_t i = m_vars.size(); i-- > 0;) {
        if (m_vars[i].nodes[0] != all[0].node()) continue;
        for (size_t p = 1; p < all.size(); ++p)
            if (m_vars[i].nodes[p] != all[p].node()) {
                fail(fmt::format("another variable stands in the place of {}", all[0]->name()));
                return {};
            }
        return m_vars[i].joined;
    }
    fail(fmt::format("the variable {} comes from nowhere", all[0]->name()));
    return {};
}

Expr ProgramAligner::bind(std::span<const Expr> all) {
    JoinedVar var;
    for (const Expr one : all) var.nodes.push_back(one.node());
    var.joined = makeVar(all[0]->name(), all[0]->dtype);
    m_vars.push_back(std::move(var));
    return m_vars.back().joined;
}

Expr ProgramAligner::expr(std::span<const Expr> all) {
    const Expr first = all[0];
    if (!agree(all, [](Expr e) { return e->kind; }) || !agree(all, [](Expr e) { return e->dtype; }) ||
        !agree(all, [](Expr e) { return e->argCount; })) {
        fail(fmt::format("an expression has another form: {} and {}", toText(first), toText(all.back())));
        return {};
    }
    if (first->kind == ExprKind::Var) return variable(all);
    if (first->kind == ExprKind::IntImm) {
        std::vector<int64_t> values;
        for (const Expr one : all) values.push_back(one->intValue);
        return agree(all, [](Expr e) { return e->intValue; }) ? makeInt(first->intValue, first->dtype)
                                                              : number(values, first->dtype);
    }
    if (first->kind == ExprKind::FloatImm) {
        std::vector<double> values;
        for (const Expr one : all) values.push_back(one->floatValue);
        return agree(all, [](Expr e) { return std::bit_cast<uint64_t>(e->floatValue); }) ? first
                                                                                         : number(values, first->dtype);
    }
    if (first->kind == ExprKind::Call && !agree(all, [](Expr e) { return e->intrinsic; })) {
        fail(fmt::format("another function is called: {} and {}", toText(first), toText(all.back())));
        return {};
    }
    const size_t scope = m_vars.size();
    std::vector<Expr> operands;
    std::vector<Expr> of(all.size());
    for (uint32_t i = 0; i < first->argCount; ++i) {
        for (size_t p = 0; p < all.size(); ++p) of[p] = all[p]->arg(i);
        const bool bound = first->kind == ExprKind::Let && i == 0;
        // The variable of a let is not known in its own value, but no value names it.
        operands.push_back(bound ? bind(of) : expr(of));
        if (!operands.back()) return {};
    }
    m_vars.resize(scope);
    if (first->kind != ExprKind::Load) return withOperands(first, operands);
    std::vector<const TensorSymbol *> symbols;
    for (const Expr one : all) symbols.push_back(one->symbol);
    Buffer *const joined = known(symbols);
    return joined == nullptr ? Expr() : makeLoad(*joined, operands);
}

Expr ProgramAligner::optionalNumber(std::span<const Stmt> loops, Expr StmtNode::*field) {
    std::vector<Expr> all;
    for (const Stmt one : loops) {
        const Expr given = one.node()->*field;
        all.push_back(given ? given : makeInt(0, one->var->dtype));
    }
    return expr(all);
}

bool ProgramAligner::children(std::span<const Stmt> all, StmtNode &node) {
    std::vector<Stmt> joined;
    std::vector<Stmt> of(all.size());
    for (uint32_t i = 0; i < node.childCount; ++i) {
        for (size_t p = 0; p < all.size(); ++p) of[p] = all[p]->children[i];
        joined.push_back(stmt(of));
        if (!joined.back()) return false;
    }
    Stmt *const kept = ExprArena::current().allocateArray<Stmt>(joined.size());
    std::copy(joined.begin(), joined.end(), kept);
    node.children = kept;
    return true;
}

Stmt ProgramAligner::stmt(std::span<const Stmt> all) {
    const Stmt first = all[0];
    if (!agree(all, [](Stmt s) { return s->kind; }) || !agree(all, [](Stmt s) { return s->childCount; }) ||
        !agree(all, [](Stmt s) { return s->indexCount; })) {
        fail(fmt::format("{} has another form", placeText(first)));
        return {};
    }
    StmtNode node = *first.node();
    const size_t scope = m_vars.size();
    const auto each = [&](Expr StmtNode::*field) {
        std::vector<Expr> of;
        for (const Stmt one : all) of.push_back(one.node()->*field);
        node.*field = expr(of);
        return static_cast<bool>(node.*field);
    };
    if (first->kind == StmtKind::For) {
        if (!kind(all, node.loop) || !each(&StmtNode::extent)) return {};
        if (std::any_of(all.begin(), all.end(), [](Stmt s) { return static_cast<bool>(s->min); })) {
            node.min = optionalNumber(all, &StmtNode::min);
            if (!node.min) return {};
        }
    }
    if (first->kind == StmtKind::Store || first->kind == StmtKind::If || first->kind == StmtKind::Let)
        if (!each(&StmtNode::value)) return {};
    if (first->kind == StmtKind::For || first->kind == StmtKind::Let) {
        std::vector<Expr> vars;
        for (const Stmt one : all) vars.push_back(one->var);
        node.var = bind(vars);
    }
    if (first->kind == StmtKind::Store) {
        std::vector<const TensorSymbol *> symbols;
        for (const Stmt one : all) symbols.push_back(one->buffer);
        node.buffer = known(symbols);
        if (node.buffer == nullptr) return {};
        Expr *const indices = ExprArena::current().allocateArray<Expr>(node.indexCount);
        std::vector<Expr> of(all.size());
        for (uint32_t i = 0; i < node.indexCount; ++i) {
            for (size_t p = 0; p < all.size(); ++p) of[p] = all[p]->indices[i];
            indices[i] = expr(of);
            if (!indices[i]) return {};
        }
        node.indices = indices;
    }
    if (first->kind == StmtKind::Allocate) {
        std::vector<const Buffer *> buffers;
        for (const Stmt one : all) buffers.push_back(one->buffer);
        node.buffer = buffer(buffers);
        if (node.buffer == nullptr) return {};
    }
    if (!children(all, node)) return {};
    m_vars.resize(scope);
    return newStmt(node);
}

} // namespace loopscope
