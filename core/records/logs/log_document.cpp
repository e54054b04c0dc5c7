#include "records/logs/log_document.h"

#include "base/outcome.h"
#include "records/logs/index_lines.h"
#include "records/logs/line_scanner.h"
#include "records/logs/log_index.h"
#include "records/logs/log_source.h"
#include "records/record/foreign_log.h"
#include "records/record/log_text.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenReports{100};
constexpr size_t kFirstRows = 1000; // are shown at once

/// Nothing when the line holds no record.
std::optional<LineFacts> factsOfLine(const std::string &line) {
    if (const std::optional<ScannedLine> scanned = scanLine(line)) return scanned->facts;
    try {
        return factsOf(parseRecord(line, "", 0));
    } catch (const Error &) {
        return std::nullopt;
    }
}

} // namespace

/// Last line of a log, which has no newline.
struct LogTail {
    BlockIndex line; // without its row
    bool record = false;
};

struct LogDocument::Parts {
    Parts(std::string logPath, const std::atomic<bool> *cancelled)
        : path(std::move(logPath)), source(path, cancelled) {}

    [[nodiscard]] std::string textOf(uint64_t begin, uint64_t end) const { return source.text(begin, end); }
    /// False when cancelled.
    bool indexLines(const LogDocument &document, const Options &options);
    void indexTail();
    /// Of a file without a record: another tuner's.
    void refuseForeign();
    enum class Joint { Whole, Waits, Broken };
    /// Whether what was appended to a last line without newline goes on from it.
    Joint undoTail();

    std::string path;
    LogSource source;
    LogIndex index;
    std::optional<LogTail> tail;
    bool complete = true;
};

bool LogDocument::Parts::indexLines(const LogDocument &document, const Options &options) {
    Clock::time_point reported = Clock::now();
    bool shown = index.size() >= kFirstRows;
    const IndexOrder order{path, index.end(), options.threads, options.cancelled};
    const LogIndex::Read read = [this](uint64_t begin, uint64_t end) { return textOf(begin, end); };
    return loopscope::indexLines(source, order, [&](BlockIndex block) {
        index.add(std::move(block), read);
        const Clock::time_point now = Clock::now();
        const bool first = !shown && index.size() >= kFirstRows;
        if (!first && now - reported < kBetweenReports) return;
        reported = now;
        shown = shown || first;
        if (options.progress) options.progress(index.end(), source.size());
        if (options.grown && index.size() > 0) options.grown(document);
    });
}

void LogDocument::Parts::indexTail() {
    const uint64_t begin = index.end();
    const uint64_t end = source.waitFor(begin);
    if (end <= begin) return;
    BlockIndexer indexer(path);
    BlockIndex line = end - begin > kMaxLineBytes + 1 ? indexer.index({}, begin, true, end - begin + 1)
                                                      : indexer.index(textOf(begin, end), begin, true);
    tail = LogTail{line, !line.rows.empty()};
    tail->line.rows.clear();
    tail->line.end = end;
    index.add(std::move(line), [this](uint64_t from, uint64_t to) { return textOf(from, to); });
}

void LogDocument::Parts::refuseForeign() {
    const uint64_t bytes = std::min<uint64_t>(source.waitFor(kForeignStart), kForeignStart);
    if (const auto what = foreignLog(textOf(0, bytes))) throw Error(path, 0, 0, *what);
}

LogDocument::Parts::Joint LogDocument::Parts::undoTail() {
    if (!tail) return Joint::Whole;
    if (tail->record) {
        // It was whole but for its newline; when it goes on otherwise, it was another record.
        const uint64_t end = tail->line.end;
        const std::string next = textOf(end, std::min(end + 2, source.waitFor(end)));
        if (next == "\r") return Joint::Waits;
        const bool withReturn = next.starts_with("\r\n");
        if (!withReturn && !next.starts_with('\n')) return Joint::Broken;
        index.skip(end + (withReturn ? 2 : 1));
    } else {
        index.undo(tail->line);
    }
    tail.reset();
    return Joint::Whole;
}

