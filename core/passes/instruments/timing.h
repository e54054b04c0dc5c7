#pragma once
// How long each pass took, as a tree of sequences with shares of the whole.

#include "passes/pass_instrument.h"

#include <chrono>
#include <vector>

namespace loopscope {

class TimingInstrument : public PassInstrument {
  public:
    struct Row {
        std::string name;
        size_t depth = 0;
        double seconds = 0; // of a sequence: of everything in it
        bool sequence = false;
    };
    [[nodiscard]] std::string name() const override { return "timing"; }
    void enter(const Module &) override;
    void before(const PassInfo &info, const Module &) override;
    Verdict after(const PassInfo &, const Module &, const Module &) override;
    void beginSequence(const std::string &name) override;
    void endSequence(const std::string &) override;

    [[nodiscard]] const std::vector<Row> &rows() const { return m_rows; }
    /// A line a row: name, milliseconds, percent of the outermost sequence.
    [[nodiscard]] std::string text() const;

  private:
    using Clock = std::chrono::steady_clock;
    void open(const std::string &name, bool sequence);
    void close();
    std::vector<Row> m_rows;
    std::vector<std::pair<size_t, Clock::time_point>> m_open; // row, when it began
};

} // namespace loopscope
