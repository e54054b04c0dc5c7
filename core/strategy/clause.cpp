#include "strategy/clause.h"

#include "check.h"

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

std::optional<Dim> side(std::string_view text) {
    constexpr std::string_view kMod = " mod ";
    const size_t mod = text.find(kMod);
    if (mod == std::string_view::npos) return parseDim(text);
    const auto whole = parseDim(text.substr(0, mod));
    const auto divisor = parseDim(text.substr(mod + kMod.size()));
    if (!whole || !divisor || !divisor->isConstant() || divisor->value() < 1) return std::nullopt;
    return *whole - *divisor * Dim::floorDiv(*whole, *divisor);
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
        const auto left = side(text.substr(0, at));
        const auto right = side(text.substr(at + one.text.size()));
        LOOPSCOPE_CHECK(left && right, std::string(text));
        return {std::string(text), *left, one.relation, *right};
    }
    LOOPSCOPE_CHECK(false, std::string(text));
    return {};
}

ClauseValue evaluateClause(const Clause &clause, const Quantities &quantities) {
    ClauseValue value = {clause.text, {}, Truth::False, {}};
    std::set<std::string> names;
    for (const Dim *part : {&clause.left, &clause.right})
        for (std::string &name : part->symbols()) names.insert(std::move(name));
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
    value.truth = compared(*left, clause.relation, *right);
    if (value.truth == Truth::Unknown)
        value.rest = fmt::format("{} {} {}", left->text(), relationText(clause.relation), right->text());
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
