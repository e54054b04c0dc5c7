#include "record/record.h"

#include "schedule/steps_json.h"

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

} // namespace

std::string recordLine(const Record &record) {
    const int elements = record.hardware ? record.taskElements : 2;
    std::string line = R"({"i": [[)";
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
    }

    const Trial &trial = record.trial;
    line += "], [[], ";
    line += stepsText(trial.steps.unpack());
    line += R"(]], "r": [[)";
    if (trial.valid()) {
        for (size_t i = 0; i < trial.seconds.size(); ++i) {
            if (i > 0) line += ", ";
            appendNumber(line, trial.seconds[i]);
        }
    } else {
        appendNumber(line, kFailedCost);
    }
    fmt::format_to(std::back_inserter(line), "], {}, ", static_cast<int>(trial.error));
    appendNumber(line, trial.buildSeconds + trial.runSeconds);
    fmt::format_to(std::back_inserter(line), R"(, {}], "v": )", trial.timestamp);
    appendString(line, record.version);
    line += '}';
    return line;
}

std::string recordComment(const Record &record) {
    const Trial &trial = record.trial;
    std::string comment;
    if (trial.buildSeconds > 0 || trial.maxError > 0)
        comment = fmt::format("# build {:.6g} s, error {:.6g}\n", trial.buildSeconds, trial.maxError);
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
    return record;
}

} // namespace loopscope
