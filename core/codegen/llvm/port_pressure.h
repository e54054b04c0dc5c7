#pragma once
// LLVM's machine code analyser (MCA) on one block: how many cycles an iteration takes when the block runs over and over
// with all data in the first cache, and how busy each port is. Internal to codegen.

#include "codegen/hot_block.h"

#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <vector>

namespace loopscope {

struct MachineDescription {
    const llvm::Target &target;
    const llvm::MCInstrInfo &instructions;
    const llvm::MCRegisterInfo &registers;
    const llvm::MCSubtargetInfo &subtarget;
};

/// Refused for blocks too long to simulate, and where the model lacks one of the instructions.
Outcome<PortPressure> simulateBlock(const MachineDescription &machine, const std::vector<llvm::MCInst> &block);

} // namespace loopscope
