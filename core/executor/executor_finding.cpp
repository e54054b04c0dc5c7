#include "executor/executor_finding.h"

#include "loop_ir/walk.h"

#include <fmt/format.h>
#include <map>

namespace loopscope {

namespace {

/// The statement with the loops around it, outermost first. False when it is not there.
bool pathTo(Stmt stmt, int id, std::vector<Stmt> &path) {
    path.push_back(stmt);
    if (stmt->id == id) return true;
    for (const Stmt child : stmt->body())
        if (pathTo(child, id, path)) return true;
    path.pop_back();
    return false;
}

class FindingPrinter {
  public:
    FindingPrinter(const LoopProgram &program, const ExecutorFinding &finding)
        : m_program(program), m_finding(finding) {
        (void)printProgram(program, &m_lines);
    }

    [[nodiscard]] std::string text() const {
        const ExecutorFinding &f = m_finding;
        switch (f.fault) {
        case ExecutorFault::Race:
            return fmt::format("race: {} is {} {} by thread {} and {} {} by thread {} of block {}, with no barrier "
                               "between",
                               element(), verb(f.first), place(f.first), f.first.thread, verb(f.second),
                               place(f.second), f.second.thread, f.second.block);
        case ExecutorFault::RaceOfBlocks:
            return fmt::format("race between blocks: {} is {} {} by block {} and {} {} by block {}, and nothing orders "
                               "the blocks of a kernel",
                               element(), verb(f.first), place(f.first), f.first.block, verb(f.second), place(f.second),
                               f.second.block);
        case ExecutorFault::DivergentBarrier:
            return fmt::format(
                "divergent barrier: {} of the {} threads of block {} come to the barrier {}; all must, or "
                "none",
                f.active, f.threads, f.first.block, place(f.first));
        case ExecutorFault::OutOfBounds:
            return fmt::format("out of bounds: thread {} of block {} {} {} {}, where index {} is {} and the dimension "
                               "has {} elements",
                               f.first.thread, f.first.block, f.first.writes ? "writes" : "reads", f.buffer,
                               place(f.first), f.dimension, f.value, f.extent);
        case ExecutorFault::NeverWritten:
            return fmt::format("never written: {} is read {} by thread {} of block {} before anything is stored there",
                               element(), place(f.first), f.first.thread, f.first.block);
        case ExecutorFault::PartialWarp:
            return fmt::format("partial warp: {} of the {} threads of the warp of thread {} of block {} come to the "
                               "shuffle {}; all must",
                               f.active, f.threads, f.first.thread, f.first.block, place(f.first));
        case ExecutorFault::DivisionByZero:
            return fmt::format("division by zero: thread {} of block {} {}", f.first.thread, f.first.block,
                               place(f.first));
        }
        return {};
    }

  private:
    static const char *verb(const ExecutorFinding::Place &place) { return place.writes ? "written" : "read"; }

    [[nodiscard]] std::string element() const {
        return fmt::format("{}[{}]", m_finding.buffer, fmt::join(m_finding.index, ", "));
    }

    /// "at line 12 (C.local in loops k.0, i_c.4)"
    [[nodiscard]] std::string place(const ExecutorFinding::Place &at) const {
        std::vector<Stmt> path;
        if (at.stmt < 0 || !m_program.root || !pathTo(m_program.root, at.stmt, path)) return "at a place not known";
        const Stmt stmt = path.back();
        std::vector<std::string> loops;
        for (const Stmt around : path)
            if (around->kind == StmtKind::For) loops.emplace_back(around->var->name());
        std::string text = fmt::format("at line {} (", m_lines.at(at.stmt));
        if (stmt->kind == StmtKind::Store) text += stmt->buffer->name + " ";
        return text + (loops.empty() ? "in no loop)" : fmt::format("in loops {})", fmt::join(loops, ", ")));
    }

    const LoopProgram &m_program;
    const ExecutorFinding &m_finding;
    std::map<int, int> m_lines;
};

} // namespace

std::string_view executorFaultName(ExecutorFault fault) {
    switch (fault) {
    case ExecutorFault::Race:
        return "race";
    case ExecutorFault::RaceOfBlocks:
        return "race between blocks";
    case ExecutorFault::DivergentBarrier:
        return "divergent barrier";
    case ExecutorFault::OutOfBounds:
        return "out of bounds";
    case ExecutorFault::NeverWritten:
        return "never written";
    case ExecutorFault::PartialWarp:
        return "partial warp";
    case ExecutorFault::DivisionByZero:
        return "division by zero";
    }
    return "";
}

std::string findingText(const LoopProgram &program, const ExecutorFinding &finding) {
    return FindingPrinter(program, finding).text();
}

} // namespace loopscope
