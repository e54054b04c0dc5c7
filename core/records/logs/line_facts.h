#pragma once
// What the index of a log keeps of a line that holds a record.

#include "records/logs/log_row.h"
#include "records/record/record.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// The columns of a row that the line itself tells.
struct LineFacts {
    double seconds = 0;
    float spread = 0;
    int64_t timestamp = 0;
    uint64_t steps = 0;
    uint64_t structure = 0; // hash
    uint16_t stepCount = 0;
    uint16_t repeats = 0;
    TrialError error = TrialError::None;
    bool operator==(const LineFacts &) const = default;
};

LineFacts factsOf(const Record &record);

/// The time a record is ranked by and the spread of all of its times; +inf and 0 of none.
class TimesOfRecord {
  public:
    void add(double seconds) {
        m_sum += seconds;
        m_least = m_count == 0 || seconds < m_least ? seconds : m_least;
        m_greatest = seconds > m_greatest ? seconds : m_greatest;
        ++m_count;
        for (double &best : m_best)
            if (seconds < best) std::swap(seconds, best);
    }
    [[nodiscard]] size_t count() const { return m_count; }
    /// As Trial::cost has it: the median of the best three.
    [[nodiscard]] double agreed() const;
    [[nodiscard]] float spread() const;

  private:
    static constexpr double kNone = std::numeric_limits<double>::infinity();
    std::array<double, 3> m_best{kNone, kNone, kNone}; // ascending
    double m_sum = 0;
    double m_least = 0;
    double m_greatest = 0;
    size_t m_count = 0;
};

} // namespace loopscope
