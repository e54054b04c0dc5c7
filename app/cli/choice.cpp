#include "choice.h"

#include "output.h"

#include "script_file.h"

#include "base/outcome.h"
#include "language/target/detected_gpu.h"
#include "search/scheduler.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

/// A parameter and how the user wrote it.
struct GivenParam {
    std::string before; // "--param ", or "conv.te:"
    std::string param;  // "N=16"
};

/// "conv.te:H=7,W=7" -> path and parameters. A file may have such a name: then it is meant.
std::pair<std::string, std::vector<GivenParam>> splitFile(const std::string &file) {
    const size_t colon = file.rfind(':');
    std::error_code unreadable;
    if (colon == std::string::npos || file.find('=', colon) == std::string::npos ||
        std::filesystem::exists(file, unreadable))
        return {file, {}};
    std::vector<GivenParam> params;
    for (size_t begin = colon + 1; begin <= file.size();) {
        const size_t comma = std::min(file.find(',', begin), file.size());
        params.push_back({file.substr(0, colon + 1), file.substr(begin, comma - begin)});
        begin = comma + 1;
    }
    return {file.substr(0, colon), params};
}

ParamOverrides parseParams(const std::vector<GivenParam> &params) {
    ParamOverrides overrides;
    for (const auto &[before, param] : params) {
        const size_t equals = param.find('=');
        int64_t value = 0;
        const char *begin = param.data() + (equals == std::string::npos ? param.size() : equals + 1);
        const char *end = param.data() + param.size();
        const auto parsed = std::from_chars(begin, end, value);
        if (equals != 0 && parsed.ec == std::errc::result_out_of_range && parsed.ptr == end)
            throw UsageError(fmt::format("{}{}: the number must lie between {} and {}", before, param,
                                         std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
        if (equals == std::string::npos || equals == 0 || begin == end || parsed.ec != std::errc() || parsed.ptr != end)
            throw UsageError(
                fmt::format("{0}{1}: expected NAME=VALUE with a whole number, such as {0}N=16", before, param));
        const std::string name = param.substr(0, equals);
        for (const auto &[earlier, other] : overrides)
            if (earlier == name)
                throw UsageError(fmt::format("{}{} is given twice, as {} and as {}", before, name, other, value));
        overrides.emplace_back(name, value);
    }
    return overrides;
}

} // namespace

LoadedTask loadTask(const WorkloadChoice &choice) {
    auto [path, params] = splitFile(choice.file);
    std::vector<GivenParam> all;
    for (const std::string &param : choice.params) all.push_back({"--param ", param});
    all.insert(all.end(), params.begin(), params.end());
    Workload workload = loadWorkload(path, parseParams(all));
    DagPtr dag;
    try {
        dag = ComputeDag::fromWorkload(workload);
    } catch (const Error &error) {
        if (!error.path().empty()) throw;
        throw Error(path, 0, 0, error.sentence());
    }
    Task task = makeTask(std::move(dag), parseTargetHere(choice.target));
    return {std::move(workload), std::move(task)};
}

ChosenRecord chooseRecord(const RecordChoice &choice, const LoadedTask &loaded) {
    const RecordLog log = loadRecordLog(choice.log);
    for (const auto &line : skippedTexts(log)) sayLine(line);
    size_t number = 0;
    if (choice.record == "best") {
        const auto best = bestRecord(log, loaded.task);
        if (!best) throw Error(best.why());
        number = *best;
    } else {
        const char *end = choice.record.data() + choice.record.size();
        const auto parsed = std::from_chars(choice.record.data(), end, number);
        if (parsed.ec != std::errc() || parsed.ptr != end)
            throw UsageError(
                fmt::format("--record {}: expected 'best' or the number of a record, from 0", choice.record));
        if (number >= log.records.size())
            throw Error(choice.log, 0, 0,
                        log.records.empty() ? "the log has no readable record"
                                            : fmt::format("no record {}: the log has {}, numbered 0 to {}", number,
                                                          log.records.size(), log.records.size() - 1));
        const auto matches = recordMatches(log.records[number], loaded.task);
        if (!matches) throw Error(choice.log, log.records[number].line, 0, matches.why());
    }
    const Record &record = log.records[number];
    if (const auto target = targetMatches(record, loaded.task.target); !target)
        sayLine(fmt::format("loopscope-cli: record {} of {}: {}", number, choice.log, target.why()));
    SilentObserver nobody;
    auto state = makeReplayScheduler(record.trial.steps.unpack())->schedule(loaded.task, nobody, nullptr);
    if (!state)
        throw Error(choice.log, record.line, 0,
                    fmt::format("record {} does not replay on {}: {}", number, loaded.workload.name, state.why()));
    return {number, record, std::move(state).value()};
}

ChosenSchedule chooseSchedule(const RecordChoice &choice, const LoadedTask &loaded, bool json) {
    if (!choice.script.empty())
        return {"script " + choice.script, std::nullopt, stateOfScript(choice.script, loaded.task.dag, json),
                loaded.task.target.isGpu() ? 0 : static_cast<int>(LayoutRewrite::Pretransformed)};
    if (choice.log.empty()) {
        SilentObserver nobody;
        return {"the naive schedule", std::nullopt,
                makeNaiveScheduler()->schedule(loaded.task, nobody, nullptr).value(), 0};
    }
    ChosenRecord chosen = chooseRecord(choice, loaded);
    return {fmt::format("record {}", chosen.number), chosen.number, std::move(chosen.state),
            chosen.record.layoutRewrite};
}

ChosenSchedule requiredSchedule(const RecordChoice &choice, const LoadedTask &loaded, bool json) {
    if (choice.log.empty() && choice.script.empty())
        throw UsageError("which schedule? give --log FILE, with --record if not the best one, or --script FILE");
    return chooseSchedule(choice, loaded, json);
}

RecordChoice choiceOf(const std::string &side) {
    RecordChoice choice;
    if (side == "naive") return choice;
    const size_t colon = side.rfind(':');
    const std::string record = colon == std::string::npos ? "" : side.substr(colon + 1);
    const bool number = !record.empty() && record.find_first_not_of("0123456789") == std::string::npos;
    if (number || record == "best") {
        choice.log = side.substr(0, colon);
        choice.record = record;
    } else {
        choice.script = side;
    }
    return choice;
}

std::vector<std::string> skippedTexts(const RecordLog &log) {
    constexpr size_t shown = 5; // of a file that is no log at all, every line is broken
    std::vector<std::string> texts;
    for (const auto &skipped : log.skipped) {
        if (texts.size() == shown) {
            texts.push_back(fmt::format("{}: {} more lines skipped", log.path, log.skipped.size() - shown));
            break;
        }
        texts.push_back(fmt::format("{}:{}: line skipped: {}", log.path, skipped.line, skipped.reason));
    }
    return texts;
}

std::string countedText(size_t count, const char *one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string percentText(double change) {
    const double percent = 100 * change;
    return std::fabs(percent) < 0.05 ? "0.0 %" : fmt::format("{:+.1f} %", percent);
}

std::optional<double> gigaflops(double flops, double seconds) {
    if (flops <= 0 || !(seconds > 0)) return std::nullopt;
    return flops / seconds * 1e-9;
}

std::string speedText(double flops, double seconds) {
    const auto speed = gigaflops(flops, seconds);
    if (!speed) return {};
    return *speed >= 0.01 ? fmt::format(", {:.2f} GFLOP/s", *speed) : fmt::format(", {:.2g} GFLOP/s", *speed);
}

std::string flopsText(double flops) {
    if (flops < 0) return "floating-point operations that cannot be counted";
    return flops > 0 ? fmt::format("{:.6g} floating-point operations", flops) : "no floating-point operations";
}

std::string timeText(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
    return fmt::format("{:.2f} us", seconds * 1e6);
}

} // namespace loopscope
