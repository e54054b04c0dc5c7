#pragma once
// What a specialisation asks of shapes and attributes: a comparison of two expressions over named quantities of a node
// ("m > 16", "h mod 8 != 0"). With a node's quantities put in it is true, false, or unknown while symbols of the
// network stand in the way.

#include "networks/graph/dim.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

/// What is known of a node by name: extents, strides, 1 or 0 for what holds or does not.
using Quantities = std::map<std::string, Dim, std::less<>>;

enum class Relation : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
enum class Truth : uint8_t { False, Unknown, True };
std::string_view truthName(Truth truth); // "false", "unknown", "true"

struct Clause {
    std::string text;
    Dim left;
    Relation relation = Relation::Equal;
    Dim right;
    int64_t modulus = 0; // of the left side; 0: none

    /// "A == B", also != < <= > >=; A and B are dims as parseDim reads them, or "A mod N". Anything else is a mistake
    /// of ours and fails a check.
    static Clause of(std::string_view text);
    bool operator==(const Clause &other) const { return text == other.text; }
};

struct ClauseValue {
    std::string text;  // of the clause
    std::string value; // of the quantities in it: "stride_h = 2"
    Truth truth = Truth::Unknown;
    /// What is left of it over symbols of the network, for a guard: "n > 16"; empty where the truth is known.
    std::string rest;
};

/// A quantity that the node does not have makes a clause false, and `value` says which.
ClauseValue evaluateClause(const Clause &clause, const Quantities &quantities);

/// All clauses together: false where one is, then unknown where one is.
Truth truthOfAll(const std::vector<ClauseValue> &clauses);
/// "a and b"; "always" of none.
std::string conditionText(const std::vector<Clause> &clauses);

} // namespace loopscope
