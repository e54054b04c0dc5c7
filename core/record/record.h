#pragma once
// A trial as one line of Ansor's JSON log (ansor.md §1), both ways, for every version that exists.

#include "measure/trial.h"
#include "outcome.h"
#include "target/target.h"
#include "task/task.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct Record {
    std::string key;          // workload key, JSON text
    std::string targetText;
    std::optional<HardwareParams> hardware;
    std::string targetHost;
    int layoutRewrite = 0;
    std::vector<std::string> inputNames;
    Trial trial;              // seconds = costs as logged
    std::string version = "v0.6";
    int line = 0;             // in the file, from 1; 0 = not from a file
};

/// v0.6 line without the newline; numbers and spacing as ansor.md §1.1.
std::string recordLine(const Record &record);
/// Throws Error (line, column of the JSON problem, what was expected).
Record parseRecord(std::string_view line, const std::string &path, int lineNumber);
Record makeRecord(const Task &task, const Trial &trial);

struct SkippedLine {
    int line = 0;
    std::string reason;
};
struct RecordLog {
    std::string path;
    std::vector<Record> records;
    std::vector<SkippedLine> skipped; // broken lines, a last line cut off among them; nothing is swallowed
};
/// Comments and empty lines are passed over. Throws Error when the file cannot be read.
RecordLog loadRecordLog(const std::string &path);

/// Appends line by line, flushed each; mends a last line that lacks its newline by starting a new one.
class RecordWriter {
  public:
    explicit RecordWriter(const std::string &path); // throws Error
    ~RecordWriter();
    RecordWriter(const RecordWriter &) = delete;
    RecordWriter &operator=(const RecordWriter &) = delete;
    void append(const Record &record); // throws Error when the disk refuses

  private:
    int m_fd = -1;
    std::string m_path;
};

/// Index of the fastest valid record whose key and target kind match the task; explains itself when there is none:
/// how many records, which keys and targets they have instead.
Outcome<size_t> bestRecord(const RecordLog &log, const Task &task);
/// Does the record belong to this task (ansor.md §3.6: same key after flattening, same target kind)? Refusal says why not.
/// Function-name keys (`["conv2d_layer", 1, 7, ...]`) match when the name equals the workload's and `allowFunctionKeys`.
Outcome<bool> recordMatches(const Record &record, const Task &task);

} // namespace loopscope
