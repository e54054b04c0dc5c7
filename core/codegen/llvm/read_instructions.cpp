#include "codegen/llvm/read_instructions.h"

#include <fmt/format.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

namespace loopscope {

namespace {

std::string tripleOf(const Target &target) {
    const auto found = target.attrs.find("mtriple");
    return found != target.attrs.end() ? found->second : "x86_64-unknown-linux-gnu";
}

/// Keeps the instructions and drops everything else an assembler would write.
class InstructionCollector final : public llvm::MCStreamer {
  public:
    InstructionCollector(llvm::MCContext &context, std::vector<llvm::MCInst> &instructions)
        : MCStreamer(context), m_instructions(instructions) {}

    void emitInstruction(const llvm::MCInst &instruction, const llvm::MCSubtargetInfo & /*subtarget*/) override {
        llvm::MCInst &kept = m_instructions.emplace_back(instruction);
        for (llvm::MCOperand &operand : kept)
            if (operand.isExpr()) operand = llvm::MCOperand::createImm(0); // it would die with the context
    }
    bool emitSymbolAttribute(llvm::MCSymbol * /*symbol*/, llvm::MCSymbolAttr /*attribute*/) override { return true; }
    void emitCommonSymbol(llvm::MCSymbol * /*symbol*/, uint64_t /*size*/, llvm::Align /*alignment*/) override {}
    void emitZerofill(llvm::MCSection * /*section*/, llvm::MCSymbol * /*symbol*/, uint64_t /*size*/,
                      llvm::Align /*alignment*/, llvm::SMLoc /*place*/) override {}

  private:
    std::vector<llvm::MCInst> &m_instructions;
};

} // namespace

struct InstructionReader::Parts {
    llvm::Triple triple;
    const llvm::Target *target = nullptr;
    llvm::MCTargetOptions options;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembly;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
    std::unique_ptr<llvm::MCInstPrinter> printer;
};

InstructionReader::InstructionReader(const Target &target) : m_parts(std::make_unique<Parts>()) {
    static const bool ready = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmParser();
        return true;
    }();
    (void)ready;
    Parts &parts = *m_parts;
    const std::string triple = tripleOf(target);
    parts.triple = llvm::Triple(triple);
    std::string why;
    parts.target = llvm::TargetRegistry::lookupTarget(triple, why);
    if (!parts.target || !parts.target->hasMCAsmParser())
        throw Error("LLVM cannot read assembly for `" + triple + "`" + (why.empty() ? "" : ": " + why));
    parts.registers.reset(parts.target->createMCRegInfo(triple));
    parts.assembly.reset(parts.target->createMCAsmInfo(*parts.registers, triple, parts.options));
    parts.instructions.reset(parts.target->createMCInstrInfo());
    parts.subtarget.reset(parts.target->createMCSubtargetInfo(triple, target.cpu, target.features));
    parts.printer.reset(
        parts.target->createMCInstPrinter(parts.triple, 0, *parts.assembly, *parts.instructions, *parts.registers));
}

InstructionReader::~InstructionReader() = default;

MachineDescription InstructionReader::machine() const {
    return {*m_parts->target, *m_parts->instructions, *m_parts->registers, *m_parts->subtarget};
}

std::string InstructionReader::mnemonic(const llvm::MCInst &instruction) const {
    const std::string_view printed = m_parts->printer->getMnemonic(&instruction).first;
    return std::string(printed.substr(0, printed.find_first_of(" \t")));
}

Outcome<std::vector<llvm::MCInst>> InstructionReader::read(std::string_view text) const {
    llvm::SourceMgr source;
    std::string problem;
    source.setDiagHandler(
        [](const llvm::SMDiagnostic &diagnostic, void *first) {
            auto &into = *static_cast<std::string *>(first);
            if (diagnostic.getKind() == llvm::SourceMgr::DK_Error && into.empty())
                into =
                    fmt::format("line {} of the assembly: {}", diagnostic.getLineNo(), diagnostic.getMessage().str());
        },
        &problem);
    source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())),
                              llvm::SMLoc());
    llvm::MCContext context(m_parts->triple, m_parts->assembly.get(), m_parts->registers.get(),
                            m_parts->subtarget.get(), &source, &m_parts->options);
    const std::unique_ptr<llvm::MCObjectFileInfo> sections(
        m_parts->target->createMCObjectFileInfo(context, /*PIC=*/true));
    context.setObjectFileInfo(sections.get());
    std::vector<llvm::MCInst> instructions;
    InstructionCollector collector(context, instructions);
    const std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(source, context, collector, *m_parts->assembly));
    const std::unique_ptr<llvm::MCTargetAsmParser> target(
        m_parts->target->createMCAsmParser(*m_parts->subtarget, *parser, *m_parts->instructions, m_parts->options));
    parser->setTargetParser(*target);
    if (parser->Run(/*NoInitialTextSection=*/false) || !problem.empty())
        return Refusal{problem.empty() ? "the assembly cannot be read" : problem};
    return instructions;
}

} // namespace loopscope
