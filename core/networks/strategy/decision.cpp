#include "networks/strategy/decision.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

std::string secondsText(double seconds) { return fmt::format("{:.4g} ms", seconds * 1e3); }

std::string candidateText(const JudgedImplementation &candidate, bool chosen) {
    const Implementation &of = candidate.implementation;
    std::string text = fmt::format("    {} {} (level {}, {}, {}", chosen ? "*" : " ", of.name, of.level,
                                   accuracyName(of.accuracy), scheduleKindName(of.schedule));
    for (const std::string &library : of.needs) text += ", needs " + library;
    text += ")";
    if (candidate.evidence)
        text += fmt::format(", {}{} by {}", candidate.evidence->fallback ? "a stand-in of " : "",
                            secondsText(candidate.evidence->seconds), candidate.evidence->source);
    return text + (candidate.why.empty() ? "\n" : ": " + candidate.why + "\n");
}

} // namespace

const JudgedImplementation *Decision::find(std::string_view name) const {
    const JudgedImplementation *found = nullptr;
    for (const JudgedSpecialisation &one : specialisations)
        for (const JudgedImplementation &candidate : one.candidates)
            if (candidate.implementation.name == name && (found == nullptr || candidate.state < found->state))
                found = &candidate;
    return found;
}

std::string Decision::dispatchText() const {
    if (dispatch.size() < 2) return chosen;
    std::string text;
    for (const GuardedImplementation &one : dispatch)
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.guard.empty() ? "else" : one.guard, one.name);
    return text;
}

std::string Decision::text() const {
    std::string text = fmt::format("{} {}: {}\n  because {}\n", op, node, dispatchText(), because);
    if (!note.empty()) text += fmt::format("  strategy {}\n", note);
    for (const JudgedSpecialisation &one : specialisations) {
        text += fmt::format("  {}{}\n", one.condition,
                            one.clauses.empty() ? "" : fmt::format(" ({})", truthName(one.truth)));
        for (const ClauseValue &clause : one.clauses)
            text += fmt::format("      {}: {} ({})\n", clause.text, truthName(clause.truth), clause.value);
        for (const JudgedImplementation &candidate : one.candidates)
            text += candidateText(candidate, candidate.why.empty() && candidate.state != OfferState::NotValid);
    }
    return text;
}

nlohmann::ordered_json Decision::json() const {
    using Json = nlohmann::ordered_json;
    static constexpr const char *kStates[] = {"valid", "guarded", "not valid"};
    Json all = Json::array();
    for (const JudgedSpecialisation &one : specialisations) {
        Json clauses = Json::array();
        for (const ClauseValue &clause : one.clauses)
            clauses.push_back({{"text", clause.text}, {"value", truthName(clause.truth)}, {"with", clause.value}});
        Json implementations = Json::array();
        for (const JudgedImplementation &candidate : one.candidates) {
            const Implementation &of = candidate.implementation;
            Json evidence = nullptr;
            if (candidate.evidence)
                evidence = {{"seconds", candidate.evidence->seconds},
                            {"source", candidate.evidence->source},
                            {"fallback", candidate.evidence->fallback}};
            implementations.push_back({{"name", of.name},
                                       {"level", of.level},
                                       {"accuracy", accuracyName(of.accuracy)},
                                       {"schedule", scheduleKindName(of.schedule)},
                                       {"tunable", of.tunable},
                                       {"needs", of.needs},
                                       {"state", kStates[static_cast<size_t>(candidate.state)]},
                                       {"evidence", std::move(evidence)},
                                       {"why_not", candidate.why.empty() ? Json(nullptr) : Json(candidate.why)}});
        }
        all.push_back({{"condition", one.condition},
                       {"truth", truthName(one.truth)},
                       {"clauses", std::move(clauses)},
                       {"implementations", std::move(implementations)}});
    }
    Json guards = Json::array();
    for (const GuardedImplementation &one : dispatch)
        guards.push_back({{"guard", one.guard.empty() ? Json(nullptr) : Json(one.guard)}, {"name", one.name}});
    Json values = Json::object();
    for (const auto &[name, value] : quantities) values[name] = value.text();
    return {{"node", node},
            {"operator", op},
            {"target", target},
            {"key", key},
            {"note", note},
            {"quantities", std::move(values)},
            {"specialisations", std::move(all)},
            {"dispatch", std::move(guards)},
            {"chosen", chosen},
            {"because", because},
            {"pinned", pinned}};
}

} // namespace loopscope
