#pragma once
// Machine code of a GPU as text (SASS), by nvdisasm, or by cuobjdump where only that is there.

#include "base/outcome.h"
#include "codegen/kernel_code.h"
#include "codegen/nvidia/nvidia_tools.h"

#include <string>
#include <string_view>

namespace loopscope {

struct SassText {
    /// Links lead to the lines of the text that the PTX was compiled from (with debug lines); cuobjdump tells of none.
    LinkedText code;
    std::string disassembler; // "nvdisasm 13.5.37"
};

/// `cubin` as AssembledPtx has it. Refused in one sentence where neither tool is found, or it fails.
Outcome<SassText> disassembleCubin(const std::string &cubin, double timeout = 60,
                                   const NvidiaTools &tools = foundNvidiaTools());

/// What `nvdisasm -g -c` prints: its remarks about lines become links, and the tables of the file are left out.
LinkedText readSass(std::string_view printed);

/// Links of `code` that lead to lines of `through`, as links to what those lead to.
LinkedText linkedThrough(LinkedText code, const LinkedText &through);

} // namespace loopscope
