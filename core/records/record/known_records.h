#pragma once
// Which trials a log holds already, so that results that are looked at again are not filed twice.

#include "records/record/record.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace loopscope {

class KnownRecords {
  public:
    KnownRecords() = default;
    /// All of the log; none where there is no such file.
    explicit KnownRecords(const std::string &log);
    /// The same schedule, measured in the same second; one that nothing was run of counts as known at any time.
    [[nodiscard]] std::optional<size_t> numberOf(const Record &record) const {
        return numberOf(recordHash(record), record.trial);
    }
    [[nodiscard]] std::optional<size_t> numberOf(uint64_t hash, const Trial &trial) const;
    void add(const Record &record, size_t number) { add(recordHash(record), record.trial, number); }
    void add(uint64_t hash, const Trial &trial, size_t number);
    [[nodiscard]] size_t size() const { return m_size; }

  private:
    std::map<std::pair<uint64_t, int64_t>, size_t> m_numbers;
    size_t m_size = 0;
};

} // namespace loopscope
