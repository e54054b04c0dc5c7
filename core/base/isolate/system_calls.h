#pragma once
// What a worker process may ask the system for: the list of what computing needs, and nothing that opens, sends, starts
// or changes anything outside the process. A list of what is allowed, since nobody can list all that is not.

#include <cstdint>
#include <string>

namespace loopscope {

enum class SystemCallList : uint8_t {
    Kernel,   // memory, threads, clocks; any other call ends the process with SIGSYS
    Compiler, // also: reads files, talks over what is open; any other call fails with "not permitted"
};

/// From now on, for all threads. Empty, or why the system refuses the filter, as some containers do.
std::string restrictSystemCalls(SystemCallList list);

/// "socket"; "number 4711" when it has no name here.
std::string systemCallName(int number);

} // namespace loopscope
