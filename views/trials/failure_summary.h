#pragma once
// Why trials failed, counted: by kind, and by reason with numbers left out, so that "out of 4096 bytes" and "out of
// 8192 bytes" are one cluster. Grows with every trial; nothing is counted twice.

#include "views/session/document.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

struct ReasonCluster {
    TrialError kind = TrialError::Unknown;
    std::string pattern; // first line, digits as '#'
    int count = 0;
    int example = -1; // a trial of it
};

class FailureSummary {
  public:
    void clear();
    void add(const TrialEntry &entry, int trial);

    [[nodiscard]] int failed() const { return m_failed; }
    [[nodiscard]] int count(TrialError kind) const { return m_counts[static_cast<size_t>(kind)]; }
    /// The most frequent first; equally frequent ones in the order they were met.
    [[nodiscard]] std::vector<ReasonCluster> topReasons(size_t most) const;

  private:
    int m_failed = 0;
    std::array<int, static_cast<size_t>(TrialError::Unknown) + 1> m_counts{};
    std::vector<ReasonCluster> m_clusters;
    std::unordered_map<std::string, size_t> m_clusterOf;
};

} // namespace loopscope
