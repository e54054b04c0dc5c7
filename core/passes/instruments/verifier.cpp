#include "passes/instruments/verifier.h"

#include "passes/well_formed.h"

#include <algorithm>

namespace loopscope {

PassInstrument::Verdict VerifierInstrument::after(const PassInfo &, const Module &before, const Module &after) {
    for (const FunctionPtr &function : after.functions) {
        const auto same = std::find(before.functions.begin(), before.functions.end(), function);
        if (same != before.functions.end()) continue;
        if (auto wrong = whatIsWrong(*function)) return {true, Refusal{*std::move(wrong)}};
    }
    return {};
}

} // namespace loopscope
