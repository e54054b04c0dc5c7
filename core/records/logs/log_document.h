#pragma once
// A tuning log as a document: every line of it accounted for, indexed by 64 bytes a record, so that a log of a million
// records opens at once and stays small. What a record says beyond its columns is read from the file when somebody asks
// (`line`, `record`). Opening never changes a file. To be read by many threads, but not while `follow` runs.

#include "records/logs/log_row.h"
#include "records/record/record.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

class LogDocument {
  public:
    struct Options {
        /// Cancelled by setting it; open then returns what was indexed so far and says so (`complete`).
        const std::atomic<bool> *cancelled = nullptr;
        /// Bytes indexed, bytes in all (0 when it is not known); called some ten times a second, from the caller's
        /// thread.
        std::function<void(uint64_t done, uint64_t of)> progress = {};
        /// After the first rows and then now and again while a large log is indexed: the document may be read
        /// meanwhile, within the call, which is made from the caller's thread.
        std::function<void(const LogDocument &soFar)> grown = {};
        /// Threads that index; 0: as many as the machine has. The document is the same with any number.
        int threads = 0;
    };
    /// Plain, gzip and zstd, told apart by content; "-" is standard input. Throws Error when it cannot be read, never
    /// for what a line says: an archive that is damaged or cut off gives what can be read of it, and its last entry of
    /// `unreadable` says so.
    static LogDocument open(const std::string &path, const Options &options);
    static LogDocument open(const std::string &path) { return open(path, Options()); }
    LogDocument(LogDocument &&other) noexcept;
    LogDocument &operator=(LogDocument &&other) noexcept;
    ~LogDocument();

    [[nodiscard]] const std::string &path() const;
    [[nodiscard]] size_t size() const; // records
    [[nodiscard]] const LogRow &row(size_t record) const;
    /// The rows from that record on which lie next to each other in memory; those behind them begin at the next call.
    [[nodiscard]] std::span<const LogRow> rowsFrom(size_t record) const;
    [[nodiscard]] const std::vector<LogTask> &tasks() const;
    [[nodiscard]] const std::vector<LogReason> &reasons() const;
    /// How many structures (LogRow::structure) there are.
    [[nodiscard]] size_t structures() const;
    /// Lines that hold neither a record nor a comment, in their order: the first 100 000 of unreadableLines().
    [[nodiscard]] const std::vector<SkippedLine> &unreadable() const;
    [[nodiscard]] size_t unreadableLines() const;
    [[nodiscard]] size_t comments() const; // lines
    [[nodiscard]] size_t emptyLines() const;
    [[nodiscard]] size_t lines() const;
    [[nodiscard]] uint64_t bytes() const; // of the text indexed
    [[nodiscard]] bool complete() const;  // false: cancelled
    [[nodiscard]] bool endsInNewline() const;

    /// The bytes of the record's line, without what ends it. Throws Error when the file is no longer what it was.
    [[nodiscard]] std::string line(size_t record) const;
    /// The comment lines that belong to it, newlines included; mostly empty. Throws Error likewise.
    [[nodiscard]] std::string comment(size_t record) const;
    /// Read in full, with its comments (reason of a failure, unstable, error of the answer). Throws Error likewise.
    [[nodiscard]] Record record(size_t record) const;

    enum class Change { None, Grown, Replaced };
    /// Looks at the file again and indexes what was appended; a last line without its newline is not taken before it
    /// is whole. Replaced: cut, gone, or another file stands there; open it anew. Compressed logs and pipes do not
    /// change.
    Change follow(const Options &options);
    Change follow() { return follow(Options()); }

  private:
    struct Parts;
    explicit LogDocument(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace loopscope
