#include "code_facts.h"

#include "codegen/lower/lower.h"
#include "search/explain/schedule_facts.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

using CodeJson = nlohmann::ordered_json;

CodeJson pressureJson(const HotBlock &hot) {
    if (!hot.pressureProblem.empty()) return {{"problem", hot.pressureProblem}};
    const PortPressure &pressure = hot.pressure;
    CodeJson ports = CodeJson::array();
    for (const BusyPort &port : pressure.ports) ports.push_back({{"port", port.name}, {"cycles", port.cycles}});
    return {{"model", pressure.model},
            {"model_note", pressure.modelNote.empty() ? CodeJson(nullptr) : CodeJson(pressure.modelNote)},
            {"cycles", pressure.cycles},
            {"instructions", pressure.instructions},
            {"micro_ops", pressure.microOps},
            {"dispatch_width", pressure.dispatchWidth},
            {"bound", pressure.bound},
            {"left_out", pressure.leftOut},
            {"ports", std::move(ports)}};
}

std::string underscored(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
}

CodeJson hotJson(const CodeFacts &facts) {
    const Disassembly &code = facts.disassembly;
    if (!code.hotProblem.empty()) return {{"problem", code.hotProblem}};
    const HotBlock &hot = code.hot;
    const StmtNode *loop = LoopsAtLine(facts.program).running(hot.programLine);
    CodeJson mix;
    for (const auto &[kind, count] : namedKinds(hot.mix)) mix[underscored(kind)] = count;
    return {{"is_loop", hot.loop},
            {"first_line", hot.firstLine},
            {"last_line", hot.lastLine},
            {"program_line", hot.programLine},
            {"loop", loop != nullptr ? CodeJson(loopName(facts.program, loop)) : CodeJson(nullptr)},
            {"iterations", hot.iterations},
            {"instructions", hot.mix.total()},
            {"mix", std::move(mix)},
            {"memory_reads", hot.memoryReads},
            {"memory_writes", hot.memoryWrites},
            {"spill_stores", hot.spillStores},
            {"spill_reloads", hot.spillReloads},
            {"vector_bits", hot.vectorBits},
            {"throughput", pressureJson(hot)}};
}

std::string hotText(const CodeFacts &facts) {
    const Disassembly &code = facts.disassembly;
    if (!code.hotProblem.empty()) return "No hottest block: " + code.hotProblem + "\n";
    const HotBlock &hot = code.hot;
    const StmtNode *loop = LoopsAtLine(facts.program).running(hot.programLine);
    std::string text =
        fmt::format("Hottest block: {}lines {}-{} of the assembly{}, {}\n", hot.loop ? "" : "a whole function, ",
                    hot.firstLine, hot.lastLine, loop != nullptr ? ", loop " + loopName(facts.program, loop) : "",
                    hot.loop ? fmt::format("{:.6g} iterations", hot.iterations) : "no loop is left");
    text +=
        fmt::format("  {}: {}\n", countedText(static_cast<size_t>(hot.mix.total()), "instruction"), kindsText(hot.mix));
    text += fmt::format("  {}; {} read memory, {} write it; {}\n", vectorsText(hot), hot.memoryReads, hot.memoryWrites,
                        spillsText(hot));
    if (!hot.pressureProblem.empty()) return text + "  no throughput: " + hot.pressureProblem + "\n";
    const PortPressure &pressure = hot.pressure;
    text += fmt::format("  {:.1f} cycles an iteration with all data in L1, {:.2f} instructions a cycle; bound by {}\n",
                        pressure.cycles, pressure.instructions / std::max(pressure.cycles, 1e-9), pressure.bound);
    std::vector<BusyPort> busiest = pressure.ports;
    std::stable_sort(busiest.begin(), busiest.end(),
                     [](const BusyPort &a, const BusyPort &b) { return a.cycles > b.cycles; });
    busiest.resize(std::min<size_t>(busiest.size(), 5));
    std::string ports;
    for (const BusyPort &port : busiest) ports += (ports.empty() ? "" : ", ") + portText(port, pressure);
    text += fmt::format("  busiest ports by the model of {}: {}\n", pressure.model, ports);
    if (!pressure.modelNote.empty()) text += "  " + pressure.modelNote + "\n";
    if (pressure.leftOut > 0)
        text += fmt::format("  {} left out\n", countedText(static_cast<size_t>(pressure.leftOut), "call"));
    return text;
}

} // namespace

