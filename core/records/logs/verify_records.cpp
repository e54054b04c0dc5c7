#include "records/logs/verify_records.h"

#include <fmt/format.h>
#include <utility>

namespace loopscope {

bool recordHolds(double recorded, const TimeInterval &time, double tolerance) {
    return time.known() && recorded >= time.low * (1 - tolerance) && recorded <= time.high * (1 + tolerance);
}

std::vector<VerifiedRecord> verifyRecords(std::span<const Record> records, Measurer &measurer,
                                          const VerifyOptions &options, const MeasureWatch &watch,
                                          const std::function<void(size_t done, size_t of)> &onProgress) {
    std::vector<VerifiedRecord> verified;
    std::vector<Steps> candidates;
    for (const Record &record : records) {
        VerifiedRecord one;
        one.line = record.line;
        one.recorded = record.trial.cost();
        one.reason = "it was not measured";
        verified.push_back(std::move(one));
        candidates.push_back(record.trial.steps.unpack());
    }
    // Alone first: that tells why one fails, and its answer is compared with the reference.
    std::vector<Steps> running;
    std::vector<size_t> numbers;
    measurer.measure(
        candidates,
        [&](size_t index, const Trial &trial) {
            if (trial.valid()) {
                running.push_back(candidates[index]);
                numbers.push_back(index);
            } else {
                verified[index].reason = fmt::format("{}: {}", trialErrorName(trial.error), trial.reason);
            }
            if (onProgress) onProgress(index + 1, candidates.size());
        },
        watch);
    if (watch.cancelled()) return {};
    if (running.empty()) return verified;
    const std::vector<TurnSamples> samples = measurer.measureInterleaved(running, options.rounds, watch);
    if (watch.cancelled()) return {};
    for (size_t i = 0; i < numbers.size(); ++i) {
        VerifiedRecord &one = verified[numbers[i]];
        one.time = quartileInterval(samples[i].seconds, samples[i].least);
        one.reason = one.time.known() ? "" : "it ran alone, but not in turn with the others";
        one.holds = recordHolds(one.recorded, one.time, options.tolerance);
    }
    return verified;
}

} // namespace loopscope
