#pragma once
// A network ready to run, as a value: kernels in order with what each reads and writes, their machine code, the
// constants and how each kernel wants them laid out. Everything that is decided before the first run stands here; a
// plan that is written to files (plan_file.h) and read again runs with the same bits. It knows the nodes it came from
// by name alone.

#include "codegen/kernel_launch.h"
#include "deploy/plan/host_routine.h"
#include "deploy/plan/index_check.h"
#include "deploy/plan/library_routine.h"
#include "deploy/plan/memory_plan.h"
#include "language/tensor/host_tensor.h"
#include "networks/partition/partition.h"
#include "schedule/step.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct PlanTensor {
    std::string name;
    DType dtype = DType::Float32;
    std::vector<int64_t> dims;
    [[nodiscard]] size_t bytes() const;
};

/// Machine code for one task; any number of calls share it.
struct PlanKernel {
    std::string key;      // of the task
    std::string name;     // of the operators of the first call: "conv_add_relu"
    Steps steps;          // the schedule
    std::string schedule; // where it is from: "record 0123456789abcdef", "default"
    double flops = -1;    // as Ansor counts them; -1: unknown
    BuiltKernel code;     // of a processor
    /// Where another library computes it: `code` has the arguments alone.
    std::optional<LibraryRoutine> routine = std::nullopt;
    /// Where the host computes it as the catalogue says; the same holds.
    std::optional<HostRoutine> host = std::nullopt;
};

struct PlanArgument {
    StorageKind kind = StorageKind::Arena;
    size_t at = 0; // Arena: offset; Input, Output: its number; Constant: number in `packed`
    size_t bytes = 0;
    std::string value; // name in the function
};

/// Integers that a call divides by: none of them may be 0.
struct PlanDivisor {
    size_t argument = 0; // of the call
    PlanTensor tensor;
    std::string node; // that divides: "div 'q'"
};

struct PlanCall {
    static constexpr size_t kNoKernel = std::numeric_limits<size_t>::max();

    std::string name; // of its operators
    KernelAction action = KernelAction::Run;
    size_t kernel = kNoKernel;           // Run
    std::vector<PlanArgument> arguments; // Run: in kernel order; otherwise from, to
    std::vector<PlanTensor> outputs;     // types of what it writes
    std::vector<std::string> nodes;      // names in the function it was built from
    std::vector<std::string> sources;    // of the nodes of the imported file
    std::vector<IndexCheck> checks = {}; // of what it reads by index; none where sizes are open (dispatch/)
    std::vector<PlanDivisor> divisors = {};
};

struct PlanConstant {
    std::string name;
    std::string hash; // of its content
    HostTensor value;
};

/// A constant as some kernel reads it; equal ones are kept once.
struct PackedConstant {
    size_t constant = 0;
    std::vector<PackedDim> packing; // empty: as it is
    size_t bytes = 0;
};

/// A value between kernels, for the picture of the arena; positions count the calls.
struct PlanValue {
    std::string name;
    StorageKind kind = StorageKind::Arena;
    size_t offset = 0;
    size_t bytes = 0;
    size_t first = 0;
    size_t last = 0;
    std::string sharesWith; // the value whose memory it took over, or empty
};

struct ExecutionPlan {
    std::string network;
    std::string target; // as text
    std::vector<PlanTensor> inputs;
    std::vector<PlanTensor> outputs;
    std::vector<PlanKernel> kernels;
    std::vector<PlanCall> calls;
    std::vector<PlanConstant> constants;
    std::vector<PackedConstant> packed;
    std::vector<PlanValue> values;
    size_t arenaBytes = 0;
    size_t livePeak = 0;
    size_t withoutReuse = 0;
};

/// What makes the plan impossible to run, as a sentence: numbers of things there are not, memory outside the arena, an
/// argument of another size. Nothing when it can be.
std::optional<std::string> problemOf(const ExecutionPlan &plan);

/// Joins what was decided. `kernelOf` names for each kernel of the partition its code; of kernels that do not run it is
/// not looked at.
ExecutionPlan makeExecutionPlan(const GraphFunction &function, const Partition &partition, const MemoryPlan &memory,
                                std::vector<PlanKernel> kernels, const std::vector<size_t> &kernelOf);

/// The same with several pieces of code for a kernel, of which one run takes one: a call for each, next to each other.
/// The plan has one input more than the function, an int64 named `size`, which code of one argument more is handed.
ExecutionPlan makeExecutionPlan(const GraphFunction &function, const Partition &partition, const MemoryPlan &memory,
                                std::vector<PlanKernel> kernels, const std::vector<std::vector<size_t>> &kernelsOf,
                                const std::string &size);

} // namespace loopscope
