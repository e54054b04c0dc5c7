#include "records/record/record.h"

#include "base/fnv_hash.h"
#include "base/input_file.h"
#include "records/record/foreign_log.h"
#include "records/record/log_text.h"
#include "records/record/unpacker.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr std::string_view kFailedComment = "# failed: ";
constexpr std::string_view kUntimedComment = "# checked by the executor, not timed";
constexpr std::string_view kUnstableComment = "# unstable";
constexpr std::string_view kBuildComment = "# build ";
constexpr std::string_view kMachineComment = "# measured on ";
constexpr std::string_view kWeightsComment = " bytes of weights between calls";
constexpr std::string_view kVerdictComment = "# best of an interleaved comparison: ";
constexpr std::string_view kVerdictNumber = "record "; // logs once named it by its number

/// Half a million trials; each takes more memory once it is read.
constexpr size_t kMaxLogBytes = size_t{512} << 20;

std::string unescapeReason(std::string_view text) {
    std::string reason;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            reason += text[i] == 'n' ? '\n' : text[i];
        } else {
            reason += text[i];
        }
    }
    return reason;
}

/// `# build 0.31 s, error 0.02`; the line gives build and run together. Anything else is somebody's remark.
void readBuildComment(std::string_view comment, Trial &trial) {
    constexpr std::string_view between = " s, error ";
    double build = 0;
    double error = 0;
    const char *end = comment.data() + comment.size();
    auto read = std::from_chars(comment.data() + kBuildComment.size(), end, build);
    if (read.ec != std::errc() || !std::string_view(read.ptr, end).starts_with(between)) return;
    read = std::from_chars(read.ptr + between.size(), end, error);
    if (read.ec != std::errc() || read.ptr != end || !(build >= 0 && build <= trial.runSeconds)) return;
    trial.maxError = error;
    trial.buildSeconds = build;
    trial.runSeconds -= build;
}

/// `# 67108864 bytes of weights between calls`.
void readWeightsComment(std::string_view comment, Trial &trial) {
    int64_t bytes = 0;
    const char *end = comment.data() + comment.size();
    const auto read = std::from_chars(comment.data() + std::string_view("# ").size(), end, bytes);
    if (read.ec == std::errc() && std::string_view(read.ptr, end) == kWeightsComment && bytes > 0)
        trial.weightBytes = bytes;
}

/// A record's name may stand before it was measured again, too: the fastest of them is meant.
std::optional<size_t> recordNamed(const RecordLog &log, const std::vector<std::string> &names,
                                  const std::string &name) {
    std::optional<size_t> found;
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] != name || !log.records[i].trial.valid()) continue;
        if (!found || log.records[i].trial.cost() < log.records[*found].trial.cost()) found = i;
    }
    return found;
}

/// `names`: of the records so far, made when the first verdict asks for them.
void takeVerdict(RecordLog &log, std::vector<std::string> &names, const VerdictText &verdict, int line) {
    std::optional<size_t> winner = verdict.number;
    if (!winner) {
        for (size_t i = names.size(); i < log.records.size(); ++i) names.push_back(recordName(log.records[i]));
        winner = recordNamed(log, names, verdict.name);
    }
    if (winner && *winner < log.records.size()) {
        log.verdicts.push_back({*winner, log.records.size(), verdict.time});
    } else {
        log.skipped.push_back({line, fmt::format("the comparison was won by record {}, which is not in front of it",
                                                 winner ? std::to_string(*winner) : verdict.name)});
    }
}

} // namespace

void readLogComment(std::string_view comment, Record &record) {
    Trial &trial = record.trial;
    if (comment.starts_with(kMachineComment)) record.machine = comment.substr(kMachineComment.size());
    if (comment.starts_with(kBuildComment)) readBuildComment(comment, trial);
    if (trial.valid() && comment.starts_with("# ") && comment.ends_with(kWeightsComment))
        readWeightsComment(comment, trial);
    if (!trial.valid() && comment.starts_with(kFailedComment))
        trial.reason = unescapeReason(comment.substr(kFailedComment.size()));
    if (trial.valid() && comment == kUnstableComment) trial.unstable = true;
    if (trial.valid() && trial.seconds.empty() && comment.starts_with(kUntimedComment))
        trial.reason = comment.substr(std::string_view("# ").size());
}

