#pragma once
// What the program and the process of a library (see baseline_process.h) tell each other. Every request is answered by
// one reply. Operands do not travel in messages: they lie in a file of memory that both have open.

#include "measure/baselines/baseline.h"

#include <string>
#include <string_view>

namespace loopscope {

enum class BaselineOrder : uint8_t { Open, Prepare, Compute, Time };

struct BaselineRequest {
    BaselineOrder order = BaselineOrder::Open;
    // Open:
    BaselineKind kind = BaselineKind::OpenBlas;
    bool ownChoice = false; // of kernels: nothing is done to help the library choose
    // Prepare:
    BaselineProblem problem;
    int threads = 1;
    // Time:
    int64_t calls = 1;
};
std::string encode(const BaselineRequest &request);
BaselineRequest decodeBaselineRequest(std::string_view bytes);

struct BaselineReply {
    std::string refusal; // empty: it was done
    std::string name;    // Open
    double restSeconds = 0;
    std::string implementation; // Prepare
    double seconds = 0;         // Time: of all calls
};
std::string encode(const BaselineReply &reply);
BaselineReply decodeBaselineReply(std::string_view bytes);

/// Where the operands of a problem lie in the file, in bytes; an operand that the problem does not have takes no room.
struct BaselineFile {
    explicit BaselineFile(const BaselineProblem &problem);
    struct Place {
        size_t offset = 0;
        size_t bytes = 0;
    };
    Place data, weights, bias, scale, offset, residual, out;
    size_t bytes = 0; // of the whole file
};

} // namespace loopscope
