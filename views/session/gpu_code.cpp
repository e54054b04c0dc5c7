#include "views/session/gpu_code.h"

#include "codegen/lower/lower.h"
#include "codegen/nvidia/ptx_assembler.h"
#include "codegen/nvidia/sass_text.h"
#include "measure/disassembly.h"
#include "schedule/loop_state.h"
#include "views/session/text.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace loopscope {

namespace {

/// PTX whose links stand in it again, as directives that the assembler understands.
std::string withLines(const LinkedText &ptx) {
    std::map<int, int> lineOf;
    for (const LineLink &link : ptx.links) lineOf.emplace(link.textLine, link.programLine);
    std::string text;
    int number = 0;
    int before = 0;
    for (std::string_view rest = ptx.text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const auto found = lineOf.find(++number);
        if (found != lineOf.end() && found->second != before) {
            before = found->second;
            text += "\t.loc\t1 " + std::to_string(before) + " 0\n";
        }
        if (line == "}") before = 0;
        text.append(line).append("\n");
        if (line.starts_with(".address_size")) text += "\t.file\t1 \"loops\"\n";
    }
    return text;
}

/// Disassemblers leave room for predicates between address and instruction, which a narrow view has not.
std::string withoutGaps(std::string_view sass) {
    std::string text;
    while (!sass.empty()) {
        const size_t end = std::min(sass.find('\n'), sass.size());
        const std::string_view line = sass.substr(0, end);
        sass.remove_prefix(std::min(end + 1, sass.size()));
        const size_t address = line.find("*/");
        const size_t code = address == std::string_view::npos ? address : line.find_first_not_of(' ', address + 2);
        if (code == std::string_view::npos)
            text.append(line);
        else
            text.append(line.substr(0, address + 2)).append("  ").append(line.substr(code));
        text += '\n';
    }
    return text;
}

std::vector<KernelFacts> factsOf(const Task &task, const Steps &steps, int layoutRewrite) {
    const auto state = replay(task.dag, steps);
    if (!state) return {};
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    const auto program = lower(*state, task.target, options);
    return program ? kernelFacts(*program, task.target) : std::vector<KernelFacts>();
}

} // namespace

GpuCodePtr makeGpuCode(const Task &task, const Steps &steps, int layoutRewrite, const Disassembly &disassembly,
                       const std::atomic<bool> &cancel) {
    auto code = std::make_shared<GpuCode>();
    code->kernels = factsOf(task, steps, layoutRewrite);
    const auto named = task.target.attrs.find("arch");
    const auto assembled =
        assemblePtx(withLines(disassembly.assembly), named == task.target.attrs.end() ? "sm_80" : named->second,
                    {.debugLines = true});
    if (!assembled) {
        code->figuresProblem = code->sassProblem = qt(assembled.why());
        return code;
    }
    code->assembler = qt(assembled->assembler);
    addResources(code->kernels, assembled->kernels, task.target);
    if (cancel) return code;
    auto sass = disassembleCubin(assembled->cubin);
    if (!sass) {
        code->sassProblem = qt(sass.why());
        return code;
    }
    code->sass = std::move(sass->code);
    code->sass.text = withoutGaps(code->sass.text);
    return code;
}

} // namespace loopscope
