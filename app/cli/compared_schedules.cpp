#include "compared_schedules.h"

#include "base/outcome.h"
#include "language/target/target_identity.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace loopscope {

namespace {

std::string kindOfTarget(std::string_view text) { return std::string(text.substr(0, text.find(' '))); }

/// The target of the record meant, as its log spells it, where that is of another kind than `kind`; else empty.
std::string ownTarget(const RecordChoice &choice, const std::string &kind) {
    if (choice.log.empty()) return {};
    const RecordLog log = loadRecordLog(choice.log);
    const auto other = [&](const Record &record) { return kindOfTarget(record.targetText) != kind; };
    if (choice.record != "best") {
        size_t number = 0;
        std::from_chars(choice.record.data(), choice.record.data() + choice.record.size(), number);
        return number < log.records.size() && other(log.records[number]) ? log.records[number].targetText : "";
    }
    if (log.records.empty() || !std::all_of(log.records.begin(), log.records.end(), other)) return {};
    return log.records.front().targetText;
}

LoadedTask onTarget(const LoadedTask &loaded, const std::string &target) {
    return target.empty() ? loaded : LoadedTask{loaded.workload, makeTask(loaded.task.dag, parseTarget(target))};
}

ComparedSchedule sideOf(const RecordChoice &choice, LoadedTask loaded, bool json) {
    if (choice.log.empty()) {
        ChosenSchedule schedule = chooseSchedule(choice, loaded, json);
        return {std::move(loaded), std::move(schedule), std::nullopt};
    }
    ChosenRecord chosen = chooseRecord(choice, loaded);
    return {
        std::move(loaded),
        {fmt::format("record {}", chosen.number), chosen.number, std::move(chosen.state), chosen.record.layoutRewrite},
        std::move(chosen.record)};
}

std::string timedWords(const ComparedSchedule &side) {
    if (!side.record) return "never measured";
    const Trial &trial = side.record->trial;
    if (!trial.valid()) return fmt::format("failed: {}", trialErrorName(trial.error));
    return trial.seconds.empty() ? "checked, not timed" : timeText(trial.cost());
}

} // namespace

std::pair<ComparedSchedule, ComparedSchedule> comparedSchedules(const CompareOptions &options) {
    const LoadedTask loaded = loadTask(options.workload);
    const RecordChoice choiceA = choiceOf(options.a);
    const RecordChoice choiceB = choiceOf(options.b);
    const std::string kind = identityOf(loaded.task.target).kind;
    std::string targetA = ownTarget(choiceA, kind);
    std::string targetB = ownTarget(choiceB, kind);
    if (options.a == "naive") targetA = targetB;
    if (options.b == "naive") targetB = targetA;
    const bool json = options.workload.json;
    std::pair<ComparedSchedule, ComparedSchedule> sides{sideOf(choiceA, onTarget(loaded, targetA), json),
                                                        sideOf(choiceB, onTarget(loaded, targetB), json)};
    auto &[a, b] = sides;
    if (a.record && b.record && choiceA.log != choiceB.log) { // numbers alone would not tell them apart
        a.schedule.name += " of " + choiceA.log;
        b.schedule.name += " of " + choiceB.log;
    }
    // How the weights arrive is no step of the naive schedule.
    if (options.a == "naive") a.schedule.layoutRewrite = b.schedule.layoutRewrite;
    if (options.b == "naive") b.schedule.layoutRewrite = a.schedule.layoutRewrite;
    for (ComparedSchedule *side : {&a, &b})
        side->loaded.task.layoutRewrite = static_cast<LayoutRewrite>(side->schedule.layoutRewrite);
    return sides;
}

bool forDifferentTargets(const ComparedSchedule &a, const ComparedSchedule &b) {
    return !identityOf(a.loaded.task.target).sameAs(identityOf(b.loaded.task.target));
}

std::string loggedText(const ComparedSchedule &side) {
    std::string text = timedWords(side);
    if (!side.record) return text + fmt::format(", for {}", identityOf(side.loaded.task.target).text());
    const HardwareParams *hardware = side.record->hardware ? &*side.record->hardware : nullptr;
    text += fmt::format(", logged for {}", identityOf(side.record->targetText, hardware).text());
    if (!side.record->machine.empty()) text += ", measured on " + side.record->machine;
    return text;
}

nlohmann::ordered_json loggedJson(const ComparedSchedule &side) {
    const bool timed = side.record && side.record->trial.valid() && !side.record->trial.seconds.empty();
    const bool machine = side.record && !side.record->machine.empty();
    using LoggedJson = nlohmann::ordered_json;
    const HardwareParams *hardware = side.record && side.record->hardware ? &*side.record->hardware : nullptr;
    const TargetIdentity identity =
        side.record ? identityOf(side.record->targetText, hardware) : identityOf(side.loaded.task.target);
    return {{"target", identity.text()},
            {"seconds", timed ? LoggedJson(side.record->trial.cost()) : LoggedJson(nullptr)},
            {"machine", machine ? LoggedJson(side.record->machine) : LoggedJson(nullptr)},
            {"timed", timedWords(side)}};
}

} // namespace loopscope
