#include "records/record/record.h"

#include "schedule/steps_json.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace loopscope {

namespace {

constexpr double kFailedCost = 1e10; // what Ansor logs as the time of a failed measurement

void appendString(std::string &out, std::string_view text) { out += jsonString(text); }

/// `%g` prints as a C++ stream does by default; JSON has no infinity, which a failure's cost stands for.
void appendNumber(std::string &out, double number) {
    fmt::format_to(std::back_inserter(out), "{:.6g}", std::isfinite(number) ? number : kFailedCost);
}

/// `"i": ...`: task and steps.
std::string inputMember(const Record &record) {
    const int elements = record.hardware ? record.taskElements : 2;
    std::string line = R"("i": [[)";
    appendString(line, record.key);
    line += ", ";
    appendString(line, record.targetText);
    if (elements >= 3) {
        const HardwareParams &h = *record.hardware;
        fmt::format_to(std::back_inserter(line), ", [{}, {}, {}, {}, {}, {}, {}, {}]", h.numCores, h.vectorUnitBytes,
                       h.cacheLineBytes, h.maxSharedMemoryPerBlock, h.maxLocalMemoryPerBlock, h.maxThreadsPerBlock,
                       h.maxVthreadExtent, h.warpSize);
    }
    if (elements >= 4) {
        line += ", ";
        appendString(line, record.targetHost);
    }
    if (elements >= 5) fmt::format_to(std::back_inserter(line), ", {}", record.layoutRewrite);
    if (elements >= 6) {
        line += ", [";
        for (size_t i = 0; i < record.inputNames.size(); ++i) {
            if (i > 0) line += ", ";
            appendString(line, record.inputNames[i]);
        }
        line += ']';
        for (const std::string &element : record.extraTask) line += ", " + element;
    }

    line += "], [[], ";
    line += stepsText(record.trial.steps.unpack());
    line += "]]";
    return line;
}

std::string resultMember(const Record &record) {
    const Trial &trial = record.trial;
    std::string line = R"("r": [[)";
    if (trial.valid() && !trial.seconds.empty()) {
        for (size_t i = 0; i < trial.seconds.size(); ++i) {
            if (i > 0) line += ", ";
            appendNumber(line, trial.seconds[i]);
        }
    } else {
        appendNumber(line, kFailedCost); // readers that know no better rank what was not timed last, too
    }
    fmt::format_to(std::back_inserter(line), "], {}, ", static_cast<int>(trial.error));
    appendNumber(line, trial.buildSeconds + trial.runSeconds);
    fmt::format_to(std::back_inserter(line), ", {}", trial.timestamp);
    for (const std::string &element : record.extraResult) line += ", " + element;
    return line + ']';
}

} // namespace

std::string recordLine(const Record &record) {
    const std::array<std::string, 3> known{inputMember(record), resultMember(record),
                                           "\"v\": " + jsonString(record.version)};
    std::string line = "{";
    size_t extra = 0;
    for (size_t next = 0, place = 0; next < known.size() || extra < record.extra.size(); ++place) {
        const bool extraIsNext =
            extra < record.extra.size() && (next == known.size() || record.extra[extra].place <= place);
        if (place > 0) line += ", ";
        line += extraIsNext ? record.extra[extra++].text : known[next++];
    }
    return line + '}';
}

std::string recordComment(const Record &record) {
    const Trial &trial = record.trial;
    std::string comment;
    if (trial.buildSeconds > 0 || trial.maxError > 0)
        comment = fmt::format("# build {:.6g} s, error {:.6g}\n", trial.buildSeconds, trial.maxError);
    if (!record.machine.empty()) comment += "# measured on " + record.machine + "\n";
    if (trial.valid() && trial.weightBytes > 0)
        comment += fmt::format("# {} bytes of weights between calls\n", trial.weightBytes);
    if (trial.valid() && trial.seconds.empty() && !trial.reason.empty()) return comment + "# " + trial.reason + "\n";
    if (trial.valid()) return trial.unstable ? comment + "# unstable\n" : comment;
    if (trial.reason.empty()) return comment;
    comment += "# failed: ";
    for (const char c : trial.reason) {
        if (c == '\\') {
            comment += "\\\\";
        } else if (c == '\n') {
            comment += "\\n";
        } else if (c != '\r') {
            comment += c;
        }
    }
    comment += '\n';
    return comment;
}

Record makeRecord(const Task &task, const Trial &trial) {
    Record record;
    record.key = task.key;
    record.targetText = task.target.text();
    record.hardware = task.target.hardware;
    record.layoutRewrite = static_cast<int>(task.layoutRewrite);
    record.inputNames = task.inputNames;
    record.trial = trial;
    record.machine = trial.machine;
    return record;
}

} // namespace loopscope
