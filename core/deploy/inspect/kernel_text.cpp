#include "deploy/inspect/kernel_text.h"

#include "base/foreign_text.h"
#include "codegen/code_generator.h"
#include "codegen/kernel_code.h"
#include "codegen/llvm/object_listing.h"
#include "codegen/loop_ir/program.h"
#include "deploy/network/build.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

constexpr std::array<std::pair<KernelForm, std::string_view>, 5> kForms{{{KernelForm::Loops, "loops"},
                                                                         {KernelForm::C, "c"},
                                                                         {KernelForm::LlvmIr, "ir"},
                                                                         {KernelForm::Assembly, "assembly"},
                                                                         {KernelForm::Disassembly, "disassembly"}}};

/// The entry, then what parallel loops run, each a function of its own.
Outcome<std::string> disassembly(const PlanKernel &kernel, const Target &target) {
    const auto listing = listObject(kernel.code.object);
    if (!listing) return listing.refusal();
    std::string text;
    for (const ObjectSymbol &symbol : listing->symbols) {
        if (!symbol.function || !symbol.defined) continue;
        auto one = disassembleFunction(kernel.code.object, symbol.name, target);
        if (!one) return one.refusal();
        text += (text.empty() ? "" : "\n") + *one;
    }
    if (text.empty()) return Refusal{fmt::format("the code of {} has no function", kernel.name)};
    return text;
}

} // namespace

std::string_view kernelFormName(KernelForm form) { return kForms[static_cast<size_t>(form)].second; }

std::optional<KernelForm> kernelFormFromName(std::string_view name) {
    const auto *const found = std::ranges::find(kForms, name, &std::pair<KernelForm, std::string_view>::second);
    return found != kForms.end() ? std::optional(found->first) : std::nullopt;
}

const std::vector<KernelForm> &allKernelForms() {
    static const std::vector<KernelForm> forms{KernelForm::Loops, KernelForm::C, KernelForm::LlvmIr,
                                               KernelForm::Assembly, KernelForm::Disassembly};
    return forms;
}

Outcome<std::string> kernelText(const PlanKernel &kernel, const Task *task, const Target &target, KernelForm form) {
    if (kernel.routine)
        return Refusal{fmt::format("the kernel {} is offloaded to the library {}, of which there is no text",
                                   kernel.name, kernel.routine->library)};
    if (kernel.host)
        return fmt::format("# {} has no loops: the host computes it, as the catalogue says.\n{}",
                           commentText(kernel.name), kernel.host->text);
    if (form == KernelForm::Disassembly) return disassembly(kernel, target);
    if (task == nullptr)
        return Refusal{
            fmt::format("a plan keeps the machine code of {} and not its loops: there is the disassembly, and "
                        "of the network itself the other forms",
                        kernel.name)};
    auto program = loopsOf(kernel, *task);
    if (!program) return program.refusal();
    if (form == KernelForm::Loops) return printProgram(*program);
    program->name = kernel.code.launch.entry;
    if (form == KernelForm::C) return emitC(*program, target).text;
    const auto generator = makeCodeGenerator(target);
    if (!generator) return generator.refusal();
    CodegenOptions options;
    options.wantIr = form == KernelForm::LlvmIr;
    options.wantAssembly = form == KernelForm::Assembly;
    options.debugLines = true; // the texts are made with them
    auto code = (*generator)->compile(*program, options);
    if (!code) return code.refusal();
    return form == KernelForm::LlvmIr ? code->ir.text : code->assembly.text;
}

} // namespace loopscope
