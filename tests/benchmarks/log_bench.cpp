// How fast a large tuning log opens, and how little memory it takes then. Makes a log of a million records (about a
// gigabyte; another number as argument) in a temporary folder, and prints how fast it is indexed by one thread and by
// all, in turn and each at its best of three, beside the peer: nlohmann_json, with which parseRecord reads whole
// records, on a part of the same file; and how fast a log is indexed whose lines have members that no version knows.
// Memory is what the system counts after the first indexing.

#include "generated_log.h"
#include "records/logs/log_curve.h"
#include "records/logs/log_document.h"
#include "records/logs/log_filter.h"
#include "records/logs/log_rows.h"
#include "records/record/record.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace loopscope;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Of resident memory, mapped pages included; `VmHWM` is the most so far.
double mebibytes(const std::string &name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kibibytes = 0;
        if (word == name + ":" && status >> kibibytes) return kibibytes / 1024;
    }
    return 0;
}

/// Takes its memory with it.
struct TemporaryFolder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("log_bench.{}", static_cast<long>(::getpid()));
    TemporaryFolder() { std::filesystem::create_directories(path); }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
};

/// nlohmann_json on the first records.
double peerMegabytesPerSecond(const std::string &path, size_t records) {
    std::ifstream file(path);
    uint64_t bytes = 0;
    double seconds = 0;
    std::string line;
    for (size_t i = 0; i < records && std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        const Clock::time_point begin = Clock::now();
        (void)parseRecord(line, path, 0);
        seconds += secondsSince(begin);
        bytes += line.size() + 1;
        ++i;
    }
    return static_cast<double>(bytes) / 1e6 / seconds;
}

struct Opening {
    double seconds = 0;
    double cpu = 0;       // of all threads, seconds
    double firstRows = 0; // seconds
};

Opening timeOpening(const std::string &path, int threads, std::optional<LogDocument> &log) {
    Opening opening;
    LogDocument::Options options;
    options.threads = threads;
    const Clock::time_point begin = Clock::now();
    const std::clock_t cpu = std::clock();
    options.grown = [&](const LogDocument &) {
        if (opening.firstRows == 0) opening.firstRows = secondsSince(begin);
    };
    log.emplace(LogDocument::open(path, options));
    opening.seconds = secondsSince(begin);
    opening.cpu = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    return opening;
}

void takeBest(Opening &best, const std::string &path, int threads) {
    std::optional<LogDocument> log;
    const Opening opening = timeOpening(path, threads, log);
    best.seconds = std::min(best.seconds, opening.seconds);
    best.cpu = std::min(best.cpu, opening.cpu);
}

/// As a program writes them that adds what it likes, in its own order: megabytes.
double writeStrangeLog(const std::string &path, size_t records) {
    std::ofstream file(path, std::ios::binary);
    const GeneratedLog log(2);
    uint64_t bytes = 0;
    for (size_t i = 0; i < records; ++i) {
        std::string lines = log.lines(i);
        const size_t record = lines.rfind("{\"i\"");
        lines.insert(record + 1,
                     fmt::format(R"("id": {}, "by": {{"host": "büro-{}", "tags": ["night", "retry"]}}, )", i, i % 7));
        file << lines;
        bytes += lines.size();
    }
    return static_cast<double>(bytes) / 1e6;
}

/// The least of three, as a table asks for them.
void timeRows(const LogDocument &log) {
    struct Asked {
        const char *what;
        const char *filter;
        LogOrder order;
    };
    for (const Asked &asked : {Asked{"sort by time", "", {LogColumn::Time, false}},
                               {"sort by time, falling", "", {LogColumn::Time, true}},
                               {"sort by timestamp", "", {LogColumn::Timestamp, false}},
                               {"sort by spread", "", {LogColumn::Spread, false}},
                               {"sort by structure", "", {LogColumn::Structure, false}},
                               {"filter: time < 2ms", "time < 2ms", {}},
                               {"filter: failed || task:3", "failed || task:3", {}},
                               {"filter: a word", "skylake", {}},
                               {"filter and sort", "valid cuda -unstable spread < 2%", {LogColumn::Time, false}}}) {
        double least = 1e9;
        size_t rows = 0;
        for (int i = 0; i < 3; ++i) {
            const Clock::time_point begin = Clock::now();
            const ParsedLogFilter parsed = parseLogFilter(asked.filter);
            rows = selectRows(log, parsed.filter.get(), asked.order).size();
            least = std::min(least, secondsSince(begin));
        }
        fmt::print("{}: {:.0f} ms, {} rows\n", asked.what, least * 1e3, rows);
    }
}

