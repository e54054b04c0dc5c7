#include "views/program/assembly_text.h"

#include "views/session/text.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace loopscope {

namespace {

std::string_view trimmed(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

bool isSymbol(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
}

/// The label that a line sets, maybe with a comment behind it; empty for other lines.
std::string_view labelOf(std::string_view line) {
    size_t end = 0;
    while (end < line.size() && isSymbol(line[end])) ++end;
    return end > 0 && end < line.size() && line[end] == ':' ? line.substr(0, end) : std::string_view();
}

bool isInstruction(std::string_view line, AssemblySyntax syntax) {
    const std::string_view body = trimmed(line);
    if (body.empty() || !labelOf(line).empty() || body.starts_with("//")) return false;
    // A kernel of PTX begins and ends in lines that are no labels.
    if (syntax == AssemblySyntax::Ptx && (body.find(".entry") != std::string_view::npos || line == "}")) return true;
    if (syntax == AssemblySyntax::Ptx) return (body[0] >= 'a' && body[0] <= 'z') || body[0] == '@';
    return body[0] != '.' && body[0] != '#';
}

/// How labels begin that only the code itself names.
std::string_view localPrefix(AssemblySyntax syntax) { return syntax == AssemblySyntax::Ptx ? "$L" : ".L"; }

/// Labels that an instruction names, as a jump's target or as data.
std::unordered_set<std::string_view> namedLabels(const std::vector<std::string_view> &lines, AssemblySyntax syntax) {
    std::unordered_set<std::string_view> named;
    const std::string_view prefix = localPrefix(syntax);
    for (const std::string_view line : lines) {
        if (!isInstruction(line, syntax)) continue;
        for (size_t at = line.find(prefix); at != std::string_view::npos; at = line.find(prefix, at + 2)) {
            size_t end = at;
            while (end < line.size() && isSymbol(line[end])) ++end;
            named.insert(line.substr(at, end - at));
        }
    }
    return named;
}

} // namespace

int AssemblyText::shownLine(int disassemblyLine) const {
    const auto found = std::lower_bound(original.begin(), original.end(), disassemblyLine);
    return found == original.end() ? 0 : static_cast<int>(found - original.begin()) + 1;
}

AssemblyText showAssembly(const Disassembly &disassembly, const AssemblyFilter &filter) {
    return showAssembly(disassembly.assembly, disassembly.summary.innermostLoops, AssemblySyntax::X86, filter);
}

AssemblyText showAssembly(const LinkedText &assembly, const std::vector<AssemblyLoop> &innermost, AssemblySyntax syntax,
                          const AssemblyFilter &filter) {
    std::vector<std::string_view> lines;
    for (std::string_view rest = assembly.text; !rest.empty();) {
        const size_t end = rest.find('\n');
        lines.push_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    std::vector<bool> keep(lines.size(), true);
    if (filter.instructionsOnly) {
        const auto named = namedLabels(lines, syntax);
        for (size_t i = 0; i < lines.size(); ++i) {
            const std::string_view line = lines[i];
            const std::string_view name = labelOf(line);
            const bool local = name.starts_with('.') || name.starts_with(localPrefix(syntax));
            const bool label = !name.empty() && (!local || named.contains(name));
            keep[i] = label || isInstruction(line, syntax);
        }
    }
    const LineMap all(assembly.links);
    if (filter.selectedOnly) {
        bool labelled = false; // what follows a label that is kept belongs to it
        size_t label = lines.size();
        for (size_t i = 0; i < lines.size(); ++i) {
            if (!labelOf(lines[i]).empty()) {
                label = i;
                labelled = keep[i];
                keep[i] = false;
                continue;
            }
            const bool wanted = contains(filter.programLines, all.programLine(static_cast<int>(i) + 1));
            keep[i] = keep[i] && wanted;
            if (keep[i] && labelled && label < i) keep[label] = true;
        }
    }

    AssemblyText shown;
    std::string text;
    std::vector<LineLink> links;
    text.reserve(assembly.text.size());
    for (size_t i = 0; i < lines.size(); ++i) {
        if (!keep[i]) continue;
        text.append(lines[i]);
        text.push_back('\n');
        shown.original.push_back(static_cast<int>(i) + 1);
        if (const int from = all.programLine(static_cast<int>(i) + 1); from > 0)
            links.push_back({static_cast<int>(shown.original.size()), from});
    }
    shown.text = qt(text);
    shown.map = LineMap(links);
    shown.leftOut = static_cast<int>(lines.size() - shown.original.size());
    bool other = false;
    for (const AssemblyLoop &loop : innermost) {
        const int first = shown.shownLine(loop.firstLine);
        int last = shown.shownLine(loop.lastLine + 1);
        last = last == 0 ? static_cast<int>(shown.original.size()) : last - 1;
        if (first == 0 || last < first) continue;
        (other ? shown.otherLoops : shown.loops).push_back({first, last});
        other = !other;
    }
    return shown;
}

} // namespace loopscope
