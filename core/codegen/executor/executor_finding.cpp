#include "codegen/executor/executor_finding.h"

#include "codegen/loop_ir/walk.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
            if (!f.firstBuffer.empty())
                return fmt::format("race: {} is {} {} by thread {} and {}, which lies at the same bytes, {} {} by "
                                   "thread {} of block {}, with no barrier between",
                                   firstElement(), verb(f.first), place(f.first), f.first.thread, element(),
                                   verb(f.second), place(f.second), f.second.thread, f.second.block);
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
        case ExecutorFault::Overwritten:
            return fmt::format("overwritten: {}, which lies at the same bytes as {}, is written {} by thread {} before "
                               "{} is read {} by thread {} of block {}",
                               firstElement(), element(), place(f.first), f.first.thread, element(), place(f.second),
                               f.second.thread, f.second.block);
        case ExecutorFault::PartialWarp:
            return fmt::format("partial warp: {} of the {} threads of the warp of thread {} of block {} come to the "
                               "shuffle {}; all must",
                               f.active, f.threads, f.first.thread, f.first.block, place(f.first));
        }
        return {};
    }

  private:
    static const char *verb(const ExecutorFinding::Place &place) { return place.writes ? "written" : "read"; }

    [[nodiscard]] std::string element() const {
        return fmt::format("{}[{}]", m_finding.buffer, fmt::join(m_finding.index, ", "));
    }
    [[nodiscard]] std::string firstElement() const {
        return fmt::format("{}[{}]", m_finding.firstBuffer, fmt::join(m_finding.firstIndex, ", "));
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
    case ExecutorFault::Overwritten:
        return "overwritten";
    case ExecutorFault::PartialWarp:
        return "partial warp";
    }
    return "";
}

ToldFinding toldFinding(std::string_view sentence) {
    ToldFinding told;
    const std::string_view head = sentence.substr(0, sentence.find(": "));
    for (int f = 0; f <= static_cast<int>(ExecutorFault::PartialWarp); ++f)
        if (head == executorFaultName(static_cast<ExecutorFault>(f))) told.fault = head;
    if (told.fault.empty()) return told;
    constexpr std::string_view mark = "at line ";
    constexpr std::string_view around = "in loops ";
    for (size_t at = sentence.find(mark); at != std::string_view::npos; at = sentence.find(mark, at + 1)) {
        const std::string_view rest = sentence.substr(at + mark.size());
        const size_t open = rest.find(" (");
        const size_t close = rest.find(')');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open) continue;
        ToldFinding::Place place;
        std::from_chars(rest.data(), rest.data() + open, place.line);
        std::string_view inside = rest.substr(open + 2, close - open - 2);
        const size_t in = std::min(inside.find(around), inside.find("in no loop"));
        if (in != std::string_view::npos && in > 0) place.store = inside.substr(0, in - 1);
        if (const size_t loops = inside.find(around); loops != std::string_view::npos)
            for (std::string_view names = inside.substr(loops + around.size()); !names.empty();) {
                const size_t end = std::min(names.find(", "), names.size());
                place.loops.emplace_back(names.substr(0, end));
                names.remove_prefix(std::min(end + 2, names.size()));
            }
        told.places.push_back(std::move(place));
    }
    return told;
}

std::string findingText(const LoopProgram &program, const ExecutorFinding &finding) {
    return FindingPrinter(program, finding).text();
}

} // namespace loopscope
