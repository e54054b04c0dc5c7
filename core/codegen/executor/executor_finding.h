#pragma once
// What is wrong with a kernel as the executor saw it happen: a value that names statements, element and threads, from
// which the sentence is printed.

#include "codegen/loop_ir/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

enum class ExecutorFault : uint8_t {
    Race,             // two threads access an element, one writes, and nothing orders them
    RaceOfBlocks,     // the same of two blocks of a kernel
    DivergentBarrier, // not all threads of a block come to a barrier
    OutOfBounds,      // an index outside its dimension
    NeverWritten,     // an element is read that nobody has written
    Overwritten,      // an element is read where another buffer at the same bytes was written since
    PartialWarp,      // a shuffle that not all threads of a warp come to
};
std::string_view executorFaultName(ExecutorFault fault); // "race", "out of bounds", ...

struct ExecutorFinding {
    ExecutorFault fault = ExecutorFault::Race;
    std::string buffer;         // empty where there is none
    std::vector<int64_t> index; // of the element
    /// The element of the first access, where that is of another buffer at the same bytes of shared memory.
    std::string firstBuffer;
    std::vector<int64_t> firstIndex;
    /// Of two accesses the one that came first in the order they were run in.
    struct Place {
        int stmt = -1; // node of the program; -1: not known
        bool writes = false;
        int64_t block = -1;
        int thread = -1;
        bool operator==(const Place &) const = default;
    };
    Place first;
    Place second;       // of a race, or the reading of what was overwritten
    int dimension = -1; // out of bounds
    int64_t value = 0;  // of the index there
    int64_t extent = 0; // of the dimension
    int active = 0;     // threads that came, to a barrier or a shuffle
    int threads = 0;    // of the block, or of the warp
    int64_t times = 1;  // it was seen at these statements
};

/// One sentence with lines of printProgram and the loops around them.
std::string findingText(const LoopProgram &program, const ExecutorFinding &finding);

/// What such a sentence says, for those who have nothing but it: trials and logs keep sentences.
struct ToldFinding {
    struct Place {
        int line = 0;      // of printProgram
        std::string store; // what is stored to there; empty where the statement is no store
        std::vector<std::string> loops;
        bool operator==(const Place &) const = default;
    };
    std::string fault; // as executorFaultName has it; empty: the sentence is of something else
    std::vector<Place> places;
    bool operator==(const ToldFinding &) const = default;
};
ToldFinding toldFinding(std::string_view sentence);

} // namespace loopscope
