#include "records/record/known_records.h"

#include <filesystem>

namespace loopscope {

namespace {

/// What could not be lowered has the time at which somebody noticed.
int64_t timeOf(const Trial &trial) { return trial.error == TrialError::Instantiation ? 0 : trial.timestamp; }

} // namespace

KnownRecords::KnownRecords(const std::string &log) {
    if (log.empty() || !std::filesystem::is_regular_file(log)) return;
    const RecordLog known = loadRecordLog(log);
    for (size_t i = 0; i < known.records.size(); ++i) add(known.records[i], i);
}

std::optional<size_t> KnownRecords::numberOf(uint64_t hash, const Trial &trial) const {
    const auto found = m_numbers.find({hash, timeOf(trial)});
    return found == m_numbers.end() ? std::nullopt : std::optional(found->second);
}

void KnownRecords::add(uint64_t hash, const Trial &trial, size_t number) {
    m_numbers.emplace(std::pair(hash, timeOf(trial)), number);
    ++m_size;
}

} // namespace loopscope
