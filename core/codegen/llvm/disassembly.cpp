#include "codegen/llvm/disassembly.h"

#include <charconv>

namespace loopscope {

namespace {

template <typename Each> void forEachLine(std::string_view text, const Each &each) {
    while (!text.empty()) {
        const size_t end = text.find('\n');
        each(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

std::string_view trimmed(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

int debugNumberAt(std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void append(LinkedText &code, std::string_view line, int &lines, int programLine) {
    code.text.append(line);
    code.text.push_back('\n');
    ++lines;
    if (programLine > 0) code.links.push_back({lines, programLine});
}

/// Comments that list the loops around and inside a loop, or repeat a function's name: each loop is noted where it
/// begins.
bool structureOnly(std::string_view comment) {
    return comment.find("Parent Loop") != std::string_view::npos ||
           comment.find("Child Loop") != std::string_view::npos || comment.starts_with("# --") ||
           comment.starts_with("# @");
}

std::string_view withoutStructure(std::string_view line) {
    const size_t mark = line.find('#');
    if (mark == std::string_view::npos || !structureOnly(line.substr(mark))) return line;
    const size_t last = line.substr(0, mark).find_last_not_of(" \t");
    return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

} // namespace

LinkedText readAssembly(std::string_view printed) {
    LinkedText code;
    int lines = 0;
    int current = 0;
    bool debugSection = false;
    forEachLine(printed, [&](std::string_view line) {
        const std::string_view body = trimmed(line);
        if (body.starts_with(".section") || body == ".text" || body.starts_with(".text\t"))
            debugSection = body.find(".debug_") != std::string_view::npos;
        if (debugSection) return;
        if (body.starts_with(".loc")) { // .loc FILE LINE COLUMN flags
            const size_t file = body.find_first_of(" \t");
            const size_t number = body.find_first_of(" \t", body.find_first_not_of(" \t", file));
            current = number == std::string_view::npos ? 0 : debugNumberAt(body.substr(number + 1));
            return;
        }
        if (body.starts_with(".file") || body.starts_with(".cfi_") || body.starts_with(".Ltmp") ||
            body.starts_with(".Lfunc_begin") || body.starts_with(".ident"))
            return;
        if (body.starts_with("#") && structureOnly(body)) return;
        if (body.starts_with(".Lfunc_end") || body.starts_with(".type")) current = 0;
        const bool instruction = !body.empty() && body[0] != '.' && body[0] != '#' && line[0] == '\t';
        append(code, withoutStructure(line), lines, instruction ? current : 0);
    });
    return code;
}

LinkedText readIr(std::string_view printed) {
    LinkedText code;
    int lines = 0;
    forEachLine(printed, [&](std::string_view line) {
        const size_t mark = line.rfind(irLineMark);
        const int programLine =
            mark == std::string_view::npos ? 0 : debugNumberAt(line.substr(mark + irLineMark.size()));
        if (mark != std::string_view::npos) {
            line = line.substr(0, mark);
            line = line.substr(0, line.find_last_not_of(" \t") + 1);
        }
        if (line.starts_with("!llvm.dbg") || line.find("= distinct !DI") != std::string_view::npos ||
            (line.starts_with("!") && line.find("= !DI") != std::string_view::npos))
            return;
        std::string shown(line);
        const size_t debug = shown.find(", !dbg !");
        if (debug != std::string::npos) shown.erase(debug, shown.find_first_not_of("0123456789", debug + 8) - debug);
        const size_t subprogram = shown.find(" !dbg !");
        if (subprogram != std::string::npos)
            shown.erase(subprogram, shown.find_first_not_of("0123456789", subprogram + 7) - subprogram);
        append(code, shown, lines, programLine);
    });
    return code;
}

} // namespace loopscope
