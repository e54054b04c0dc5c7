#pragma once
// Kernels that misbehave on demand, for tests of the isolation: generated code cannot be told to crash. A fault travels
// with its candidate to the worker and is committed there, before, inside or after the real kernel. Nothing here runs
// unless MeasureOptions.fault names it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace loopscope {

enum class Fault : uint8_t {
    None,
    Crash,        // writes through a null pointer
    Abort,        // abort()
    Exit,         // exit(0) in the middle
    Hang,         // never returns
    Oom,          // allocates and touches without end
    StackSmash,   // overwrites its frame and everything above
    Nan,          // one element of an output is NaN
    WrongLane,    // one element of an output is a little off
    Overrun,      // writes just past its last output
    Underrun,     // writes just before its first output
    DirtyInput,   // writes into an input
    PrintForever, // prints without end
    Fork,         // starts a process
    Socket,       // opens a socket
    HugeFile,     // writes a file without end
    Exec,         // becomes another program
    BuildCrash,   // the compiler crashes
    BuildHang,    // the compiler never ends
    BuildOom,     // the compiler allocates without end
};

/// "3:crash,5:hang" -> {3: Crash, 5: Hang}: index in one measure() call. Throws Error for a name that does not exist.
std::map<size_t, Fault> parseFaults(std::string_view text);

/// Where a fault may act: the outputs and inputs as the kernel sees them.
struct FaultPlace {
    void *output = nullptr;
    size_t outputBytes = 0; // of the tensor itself
    void *input = nullptr;  // null: the workload has none
    int elementBytes = 4;
};

void commitBuildFault(Fault fault);
void commitFaultBeforeKernel(Fault fault);
void commitFaultAfterKernel(Fault fault, const FaultPlace &place);

} // namespace loopscope
