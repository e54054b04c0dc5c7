#pragma once
// bundle.json: the candidates of a round with all that is needed to build, check and time them elsewhere, and to file
// what comes back. Its id is a checksum of itself, so that neither a changed bundle nor results of another one pass.

#include "language/task/task.h"
#include "measure/trial.h"
#include "records/record/record.h"
#include "schedule/step.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

std::string hashText(uint64_t hash); // 16 hexadecimal digits

struct BundleOptions {
    uint64_t seed = 0;
    int samples = 10;          // of each candidate's time
    int turns = 0;             // > 0: candidates are timed in turn, so often, to be held against each other
    double buildTimeout = 300; // seconds per candidate, as the next
    double runTimeout = 120;
};

struct BundleFile {
    std::string name;
    std::string text;
};

/// A round that is not on any disk yet.
struct NewBundle {
    std::string id;
    std::vector<BundleFile> files; // bundle.json, sources, runner, makefile, README.txt
};
/// `answer`: text of expectedAnswer. Candidates that cannot be lowered stay in it, with the reason.
NewBundle makeBundle(const Task &task, const std::string &answer, const std::vector<Steps> &candidates,
                     const BundleOptions &options);

struct BundleCandidate {
    Steps steps;
    std::string source; // checksum of the source
    TrialError error = TrialError::None;
    std::string reason; // why it is not to be run
};

struct Bundle {
    std::string id;
    Record task; // without a trial: key, target, layout rewrite
    uint64_t seed = 0;
    int turns = 0;
    std::string answer; // text of expectedAnswer
    std::vector<BundleCandidate> candidates;
    [[nodiscard]] bool isOf(const Task &other) const;
};
/// Throws Error for what is no bundle, one of another version, and one that was changed.
Bundle readBundle(const std::string &path);

} // namespace loopscope
