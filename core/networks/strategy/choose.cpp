#include "networks/strategy/choose.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

/// "stride_h == 1, and stride_h is 2": what speaks against a condition.
std::string falseClauses(const JudgedSpecialisation &one) {
    std::vector<std::string> texts;
    for (const ClauseValue &clause : one.clauses)
        if (clause.truth == Truth::False) texts.push_back(fmt::format("{} ({})", clause.text, clause.value));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string unknownClauses(const JudgedSpecialisation &one) {
    std::vector<std::string> texts;
    for (const ClauseValue &clause : one.clauses)
        if (clause.truth == Truth::Unknown) texts.push_back(clause.rest);
    return fmt::format("{}", fmt::join(texts, " and "));
}

bool isStatic(const Quantities &quantities) {
    return std::all_of(quantities.begin(), quantities.end(), [](const auto &one) { return one.second.isConstant(); });
}

class Choosing {
  public:
    Choosing(const StrategyTarget &target, const StrategySubject &subject, const ChoiceSettings &settings,
             const EvidenceOf &evidence)
        : m_target(target), m_subject(subject), m_settings(settings),
          m_evidence(isStatic(subject.quantities) ? evidence : nullptr) {}

    Outcome<Decision> of(const StrategyTable::Found &found) {
        m_decision.node = m_subject.node;
        m_decision.op = m_subject.op;
        m_decision.target = m_target.text;
        m_decision.quantities = m_subject.quantities;
        if (found.registered == nullptr) return nothing("nobody registered a strategy for it");
        m_decision.key = found.registered->key;
        m_decision.note = found.note;
        judge(found.registered->strategy);
        if (!m_settings.pin.empty()) return pinned();
        const auto best = bestOf(OfferState::Valid);
        if (!best) return nothing(fmt::format("none of {} is valid: {}", countText(), whatSpeaksAgainst()));
        decide(*best);
        return std::move(m_decision);
    }

  private:
    struct Place {
        size_t specialisation = 0;
        size_t candidate = 0;
        size_t order = 0; // of registration
    };

    [[nodiscard]] JudgedImplementation &at(const Place &place) {
        return m_decision.specialisations[place.specialisation].candidates[place.candidate];
    }
    [[nodiscard]] const Implementation &implementation(const Place &place) { return at(place).implementation; }

    void judge(const Strategy &strategy) {
        for (const Specialisation &from : strategy.specialisations()) {
            JudgedSpecialisation judged = {conditionText(from.condition), {}, Truth::True, {}};
            for (const Clause &clause : from.condition)
                judged.clauses.push_back(evaluateClause(clause, m_subject.quantities));
            judged.truth = truthOfAll(judged.clauses);
            for (size_t i = 0; i < from.implementations.size(); ++i) {
                m_places.push_back({m_decision.specialisations.size(), i, from.order[i]});
                judged.candidates.push_back(judgedCandidate(from.implementations[i], judged));
            }
            m_decision.specialisations.push_back(std::move(judged));
        }
        std::sort(m_places.begin(), m_places.end(), [](const Place &a, const Place &b) { return a.order < b.order; });
    }

    [[nodiscard]] JudgedImplementation judgedCandidate(const Implementation &implementation,
                                                       const JudgedSpecialisation &under) const {
        JudgedImplementation candidate = {implementation, OfferState::NotValid, {}, {}};
        std::vector<std::string> missing;
        for (const std::string &library : implementation.needs)
            if (!m_target.has(library)) missing.push_back(library);
        if (under.truth == Truth::False)
            candidate.why = fmt::format("not offered: it needs {}", falseClauses(under));
        else if (!missing.empty())
            candidate.why = fmt::format("not offered: it needs {}, which -libs of the target does not name",
                                        fmt::join(missing, ", "));
        else if (implementation.accuracy > m_settings.worst)
            candidate.why = fmt::format("not offered: its accuracy class is {}, the worst one allowed is {}",
                                        accuracyName(implementation.accuracy), accuracyName(m_settings.worst));
        else if (under.truth == Truth::Unknown && !m_settings.guards)
            candidate.why =
                fmt::format("not offered: {} is known only at run time, which counts as false", unknownClauses(under));
        else
            candidate.state = under.truth == Truth::Unknown ? OfferState::Guarded : OfferState::Valid;
        if (candidate.state == OfferState::Valid && implementation.tunable && m_evidence)
            candidate.evidence = m_evidence(implementation);
        return candidate;
    }

    [[nodiscard]] bool isMeasured(const JudgedImplementation &candidate) const {
        return m_settings.measured && candidate.evidence && !candidate.evidence->fallback;
    }

    /// Whether a goes before b, which was registered earlier.
    [[nodiscard]] bool better(const JudgedImplementation &a, const JudgedImplementation &b) const {
        if (isMeasured(a) != isMeasured(b)) return isMeasured(a);
        if (isMeasured(a)) return a.evidence->seconds < b.evidence->seconds;
        return a.implementation.level > b.implementation.level;
    }

    std::optional<Place> bestOf(OfferState state) {
        std::optional<Place> best;
        for (const Place &place : m_places)
            if (at(place).state == state && (!best || better(at(place), at(*best)))) best = place;
        return best;
    }

    void decide(const Place &winner) {
        size_t valid = 0;
        size_t measured = 0;
        for (const Place &place : m_places) {
            if (at(place).state != OfferState::Valid) continue;
            ++valid;
            measured += isMeasured(at(place)) ? 1 : 0;
        }
        const JudgedImplementation &best = at(winner);
        if (isMeasured(best))
            m_decision.because = measured == 1
                                     ? fmt::format("{} measured it: {:.4g} ms; times go before levels",
                                                   best.evidence->source, best.evidence->seconds * 1e3)
                                     : fmt::format("{:.4g} ms by {} is the least of {} measured",
                                                   best.evidence->seconds * 1e3, best.evidence->source, measured);
        else if (valid == 1)
            m_decision.because = "it is the only one offered";
        else
            m_decision.because = fmt::format("its level {} is the highest of {} offered{}", best.implementation.level,
                                             valid, m_settings.measured && m_evidence ? ", none of them measured" : "");
        for (const Place &place : m_places)
            if (at(place).state == OfferState::Valid && place.order != winner.order)
                at(place).why = lossTo(at(place), best);
        guard(winner);
        m_decision.chosen = best.implementation.name;
        m_decision.dispatch.push_back({"", m_decision.chosen});
    }

    [[nodiscard]] std::string lossTo(const JudgedImplementation &loser, const JudgedImplementation &best) const {
        if (isMeasured(best)) {
            if (isMeasured(loser))
                return fmt::format("{:.4g} ms is {:.3g} times as long as with {}", loser.evidence->seconds * 1e3,
                                   loser.evidence->seconds / best.evidence->seconds, best.implementation.name);
            if (!loser.implementation.tunable) return "it cannot be tuned, and times go before levels";
            return loser.evidence ? "what is known of it is a stand-in that nobody measured"
                                  : "nobody measured it, and times go before levels";
        }
        if (loser.implementation.level == best.implementation.level)
            return fmt::format("its level {} is that of {}, which was registered before it", loser.implementation.level,
                               best.implementation.name);
        return fmt::format("its level {} is below the {} of {}", loser.implementation.level, best.implementation.level,
                           best.implementation.name);
    }

    /// What would go before the winner if its condition held, the highest level first.
    void guard(const Place &winner) {
        std::vector<Place> guarded;
        for (const Place &place : m_places) {
            if (at(place).state != OfferState::Guarded) continue;
            const int level = implementation(place).level;
            const int least = implementation(winner).level;
            if (level > least || (level == least && place.order < winner.order))
                guarded.push_back(place);
            else
                at(place).why = fmt::format("its level {} is not above the {} of {}, which needs no guard", level,
                                            least, implementation(winner).name);
        }
        std::stable_sort(guarded.begin(), guarded.end(), [this](const Place &a, const Place &b) {
            return implementation(a).level > implementation(b).level;
        });
        for (const Place &place : guarded)
            m_decision.dispatch.push_back(
                {unknownClauses(m_decision.specialisations[place.specialisation]), implementation(place).name});
        if (!guarded.empty())
            m_decision.because += fmt::format("; at every run the first of {} whose guard holds goes before it",
                                              guarded.size() == 1 ? "one" : std::to_string(guarded.size()));
    }

    Outcome<Decision> pinned() {
        const std::string &name = m_settings.pin;
        std::optional<Place> wanted;
        for (const Place &place : m_places)
            if (implementation(place).name == name && (!wanted || at(place).state < at(*wanted).state)) wanted = place;
        const std::string where = fmt::format("{} '{}'", m_subject.op, m_subject.node);
        if (!wanted) {
            std::vector<std::string> names;
            for (const Place &place : m_places)
                if (std::find(names.begin(), names.end(), implementation(place).name) == names.end())
                    names.push_back(implementation(place).name);
            const std::string nearest = nearestName(name, names);
            return Refusal{fmt::format("{} cannot be pinned to {}: for {} there are {}{}", where, name, m_target.text,
                                       fmt::join(names, ", "),
                                       nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest))};
        }
        if (at(*wanted).state == OfferState::NotValid)
            return Refusal{fmt::format("{} cannot be pinned to {}: {}", where, name, at(*wanted).why)};
        if (at(*wanted).state == OfferState::Guarded)
            return Refusal{fmt::format("{} cannot be pinned to {}: whether {} is known only at run time", where, name,
                                       unknownClauses(m_decision.specialisations[wanted->specialisation]))};
        for (const Place &place : m_places)
            if (at(place).state != OfferState::NotValid && place.order != wanted->order)
                at(place).why = fmt::format("{} is pinned", name);
        m_decision.pinned = true;
        m_decision.because = "it is pinned";
        m_decision.chosen = name;
        m_decision.dispatch = {{"", name}};
        return std::move(m_decision);
    }

    [[nodiscard]] std::string countText() const {
        return m_places.size() == 1 ? "one implementation" : fmt::format("{} implementations", m_places.size());
    }
    [[nodiscard]] std::string whatSpeaksAgainst() {
        std::vector<std::string> texts;
        for (const Place &place : m_places)
            texts.push_back(
                fmt::format("{} {}", implementation(place).name,
                            at(place).state == OfferState::Guarded ? "depends on symbols" : "is " + at(place).why));
        return texts.empty() ? "there is none" : fmt::format("{}", fmt::join(texts, "; "));
    }
    [[nodiscard]] Outcome<Decision> nothing(const std::string &why) const {
        return Refusal{fmt::format("there is no implementation of {} for target '{}'{}: {}", m_subject.op,
                                   m_target.text,
                                   m_subject.node.empty() ? "" : fmt::format(" (node '{}')", m_subject.node), why)};
    }

    const StrategyTarget &m_target;
    const StrategySubject &m_subject;
    const ChoiceSettings &m_settings;
    EvidenceOf m_evidence;
    Decision m_decision;
    std::vector<Place> m_places; // in the order of registration
};

} // namespace

Outcome<Decision> chooseImplementation(const StrategyTable &table, const StrategyTarget &target,
                                       const StrategySubject &subject, const ChoiceSettings &settings,
                                       const EvidenceOf &evidence) {
    return Choosing(target, subject, settings, evidence).of(table.find(subject.op, target));
}

} // namespace loopscope
