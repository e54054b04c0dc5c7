#include "codegen/assembly_summary.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <elf.h>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace loopscope {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

int numberAt(std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Family of a general register, 1 for the stack pointer, -1 for what is none: al, ax, eax, rax -> 0.
int generalRegister(std::string_view name) {
    if (name.size() > 1 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9') return numberAt(name.substr(1)) + 8;
    static constexpr std::string_view kOld[] = {"a", "sp", "b", "c", "d", "si", "di", "bp"};
    if (name.size() > 2 && (name[0] == 'r' || name[0] == 'e')) name.remove_prefix(1);
    if (name.size() == 3 && name[2] == 'l') name.remove_suffix(1); // sil
    if (name.size() == 2 && (name[1] == 'x' || name[1] == 'l' || name[1] == 'h')) name.remove_suffix(1);
    const auto *found = std::find(std::begin(kOld), std::end(kOld), name);
    return found == std::end(kOld) ? -1 : static_cast<int>(found - std::begin(kOld));
}

struct Registers {
    std::set<int> vectors;
    std::set<int> general;

    void take(std::string_view operands) {
        for (size_t at = operands.find('%'); at != std::string_view::npos; at = operands.find('%', at + 1)) {
            size_t end = at + 1;
            while (end < operands.size() && std::isalnum(static_cast<unsigned char>(operands[end])) != 0) ++end;
            const std::string_view name = operands.substr(at + 1, end - at - 1);
            if (name.size() > 3 && name.substr(1, 2) == "mm") {
                vectors.insert(numberAt(name.substr(3)));
            } else if (const int family = generalRegister(name); family >= 0 && family != 1) {
                general.insert(family);
            }
        }
    }
};

/// Reads or writes memory: x86-64 in AT&T order, the destination last.
struct MemoryUse {
    bool load = false;
    bool store = false;
};

MemoryUse memoryUse(std::string_view opcode, std::string_view operands) {
    if (!has(operands, "(") || opcode.starts_with("lea") || opcode.starts_with("nop") || opcode.starts_with("prefetch"))
        return {};
    // The last comma outside the parentheses of an address parts the destination from the rest.
    size_t comma = std::string_view::npos;
    int depth = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == '(') ++depth;
        if (operands[i] == ')') --depth;
        if (operands[i] == ',' && depth == 0) comma = i;
    }
    const bool one = comma == std::string_view::npos;
    const bool last = one || has(operands.substr(comma), "(");
    const bool compares = opcode.starts_with("cmp") || opcode.starts_with("test") || opcode.starts_with("bt") ||
                          opcode.starts_with("ucomis") || opcode.starts_with("comis") ||
                          opcode.starts_with("vucomis") || opcode.starts_with("vcomis");
    const bool onlyReads =
        one && (opcode.starts_with("push") || opcode.starts_with("call") || opcode.starts_with("jmp") ||
                opcode.starts_with("div") || opcode.starts_with("idiv") || opcode.starts_with("mul"));
    if (!last || compares || onlyReads) return {true, false};
    const bool moves = opcode.starts_with("mov") || opcode.starts_with("vmov") || opcode.starts_with("vextract") ||
                       opcode.starts_with("vpextr") || opcode.starts_with("pextr") || opcode.starts_with("vcvt") ||
                       opcode.starts_with("vpmov") || opcode.starts_with("vmask") || opcode.starts_with("set") ||
                       opcode.starts_with("pop") || opcode.starts_with("vscatter");
    return {!moves, true}; // addq $1, (%rax) does both
}

void count(InstructionCounts &counts, std::string_view opcode, std::string_view operands, std::string_view comment) {
    ++counts.instructions;
    if (opcode.starts_with("vfm") || opcode.starts_with("vfnm")) ++counts.fmas;
    const MemoryUse use = memoryUse(opcode, operands);
    counts.loads += use.load ? 1 : 0;
    counts.stores += use.store ? 1 : 0;
    counts.spillStores += has(comment, " Spill") ? 1 : 0;
    counts.spillReloads += has(comment, " Reload") ? 1 : 0;
}

/// Walks the lines. LLVM says in comments which innermost loop a block begins ("=>This Inner Loop Header: Depth=4") or
/// is in ("in Loop: Header=BB1_5 Depth=4"), and what is a spill ("32-byte Folded Reload").
struct Summary {
    explicit Summary(const LinkedText &assembly) {
        for (const LineLink &link : assembly.links) programLines[link.textLine] = link.programLine;
    }

    void read(std::string_view text) {
        while (!text.empty()) {
            const size_t end = text.find('\n');
            ++line;
            readLine(text.substr(0, end));
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        }
    }

