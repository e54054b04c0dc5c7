#pragma once
// The machine as the grouping scheduler sees it: three numbers of Mullapudi et al. 2016, and how wide a vector is.

#include "base/outcome.h"
#include "language/target/target.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct MachineParameters {
    /// Parallel tasks a grouping must leave; a threshold, not a number of threads.
    int64_t parallelism = 16;
    /// Bytes at which loads cost most.
    int64_t lastLevelCache = int64_t{16} << 20;
    /// What a loaded byte costs then, in arithmetic operations.
    double balance = 40;
    /// Bytes of cache a core has for itself, for all that is alive in a tile. Compat knows none.
    int64_t coreCache = int64_t{512} << 10;
    /// Of a vector of floats and of one of whole numbers; how many lanes that are depends on the elements.
    int vectorBytes = 32;
    int integerVectorBytes = 32;
};

/// What a target has unless somebody says otherwise: those above with the processor's vectors, as Halide counts them,
/// or of a GPU 128 blocks, 48 KiB, 20, its warps as vectors and shared memory as the cache of a core.
MachineParameters usualMachine(const Target &target);

/// Parameters that have a name: "halide" is the usual machine; "detect" has as many tasks, such caches and such shared
/// memory as the target has, which is this machine unless somebody says otherwise; processors may also be taken for a
/// "small" one or a "server". The balance is Halide's in all of them: nothing says it but a measurement, and what
/// decisions come to in mode fixed was measured with that one.
struct NamedMachine {
    std::string_view name;
    MachineParameters machine;
};
std::vector<NamedMachine> namedMachines(const Target &target);
/// One of those, or as parseMachineParameters reads it; then the core cache is the target's.
Outcome<MachineParameters> machineOn(const Target &target, std::string_view text);

/// "16,16777216,40": parallelism, bytes of the last level cache (k and M may follow), balance. Refused with what is
/// wrong with it.
Outcome<MachineParameters> parseMachineParameters(std::string_view text);
std::string machineParametersText(const MachineParameters &machine);

} // namespace loopscope
