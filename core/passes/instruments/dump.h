#pragma once
// The network as text after passes: after all of them, those that changed it, or one. How a module is printed and where
// the text goes is up to whoever makes it.

#include "passes/pass_instrument.h"

#include <functional>

namespace loopscope {

class DumpInstrument : public PassInstrument {
  public:
    enum class When : uint8_t { Always, OnChange };
    using Print = std::function<std::string(const Module &)>;
    using Take = std::function<void(const std::string &pass, const std::string &text)>;
    /// `onlyPass` empty: of all passes.
    DumpInstrument(When when, std::string onlyPass, Print print, Take take)
        : m_when(when), m_onlyPass(std::move(onlyPass)), m_print(std::move(print)), m_take(std::move(take)) {}

    [[nodiscard]] std::string name() const override { return "dump"; }
    Verdict after(const PassInfo &info, const Module &before, const Module &after) override;

  private:
    When m_when;
    std::string m_onlyPass;
    Print m_print;
    Take m_take;
};

} // namespace loopscope
