#pragma once
// How many nodes of each operator there are before and after each pass, and how many bytes of constants.

#include "passes/pass_instrument.h"

#include <cstdint>
#include <map>
#include <vector>

namespace loopscope {

struct ModuleStatistics {
    size_t nodes = 0;
    uint64_t constantBytes = 0; // as they are kept: a splat counts as one element
    std::map<std::string, size_t> operators;
    bool operator==(const ModuleStatistics &) const = default;
};
ModuleStatistics statisticsOf(const Module &module);

class StatisticsInstrument : public PassInstrument {
  public:
    struct Row {
        std::string pass;
        ModuleStatistics before;
        ModuleStatistics after;
    };
    [[nodiscard]] std::string name() const override { return "statistics"; }
    void enter(const Module &module) override;
    Verdict after(const PassInfo &info, const Module &before, const Module &after) override;

    [[nodiscard]] const std::vector<Row> &rows() const { return m_rows; }
    /// A line for each pass that changed something: nodes, bytes, and operators whose number changed.
    [[nodiscard]] std::string text() const;

  private:
    ModuleStatistics m_now;
    std::vector<Row> m_rows;
};

} // namespace loopscope
