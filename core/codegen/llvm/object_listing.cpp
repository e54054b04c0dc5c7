#include "codegen/llvm/object_listing.h"

#include "codegen/llvm/elf_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <memory>
#include <set>

namespace loopscope {

namespace {

/// As LLVM calls machines of ELF; empty for those it is not asked about here.
std::string tripleOf(uint16_t machine) {
    switch (machine) {
    case EM_X86_64:
        return "x86_64-unknown-linux-gnu";
    case EM_AARCH64:
        return "aarch64-unknown-linux-gnu";
    default:
        return {};
    }
}

/// What LLVM knows of one processor, as far as reading its instructions asks for it.
struct Reader {
    std::string triple;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> assembly;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
    std::unique_ptr<llvm::MCContext> context;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis;
    std::unique_ptr<llvm::MCInstPrinter> printer;

    static Outcome<Reader> make(const std::string &triple, const Target &target) {
        static const bool ready = [] {
            llvm::InitializeNativeTarget();
            llvm::InitializeNativeTargetDisassembler();
            return true;
        }();
        (void)ready;
        Reader made;
        made.triple = triple;
        const llvm::Triple of(triple);
        std::string why;
        const llvm::Target *known = llvm::TargetRegistry::lookupTarget(made.triple, why);
        if (known == nullptr) return Refusal{fmt::format("LLVM reads no instructions of {}: {}", made.triple, why)};
        made.registers.reset(known->createMCRegInfo(made.triple));
        made.assembly.reset(known->createMCAsmInfo(*made.registers, made.triple, llvm::MCTargetOptions()));
        made.instructions.reset(known->createMCInstrInfo());
        made.subtarget.reset(known->createMCSubtargetInfo(made.triple, target.cpu, target.features));
        made.context =
            std::make_unique<llvm::MCContext>(of, made.assembly.get(), made.registers.get(), made.subtarget.get());
        made.disassembler.reset(known->createMCDisassembler(*made.subtarget, *made.context));
        if (!made.disassembler) return Refusal{"LLVM reads no instructions of " + made.triple};
        made.analysis.reset(known->createMCInstrAnalysis(made.instructions.get()));
        made.printer.reset(known->createMCInstPrinter(of, 0, *made.assembly, *made.instructions, *made.registers));
        made.printer->setPrintImmHex(true);
        return made;
    }
};

struct Place {
    ElfSymbol symbol;
    uint64_t from = 0; // in the contents of its section
};

Outcome<Place> placeOf(const ElfFile &file, const std::string &function) {
    for (ElfSymbol &symbol : file.symbols()) {
        if (symbol.name != function || (symbol.type != STT_FUNC && symbol.defined())) continue;
        if (!symbol.defined())
            return Refusal{fmt::format("{} has no instructions in this file: it is wanted from others", function)};
        const auto from = file.placeIn(symbol);
        if (!from) return Refusal{fmt::format("the file is damaged: {} lies outside of its section", function)};
        if (symbol.size == 0) return Refusal{fmt::format("the file does not say how long {} is", function)};
        return Place{std::move(symbol), *from};
    }
    return Refusal{fmt::format("the file has no function {}", function)};
}

/// By place in the section, what the linker is to put there.
std::map<uint64_t, std::string> filledIn(const ElfFile &file, size_t section) {
    std::map<uint64_t, std::string> names;
    for (const Elf64_Shdr &relocations : file.sections()) {
        if (relocations.sh_type != SHT_RELA || relocations.sh_info != section ||
            relocations.sh_link >= file.sections().size())
            continue;
        const std::vector<ElfSymbol> symbols = file.symbols(file.sections()[relocations.sh_link]);
        const std::span<const char> bytes = file.contents(relocations);
        for (size_t at = 0; at + sizeof(Elf64_Rela) <= bytes.size(); at += sizeof(Elf64_Rela)) {
            Elf64_Rela relocation;
            std::memcpy(&relocation, bytes.data() + at, sizeof relocation);
            const size_t number = ELF64_R_SYM(relocation.r_info);
            if (number >= symbols.size()) continue;
            std::string name = symbols[number].name;
            // Constants belong to a section as a whole.
            if (name.empty() && symbols[number].section < file.sections().size())
                name = file.nameOf(file.sections()[symbols[number].section]);
            names.emplace(relocation.r_offset, std::move(name));
        }
    }
    return names;
}

} // namespace

const ObjectSymbol *ObjectListing::find(std::string_view name) const {
    const auto found = std::ranges::find(symbols, name, &ObjectSymbol::name);
    return found != symbols.end() ? &*found : nullptr;
}

Outcome<ObjectListing> listObject(std::span<const char> bytes) {
    const auto file = ElfFile::read(bytes);
    if (!file) return file.refusal();
    ObjectListing listing;
    for (ElfSymbol &symbol : file->symbols()) {
        // Bodies of parallel loops are functions that nobody else sees.
        const bool seen = symbol.global || symbol.type == STT_FUNC;
        if (!seen || symbol.name.empty() || symbol.type == STT_TLS) continue;
        // A file does not say of all it wants whether that is a function.
        const bool function = symbol.type == STT_FUNC || (!symbol.defined() && symbol.type == STT_NOTYPE);
        listing.symbols.push_back(
            {std::move(symbol.name), symbol.defined() ? symbol.size : 0, function, symbol.defined()});
    }
    listing.needed = file->needed();
    return listing;
}

Outcome<std::string> disassembleFunction(std::span<const char> bytes, const std::string &function,
                                         const Target &target) {
    const auto file = ElfFile::read(bytes);
    if (!file) return file.refusal();
    const auto place = placeOf(*file, function);
    if (!place) return place.refusal();
    const std::string triple = tripleOf(file->machine());
    if (triple.empty()) return Refusal{fmt::format("the file is for another machine (ELF number {})", file->machine())};
    const auto made = Reader::make(triple, target);
    if (!made) return made.refusal();
    const Reader &reader = *made;
    const std::map<uint64_t, std::string> names = filledIn(*file, place->symbol.section);
    const uint64_t begin = place->symbol.value;
    const uint64_t whole = place->symbol.size;

    struct Line {
        uint64_t offset = 0;
        uint64_t size = 0;
        std::string text;
        std::optional<uint64_t> jump; // offset in the function
    };
    std::vector<Line> lines;
    std::set<uint64_t> jumpedTo;
    const std::span<const char> contents = file->contents(file->sections()[place->symbol.section]);
    const llvm::ArrayRef<uint8_t> code(reinterpret_cast<const uint8_t *>(contents.data()) + place->from, whole);
    for (uint64_t at = 0; at < whole;) {
        llvm::MCInst instruction;
        uint64_t size = 0;
        Line line{at, 1, {}, {}};
        const uint64_t address = begin + at;
        if (reader.disassembler->getInstruction(instruction, size, code.slice(at), address, llvm::nulls()) ==
            llvm::MCDisassembler::Success) {
            line.size = std::max<uint64_t>(size, 1);
            llvm::raw_string_ostream printed(line.text);
            reader.printer->printInst(&instruction, address, "", *reader.subtarget, printed);
            printed.flush();
            uint64_t to = 0;
            if (reader.analysis && reader.analysis->evaluateBranch(instruction, address, line.size, to) &&
                to >= begin && to < begin + whole && reader.analysis->isBranch(instruction)) {
                line.jump = to - begin;
                jumpedTo.insert(*line.jump);
            }
        } else {
            line.text = fmt::format("\t.byte\t{:#04x}", code[at]);
        }
        at += line.size;
        lines.push_back(std::move(line));
    }
    std::string text = function + ":\n";
    for (const Line &line : lines) {
        if (jumpedTo.contains(line.offset)) text += fmt::format(".at_{:x}:\n", line.offset);
        text += line.text;
        if (line.jump) text += fmt::format(" # .at_{:x}", *line.jump);
        const uint64_t from = place->from + line.offset;
        for (auto name = names.lower_bound(from); name != names.end() && name->first < from + line.size; ++name)
            text += " # " + name->second;
        text += '\n';
    }
    return text;
}

} // namespace loopscope