void timeCurve(const LogDocument &log) {
    const std::vector<uint32_t> records = selectRows(log, nullptr);
    for (const CurveAxis axis : {CurveAxis::Order, CurveAxis::Timestamp}) {
        const Clock::time_point begin = Clock::now();
        const LogCurve curve = logCurve(log, records, axis);
        fmt::print("curve by {}: {:.0f} ms, {} points\n", axis == CurveAxis::Order ? "order" : "timestamp",
                   secondsSince(begin) * 1e3, curve.points.size());
    }
}

} // namespace

int main(int argc, char **argv) {
    const size_t records = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    const TemporaryFolder folder;
    const std::string path = folder.path / "log.json";
    const uint64_t bytes = GeneratedLog(1).write(path, records);
    if (bytes == 0) {
        fmt::print(stderr, "{}: the log cannot be written\n", path);
        return 1;
    }
    const double megabytes = static_cast<double>(bytes) / 1e6;
    fmt::print("{} records, {:.0f} MB, {:.0f} bytes a record\n", records, megabytes,
               static_cast<double>(bytes) / static_cast<double>(records));
    const double before = mebibytes("VmRSS");
    std::optional<LogDocument> log;
    const int all = static_cast<int>(std::thread::hardware_concurrency());
    const Opening withAll = timeOpening(path, all, log);
    fmt::print("indexed by {} threads: {:.0f} MB/s ({:.2f} s), first 1000 rows after {:.3f} s\n", all,
               megabytes / withAll.seconds, withAll.seconds, withAll.firstRows);
    const double resident = mebibytes("VmRSS");
    fmt::print("memory: {:.0f} MiB resident ({:.0f} MiB of them before), at most {:.0f} MiB; {:.1f} % of the file\n",
               resident, before, mebibytes("VmHWM"), 100 * resident * 1.048576 / megabytes);
    log.reset();
    Opening ofAll = withAll;
    Opening ofOne{1e9, 1e9};
    for (int i = 0; i < 3; ++i) {
        takeBest(ofOne, path, 1);
        takeBest(ofAll, path, all);
    }
    const double peer = peerMegabytesPerSecond(path, std::min<size_t>(records, 20'000));
    // On a machine with other work, what a thread computes is told by its own time.
    for (const auto &[threads, best] : {std::pair(1, ofOne), std::pair(all, ofAll)})
        fmt::print("at best by {}: {:.0f} MB/s ({:.2f} s; {:.2f} s of processors, {:.0f} MB/s each)\n",
                   threads == 1 ? "one thread" : fmt::format("{} threads", threads), megabytes / best.seconds,
                   best.seconds, best.cpu, megabytes / best.cpu);
    fmt::print("nlohmann_json (parseRecord): {:.1f} MB/s; one thread is {:.1f} times as fast\n", peer,
               megabytes / ofOne.seconds / peer);
    const std::string strangePath = folder.path / "strange.json";
    const double strange = writeStrangeLog(strangePath, std::min<size_t>(records, 200'000));
    Opening ofStrange{1e9, 1e9};
    for (int i = 0; i < 3; ++i) takeBest(ofStrange, strangePath, 1);
    fmt::print("with members that nobody knows, by one thread: {:.0f} MB/s\n", strange / ofStrange.seconds);
    log.emplace(LogDocument::open(path));
    timeRows(*log);
    timeCurve(*log);
    fmt::print("{} records, {} tasks, {} structures, {} lines unreadable\n", log->size(), log->tasks().size(),
               log->structures(), log->unreadableLines());
    return 0;
}
