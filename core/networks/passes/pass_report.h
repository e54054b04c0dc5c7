#pragma once
// What passes did to a network: a row for each that was reached, and for each node that went away, which pass took it,
// what stands for it now, and why.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

/// One node that was removed or rewritten.
struct PassEvent {
    std::string pass;
    std::string node;
    std::string into; // name of the node that stands for it now; empty: none does
    std::string sentence;
};

enum class PassState : uint8_t { Changed, Unchanged, Skipped, Refused };

struct PassRow {
    std::string name;
    size_t depth = 0; // in how many nested sequences it stands
    PassState state = PassState::Unchanged;
    std::string why = {}; // of skipped and refused ones
    double seconds = 0;
    size_t nodesBefore = 0;
    size_t nodesAfter = 0;
    uint64_t bytesBefore = 0; // of constants, as they are kept
    uint64_t bytesAfter = 0;
};

/// What mergeParallel made one of, by the names of nodes at that time.
struct MergedBranches {
    std::vector<std::string> branches;
    std::string node;  // that computes all of them
    std::string split; // behind it
};

struct PassReport {
    std::vector<PassRow> rows;
    std::vector<PassEvent> events; // in order
    std::vector<MergedBranches> merges = {};

    /// A line for each row: name, state, time, nodes and bytes before and after.
    [[nodiscard]] std::string text() const;
};

} // namespace loopscope
