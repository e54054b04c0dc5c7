#include "records/logs/near_duplicates.h"

#include "records/logs/close_records.h"
#include "schedule/bound_inference.h"
#include "schedule/state_key.h"
#include "schedule/stepwise_replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>
#include <variant>

namespace loopscope {

namespace {

/// What two lists of one structure may differ in.
struct NumberPlace {
    size_t step = 0;
    size_t length = 0; // of a split
    auto operator<=>(const NumberPlace &) const = default;
};

/// A group with the number its members differ in; none: they come to the same loops by other steps.
struct MadeGroup {
    NearDuplicates group;
    std::optional<NumberPlace> place;
};

struct ReadSteps {
    uint32_t record = 0;
    uint64_t steps = 0;
    uint32_t structure = 0;
    std::vector<std::string> values; // as many as its structure has places
};

std::pair<std::string_view, std::string_view> nameAndValue(std::string_view pragma) {
    const size_t dollar = std::min(pragma.find('$'), pragma.size());
    return {pragma.substr(0, dollar), pragma.substr(std::min(dollar + 1, pragma.size()))};
}

/// Calls take(place, value) for each number that a structure leaves open, in order.
void eachNumber(const Steps &steps, const std::function<void(const NumberPlace &, std::string)> &take) {
    for (size_t step = 0; step < steps.size(); ++step) {
        if (const auto *split = std::get_if<SplitStep>(&steps[step]))
            for (size_t i = 0; i < split->lengths.size(); ++i) take({step, i}, std::to_string(split->lengths[i]));
        if (const auto *pragma = std::get_if<PragmaStep>(&steps[step]))
            take({step, 0}, std::string(nameAndValue(pragma->text).second));
    }
}

std::string loopName(const LoopState *before, StageId stage, IterId iter) {
    if (before != nullptr) {
        const Stage &of = before->stage(stage);
        return fmt::format("{} of {}", of.iters[iter.index()].name, of.op->name);
    }
    return fmt::format("loop {} of stage {}", iter.value, stage.value);
}

std::string placeText(const Steps &steps, const NumberPlace &place, const DagPtr &dag) {
    std::optional<StepwiseReplay> replay;
    if (dag) {
        replay.emplace(dag, steps.size());
        for (size_t i = 0; i < place.step && replay; ++i)
            if (replay->apply(steps[i])) replay.reset(); // numbers will do
        // The step itself must apply, too: else it may name what is not there.
        StepwiseReplay itself = replay ? *replay : StepwiseReplay(dag);
        if (!replay || itself.apply(steps[place.step])) replay.reset();
    }
    const LoopState *before = replay ? &replay->state() : nullptr;
    if (const auto *split = std::get_if<SplitStep>(&steps[place.step]))
        return fmt::format("length {} of {} of the split of {} (step {})", place.length + 1, split->lengths.size(),
                           loopName(before, split->stage, split->iter), place.step);
    const auto &pragma = std::get<PragmaStep>(steps[place.step]);
    return fmt::format("{} at {} (step {})", nameAndValue(pragma.text).first,
                       loopName(before, pragma.stage, pragma.iter), place.step);
}

uint64_t mixed(uint64_t number) {
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ull;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EBull;
    return number ^ (number >> 31);
}

class DuplicateSearch {
  public:
    DuplicateSearch(const LogDocument &log, const DuplicateOptions &options) : m_log(log), m_options(options) {}

    FoundDuplicates run(std::span<const uint32_t> records) {
        FoundDuplicates found;
        const std::vector<uint32_t> chosen = choose(records, found.of);
        for (const uint32_t record : chosen) {
            if (cancelled()) return {};
            read(record);
        }
        found.looked = chosen.size();
        std::vector<MadeGroup> made;
        byNumber(made);
        byState(made);
        if (cancelled()) return {};
        if (m_options.about != UINT32_MAX)
            std::erase_if(made, [this](const MadeGroup &one) { return !holds(one.group, m_options.about); });
        sort(made);
        found.groupsInAll = made.size();
        found.replayed = m_options.dag != nullptr;
        for (MadeGroup &one : made) {
            found.apart += one.group.apart() ? 1 : 0;
            if (found.groups.size() == m_options.maxGroups) continue;
            if (one.place) one.group.where = placeText(stepsOf(one), *one.place, m_options.dag);
            found.groups.push_back(std::move(one.group));
        }
        return found;
    }

  private:
    [[nodiscard]] bool cancelled() const { return m_options.cancelled != nullptr && *m_options.cancelled; }
    [[nodiscard]] double seconds(uint32_t record) const { return m_log.row(record).seconds; }
    [[nodiscard]] bool faster(uint32_t a, uint32_t b) const {
        return seconds(a) != seconds(b) ? seconds(a) < seconds(b) : a < b;
    }

    static bool holds(const NearDuplicates &group, uint32_t record) {
        return std::any_of(group.members.begin(), group.members.end(),
                           [record](const NearDuplicates::Member &member) { return member.record == record; });
    }

