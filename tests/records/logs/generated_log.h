#pragma once
// Large logs for benchmarks: what a search of a network's tasks writes, line by line, always the same for a seed.

#include <cstddef>
#include <cstdint>
#include <string>

namespace loopscope {

class GeneratedLog {
  public:
    explicit GeneratedLog(uint64_t seed) : m_seed(seed) {}
    /// The line of a record, newline included, with comments in front of some. Rounds of 64 records go from task to
    /// task.
    [[nodiscard]] std::string lines(size_t record) const;
    /// Writes that many records to a new file; how many bytes it has.
    uint64_t write(const std::string &path, size_t records) const;

  private:
    uint64_t m_seed;
};

} // namespace loopscope
