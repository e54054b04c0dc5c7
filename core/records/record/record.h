#pragma once
// A trial as one line of Ansor's JSON log, both ways, for every version that exists (v0.1 to v0.6).
//
// The format has no place for the reason of a failure, for "the samples never agreed", for the part of the cost of a
// measurement that was the build, and for the error of the answer. They stand in comment lines right before the record
// (`# failed: wrong answer: ...`, `# unstable`, `# build 0.31 s, error 0.02`), which Ansor's readers skip and ours
// reads back. Who measured elsewhere says where (`# measured on gpubox: NVIDIA A100; ...`), and who timed a kernel as
// one of a network how many bytes of weights were read between two of its calls (`# 67108864 bytes of weights between
// calls`). A trial that the executor
// checked without timing it has error 0, a time of 1e10 as failures have, and says so in such a line.

#include "base/outcome.h"
#include "language/target/target.h"
#include "language/task/task.h"
#include "measure/timing/time_interval.h"
#include "measure/trial.h"
#include "records/record/extra_members.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct Record {
    std::string key; // workload key, JSON text
    std::string targetText;
    std::optional<HardwareParams> hardware;
    std::string targetHost;
    int layoutRewrite = 0;
    std::vector<std::string> inputNames;
    Trial trial; // seconds = costs as logged, none when it failed; runSeconds = build and run together
    // where the log does not say what the build was
    std::string machine; // where it was measured, when that was another machine; a line of text
    // What no version of the format knows, as it was spelled: members, elements behind the last of the task and of the
    // result.
    std::vector<ExtraMember> extra;
    std::vector<std::string> extraTask;
    std::vector<std::string> extraResult;
    std::string version = "v0.6";
    int taskElements = 6; // how many elements the task array has: 2 (v0.1) to 6 (v0.6)
    int line = 0;         // in the file, from 1; 0 = not from a file
};

/// The line without its newline, spaced and rounded (six digits) as Ansor writes it. `taskElements` decides how much of
/// the task is written, so that an old record stays one its old readers accept.
std::string recordLine(const Record &record);
/// The comment lines (newlines included) that go before the record; empty when there is nothing to say.
std::string recordComment(const Record &record);
/// Throws Error (line, column of the JSON problem, what was expected).
Record parseRecord(std::string_view line, const std::string &path, int lineNumber);
Record makeRecord(const Task &task, const Trial &trial);

/// What a record is, made of its key, target, layout rewrite and steps: it tells the schedule wherever its line stands,
/// and whoever writes to the log in between.
uint64_t recordHash(const Record &record);
/// The same in 16 hexadecimal digits, as logs and session files name it.
std::string recordName(uint64_t hash);
std::string recordName(const Record &record);

struct SkippedLine {
    int line = 0;
    std::string reason;
};
struct RecordLog {
    std::string path;
    std::vector<Record> records;
    std::vector<SkippedLine> skipped; // broken lines, a last line cut off among them; nothing is swallowed
    /// A verdict in the log (RecordWriter::appendVerdict): that record won a direct comparison against the fastest of
    /// the records of its task in front of the line.
    struct Verdict {
        size_t record = 0;
        size_t after = 0;       // records in front of the verdict
        TimeInterval time = {}; // of that record in the comparison; unknown when the log does not say it
    };
    std::vector<Verdict> verdicts; // in the order of the log; the last one of a task holds
};
/// Comments and empty lines are passed over. Throws Error when the file cannot be read.
RecordLog loadRecordLog(const std::string &path);
/// How many records loadRecordLog finds, without reading what they say; lines that begin and end as records do are
/// taken for some.
size_t countRecords(const std::string &path);

/// Does the record belong to this workload: same key after flattening, same target kind? The refusal says why not.
/// A key that names a function (`["conv2d_layer", 1, 7, ...]`) carries no shapes to compare: it matches when the steps
/// can be replayed and every split names the extent its loop has here (at least one must). With `allowFunctionKeys`
/// false it never does.
Outcome<bool> recordMatches(const Record &record, const Task &task, bool allowFunctionKeys = true);
/// Was it measured on this target: the same processor, features and cores (language/target/target_identity.h)? The
/// refusal says what differs. Records of other targets may be looked at and measured anew; their times are not
/// comparable.
Outcome<bool> targetMatches(const Record &record, const Target &target);

/// Index of the valid record of the task with the least cost (Trial::cost), stable ones before unstable ones; a verdict
/// of the log goes before times that were taken minutes apart, and what was timed as a kernel of a network before what
/// was not (Trial::weightBytes). Records of the task's target go before all others;
/// without any, those of one other target are taken (ask targetMatches and say so), while of several none can be called
/// best. Explains itself when there is none: how many records, which keys and targets they have instead.
Outcome<size_t> bestRecord(const RecordLog &log, const Task &task);

} // namespace loopscope