std::string lineTooLong(size_t bytes) {
    return fmt::format("the line has {} bytes, a record at most {}", bytes, kMaxLineBytes);
}

std::string readLogText(int fd, const std::string &path) {
    ::lseek(fd, 0, SEEK_SET); // fails on a pipe, which is read from where it stands
    return readOpenFile(fd, path, "the log", kMaxLogBytes);
}

uint64_t recordHash(const Record &record) {
    uint64_t hash = kFnvStart;
    const auto add = [&](std::string_view text) { hash = fnvHash("\xff", fnvHash(text, hash)); }; // 0xff: between texts
    add(record.key);
    add(record.targetText);
    add(std::to_string(record.layoutRewrite));
    add(stepsText(record.trial.steps.unpack()));
    return hash;
}

std::string recordName(uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string recordName(const Record &record) { return recordName(recordHash(record)); }

std::string verdictLine(const std::string &name, const TimeInterval &time, const std::optional<RunnerUp> &next) {
    std::string line =
        fmt::format("{}{}, {:.6g} s ({:.6g} to {:.6g} s)", kVerdictComment, name, time.seconds, time.low, time.high);
    if (next)
        line += fmt::format("; next is {}, {:.6g} s ({:.6g} to {:.6g} s), {:.3f} times as long ({:.3f} to {:.3f})",
                            next->name, next->time.seconds, next->time.low, next->time.high,
                            next->time.seconds / time.seconds, next->time.low / time.high, next->time.high / time.low);
    return line;
}

namespace {

/// ", 0.00702 s (0.00701 to 0.00704 s)"; logs once gave no interval. Unknown when it is anything else.
TimeInterval readVerdictTime(std::string_view text) {
    const auto number = [&](std::string_view before) -> double {
        if (!text.starts_with(before)) return -1;
        text.remove_prefix(before.size());
        double value = -1;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc()) return -1;
        text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
        return value;
    };
    TimeInterval time;
    time.seconds = number(", ");
    if (!(time.seconds > 0) || !std::isfinite(time.seconds)) return {};
    time.low = number(" s (");
    time.high = number(" to ");
    if (time.low > 0 && time.low <= time.seconds && time.seconds <= time.high && std::isfinite(time.high)) return time;
    return {time.seconds, time.seconds, time.seconds};
}

} // namespace

