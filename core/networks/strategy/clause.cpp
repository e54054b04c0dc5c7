#include "networks/strategy/clause.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace loopscope {

namespace {

struct RelationName {
    std::string_view text;
    Relation relation;
};
/// Longer ones first: they begin like shorter ones.
constexpr std::array<RelationName, 6> kRelations = {{{"==", Relation::Equal},
                                                     {"!=", Relation::NotEqual},
                                                     {"<=", Relation::LessEqual},
                                                     {">=", Relation::GreaterEqual},
                                                     {"<", Relation::Less},
                                                     {">", Relation::Greater}}};

std::string_view relationText(Relation relation) {
    for (const RelationName &one : kRelations)
        if (one.relation == relation) return one.text;
    return "";
}

/// "C mod N", or no modulus.
bool readLeft(std::string_view text, Clause &clause) {
    constexpr std::string_view kMod = " mod ";
    const size_t mod = text.find(kMod);
    const auto left = parseDim(text.substr(0, mod));
    if (!left) return false;
    clause.left = *left;
    if (mod == std::string_view::npos) return true;
    const auto divisor = parseDim(text.substr(mod + kMod.size()));
    if (!divisor || !divisor->isConstant() || divisor->value() < 1) return false;
    clause.modulus = divisor->value();
    return true;
}

Truth compared(const Dim &left, Relation relation, const Dim &right) {
    const Dim difference = left - right;
    if (!difference.isConstant()) return Truth::Unknown;
    const int64_t sign = difference.value();
    switch (relation) {
    case Relation::Equal:
        return sign == 0 ? Truth::True : Truth::False;
    case Relation::NotEqual:
        return sign != 0 ? Truth::True : Truth::False;
    case Relation::Less:
        return sign < 0 ? Truth::True : Truth::False;
    case Relation::LessEqual:
        return sign <= 0 ? Truth::True : Truth::False;
    case Relation::Greater:
        return sign > 0 ? Truth::True : Truth::False;
    case Relation::GreaterEqual:
        return sign >= 0 ? Truth::True : Truth::False;
    }
    return Truth::Unknown;
}

} // namespace

std::string_view truthName(Truth truth) {
    return truth == Truth::True ? "true" : truth == Truth::False ? "false" : "unknown";
}

Clause Clause::of(std::string_view text) {
    for (const RelationName &one : kRelations) {
        const size_t at = text.find(one.text);
        if (at == std::string_view::npos) continue;
        Clause clause;
        clause.text = text;
        clause.relation = one.relation;
        const bool read = readLeft(text.substr(0, at), clause);
        const auto right = parseDim(text.substr(at + one.text.size()));
        LOOPSCOPE_CHECK(read && right, clause.text);
        clause.right = *right;
        return clause;
    }
    LOOPSCOPE_CHECK(false, std::string(text));
    return {};
}

ClauseValue evaluateClause(const Clause &clause, const Quantities &quantities) {
    ClauseValue value = {clause.text, {}, Truth::False, {}};
    std::set<std::string> names;
    for (const Dim *part : {&clause.left, &clause.right})
        for (std::string &name : part->symbols()) names.insert(std::move(name));
    if (names.empty()) value.value = "whatever they are"; // the quantities cancel out
    for (const std::string &name : names) {
        const auto at = quantities.find(name);
        value.value += value.value.empty() ? "" : ", ";
        if (at == quantities.end()) {
            value.value += fmt::format("there is no {}", name);
            return value;
        }
        value.value += fmt::format("{} = {}", name, at->second.text());
    }
    const auto left = clause.left.substituted(quantities);
    const auto right = clause.right.substituted(quantities);
    if (!left || !right) return value; // a division by less than one has no result
    const Dim whole = clause.modulus == 0 ? *left : *left - Dim::floorDiv(*left, clause.modulus) * clause.modulus;
    value.truth = compared(whole, clause.relation, *right);
    if (value.truth != Truth::Unknown) return value;
    const std::string text = clause.modulus == 0 ? left->text()
                             : left->terms() > 1 ? fmt::format("({}) mod {}", left->text(), clause.modulus)
                                                 : fmt::format("{} mod {}", left->text(), clause.modulus);
    value.rest = fmt::format("{} {} {}", text, relationText(clause.relation), right->text());
    return value;
}

Truth truthOfAll(const std::vector<ClauseValue> &clauses) {
    Truth truth = Truth::True;
    for (const ClauseValue &clause : clauses) truth = std::min(truth, clause.truth);
    return truth;
}

std::string conditionText(const std::vector<Clause> &clauses) {
    std::string text;
    for (const Clause &clause : clauses) text += (text.empty() ? "" : " and ") + clause.text;
    return text.empty() ? "always" : text;
}

} // namespace loopscope
