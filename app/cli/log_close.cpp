#include "log_close.h"

#include "choice.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

constexpr size_t kMaxTold = 20;

using CloseJson = nlohmann::ordered_json;

CloseJson recordJson(const LogDocument &log, const CloseRecord &one) {
    const LogRow &row = log.row(one.record);
    return {{"record", one.record},
            {"line", row.line},
            {"seconds", row.seconds},
            {"behind", one.behind},
            {"noise", one.noise}};
}

} // namespace

std::string closeText(const CloseToBest &close) {
    if (close.others == 0) return {};
    if (close.close.empty())
        return fmt::format("the next schedule, record {}, takes {:.1f} % longer; times scatter by {:.1f} %",
                           close.second.record, 100 * close.second.behind, 100 * close.second.noise);
    const size_t count = close.close.size();
    std::string text = fmt::format("{} within noise of it: {}",
                                   count == 1 ? "another schedule is" : fmt::format("{} other schedules are", count),
                                   count == 1 ? "record" : "records");
    for (size_t i = 0; i < std::min(count, kMaxTold); ++i)
        text += fmt::format("{} {}", i > 0 ? "," : "", close.close[i].record);
    if (count > kMaxTold) text += ", ...";
    if (close.guessed) text += fmt::format(" (single times are taken to scatter by {:g} %)", 100 * kMinScatter);
    return text;
}

CloseJson closeJson(const LogDocument &log, const CloseToBest &close) {
    CloseJson records = CloseJson::array();
    for (size_t i = 0; i < std::min(close.close.size(), kMaxTold); ++i)
        records.push_back(recordJson(log, close.close[i]));
    return {{"other_schedules", close.others},
            {"second", close.others > 0 ? recordJson(log, close.second) : CloseJson(nullptr)},
            {"within_noise", close.close.size()},
            {"noise_guessed", close.guessed},
            {"records", std::move(records)}};
}

std::string nearText(const LogDocument &log, const FoundDuplicates &found) {
    std::string text;
    for (const NearDuplicates &group : found.groups) {
        text += fmt::format("near      {}:", group.where.empty() ? "the same loops by other steps" : group.where);
        for (size_t i = 0; i < std::min(group.members.size(), kMaxTold); ++i) {
            const NearDuplicates::Member &member = group.members[i];
            const LogRow &row = log.row(member.record);
            const std::string took = row.untimed() ? "not timed" : timeText(row.seconds);
            const std::string value =
                member.value.empty() ? std::string() : member.value + (row.untimed() ? " was " : " takes ");
            text += fmt::format("{} {}{} (record {})", i > 0 ? "," : "", value, took, member.record);
        }
        if (group.members.size() > kMaxTold) text += ", ...";
        // What was checked on the executor is right, and has no time that could be compared.
        text += !std::isfinite(group.ratio) ? std::string("; not all of them were timed\n")
                                            : fmt::format("; {:.2f}x apart, {} noise ({:.1f} %)\n", group.ratio,
                                                          group.apart() ? "more than" : "within", 100 * group.noise);
    }
    return text;
}

CloseJson nearJson(const LogDocument &log, const FoundDuplicates &found) {
    CloseJson groups = CloseJson::array();
    for (const NearDuplicates &group : found.groups) {
        CloseJson members = CloseJson::array();
        for (const NearDuplicates::Member &member : group.members)
            members.push_back({{"record", member.record},
                               {"line", log.row(member.record).line},
                               {"value", member.value.empty() ? CloseJson(nullptr) : CloseJson(member.value)},
                               {"seconds", log.row(member.record).seconds}});
        groups.push_back({{"differ_in", group.where.empty() ? CloseJson(nullptr) : CloseJson(group.where)},
                          {"ratio", group.ratio},
                          {"noise", group.noise},
                          {"apart", group.apart()},
                          {"records", std::move(members)}});
    }
    return groups;
}

} // namespace loopscope
