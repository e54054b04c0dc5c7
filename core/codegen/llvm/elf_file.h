#pragma once
// An ELF file of 64 bits, little endian, read with doubt: it may come from anywhere, and every number in it may be
// wrong. (LLVM's reader takes tables at their word and ends the program where they lie.)

#include "base/outcome.h"

#include <cstdint>
#include <elf.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct ElfSymbol {
    std::string name;
    uint8_t type = STT_NOTYPE;
    bool global = false;
    uint16_t section = SHN_UNDEF; // where it is defined
    uint64_t value = 0;           // an address, or in files that are not linked a place in the section
    uint64_t size = 0;
    [[nodiscard]] bool defined() const { return section != SHN_UNDEF; }
};

class ElfFile {
  public:
    /// The bytes must outlive it. Refused where they are no such file, or their tables reach beyond its end.
    static Outcome<ElfFile> read(std::span<const char> bytes);

    [[nodiscard]] uint16_t machine() const { return m_header.e_machine; }
    [[nodiscard]] const std::vector<Elf64_Shdr> &sections() const { return m_sections; }
    /// Empty for sections without contents, and for such as reach beyond the end.
    [[nodiscard]] std::span<const char> contents(const Elf64_Shdr &section) const;
    [[nodiscard]] std::string nameOf(const Elf64_Shdr &section) const;
    /// What others can see; of a file that is not linked, all there is.
    [[nodiscard]] std::vector<ElfSymbol> symbols() const;
    /// Of that table alone.
    [[nodiscard]] std::vector<ElfSymbol> symbols(const Elf64_Shdr &table) const;
    /// Libraries that are opened with it, by name.
    [[nodiscard]] std::vector<std::string> needed() const;
    /// Where the symbol's bytes lie in the contents of its section; nothing where they do not.
    [[nodiscard]] std::optional<uint64_t> placeIn(const ElfSymbol &symbol) const;

  private:
    /// Empty where there is none.
    [[nodiscard]] std::string textAt(size_t table, uint64_t at) const;
    template <typename T> [[nodiscard]] std::vector<T> entries(const Elf64_Shdr &section) const;

    std::span<const char> m_bytes;
    Elf64_Ehdr m_header{};
    std::vector<Elf64_Shdr> m_sections;
};

} // namespace loopscope
