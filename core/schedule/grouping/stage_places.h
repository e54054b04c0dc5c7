#pragma once
// Where the stages of a grouping are computed, while its steps are written: inlined, in the nest of another stage, or
// in one of their own.

#include "base/ids.h"
#include "schedule/grouping/group.h"

#include <string>
#include <vector>

namespace loopscope {

class StagePlaces {
  public:
    /// `grouping` outlives it.
    explicit StagePlaces(const Grouping &grouping);

    /// Producers before what they are put into.
    [[nodiscard]] std::vector<StageId> inlined() const;
    void attach(size_t stage, size_t home) { m_home[stage] = static_cast<int>(home); }
    /// A stage that reads `stage` and does not stand in the nest of `home`, by name; empty: none, and it may be
    /// computed there. Early inlining puts a stage into most of its readers, the DAG puts it into all or none.
    [[nodiscard]] std::string readerOutside(size_t stage, size_t home) const;

  private:
    [[nodiscard]] bool reads(size_t reader, size_t stage) const;
    [[nodiscard]] std::string outsideOf(size_t stage, size_t home) const;

    const Pipeline &m_pipeline;
    std::vector<bool> m_inlined;
    std::vector<int> m_home; // by stage: the stage in whose nest it stands, or -1
};

std::string noteOfReaderOutside(const std::string &stage, const std::string &reader);

} // namespace loopscope
