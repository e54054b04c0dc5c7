#include "codegen/llvm/elf_file.h"

#include <algorithm>
#include <cstring>

namespace loopscope {

namespace {

constexpr size_t kMaxEntries = size_t{1} << 22; // of a table; more are not looked at

bool within(uint64_t from, uint64_t size, uint64_t whole) { return from <= whole && size <= whole - from; }

} // namespace

Outcome<ElfFile> ElfFile::read(std::span<const char> bytes) {
    ElfFile file;
    file.m_bytes = bytes;
    Elf64_Ehdr &header = file.m_header;
    if (bytes.size() < sizeof header || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
        return Refusal{"not an ELF file (bad magic)"};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return Refusal{"it is an ELF file of another kind than 64 bits, little endian"};
    if (header.e_shnum == 0) return Refusal{"it has no table of sections"};
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !within(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), bytes.size()))
        return Refusal{"it is damaged: its table of sections reaches beyond its end"};
    file.m_sections.resize(header.e_shnum);
    std::memcpy(file.m_sections.data(), bytes.data() + header.e_shoff, file.m_sections.size() * sizeof(Elf64_Shdr));
    return file;
}

std::span<const char> ElfFile::contents(const Elf64_Shdr &section) const {
    if (section.sh_type == SHT_NOBITS || !within(section.sh_offset, section.sh_size, m_bytes.size())) return {};
    return m_bytes.subspan(section.sh_offset, section.sh_size);
}

std::string ElfFile::textAt(size_t table, uint64_t at) const {
    if (table >= m_sections.size()) return {};
    const std::span<const char> texts = contents(m_sections[table]);
    if (at >= texts.size()) return {};
    const char *const from = texts.data() + at;
    const void *const end = std::memchr(from, 0, texts.size() - at);
    return end == nullptr ? std::string() : std::string(from, static_cast<const char *>(end));
}

std::string ElfFile::nameOf(const Elf64_Shdr &section) const { return textAt(m_header.e_shstrndx, section.sh_name); }

template <typename T> std::vector<T> ElfFile::entries(const Elf64_Shdr &section) const {
    const std::span<const char> bytes = contents(section);
    std::vector<T> all(std::min(bytes.size() / sizeof(T), kMaxEntries));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), all.size() * sizeof(T));
    return all;
}

std::vector<ElfSymbol> ElfFile::symbols(const Elf64_Shdr &table) const {
    std::vector<ElfSymbol> symbols;
    for (const Elf64_Sym &symbol : entries<Elf64_Sym>(table))
        symbols.push_back({textAt(table.sh_link, symbol.st_name), static_cast<uint8_t>(ELF64_ST_TYPE(symbol.st_info)),
                           ELF64_ST_BIND(symbol.st_info) != STB_LOCAL, symbol.st_shndx, symbol.st_value,
                           symbol.st_size});
    return symbols;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
    for (const uint32_t type : {SHT_DYNSYM, SHT_SYMTAB})
        for (const Elf64_Shdr &section : m_sections)
            if (section.sh_type == type) return symbols(section);
    return {};
}

std::vector<std::string> ElfFile::needed() const {
    std::vector<std::string> names;
    for (const Elf64_Shdr &section : m_sections) {
        if (section.sh_type != SHT_DYNAMIC) continue;
        for (const Elf64_Dyn &entry : entries<Elf64_Dyn>(section)) {
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag != DT_NEEDED) continue;
            if (std::string name = textAt(section.sh_link, entry.d_un.d_val); !name.empty())
                names.push_back(std::move(name));
        }
    }
    return names;
}

std::optional<uint64_t> ElfFile::placeIn(const ElfSymbol &symbol) const {
    if (symbol.section >= m_sections.size()) return std::nullopt;
    const Elf64_Shdr &section = m_sections[symbol.section];
    const uint64_t from = m_header.e_type == ET_REL ? symbol.value : symbol.value - section.sh_addr;
    if (!within(from, symbol.size, contents(section).size())) return std::nullopt;
    return from;
}

} // namespace loopscope
