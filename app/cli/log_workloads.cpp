#include "log_workloads.h"

#include "choice.h"
#include "interrupt.h"
#include "output.h"
#include "records/resolve/key_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <numeric>
#include <unistd.h>
#include <utility>

namespace loopscope {

LogDocument openLog(const std::string &path) {
    LogDocument::Options options;
    options.progress = [&](uint64_t done, uint64_t of) {
        constexpr double mega = 1e6;
        sayLive(of > 0 ? fmt::format("{}: {:.0f} of {:.0f} MB", path, static_cast<double>(done) / mega,
                                     static_cast<double>(of) / mega)
                       : fmt::format("{}: {:.0f} MB", path, static_cast<double>(done) / mega));
    };
    options.cancelled = &interruptFlag();
    LogDocument log = LogDocument::open(path, options);
    sayLive({});
    if (!log.complete()) throw Error(path, 0, 0, "interrupted while the log was read; nothing was written");
    constexpr size_t shown = 5; // of a file that is no log at all, every line is broken
    for (size_t i = 0; i < std::min(shown, log.unreadable().size()); ++i)
        sayLine(fmt::format("{}:{}: line skipped: {}", path, log.unreadable()[i].line, log.unreadable()[i].reason));
    if (log.unreadableLines() > shown)
        sayLine(fmt::format("{}: {} more lines skipped", path, log.unreadableLines() - shown));
    return log;
}

std::vector<size_t> chosenTasks(const LogDocument &log, const LogOptions &options) {
    const size_t count = log.tasks().size();
    if (options.task >= 0) {
        const auto task = static_cast<size_t>(options.task);
        if (task >= count)
            throw UsageError(count == 0 ? fmt::format("--task {}: the log has no task", task)
                                        : fmt::format("--task {}: the log has {}, numbered from 0", task,
                                                      countedText(count, "task")));
        return {task};
    }
    std::vector<size_t> all(count);
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
}

void requireRecord(const LogDocument &log, size_t record) {
    if (record < log.size()) return;
    throw UsageError(log.size() == 0 ? fmt::format("{} holds no readable record", log.path())
                                     : fmt::format("no record {}: {} has {}, numbered 0 to {}", record, log.path(),
                                                   log.size(), log.size() - 1));
}

LogWorkloads::LogWorkloads(const LogOptions &options) {
    ResolverOptions resolver;
    resolver.workloads = options.te;
    if (!options.keys.empty()) resolver.keys = loadKeyTable(options.keys);
    m_resolver = std::make_unique<Resolver>(std::move(resolver));
    for (const std::string &problem : m_resolver->problems()) sayLine(problem);
}

Outcome<ResolutionPtr> LogWorkloads::ofTask(const LogDocument &log, size_t task) const {
    const LogTask &which = log.tasks()[task];
    size_t record = which.best;
    for (size_t i = 0; record == SIZE_MAX && i < log.size(); ++i)
        if (log.row(i).task == task) record = i;
    if (record == SIZE_MAX) return m_resolver->resolve(which.key, &interruptFlag());
    return ofRecord(log.record(record));
}

Outcome<ResolutionPtr> LogWorkloads::ofRecord(const Record &record) const {
    return m_resolver->resolve(record.key, record.trial.steps.unpack(), &interruptFlag());
}

Task taskOf(const Record &record, const Resolution &resolution) {
    Task task = makeTask(resolution.dag, parseTarget(record.targetText));
    task.key = record.key;
    if (record.hardware) task.target.hardware = *record.hardware;
    task.layoutRewrite = static_cast<LayoutRewrite>(record.layoutRewrite);
    task.inputNames = record.inputNames;
    return task;
}

std::string jsonText(const nlohmann::ordered_json &json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json jsonSeconds(double seconds) {
    return std::isfinite(seconds) ? nlohmann::ordered_json(seconds) : nlohmann::ordered_json(nullptr);
}

} // namespace loopscope
