#include "views/program/representation_links.h"

#include <algorithm>

namespace loopscope {

LineMap::LineMap(const std::vector<LineLink> &links) {
    for (const LineLink &link : links) {
        if (link.textLine <= 0) continue;
        const auto at = static_cast<size_t>(link.textLine) - 1;
        if (at >= m_programLine.size()) m_programLine.resize(at + 1, 0);
        m_programLine[at] = link.programLine;
    }
}

int LineMap::programLine(int textLine) const {
    const auto at = static_cast<size_t>(textLine) - 1;
    return textLine > 0 && at < m_programLine.size() ? m_programLine[at] : 0;
}

LineRanges LineMap::textLines(const LineRanges &programLines) const {
    LineRanges ranges;
    if (programLines.empty()) return ranges;
    int lastLink = 0; // line of the last link passed
    for (size_t i = 0; i < m_programLine.size(); ++i) {
        if (m_programLine[i] == 0) continue;
        const int line = static_cast<int>(i) + 1;
        if (contains(programLines, m_programLine[i])) {
            if (!ranges.empty() && ranges.back().last == lastLink)
                ranges.back().last = line;
            else
                ranges.push_back({line, line});
        }
        lastLink = line;
    }
    return ranges;
}

int nodeAtLine(const std::vector<ProgramNode> &nodes, int line) {
    int found = -1;
    for (const ProgramNode &node : nodes) { // in program order: the innermost comes last
        if (node.kind == StmtKind::Block || node.line <= 0) continue;
        if (node.line == line) return node.id;
        if (node.line < line && line <= node.lastLine && node.kind == StmtKind::If) found = node.id;
        if (node.line > line) break;
    }
    return found;
}

QString loopNameAt(const std::vector<ProgramNode> &nodes, int line) {
    QString inner; // when all of them are written out
    for (int node = nodeAtLine(nodes, line); node >= 0; node = nodes[static_cast<size_t>(node)].parent) {
        const ProgramNode &at = nodes[static_cast<size_t>(node)];
        if (at.kind != StmtKind::For || at.iterator.isEmpty()) continue;
        const QString name = at.stage.isEmpty() ? at.iterator : at.stage + u'.' + at.iterator;
        if (at.loop != LoopKind::Unrolled && at.loop != LoopKind::Vectorized) return name;
        if (inner.isEmpty()) inner = name;
    }
    return inner;
}

std::vector<int> nodesOf(const std::vector<ProgramNode> &nodes, const QString &stage, const QString &iterator,
                         int node) {
    if (node >= 0 && static_cast<size_t>(node) < nodes.size()) return {node};
    std::vector<int> found;
    if (stage.isEmpty()) return found;
    for (const ProgramNode &each : nodes) {
        if (each.stage != stage) continue;
        const bool loop = each.kind == StmtKind::For && !iterator.isEmpty() && each.iterator == iterator;
        const bool store = each.kind == StmtKind::Store && iterator.isEmpty();
        if (loop || store) found.push_back(each.id);
    }
    return found;
}

namespace {

/// Iterators of the loops around a node, outermost first.
std::vector<QString> surroundings(const std::vector<ProgramNode> &nodes, int node) {
    std::vector<QString> names;
    for (int up = nodes[static_cast<size_t>(node)].parent; up >= 0; up = nodes[static_cast<size_t>(up)].parent)
        if (nodes[static_cast<size_t>(up)].kind == StmtKind::For)
            names.push_back(nodes[static_cast<size_t>(up)].stage + QLatin1Char('/') +
                            nodes[static_cast<size_t>(up)].iterator);
    std::reverse(names.begin(), names.end());
    return names;
}

bool sameStatement(const ProgramNode &a, const ProgramNode &b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case StmtKind::For:
        if (a.stageId != b.stageId || a.iterId != b.iterId) return false;
        return a.iterId.value >= 0 || (a.iterator == b.iterator && !a.iterator.isEmpty()); // made by a pass
    case StmtKind::Store:
        return a.stage == b.stage && a.reductionInit == b.reductionInit;
    case StmtKind::Allocate:
        return a.buffer == b.buffer;
    default:
        return a.text == b.text;
    }
}

} // namespace

std::vector<int> sameNodes(const std::vector<ProgramNode> &from, int node, const std::vector<ProgramNode> &to) {
    std::vector<int> found;
    if (node < 0 || static_cast<size_t>(node) >= from.size()) return found;
    const ProgramNode &wanted = from[static_cast<size_t>(node)];
    for (const ProgramNode &candidate : to)
        if (sameStatement(wanted, candidate)) found.push_back(candidate.id);
    if (found.size() < 2) return found;
    const std::vector<QString> around = surroundings(from, node);
    std::vector<int> narrowed;
    for (const int candidate : found)
        if (surroundings(to, candidate) == around) narrowed.push_back(candidate);
    return narrowed.empty() ? found : narrowed;
}

Highlight highlightInProgram(const std::vector<ProgramNode> &nodes, const std::vector<int> &selected) {
    std::vector<int> own;
    std::vector<int> inside;
    for (const int id : selected) {
        const ProgramNode &node = nodes[static_cast<size_t>(id)];
        own.push_back(node.line);
        for (int line = node.line; line <= node.lastLine; ++line) inside.push_back(line);
    }
    return {rangesOf(std::move(own)), rangesOf(std::move(inside))};
}

Highlight highlightInText(const std::vector<ProgramNode> &nodes, const std::vector<int> &selected, const LineMap &map) {
    std::vector<int> own;
    std::vector<int> inside;
    for (const int id : selected) {
        const ProgramNode &node = nodes[static_cast<size_t>(id)];
        for (int line = node.line; line <= node.lastLine; ++line) inside.push_back(line);
        own.push_back(node.line);
        // What stands in the loop itself and not in one inside it.
        for (size_t i = static_cast<size_t>(id) + 1; i < nodes.size() && nodes[i].line <= node.lastLine; ++i) {
            if (nodes[i].kind == StmtKind::For || nodes[i].line <= 0) continue;
            int loop = nodes[i].parent;
            while (loop > id && nodes[static_cast<size_t>(loop)].kind != StmtKind::For)
                loop = nodes[static_cast<size_t>(loop)].parent;
            if (loop == id && nodes[i].kind != StmtKind::Block) own.push_back(nodes[i].line);
        }
    }
    return {map.textLines(rangesOf(std::move(own))), map.textLines(rangesOf(std::move(inside)))};
}

} // namespace loopscope
