#pragma once
// Who watches passes: measures, prints, verifies, compares, stops. An instrument never changes the network. One that
// throws ends the run, which hands back the module as it is then; all that were entered are left again.

#include "graph/module.h"
#include "outcome.h"
#include "passes/pass.h"

#include <optional>
#include <string>

namespace loopscope {

class PassInstrument {
  public:
    PassInstrument() = default;
    PassInstrument(const PassInstrument &) = delete;
    PassInstrument &operator=(const PassInstrument &) = delete;
    virtual ~PassInstrument() = default;
    [[nodiscard]] virtual std::string name() const = 0;

    /// Before the first pass.
    virtual void enter(const Module &) {}
    /// After the last one, also when the run ended early.
    virtual void exit() {}
    /// All are asked, and all have to agree; passes that are required run unasked.
    virtual bool shouldRun(const PassInfo &, const Module &) { return true; }
    virtual void before(const PassInfo &, const Module &) {}

    struct Verdict {
        bool stop = false;                             // run no further pass
        std::optional<Refusal> refusal = std::nullopt; // there is something wrong: the same, and said so
    };
    virtual Verdict after(const PassInfo &, const Module & /*before*/, const Module & /*after*/) { return {}; }

    virtual void beginSequence(const std::string & /*name*/) {}
    virtual void endSequence(const std::string & /*name*/) {}
};

} // namespace loopscope