std::optional<VerdictText> readVerdict(std::string_view comment) {
    if (!comment.starts_with(kVerdictComment)) return std::nullopt;
    comment.remove_prefix(kVerdictComment.size());
    VerdictText verdict;
    if (!comment.starts_with(kVerdictNumber)) {
        const size_t end = std::min(comment.find(','), comment.size());
        verdict.name = comment.substr(0, end);
        verdict.time = readVerdictTime(comment.substr(end));
        return verdict;
    }
    comment.remove_prefix(kVerdictNumber.size());
    size_t number = 0;
    const auto read = std::from_chars(comment.data(), comment.data() + comment.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    verdict.number = number;
    verdict.time = readVerdictTime(comment.substr(static_cast<size_t>(read.ptr - comment.data())));
    return verdict;
}

namespace {

/// Calls onLine(line, its number, whether its newline is missing) for every line.
template <typename OnLine> void eachLine(const std::string &text, OnLine &&onLine) {
    int number = 0;
    for (size_t at = text.size() - withoutMark(text).size(); at < text.size();) {
        const size_t end = text.find('\n', at);
        const bool cutOff = end == std::string::npos;
        std::string_view line(text.data() + at, (cutOff ? text.size() : end) - at);
        at = cutOff ? text.size() : end + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        onLine(line, ++number, cutOff);
    }
}

/// Why the line holds no record; nothing when it does, or looks as if it did.
std::optional<std::string> whyNoRecord(std::string_view line, const std::string &path, int number) {
    if (line.size() > kMaxLineBytes) return lineTooLong(line.size());
    if (line.starts_with(R"({"i")") && line.ends_with(R"("})")) return std::nullopt;
    try {
        parseRecord(line, path, number);
        return std::nullopt;
    } catch (const Error &problem) {
        return problem.sentence();
    }
}

/// Of a file without a record.
void refuseForeignLog(const std::string &path, std::string_view text) {
    if (const auto what = foreignLog(text.substr(0, kForeignStart))) throw Error(path, 0, 0, *what);
}

[[noreturn]] void refuseWhatIsNoLog(const std::string &path, const SkippedLine &first) {
    throw Error(path, first.line, 0,
                fmt::format("this is no log: {} of its lines hold no record; here, {}", kMaxBrokenLines, first.reason));
}

struct WholeLog {
    std::string text;
    std::string problem; // of an archive that gave only a part of it
};

WholeLog readWholeLog(const std::string &path) {
    WholeLog whole;
    std::string bytes = readInputFile(path, "the log", kMaxLogBytes);
    const auto unpacker = Unpacker::make(packingOf(bytes));
    if (!unpacker) {
        whole.text = std::move(bytes);
        return whole;
    }
    unpacker->add(bytes, [&](std::string_view text) {
        if (whole.text.size() + text.size() > kMaxLogBytes)
            throw Error(path, 0, 0, fmt::format("the log is larger than {} MiB", kMaxLogBytes >> 20));
        whole.text += text;
    });
    whole.problem = unpacker->problem();
    return whole;
}

} // namespace

size_t countRecords(const std::string &path) {
    const std::string text = readWholeLog(path).text;
    size_t count = 0;
    size_t broken = 0;
    SkippedLine first;
    eachLine(text, [&](std::string_view line, int number, bool) {
        if (isLogComment(line)) return;
        if (broken == kMaxBrokenLines) refuseWhatIsNoLog(path, first);
        const std::optional<std::string> why = whyNoRecord(line, path, number);
        count += why ? 0 : 1;
        if (why && broken++ == 0) first = {number, *why};
    });
    if (count == 0) refuseForeignLog(path, text);
    return count;
}

RecordLog loadRecordLog(const std::string &path) {
    const auto [text, problem] = readWholeLog(path);
    int lines = 0;
    RecordLog log;
    std::vector<std::string> names;
    log.path = path;
    std::vector<std::string_view> comments; // right before the line
    eachLine(text, [&](std::string_view line, int number, bool cutOff) {
        lines = number;
        if (isLogComment(line)) {
            if (comments.size() == kMaxComments) comments.erase(comments.begin());
            comments.push_back(line);
            if (const auto verdict = readVerdict(line)) takeVerdict(log, names, *verdict, number);
            return;
        }
        if (log.skipped.size() == kMaxBrokenLines) refuseWhatIsNoLog(path, log.skipped[0]);
        if (line.size() > kMaxLineBytes) {
            log.skipped.push_back({number, lineTooLong(line.size())});
            comments.clear();
            return;
        }
        try {
            Record record = parseRecord(line, path, number);
            for (const std::string_view comment : comments) readLogComment(comment, record);
            log.records.push_back(std::move(record));
        } catch (const Error &problem) {
            log.skipped.push_back({number, cutOff ? fmt::format("the last line is cut off: {}", problem.sentence())
                                                  : problem.sentence()});
        }
        comments.clear();
    });
    if (!problem.empty()) log.skipped.push_back({lines + 1, problem});
    if (log.records.empty()) refuseForeignLog(path, text);
    return log;
}

} // namespace loopscope
