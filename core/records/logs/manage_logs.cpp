#include "records/logs/manage_logs.h"

#include "base/fnv_hash.h"
#include "language/target/target_identity.h"
#include "records/logs/new_log.h"
#include "records/record/workload_key.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

NewLogSummary finished(NewLog &log) {
    log.finish();
    return {log.path(), log.records(), log.bytes()};
}

/// What tells the tasks of Ansor's distilling apart: the target's text and the flattened key.
std::vector<uint32_t> distilGroups(const LogDocument &log) {
    std::map<std::pair<std::string, FlatKey>, uint32_t> groups;
    std::vector<uint32_t> groupOf;
    for (const LogTask &task : log.tasks())
        groupOf.push_back(
            groups.try_emplace({task.target, flatKeyOf(task.key)}, static_cast<uint32_t>(groups.size())).first->second);
    return groupOf;
}

/// All that Ansor writes of a task.
std::string wholeTask(const LogTask &task) {
    std::string text = task.key + '\n' + task.target + '\n' + task.host + '\n' + std::to_string(task.layoutRewrite);
    if (task.hardware) {
        const HardwareParams &h = *task.hardware;
        text += fmt::format("\n{} {} {} {} {} {} {} {}", h.numCores, h.vectorUnitBytes, h.cacheLineBytes,
                            h.maxSharedMemoryPerBlock, h.maxLocalMemoryPerBlock, h.maxThreadsPerBlock,
                            h.maxVthreadExtent, h.warpSize);
    }
    for (const std::string &name : task.inputNames) text += '\n' + name;
    return text;
}

struct TwoHashes {
    uint64_t first = 0;
    uint64_t second = 0;
    bool operator==(const TwoHashes &) const = default;
};
struct HashOfTwo {
    size_t operator()(const TwoHashes &both) const { return both.first ^ (both.second * 0x9E3779B97F4A7C15U); }
};

/// As part of a file's name.
std::string nameOfFile(std::string_view text) {
    constexpr size_t longest = 40;
    std::string name;
    for (const char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        name += std::isalnum(byte) != 0 || c == '_' || c == '.' ? c : '_';
    }
    return name.empty() || name.front() == '.' ? "_" + name : name;
}

/// What Ansor assumes of a target whose log does not say its hardware, where that does not depend on the machine the
/// log is read on; of processors the number of cores does, and stays open (-1).
HardwareParams defaultHardware(const LogTask &task) {
    const TargetIdentity identity = identityOf(task.target, nullptr);
    HardwareParams hardware;
    if (identity.kind == "cuda") {
        hardware.numCores = -1;
        hardware.vectorUnitBytes = 16;
        hardware.maxSharedMemoryPerBlock = 49152;
        hardware.maxLocalMemoryPerBlock = 2147483647;
        hardware.maxThreadsPerBlock = 1024;
        hardware.maxVthreadExtent = 8;
        hardware.warpSize = 32;
        return hardware;
    }
    if (identity.kind != "llvm" && identity.kind != "c")
        throw Error(fmt::format("a record for the target `{}` does not say its hardware, and there is no default for "
                                "such targets that does not depend on the device: it stays in its old version, so "
                                "leave it out with `log filter`",
                                task.target));
    hardware.numCores = identity.cores > 0 ? identity.cores : -1;
    return hardware;
}

} // namespace

std::vector<size_t> bestRecords(const LogDocument &log, size_t keep) {
    const std::vector<uint32_t> groupOf = distilGroups(log);
    std::vector<size_t> order;
    for (size_t i = 0; i < log.size(); ++i)
        if (!log.row(i).failed() && std::isfinite(log.row(i).seconds)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const LogRow &first = log.row(a);
        const LogRow &second = log.row(b);
        const uint32_t group = groupOf[first.task];
        return group != groupOf[second.task] ? group < groupOf[second.task] : first.isBetterThan(second);
    });
    std::vector<size_t> best;
    std::unordered_set<uint64_t> schedules;
    for (size_t i = 0; i < order.size(); ++i) {
        const uint32_t group = groupOf[log.row(order[i]).task];
        if (i == 0 || group != groupOf[log.row(order[i - 1]).task]) schedules.clear();
        if (schedules.size() < keep && schedules.insert(log.row(order[i]).steps).second) best.push_back(order[i]);
    }
    std::sort(best.begin(), best.end());
    return best;
}

NewLogSummary writeRecords(const LogDocument &log, const std::vector<size_t> &records, const std::string &out) {
    NewLog made(out, {&log});
    for (const size_t record : records) made.add(log, record);
    return finished(made);
}

NewLogSummary distilLog(const LogDocument &log, size_t keep, const std::string &out) {
    return writeRecords(log, bestRecords(log, keep), out);
}

