#pragma once
// Whether the network is well-formed, asked after every pass that changed it: the run ends with the first that left it
// otherwise.

#include "passes/pass_instrument.h"

namespace loopscope {

class VerifierInstrument : public PassInstrument {
  public:
    [[nodiscard]] std::string name() const override { return "verifier"; }
    Verdict after(const PassInfo &info, const Module &before, const Module &after) override;
};

} // namespace loopscope
