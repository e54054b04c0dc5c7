#pragma once
// What of a tuning log is kept in memory: 64 bytes a record, and once what many records share.

#include "language/target/target.h"
#include "measure/trial.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Records of one task: the same key (as text), target, hardware parameters, host, layout option and input names.
struct LogTask {
    std::string key;
    std::string target; // as logged
    std::string host;
    std::optional<HardwareParams> hardware;
    int layoutRewrite = 0;
    std::vector<std::string> inputNames;
    size_t records = 0;
    size_t failures = 0;
    /// Number of the valid record with the least time (LogRow::seconds), the first of equals; SIZE_MAX without any.
    size_t best = SIZE_MAX;
};

/// Failed records of which the log gives the same reason, numbers aside (`# failed: ...` in front of the record).
struct LogReason {
    std::string pattern; // each number in it is a '#'
    size_t records = 0;
    size_t first = SIZE_MAX; // number of the first of them
};

/// One record in columns.
struct LogRow {
    uint64_t offset = 0; // of its line, in bytes of the (uncompressed) text
    uint32_t bytes = 0;  // of its line, without what ends it
    uint32_t line = 0;   // from 1
    uint32_t task = 0;   // index into tasks()
    float spread = 0;    // (greatest - least) / mean of its times; 0 for one time
    double seconds =
        0; // Trial::cost: of one time that time, of several the median of the best three; +inf: failed or untimed
    int64_t timestamp = 0;  // Unix seconds
    uint64_t steps = 0;     // hash of its steps: records of one task with the same steps have the same
    uint32_t structure = 0; // number of its step list without split lengths and pragma values, from 0 in order of
                            // appearance in the document: records of one sketch with the same annotations share it
    uint32_t comments = 0;  // bytes of the comment lines right in front of its line that belong to it
    uint16_t reason = 0;    // index into reasons() + 1; 0: the log gives none
    uint16_t stepCount = 0;
    uint16_t repeats = 0; // how many times it has
    TrialError error = TrialError::None;
    uint8_t taskElements : 4 = 6; // 2 (v0.1) to 6 (v0.6)
    bool unstable : 1 = false;    // by its comment: the samples never agreed
    bool ofNetwork : 1 = false;   // by its comment: timed as a kernel of a network (Trial::weightBytes)

    [[nodiscard]] bool failed() const { return error != TrialError::None; }
    /// Its answer is right; nothing was timed, so that `seconds` is +inf, too.
    [[nodiscard]] bool untimed() const { return !failed() && repeats == 0; }
    /// Whether it is the better of two records of a task that have times: times as in a network go before all others,
    /// with which they do not compare, as for bestRecord.
    [[nodiscard]] bool isBetterThan(const LogRow &other) const {
        return ofNetwork != other.ofNetwork ? ofNetwork : seconds < other.seconds;
    }
};
static_assert(sizeof(LogRow) == 64, "a million records are to stay small");

} // namespace loopscope
