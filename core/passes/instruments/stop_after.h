#pragma once
// Two ways to run less: nothing after a certain pass, and not those that somebody says no to.

#include "passes/pass_instrument.h"

#include <functional>

namespace loopscope {

class StopAfterInstrument : public PassInstrument {
  public:
    /// After the pass of this name has run so many times.
    explicit StopAfterInstrument(std::string pass, size_t times = 1) : m_pass(std::move(pass)), m_times(times) {}
    [[nodiscard]] std::string name() const override { return "stop-after"; }
    void enter(const Module &) override { m_seen = 0; }
    Verdict after(const PassInfo &info, const Module &, const Module &) override {
        if (info.name == m_pass) ++m_seen;
        return {m_seen >= m_times};
    }

  private:
    std::string m_pass;
    size_t m_times;
    size_t m_seen = 0;
};

class VetoInstrument : public PassInstrument {
  public:
    using Allow = std::function<bool(const PassInfo &, const Module &)>;
    VetoInstrument(std::string name, Allow allow) : m_name(std::move(name)), m_allow(std::move(allow)) {}
    [[nodiscard]] std::string name() const override { return m_name; }
    bool shouldRun(const PassInfo &info, const Module &module) override { return m_allow(info, module); }

  private:
    std::string m_name;
    Allow m_allow;
};

} // namespace loopscope
