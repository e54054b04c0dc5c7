#pragma once
// A plain function of C around a kernel, with the few functions kernels call (codegen/runtime_abi.h) made of C's
// library and OpenMP's, so that nothing of ours is needed at run time. Internal to codegen.

#include <llvm/IR/Module.h>

#include <cstddef>
#include <string>

namespace loopscope {

/// Adds `void function(ptr, ..., ptr)` to a module of emitModule, whose own entry is no longer seen from outside. True
/// when the code starts threads.
bool addStandaloneEntry(llvm::Module &module, const std::string &function, size_t args);

} // namespace loopscope
