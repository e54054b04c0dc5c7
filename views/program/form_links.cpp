#include "views/program/form_links.h"

namespace loopscope {

std::vector<int> FormLinks::chosen(const Selected &selected) const {
    return nodesOf(nodes, selected.stage, selected.iterator, selected.node);
}

Highlight FormLinks::highlight(const Selected &selected) const {
    const std::vector<int> here = chosen(selected);
    if (map != nullptr) return highlightInText(nodes, here, *map);
    if (!earlier()) return highlightInProgram(nodes, here);
    if (pass == nullptr) return {};
    std::vector<int> there = nodesOf(*pass, selected.stage, selected.iterator, -1);
    if (selected.node >= 0 && !here.empty()) there = sameNodes(nodes, here.front(), *pass);
    return highlightInProgram(*pass, there);
}

LineRanges FormLinks::programLinesOf(const Selected &selected) const {
    return highlightInProgram(nodes, chosen(selected)).inside;
}

std::optional<NodeChoice> FormLinks::at(int line) const {
    if (earlier()) {
        const int here = pass != nullptr ? nodeAtLine(*pass, line) : -1;
        if (here < 0) return std::nullopt;
        const ProgramNode &there = (*pass)[static_cast<size_t>(here)];
        const std::vector<int> final = sameNodes(*pass, here, nodes);
        const int node = final.size() == 1 ? final.front() : -1;
        if (node < 0 && there.stage.isEmpty()) return std::nullopt;
        return NodeChoice{node, there.stage, there.iterator};
    }
    const int node = nodeAtLine(nodes, map != nullptr ? map->programLine(line) : line);
    if (node < 0) return std::nullopt;
    const ProgramNode &there = nodes[static_cast<size_t>(node)];
    return NodeChoice{node, there.stage, there.iterator};
}

LineRanges FormLinks::programLines(int line) const {
    if (line <= 0) return {};
    if (earlier()) {
        std::vector<int> own;
        if (pass != nullptr && !nodes.empty())
            for (const int node : sameNodes(*pass, nodeAtLine(*pass, line), nodes))
                own.push_back(nodes[static_cast<size_t>(node)].line);
        return rangesOf(std::move(own));
    }
    const int programLine = map != nullptr ? map->programLine(line) : line;
    return programLine > 0 ? LineRanges{{programLine, programLine}} : LineRanges{};
}

LineRanges FormLinks::lines(const LineRanges &programLines) const {
    if (map != nullptr) return map->textLines(programLines);
    if (!earlier()) return programLines;
    std::vector<int> own;
    if (pass != nullptr)
        for (const LineRange &range : programLines)
            for (const int node : sameNodes(nodes, nodeAtLine(nodes, range.first), *pass))
                own.push_back((*pass)[static_cast<size_t>(node)].line);
    return rangesOf(std::move(own));
}

} // namespace loopscope
