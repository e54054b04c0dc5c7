#pragma once
// How an implementation was chosen for one node, all of it: what there was, what each clause came to, which evidence
// there is, who won, and why every other one lost. It can be printed, written as JSON, and set beside another one.

#include "networks/strategy/accuracy.h"
#include "networks/strategy/clause.h"
#include "networks/strategy/implementation.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// What a tuning log knows of an implementation.
struct Evidence {
    double seconds = 0;
    std::string source;    // "record 0123456789abcdef of a.json"
    bool fallback = false; // nobody measured it: a schedule that stands in where there is none
};

enum class OfferState : uint8_t {
    Valid,    // its condition holds
    Guarded,  // it depends on symbols, and a guard decides at every run
    NotValid, // its condition does not hold, or the target, the accuracy wanted or the pin speaks against it
};

struct JudgedImplementation {
    Implementation implementation;
    OfferState state = OfferState::NotValid;
    std::optional<Evidence> evidence;
    std::string why; // it was not chosen, one sentence without a full stop; of the chosen one empty
};

struct JudgedSpecialisation {
    std::string condition; // "always", "m > 16"
    std::vector<ClauseValue> clauses;
    Truth truth = Truth::True;
    std::vector<JudgedImplementation> candidates;
};

/// Of an ordered list: the first whose guard holds is run. The last has none.
struct GuardedImplementation {
    std::string guard; // over symbols of the network: "n > 16"
    std::string name;
};

struct Decision {
    std::string node;
    std::string op;
    std::string target;
    std::string key;  // under which the strategy was found: "cpu"; empty: the default
    std::string note; // "for cpu, in the place of the default"
    Quantities quantities;
    std::vector<JudgedSpecialisation> specialisations;
    /// More than one only where symbols decide.
    std::vector<GuardedImplementation> dispatch;
    std::string chosen; // the last of `dispatch`, which every run may take
    std::string because;
    bool pinned = false;

    [[nodiscard]] const JudgedImplementation *find(std::string_view name) const; // null; valid ones before others
    /// The choice in a line: "winograd", or "m > 16: large; else: common".
    [[nodiscard]] std::string dispatchText() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

} // namespace loopscope
