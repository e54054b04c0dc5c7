#pragma once
// Compiles a loop program, runs it between guard pages and compares its outputs with the reference interpreter.

#include "codegen/code_generator.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// Empty when the kernel computes what the interpreter computes (within the DAG's tolerance), else what differs and
/// where. Outputs are poisoned before. Every buffer's last byte touches an inaccessible page (`alignFront` false) or
/// its first one does.
std::string checkKernel(const LoopProgram &program, const ComputeDag &dag, CodeGenerator &generator, uint64_t seed,
                        bool alignFront = false);

/// The same for float inputs of which every third is infinite, no number, a zero, very small or very large.
std::string checkKernelAtEdges(const LoopProgram &program, const ComputeDag &dag, CodeGenerator &generator,
                               uint64_t seed);
/// The same for these inputs alone.
std::string checkKernel(const LoopProgram &program, const ComputeDag &dag, CodeGenerator &generator,
                        const std::vector<TensorValue> &inputs, bool alignFront = false);

/// What the kernel writes for random inputs, output by output, to the last bit. Throws Error when it is refused.
std::vector<std::vector<std::byte>> kernelOutputs(const LoopProgram &program, const ComputeDag &dag,
                                                  CodeGenerator &generator, uint64_t seed);

/// Throws Error when there is none.
std::unique_ptr<CodeGenerator> codeGeneratorFor(const Target &target);
/// That of this machine, one per process.
CodeGenerator &hostCompiler();

} // namespace loopscope