    /// The fastest record of each list of steps; of many the fastest ones.
    std::vector<uint32_t> choose(std::span<const uint32_t> records, size_t &schedules) const {
        std::vector<uint32_t> chosen;
        for (const uint32_t record : records)
            if (!m_log.row(record).failed()) chosen.push_back(record);
        std::sort(chosen.begin(), chosen.end(), [this](uint32_t a, uint32_t b) { return faster(a, b); });
        const uint32_t about = m_options.about;
        std::unordered_set<uint64_t> seen;
        if (about != UINT32_MAX) // it stands for its steps
            std::erase_if(chosen, [&](uint32_t record) {
                return record != about && m_log.row(record).steps == m_log.row(about).steps;
            });
        std::erase_if(chosen, [&](uint32_t record) { return !seen.insert(m_log.row(record).steps).second; });
        schedules = chosen.size();
        if (chosen.size() <= m_options.most) return chosen;
        const bool asked = about != UINT32_MAX && std::find(chosen.begin() + static_cast<ptrdiff_t>(m_options.most),
                                                            chosen.end(), about) != chosen.end();
        chosen.resize(m_options.most);
        if (asked) chosen.push_back(about); // slower than all of them
        return chosen;
    }

    void read(uint32_t record) {
        const LogRow &row = m_log.row(record);
        const Steps steps = m_log.record(record).trial.steps.unpack();
        ReadSteps entry{record, row.steps, row.structure, {}};
        const bool first = !m_places.contains(row.structure);
        std::vector<NumberPlace> &places = m_places[row.structure];
        eachNumber(steps, [&](const NumberPlace &place, std::string value) {
            if (first) places.push_back(place);
            entry.values.push_back(std::move(value));
        });
        if (m_options.dag) rememberState(record, steps);
        m_read.push_back(std::move(entry));
    }

    void rememberState(uint32_t record, const Steps &steps) {
        const auto state = replay(m_options.dag, steps);
        if (!state) return;
        const auto bounded = inferBounds(*state, std::make_shared<ExprArena>());
        if (bounded) m_ofState[stateKey(bounded->state)].push_back(record);
    }

    /// Lists of one structure that agree once a number is left out have the same key for that place.
    void byNumber(std::vector<MadeGroup> &groups) const {
        struct Keyed {
            uint64_t key = 0;
            size_t entry = 0;
            size_t place = 0;
        };
        std::vector<Keyed> keys;
        for (size_t e = 0; e < m_read.size(); ++e) {
            const ReadSteps &entry = m_read[e];
            std::vector<uint64_t> parts;
            uint64_t all = mixed(entry.structure + 1);
            for (size_t i = 0; i < entry.values.size(); ++i) {
                parts.push_back(mixed(std::hash<std::string>()(entry.values[i]) + i * 0x9E3779B97F4A7C15ull));
                all += parts.back();
            }
            for (size_t i = 0; i < parts.size(); ++i) keys.push_back({mixed(all - parts[i]) + i, e, i});
        }
        std::sort(keys.begin(), keys.end(), [](const Keyed &a, const Keyed &b) {
            return a.key != b.key ? a.key < b.key : a.entry < b.entry; // entries stand the fastest first
        });
        for (size_t at = 0; at < keys.size();) {
            size_t end = at + 1;
            while (end < keys.size() && keys[end].key == keys[at].key) ++end;
            NearDuplicates group;
            for (size_t i = at; i < end; ++i)
                if (alikeBut(m_read[keys[at].entry], m_read[keys[i].entry], keys[at].place))
                    group.members.push_back(
                        {m_read[keys[i].entry].record, m_read[keys[i].entry].values[keys[at].place]});
            if (group.members.size() > 1)
                groups.push_back({std::move(group), m_places.at(m_read[keys[at].entry].structure)[keys[at].place]});
            at = end;
        }
    }

    /// Two hashes may be the same by chance.
    static bool alikeBut(const ReadSteps &a, const ReadSteps &b, size_t place) {
        if (a.structure != b.structure || a.values.size() != b.values.size() || place >= a.values.size()) return false;
        for (size_t i = 0; i < a.values.size(); ++i)
            if (i != place && a.values[i] != b.values[i]) return false;
        return true;
    }

    void byState(std::vector<MadeGroup> &groups) const {
        for (const auto &[key, records] : m_ofState) {
            if (records.size() < 2) continue;
            NearDuplicates group;
            for (const uint32_t record : records) group.members.push_back({record, {}}); // the fastest first
            groups.push_back({std::move(group), std::nullopt});
        }
    }

    [[nodiscard]] Steps stepsOf(const MadeGroup &made) const {
        return m_log.record(made.group.members.front().record).trial.steps.unpack();
    }

    void sort(std::vector<MadeGroup> &groups) const {
        for (auto &[group, place] : groups) {
            const LogRow &fastest = m_log.row(group.members.front().record);
            const LogRow &slowest = m_log.row(group.members.back().record);
            group.ratio = fastest.seconds > 0 ? slowest.seconds / fastest.seconds : 1;
            group.noise = std::max(noiseOf(fastest), noiseOf(slowest));
        }
        std::sort(groups.begin(), groups.end(), [this](const MadeGroup &a, const MadeGroup &b) {
            const bool apart = a.group.apart();
            if (apart != b.group.apart()) return apart;
            if (apart && a.group.ratio != b.group.ratio) return a.group.ratio > b.group.ratio;
            const uint32_t firstA = a.group.members.front().record;
            const uint32_t firstB = b.group.members.front().record;
            return firstA != firstB ? faster(firstA, firstB) : a.place < b.place;
        });
    }

    const LogDocument &m_log;
    const DuplicateOptions &m_options;
    std::vector<ReadSteps> m_read;                         // the fastest first
    std::map<uint32_t, std::vector<NumberPlace>> m_places; // of each structure
    std::map<StateKey, std::vector<uint32_t>> m_ofState;
};

} // namespace

FoundDuplicates nearDuplicates(const LogDocument &log, std::span<const uint32_t> records,
                               const DuplicateOptions &options) {
    return DuplicateSearch(log, options).run(records);
}

} // namespace loopscope