    void readLine(std::string_view whole) {
        const size_t mark = whole.find('#');
        const std::string_view comment = mark == std::string_view::npos ? std::string_view() : whole.substr(mark);
        std::string_view code = whole.substr(0, mark);
        const bool indented = !code.empty() && (code[0] == '\t' || code[0] == ' ');
        while (!code.empty() && (code.back() == ' ' || code.back() == '\t')) code.remove_suffix(1);
        while (!code.empty() && (code.front() == ' ' || code.front() == '\t')) code.remove_prefix(1);
        if (!indented && code.ends_with(':')) {
            if (!code.starts_with(".L")) {
                pushes = 0;
                frameSeen = false;
            }
            block = std::string(code.substr(0, code.size() - 1));
            loop = nullptr;
        } else if (comment.starts_with("# %bb.")) {
            block.clear();
            loop = nullptr;
        }
        noteLoop(comment);
        if (!indented || code.empty() || code[0] == '.') return;
        const size_t gap = code.find_first_of(" \t");
        const std::string_view opcode = code.substr(0, gap);
        const std::string_view operands = gap == std::string_view::npos ? std::string_view() : code.substr(gap + 1);
        count(summary.counts, opcode, operands, comment);
        registers.take(operands);
        noteFrame(opcode, operands);
        if (loop) {
            count(loop->counts, opcode, operands, comment);
            loop->firstLine = loop->firstLine == 0 ? line : loop->firstLine;
            loop->lastLine = line;
            if (const auto found = programLines.find(line); found != programLines.end()) ++sources[loop][found->second];
        }
    }

    void noteLoop(std::string_view comment) {
        if (const size_t inner = comment.find("Inner Loop Header: Depth="); inner != std::string_view::npos) {
            std::string_view name = block;
            if (name.starts_with(".L")) name.remove_prefix(2);
            loop = &loops[std::string(name)];
            loop->depth = numberAt(comment.substr(comment.find('=', inner) + 1));
        } else if (const size_t in = comment.find("in Loop: Header="); in != std::string_view::npos) {
            const std::string_view name = comment.substr(in + std::string_view("in Loop: Header=").size());
            const auto found = loops.find(std::string(name.substr(0, name.find(' '))));
            loop = found == loops.end() ? nullptr : &found->second; // of a loop with others in it
        }
    }

    void noteFrame(std::string_view opcode, std::string_view operands) {
        if (frameSeen) return;
        if (opcode.starts_with("push")) pushes += 8;
        if (opcode.starts_with("sub") && operands.starts_with("$") && operands.ends_with("%rsp")) {
            pushes += numberAt(operands.substr(1));
            frameSeen = true;
        }
        summary.stackBytes = std::max<int64_t>(summary.stackBytes, pushes);
    }

    AssemblySummary finish() {
        for (auto &[name, found] : loops) {
            int most = 0;
            for (const auto &[source, times] : sources[&found])
                if (times > most) {
                    most = times;
                    found.programLine = source;
                }
            if (found.counts.instructions > 0) summary.innermostLoops.push_back(found);
        }
        std::sort(summary.innermostLoops.begin(), summary.innermostLoops.end(),
                  [](const AssemblyLoop &a, const AssemblyLoop &b) { return a.firstLine < b.firstLine; });
        summary.vectorRegistersUsed = static_cast<int>(registers.vectors.size());
        summary.gpRegistersUsed = static_cast<int>(registers.general.size());
        return std::move(summary);
    }

    std::map<int, int> programLines;
    AssemblySummary summary;
    Registers registers;
    std::map<std::string, AssemblyLoop> loops; // by label of the header
    std::map<const AssemblyLoop *, std::map<int, int>> sources;
    AssemblyLoop *loop = nullptr; // of the current block
    std::string block;
    int line = 0;
    int64_t pushes = 0; // bytes of the frame so far
    bool frameSeen = false;
};

/// Bytes of all executable sections.
int64_t codeBytes(const std::vector<char> &object) {
    Elf64_Ehdr header;
    if (object.size() < sizeof header) return 0;
    std::memcpy(&header, object.data(), sizeof header);
    int64_t bytes = 0;
    for (size_t i = 0; i < header.e_shnum; ++i) {
        const size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
        Elf64_Shdr section;
        if (at + sizeof section > object.size()) break;
        std::memcpy(&section, object.data() + at, sizeof section);
        if ((section.sh_flags & SHF_EXECINSTR) != 0) bytes += static_cast<int64_t>(section.sh_size);
    }
    return bytes;
}

} // namespace

AssemblySummary summarizeAssembly(const LinkedText &assembly, const std::vector<char> &object) {
    Summary reader(assembly);
    reader.read(assembly.text);
    AssemblySummary summary = reader.finish();
    summary.bytes = codeBytes(object);
    return summary;
}

} // namespace loopscope
