#pragma once
// Assembly text -> LLVM's instructions: what is counted and simulated is exactly what is shown. Internal to codegen.

#include "base/outcome.h"
#include "codegen/llvm/port_pressure.h"
#include "language/target/target.h"

#include <llvm/MC/MCAsmInfo.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

/// LLVM's knowledge of one processor, enough to read and describe its instructions.
class InstructionReader {
  public:
    /// Throws Error when LLVM has no assembler for the target.
    explicit InstructionReader(const Target &target);
    ~InstructionReader();
    InstructionReader(const InstructionReader &) = delete;
    InstructionReader &operator=(const InstructionReader &) = delete;

    /// In their order; labels they name are 0. Refused with the first line that cannot be read.
    [[nodiscard]] Outcome<std::vector<llvm::MCInst>> read(std::string_view text) const;
    [[nodiscard]] MachineDescription machine() const;
    /// "vfmadd231ps"
    [[nodiscard]] std::string mnemonic(const llvm::MCInst &instruction) const;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace loopscope