LogDocument::LogDocument(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
LogDocument::LogDocument(LogDocument &&other) noexcept = default;
LogDocument &LogDocument::operator=(LogDocument &&other) noexcept = default;
LogDocument::~LogDocument() = default;

LogDocument LogDocument::open(const std::string &path, const Options &options) {
    LogDocument document(std::make_unique<Parts>(path, options.cancelled));
    Parts &parts = *document.m_parts;
    constexpr size_t markBytes = 3;
    if (parts.source.waitFor(markBytes) >= markBytes) {
        const std::string start = parts.textOf(0, markBytes);
        parts.index.skip(markBytes - withoutMark(start).size());
    }
    parts.complete = parts.indexLines(document, options);
    if (parts.complete) parts.indexTail();
    if (const std::string problem = parts.complete ? parts.source.problem() : std::string(); !problem.empty())
        parts.index.addProblem(problem);
    if (parts.complete && parts.index.size() == 0) parts.refuseForeign();
    if (options.progress) options.progress(parts.index.end(), parts.source.size());
    return document;
}

const std::string &LogDocument::path() const { return m_parts->path; }
size_t LogDocument::size() const { return m_parts->index.size(); }
const LogRow &LogDocument::row(size_t record) const { return m_parts->index.row(record); }
std::span<const LogRow> LogDocument::rowsFrom(size_t record) const { return m_parts->index.rowsFrom(record); }
const std::vector<LogTask> &LogDocument::tasks() const { return m_parts->index.tasks(); }
const std::vector<LogReason> &LogDocument::reasons() const { return m_parts->index.reasons(); }
size_t LogDocument::structures() const { return m_parts->index.structures(); }
const std::vector<SkippedLine> &LogDocument::unreadable() const { return m_parts->index.unreadable(); }
size_t LogDocument::unreadableLines() const { return m_parts->index.unreadableLines(); }
size_t LogDocument::comments() const { return m_parts->index.comments(); }
size_t LogDocument::emptyLines() const { return m_parts->index.emptyLines(); }
size_t LogDocument::lines() const { return m_parts->index.lines(); }
uint64_t LogDocument::bytes() const { return m_parts->index.end(); }
bool LogDocument::complete() const { return m_parts->complete; }
bool LogDocument::endsInNewline() const { return !m_parts->tail; }

std::string LogDocument::line(size_t record) const {
    const LogRow &row = m_parts->index.row(record);
    std::string line = m_parts->textOf(row.offset, row.offset + row.bytes);
    // Written over in place, a file is no shorter.
    const std::optional<LineFacts> now = factsOfLine(line);
    if (!now || now->steps != row.steps || now->seconds != row.seconds || now->timestamp != row.timestamp)
        throw Error(m_parts->path, static_cast<int>(row.line), 0,
                    "the log is no longer what it was: another line stands here now; open it again");
    return line;
}

std::string LogDocument::comment(size_t record) const {
    const LogRow &row = m_parts->index.row(record);
    return m_parts->textOf(row.offset - row.comments, row.offset);
}

Record LogDocument::record(size_t record) const {
    const LogRow &row = m_parts->index.row(record);
    Record whole = parseRecord(line(record), m_parts->path, static_cast<int>(row.line));
    readComments(comment(record), whole);
    return whole;
}

LogDocument::Change LogDocument::follow(const Options &options) {
    Parts &parts = *m_parts;
    const LogSource::Change change = parts.source.look();
    if (change == LogSource::Change::Replaced) return Change::Replaced;
    if (change == LogSource::Change::None && parts.complete) return Change::None;
    const auto extent = [&] {
        return std::tuple(parts.index.size(), parts.index.lines(), parts.index.unreadableLines());
    };
    const auto before = extent();
    if (const Parts::Joint joint = parts.undoTail(); joint != Parts::Joint::Whole)
        return joint == Parts::Joint::Waits ? Change::None : Change::Replaced;
    parts.complete = parts.indexLines(*this, options);
    return extent() == before ? Change::None : Change::Grown;
}

} // namespace loopscope