NewLogSummary mergeLogs(const std::vector<const LogDocument *> &logs, bool keepAll, const std::string &out) {
    NewLog made(out, logs);
    std::unordered_map<std::string, uint64_t> tasks; // all that is written of one, numbered over all logs
    std::vector<std::vector<uint64_t>> taskOf(logs.size());
    for (size_t log = 0; log < logs.size(); ++log)
        for (const LogTask &task : logs[log]->tasks())
            taskOf[log].push_back(tasks.try_emplace(wholeTask(task), tasks.size()).first->second);
    if (keepAll) {
        std::unordered_set<TwoHashes, HashOfTwo> lines;
        for (size_t log = 0; log < logs.size(); ++log)
            for (size_t i = 0; i < logs[log]->size(); ++i) {
                const std::string line = logs[log]->line(i);
                const LogRow &row = logs[log]->row(i);
                if (!lines.insert({fnvHash(line), row.steps ^ taskOf[log][row.task]}).second) continue;
                made.add(row.comments > 0 ? logs[log]->comment(i) : std::string(), line);
            }
        return finished(made);
    }
    struct Place {
        uint32_t log = 0;
        uint32_t record = 0;
    };
    std::unordered_map<TwoHashes, Place, HashOfTwo> best;
    for (uint32_t log = 0; log < logs.size(); ++log)
        for (uint32_t i = 0; i < logs[log]->size(); ++i) {
            const LogRow &row = logs[log]->row(i);
            const auto [at, fresh] = best.try_emplace({row.steps, taskOf[log][row.task]}, Place{log, i});
            if (!fresh && row.isBetterThan(logs[at->second.log]->row(at->second.record))) at->second = {log, i};
        }
    for (uint32_t log = 0; log < logs.size(); ++log)
        for (uint32_t i = 0; i < logs[log]->size(); ++i) {
            const LogRow &row = logs[log]->row(i);
            const Place &kept = best.at({row.steps, taskOf[log][row.task]});
            if (kept.log == log && kept.record == i) made.add(*logs[log], i);
        }
    return finished(made);
}

std::vector<NewLogSummary> splitLog(const LogDocument &log, SplitBy by, const std::string &folder) {
    std::map<std::pair<std::string, FlatKey>, size_t> groups;
    std::vector<size_t> groupOf;
    std::vector<std::string> names;
    for (const LogTask &task : log.tasks()) {
        const FlatKey key = by == SplitBy::Task ? flatKeyOf(task.key) : FlatKey{};
        const auto [at, fresh] = groups.try_emplace({task.target, key}, names.size());
        groupOf.push_back(at->second);
        if (!fresh) continue;
        const std::string kind = task.target.substr(0, task.target.find(' '));
        const std::string what = by == SplitBy::Target ? identityOf(task.target, nullptr).cpu
                                                       : (key.isHash() ? key.name.substr(0, 8) : key.name);
        names.push_back(fmt::format("{:03}-{}-{}.json", names.size(), nameOfFile(by == SplitBy::Target ? kind : what),
                                    nameOfFile(by == SplitBy::Target ? (what.empty() ? "any" : what) : kind)));
    }
    std::error_code problem;
    if (fs::exists(folder, problem) && (!fs::is_directory(folder, problem) || !fs::is_empty(folder, problem)))
        throw Error(folder, 0, 0, "the logs go into a new or an empty folder, and this is neither");
    fs::create_directories(folder, problem);
    if (problem) throw Error(folder, 0, 0, fmt::format("the folder cannot be made: {}", problem.message()));
    std::vector<std::vector<uint32_t>> records(names.size());
    for (uint32_t i = 0; i < log.size(); ++i) records[groupOf[log.row(i).task]].push_back(i);
    std::vector<NewLogSummary> made;
    for (size_t group = 0; group < names.size(); ++group) { // one after the other: there may be more than can be open
        NewLog part((fs::path(folder) / names[group]).string(), {&log});
        for (const uint32_t record : records[group]) part.add(log, record);
        made.push_back(finished(part));
    }
    return made;
}

ConvertedLog convertLog(const LogDocument &log, const std::string &out) {
    constexpr int newest = 6; // elements of the task
    NewLog made(out, {&log});
    ConvertedLog converted;
    for (size_t i = 0; i < log.size(); ++i) {
        const LogRow &row = log.row(i);
        std::string line = log.line(i);
        // The tag is not told by the row; it stands near the end of the line.
        if (row.taskElements != newest || line.find("\"v0.6\"") == std::string::npos) {
            Record record = log.record(i);
            if (!record.hardware) {
                record.hardware = defaultHardware(log.tasks()[row.task]);
                ++converted.hardware;
            }
            record.taskElements = newest;
            record.version = "v0.6";
            line = recordLine(record);
            ++converted.changed;
        }
        made.add(row.comments > 0 ? log.comment(i) : std::string(), line);
    }
    converted.log = finished(made);
    return converted;
}

} // namespace loopscope
