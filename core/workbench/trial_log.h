#pragma once
// The log that what is measured goes to, or none: who measures appends here, and learns which number a record has.

#include "records/record/record.h"
#include "records/record/record_writer.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

class TrialLog {
  public:
    using Tell = std::function<void(const std::string &sentence)>;
    /// Before anything slow, since the log may be in use; waits while another search of this very program holds it.
    /// Null when cancelled meanwhile. `path` empty: nothing is kept. `tell`: what had happened to the log. Throws
    /// LogBusy, Error.
    static std::unique_ptr<TrialLog> open(const std::string &path, const Tell &tell = {},
                                          const std::atomic<bool> *cancel = nullptr);

    /// The next record has this number.
    void startAt(size_t records) { m_records = records; }
    [[nodiscard]] size_t records() const { return m_records; }
    /// The number of the record. Throws Error when the disk refuses.
    size_t append(const Record &record);
    size_t append(const Task &task, const Trial &trial) { return append(makeRecord(task, trial)); }
    /// A line that readers pass over.
    void remark(const std::string &text);
    /// Who won the comparison, with who came second; `nameOf`: the recordName of a trial by its number there.
    void verdict(const std::vector<ComparedTime> &compared, int winner, const TimeInterval &time,
                 const std::function<std::string(int trial)> &nameOf);
    /// None where nothing is kept.
    [[nodiscard]] const std::string &path() const { return m_path; }

  private:
    std::string m_path;
    std::unique_ptr<RecordWriter> m_writer; // null: nothing is kept
    size_t m_records = 0;
};

} // namespace loopscope
