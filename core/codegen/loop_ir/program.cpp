#include "codegen/loop_ir/program.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <new>

namespace loopscope {

namespace {

StmtNode *newNode(const StmtNode &fields) {
    return new (ExprArena::current().allocate(sizeof(StmtNode))) StmtNode(fields);
}

void setChildren(StmtNode &node, std::span<const Stmt> children) {
    Stmt *copy = ExprArena::current().allocateArray<Stmt>(children.size());
    std::copy(children.begin(), children.end(), copy);
    node.children = copy;
    node.childCount = static_cast<uint32_t>(children.size());
}

void number(Stmt stmt, int &next) {
    // Nodes are immutable for everybody else; the id is the one field that only a finished program knows.
    const_cast<StmtNode *>(stmt.node())->id = next++;
    for (const Stmt child : stmt->body()) number(child, next);
}

} // namespace

int64_t Buffer::elements() const {
    int64_t last = 0;
    for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
    return last + 1;
}

std::string_view serialisedReason(SerialisedLoop::Why why) {
    switch (why) {
    case SerialisedLoop::Why::InsideParallel:
        return "a loop around it is parallel already";
    case SerialisedLoop::Why::LittleWork:
        return "its work is too little to start threads for";
    case SerialisedLoop::Why::CarriesReduction:
        return "its iterations write the same element";
    case SerialisedLoop::Why::OnGpu:
        return "a GPU shares loops out by blocks and threads, which it is not bound to";
    case SerialisedLoop::Why::NoLanes:
        break;
    }
    return "its iterations do not run alike, as lanes must";
}

std::string serialisedText(const SerialisedLoop &loop) {
    return "the " + std::string(loopKindName(loop.asked)) + " loop " + loop.name +
           " runs serially: " + std::string(serialisedReason(loop.why));
}

std::string_view loopKindName(LoopKind kind) {
    static constexpr std::array<std::string_view, 11> names = {
        "for",        "parallel",    "vectorized",  "unrolled",    "blockIdx.x", "blockIdx.y",
        "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z", "vthread"};
    return names[static_cast<size_t>(kind)];
}

Stmt makeBlock(std::span<const Stmt> statements) {
    LOOPSCOPE_CHECK(!statements.empty(), "a block needs a statement");
    if (statements.size() == 1) return statements[0];
    size_t count = 0;
    for (const Stmt s : statements) count += s->kind == StmtKind::Block ? s->childCount : 1;
    Stmt *children = ExprArena::current().allocateArray<Stmt>(count);
    size_t at = 0;
    for (const Stmt s : statements) {
        if (s->kind == StmtKind::Block)
            for (const Stmt inner : s->body()) children[at++] = inner;
        else
            children[at++] = s;
    }
    StmtNode node;
    node.kind = StmtKind::Block;
    node.children = children;
    node.childCount = static_cast<uint32_t>(count);
    return Stmt(newNode(node));
}

Stmt makeFor(StmtNode loop, Stmt body) {
    loop.kind = StmtKind::For;
    setChildren(loop, {&body, 1});
    return Stmt(newNode(loop));
}

Stmt makeStore(const Buffer &buffer, std::span<const Expr> indices, Expr value, StageId stage, bool reductionInit) {
    StmtNode node;
    node.kind = StmtKind::Store;
    node.reductionInit = reductionInit;
    node.stage = stage;
    node.value = value;
    node.buffer = &buffer;
    Expr *copy = ExprArena::current().allocateArray<Expr>(indices.size());
    std::copy(indices.begin(), indices.end(), copy);
    node.indices = copy;
    node.indexCount = static_cast<uint32_t>(indices.size());
    return Stmt(newNode(node));
}

Stmt makeIf(Expr condition, Stmt then, Stmt otherwise, bool likely) {
    StmtNode node;
    node.kind = StmtKind::If;
    node.likely = likely;
    node.value = condition;
    const std::array<Stmt, 2> branches = {then, otherwise};
    setChildren(node, {branches.data(), otherwise ? 2u : 1u});
    return Stmt(newNode(node));
}

Stmt makeLetStmt(Expr var, Expr value, Stmt body) {
    StmtNode node;
    node.kind = StmtKind::Let;
    node.var = var;
    node.value = value;
    setChildren(node, {&body, 1});
    return Stmt(newNode(node));
}

Stmt makeAllocate(const Buffer &buffer, Stmt body) {
    StmtNode node;
    node.kind = StmtKind::Allocate;
    node.buffer = &buffer;
    setChildren(node, {&body, 1});
    return Stmt(newNode(node));
}

Stmt makeBarrier() {
    StmtNode node;
    node.kind = StmtKind::Barrier;
    return Stmt(newNode(node));
}

Stmt withChildren(Stmt stmt, std::span<const Stmt> children) {
    if (std::equal(children.begin(), children.end(), stmt->body().begin(), stmt->body().end(),
                   [](Stmt a, Stmt b) { return a.node() == b.node(); }))
        return stmt;
    if (stmt->kind == StmtKind::Block) return makeBlock(children);
    StmtNode node = *stmt.node();
    setChildren(node, children);
    return Stmt(newNode(node));
}

void numberNodes(LoopProgram &program) {
    program.nodeCount = 0;
    number(program.root, program.nodeCount);
}

} // namespace loopscope