Outcome<CodeFacts> codeFactsOf(const LoadedTask &loaded, const ChosenSchedule &schedule) {
    if (loaded.task.target.isGpu())
        return Refusal{
            "kernels for cuda are compiled to PTX, no code of a machine yet; 'show --as limits' and 'show --as sass' "
            "tell what NVIDIA's assembler makes of it"};
    auto disassembly = disassembleSchedule(loaded.task, schedule.state.steps(), schedule.layoutRewrite);
    if (!disassembly) return disassembly.refusal();
    auto program = lower(schedule.state, loaded.task.target, {.layoutRewrite = schedule.layoutRewrite, .observer = {}});
    if (!program) return program.refusal();
    return CodeFacts{std::move(program).value(), std::move(disassembly).value()};
}

nlohmann::ordered_json codeJson(const Outcome<CodeFacts> &facts) {
    if (!facts) return {{"problem", facts.why()}};
    const AssemblySummary &all = facts->disassembly.summary;
    return {{"bytes", all.bytes},
            {"instructions", all.counts.instructions},
            {"spill_stores", all.counts.spillStores},
            {"spill_reloads", all.counts.spillReloads},
            {"vector_registers", all.vectorRegistersUsed},
            {"gp_registers", all.gpRegistersUsed},
            {"stack_bytes", all.stackBytes},
            {"hot_block", hotJson(*facts)}};
}

std::string codeText(const Outcome<CodeFacts> &facts) {
    if (!facts) return "No machine code: " + facts.why() + "\n";
    const AssemblySummary &all = facts->disassembly.summary;
    return hotText(*facts) + fmt::format("All of the code: {} bytes, {} vector registers, {} spills, {} reloads\n",
                                         all.bytes, all.vectorRegistersUsed, all.counts.spillStores,
                                         all.counts.spillReloads);
}

nlohmann::ordered_json remarksJson(const CodeFacts &facts) {
    const LoopsAtLine loops(facts.program);
    CodeJson json = CodeJson::array();
    for (const CompilerRemark &remark : facts.disassembly.remarks) {
        const auto &around = loops.around(remark.programLine);
        json.push_back({{"pass", remark.pass},
                        {"kind", remarkKindName(remark.kind)},
                        {"name", remark.name},
                        {"text", remark.text},
                        {"loop", around.empty() ? CodeJson(nullptr) : CodeJson(loopName(facts.program, around.back()))},
                        {"program_line", remark.programLine},
                        {"times", remark.times},
                        {"of_copy", remark.ofCopy}});
    }
    return json;
}

std::string remarksText(const CodeFacts &facts, size_t most) {
    const LoopsAtLine loops(facts.program);
    std::string text;
    const auto &remarks = facts.disassembly.remarks;
    bool copies = false;
    for (size_t i = 0; i < std::min(most, remarks.size()); ++i) {
        const auto &around = loops.around(remarks[i].programLine);
        copies = copies || remarks[i].ofCopy;
        text += fmt::format("  {:<14} {}{}: {}{}\n", around.empty() ? "" : loopName(facts.program, around.back()),
                            remarks[i].pass, remarks[i].ofCopy ? "*" : "", remarks[i].text,
                            remarks[i].times > 1 ? fmt::format(" ({} times)", remarks[i].times) : "");
    }
    if (remarks.size() > most) text += fmt::format("  and {} more\n", remarks.size() - most);
    if (copies) text += "  * asked of a copy: kernels do not run through this pass\n";
    return text;
}

} // namespace loopscope
