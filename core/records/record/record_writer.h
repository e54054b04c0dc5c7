#pragma once
// Writes a log while it grows. Nobody else can be kept from deleting, replacing or cutting a file, so the writer looks
// before every record and writes again from memory what is gone.

#include "records/record/log_lock.h"
#include "records/record/log_text.h"
#include "records/record/record.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace loopscope {

/// Appends each record with its comment in one write, so that a crash loses nothing that was measured; repairs a last
/// line that lacks its newline by starting a new one. Holds the log's lock as long as it lives.
class RecordWriter {
  public:
    using Tell = std::function<void(const std::string &sentence)>;
    /// `tell`: what had happened to the log, and what was done about it. Throws LogBusy, Error, also for pipes and
    /// devices.
    explicit RecordWriter(const std::string &path, Tell tell = {});
    ~RecordWriter();
    RecordWriter(const RecordWriter &) = delete;
    RecordWriter &operator=(const RecordWriter &) = delete;
    void append(const Record &record); // throws Error when the disk refuses
    /// A comment line: the record won an interleaved comparison, with this time, before `next`. It is named by
    /// recordName.
    void appendVerdict(const Record &record, const TimeInterval &time, const std::optional<RunnerUp> &next) {
        appendVerdict(recordName(record), time, next);
    }
    void appendVerdict(const std::string &name, const TimeInterval &time, const std::optional<RunnerUp> &next);
    /// A comment line of one's own, which readers pass over.
    void appendRemark(const std::string &remark);

  private:
    void open();
    void close();
    void write(const std::string &text);
    void put(std::string_view text);
    void takeBack();
    /// What has happened to the file since the last write; empty: it is as it was left.
    std::string damage();
    void restore(const std::string &damage);
    int m_fd = -1;
    std::string m_path;
    Tell m_tell;
    std::string m_text;  // all of the log as it should be
    bool m_made = false; // it was not there before
};

/// The fastest trial beside the winner, named by what `nameOf` says of its number, or else the naive schedule.
std::optional<RunnerUp> runnerUp(const std::vector<ComparedTime> &compared, int winner,
                                 const std::function<std::string(int trial)> &nameOf);

/// Waits while another search of this very program holds the log; null when cancelled meanwhile. Throws LogBusy, Error.
std::unique_ptr<RecordWriter> writerWhenFree(const std::string &path, const RecordWriter::Tell &tell,
                                             const std::atomic<bool> &cancelled);

} // namespace loopscope
