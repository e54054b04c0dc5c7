#include "search/explain/loops_at_line.h"

#include <string_view>

namespace loopscope {

namespace {

template <typename Visit> void visitWithLoops(Stmt stmt, std::vector<const StmtNode *> &loops, const Visit &visit) {
    const bool loop = stmt->kind == StmtKind::For;
    if (loop) loops.push_back(stmt.node());
    visit(*stmt.node(), loops);
    for (const Stmt child : stmt->body()) visitWithLoops(child, loops, visit);
    if (loop) loops.pop_back();
}

} // namespace

LoopsAtLine::LoopsAtLine(const LoopProgram &program) {
    if (!program.root) return;
    std::map<int, int> lineOf;
    printProgram(program, &lineOf);
    std::vector<const StmtNode *> loops;
    visitWithLoops(program.root, loops, [&](const StmtNode &node, const std::vector<const StmtNode *> &around) {
        const auto line = lineOf.find(node.id);
        if (line != lineOf.end()) m_around.emplace(line->second, around);
    });
}

const std::vector<const StmtNode *> &LoopsAtLine::around(int line) const {
    static const std::vector<const StmtNode *> none;
    const auto found = m_around.find(line);
    return found == m_around.end() ? none : found->second;
}

const StmtNode *LoopsAtLine::running(int line) const {
    const auto &loops = around(line);
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
        if ((*loop)->loop == LoopKind::Serial || (*loop)->loop == LoopKind::Parallel) return *loop;
    return nullptr;
}

std::string loopName(const LoopProgram &program, const StmtNode *loop) {
    if (loop == nullptr) return {};
    std::string stage;
    if (loop->stage.value >= 0)
        for (const auto &buffer : program.buffers)
            if (buffer->stage == loop->stage) stage = std::string(buffer->name);
    constexpr std::string_view kAccumulator = ".acc"; // where its sums are, of which nobody has heard
    if (stage.ends_with(kAccumulator)) stage.resize(stage.size() - kAccumulator.size());
    const std::string name = loop->iterName != nullptr ? std::string(loop->iterName) : std::string(loop->var->name());
    return stage.empty() ? name : stage + " " + name;
}

} // namespace loopscope
