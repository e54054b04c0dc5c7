#include "codegen/nvidia/sass_text.h"

#include "base/isolate/child_process.h"
#include "base/isolate/run_program.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sys/wait.h>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

/// The last line number of `//## File "kernels.cu", line 2 inlined at "kernels.cu", line 7`: where the code was called.
int lineOfRemark(std::string_view remark) {
    constexpr std::string_view kLine = ", line ";
    const size_t at = remark.rfind(kLine);
    if (at == std::string_view::npos) return 0;
    int line = 0;
    const std::string_view digits = remark.substr(at + kLine.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), line);
    return line;
}

std::string_view withoutBlanks(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

std::string complaintOf(const ProgramOutput &run) {
    if (!WIFEXITED(run.status)) return endingText(run.status);
    const size_t end = run.output.find('\n');
    return run.output.empty() ? endingText(run.status) : run.output.substr(0, end);
}

} // namespace

LinkedText readSass(std::string_view printed) {
    LinkedText code;
    int lines = 0;
    int current = 0;
    bool inKernel = false;
    while (!printed.empty()) {
        const size_t end = std::min(printed.find('\n'), printed.size());
        const std::string_view line = printed.substr(0, end);
        printed.remove_prefix(std::min(end + 1, printed.size()));
        const std::string_view body = withoutBlanks(line);
        if (body.starts_with("//---") || body.starts_with(".section")) {
            inKernel = inKernel && !body.starts_with("//---");
            current = 0;
            continue;
        }
        if (body.starts_with("//##")) {
            if (const int said = lineOfRemark(body); said > 0) current = said;
            continue;
        }
        if (body.starts_with(".text.")) {
            inKernel = true;
            current = 0;
            continue;
        }
        if (body.empty() || (!inKernel && body.starts_with(".")) || body.starts_with(".text")) continue;
        const bool label = body.ends_with(":");
        if (!inKernel && !label) continue;
        if (label && !inKernel && lines > 0) {
            code.text += "\n";
            ++lines;
        }
        code.text += label ? std::string(body) : "    " + std::string(body);
        code.text += "\n";
        ++lines;
        if (!label && inKernel && current > 0) code.links.push_back({lines, current});
    }
    return code;
}

LinkedText linkedThrough(LinkedText code, const LinkedText &through) {
    std::map<int, int> target;
    for (const LineLink &link : through.links) target.emplace(link.textLine, link.programLine);
    std::vector<LineLink> links;
    for (const LineLink &link : code.links)
        if (const auto found = target.find(link.programLine); found != target.end())
            links.push_back({link.textLine, found->second});
    code.links = std::move(links);
    return code;
}

Outcome<SassText> disassembleCubin(const std::string &cubin, double timeout, const NvidiaTools &tools) {
    if (tools.nvdisasm.empty() && tools.cuobjdump.empty())
        return Refusal{missingTool("a disassembler (nvdisasm or cuobjdump)")};
    try {
        const WorkFolder folder("sass");
        const std::string file = folder.file("kernels.cubin");
        std::ofstream(file, std::ios::binary) << cubin;
        std::string refused;
        const auto asked = [&](const NvidiaTool &tool, const char *name, std::vector<std::string> words) {
            words.insert(words.begin(), tool.path);
            words.push_back(file);
            SassText text;
            text.disassembler = fmt::format("{} {}", name, versionText(tool.version));
            const Outcome<ProgramOutput> run = runProgram(words, {.timeout = timeout});
            if (run && run->succeeded())
                text.code = words[1] == "-gi" ? readSass(run->output) : LinkedText{run->output, {}};
            else
                refused = text.disassembler + ": " + (run ? complaintOf(*run) : run.why());
            return text;
        };
        // An old architecture needs an old one of them.
        for (const NvidiaTool &tool : tools.nvdisasm)
            if (SassText text = asked(tool, "nvdisasm", {"-gi", "-c"}); !text.code.text.empty()) return text;
        for (const NvidiaTool &tool : tools.cuobjdump)
            if (SassText text = asked(tool, "cuobjdump", {"-sass"}); !text.code.text.empty()) return text;
        return Refusal{"the machine code is not disassembled: " + refused};
    } catch (const Error &problem) {
        return Refusal{problem.what()};
    }
}

} // namespace loopscope
