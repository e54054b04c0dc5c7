#pragma once
// What the program and the process of a library (see peer_process.h) tell each other. Every request is answered by one
// reply. Operands do not travel in messages: they lie in a file of memory that both have open.

#include "peers/peer.h"

#include <string>
#include <string_view>

namespace loopscope {

enum class PeerOrder : uint8_t { Open, Prepare, Compute, Time };

struct PeerRequest {
    PeerOrder order = PeerOrder::Open;
    // Open:
    PeerKind kind = PeerKind::OpenBlas;
    bool ownChoice = false; // of kernels: nothing is done to help the library choose
    // Prepare:
    PeerProblem problem;
    int threads = 1;
    // Time:
    int64_t calls = 1;
};
std::string encode(const PeerRequest &request);
PeerRequest decodePeerRequest(std::string_view bytes);

struct PeerReply {
    std::string refusal; // empty: it was done
    std::string name;    // Open
    double restSeconds = 0;
    std::string implementation; // Prepare
    double seconds = 0;         // Time: of all calls
};
std::string encode(const PeerReply &reply);
PeerReply decodePeerReply(std::string_view bytes);

/// Where the operands of a problem lie in the file, in bytes; an operand that the problem does not have takes no room.
struct PeerFile {
    explicit PeerFile(const PeerProblem &problem);
    struct Place {
        size_t offset = 0;
        size_t bytes = 0;
    };
    Place data, weights, bias, scale, offset, out;
    size_t bytes = 0; // of the whole file
};

} // namespace loopscope
