// `log distil`, `merge`, `split`, `filter` and `convert`: new logs from old ones.

#include "choice.h"
#include "log_parts.h"
#include "log_rows_text.h"
#include "log_workloads.h"
#include "output.h"
#include "records/logs/manage_logs.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

using ManagedJson = nlohmann::ordered_json;

ManagedJson summaryJson(const NewLogSummary &log) {
    return {{"path", log.path}, {"records", log.records}, {"bytes", log.bytes}};
}

int tell(const LogOptions &options, size_t before, const NewLogSummary &log, const std::string &more = {},
         const ManagedJson &also = ManagedJson::object()) {
    if (options.json) {
        ManagedJson json = summaryJson(log);
        json["records_read"] = before;
        json.update(also);
        writeOutput(jsonText(json));
    } else {
        writeOutput(fmt::format("{}: {} of {}{}\n", log.path, countedText(log.records, "record"), before, more));
    }
    return 0;
}

} // namespace

int logDistil(const LogOptions &options) {
    const LogDocument log = openLog(options.files.front());
    return tell(options, log.size(), distilLog(log, static_cast<size_t>(options.keep), options.out));
}

int logMerge(const LogOptions &options) {
    if (std::count(options.files.begin(), options.files.end(), "-") > 1)
        throw UsageError("standard input (-) is one log and can be named once");
    std::vector<LogDocument> logs;
    logs.reserve(options.files.size());
    size_t before = 0;
    for (const std::string &file : options.files) {
        logs.push_back(openLog(file));
        before += logs.back().size();
    }
    std::vector<const LogDocument *> all;
    for (const LogDocument &log : logs) all.push_back(&log);
    return tell(options, before, mergeLogs(all, options.keepAll, options.out));
}

int logSplit(const LogOptions &options) {
    const LogDocument log = openLog(options.files.front());
    const auto made = splitLog(log, options.by == "task" ? SplitBy::Task : SplitBy::Target, options.out);
    ManagedJson list = ManagedJson::array();
    std::string text;
    for (const NewLogSummary &one : made) {
        list.push_back(summaryJson(one));
        text += fmt::format("{}: {}\n", one.path, countedText(one.records, "record"));
    }
    writeOutput(options.json ? jsonText({{"records_read", log.size()}, {"logs", std::move(list)}}) : text);
    return 0;
}

int logFilter(const LogOptions &options) {
    const LogDocument log = openLog(options.files.front());
    const std::vector<uint32_t> rows = chosenRows(log, options);
    std::vector<size_t> records(rows.begin(), rows.end());
    std::sort(records.begin(), records.end());
    return tell(options, log.size(), writeRecords(log, records, options.out));
}

int logConvert(const LogOptions &options) {
    const LogDocument log = openLog(options.files.front());
    const ConvertedLog converted = convertLog(log, options.out);
    std::string more = fmt::format(", {} of an older version", converted.changed);
    if (converted.hardware > 0)
        more += fmt::format("; {} did not say their hardware, and have Ansor's default for their target now",
                            converted.hardware);
    return tell(options, log.size(), converted.log, more,
                {{"converted", converted.changed}, {"hardware_assumed", converted.hardware}});
}

} // namespace loopscope
