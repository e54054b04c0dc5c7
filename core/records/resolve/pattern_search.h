#pragma once
// Looks for the operators whose text has a given hash: every pattern that could have the key's shapes, followed by
// every short chain of fused operators, cheap ones first. Only text is hashed here; what is found is built and compared
// with the key by whoever asked (resolver.h).

#include "records/resolve/oldest_text.h"
#include "records/resolve/task_key.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

/// One way to compute what was found.
struct PatternTask {
    std::string name;
    std::string operators;
    std::string origin;
    std::string te;
};

struct PatternSearchResult {
    std::vector<PatternTask> found; // all of one text, the likeliest first; empty when there is none
    size_t tried = 0;               // texts hashed
    size_t heads = 0;               // patterns that the shapes allow, with their attributes
    bool cancelled = false;
};

PatternSearchResult searchPatterns(const TaskKey &key, size_t maxCandidates, const std::atomic<bool> *cancelled);
/// The first of the keys that has its hash in one of the oldest forms; so many candidates each. Only operators that
/// bring inputs of their own are looked for, in float32.
PatternSearchResult searchOldest(const std::vector<TaskKey> &keys, HashForm form, size_t maxCandidates,
                                 const std::atomic<bool> *cancelled);

} // namespace loopscope
