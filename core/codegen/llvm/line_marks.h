#pragma once
// LLVM's IR as text, with links from its lines to those of the program. Internal to codegen.

#include "codegen/kernel_code.h"

#include <llvm/IR/Module.h>

namespace loopscope {

LinkedText printLinkedIr(const llvm::Module &module);

} // namespace loopscope
