#include "records/record/record.h"

#include "base/json_text.h"
#include "language/target/target_json.h"
#include "records/record/extra_members.h"
#include "records/record/foreign_log.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace loopscope {

namespace {

using Json = nlohmann::json;

constexpr double kNoTime = 1e10; // stands for a time where there is none
// A later version may have more.
constexpr size_t kTaskElements = 6;
constexpr size_t kResultElements = 4;

/// A sentence about the record, without its place; parseRecord adds path and line.
struct Malformed {
    std::string sentence;
};

const Json &member(const Json &object, const char *name) {
    const auto found = object.find(name);
    if (found == object.end()) throw Malformed{fmt::format("the record has no \"{}\"", name)};
    return *found;
}

const Json &arrayOf(const Json &value, const char *what, size_t least, size_t most) {
    if (!value.is_array()) throw Malformed{fmt::format("{} must be an array, not {}", what, value.type_name())};
    if (value.size() < least || value.size() > most) {
        if (most == SIZE_MAX)
            throw Malformed{fmt::format("{} must have at least {} {}, not {}", what, least,
                                        least == 1 ? "element" : "elements", value.size())};
        throw Malformed{least == most
                            ? fmt::format("{} must have {} elements, not {}", what, least, value.size())
                            : fmt::format("{} must have {} to {} elements, not {}", what, least, most, value.size())};
    }
    return value; // NOLINT(bugprone-return-const-ref-from-parameter): a part of a document that outlives the call
}

std::string stringOf(const Json &value, const char *what) {
    if (!value.is_string()) throw Malformed{fmt::format("{} must be a string, not {}", what, value.type_name())};
    return value.get<std::string>();
}

int intOf(const Json &value, const char *what) {
    if (!value.is_number_integer())
        throw Malformed{fmt::format("{} must be an integer, not {}", what,
                                    value.dump(-1, ' ', false, Json::error_handler_t::replace))};
    const auto number = value.get<int64_t>();
    if (number != static_cast<int>(number)) throw Malformed{fmt::format("{} is out of range: {}", what, number)};
    return static_cast<int>(number);
}

double numberOf(const Json &value, const char *what) {
    if (!value.is_number())
        throw Malformed{fmt::format("{} must be a number, not {}", what,
                                    value.dump(-1, ' ', false, Json::error_handler_t::replace))};
    return value.get<double>();
}

/// TVM of today writes a JSON object, which is read as the line it would have written once; one that is no target stays
/// as it is and is refused by whoever needs the target.
std::string lineOfTarget(const std::string &text) {
    try {
        return targetLine(text);
    } catch (const Error &) {
        return text;
    }
}

void readTask(const Json &task, Record &record) {
    arrayOf(task, "the task", 2, std::max(kTaskElements, task.size()));
    record.taskElements = static_cast<int>(std::min(kTaskElements, task.size()));
    record.key = stringOf(task[0], "the workload key");
    record.targetText = lineOfTarget(stringOf(task[1], "the target"));
    if (task.size() >= 3) {
        const Json &params = arrayOf(task[2], "the hardware parameters", 8, 8);
        HardwareParams h;
        int *const fields[8] = {&h.numCores,
                                &h.vectorUnitBytes,
                                &h.cacheLineBytes,
                                &h.maxSharedMemoryPerBlock,
                                &h.maxLocalMemoryPerBlock,
                                &h.maxThreadsPerBlock,
                                &h.maxVthreadExtent,
                                &h.warpSize};
        for (size_t k = 0; k < 8; ++k) *fields[k] = intOf(params[k], "a hardware parameter");
        record.hardware = h;
    }
    if (task.size() >= 4) record.targetHost = stringOf(task[3], "the target host");
    if (task.size() >= 5) {
        record.layoutRewrite = intOf(task[4], "the layout rewrite option");
        if (record.layoutRewrite < 0 || record.layoutRewrite > 2)
            throw Malformed{fmt::format("the layout rewrite option must be 0, 1 or 2, not {}", record.layoutRewrite)};
    }
    if (task.size() >= 6) {
        for (const Json &name : arrayOf(task[5], "the task input names", 0, SIZE_MAX))
            record.inputNames.push_back(stringOf(name, "a task input name"));
    }
}

void readSteps(const Json &state, Trial &trial) {
    arrayOf(state, "the state", 2, 2);
    arrayOf(state[0], "the state's list of stages", 0, 0);
    const Steps steps = stepsFromJson(state[1]);
    for (size_t k = 0; k < steps.size(); ++k) {
        const auto *split = std::get_if<SplitStep>(&steps[k]);
        if (split == nullptr) continue;
        for (const int64_t length : split->lengths) {
            if (length == kUnfilled)
                throw Malformed{fmt::format("step {} (SP) has an open length; a measured schedule has none", k)};
        }
    }
    trial.steps = steps;
}

void readResult(const Json &result, Trial &trial) {
    arrayOf(result, "the result", kResultElements, std::max(kResultElements, result.size()));
    const int error = intOf(result[1], "the error number");
    if (error < 0 || error > static_cast<int>(TrialError::Unknown))
        throw Malformed{fmt::format("the error number must be 0 to 8, not {}", error)};
    trial.error = static_cast<TrialError>(error);
    const Json &costs = arrayOf(result[0], "the list of times", 1, SIZE_MAX);
    for (const Json &cost : costs) {
        const double seconds = numberOf(cost, "a time");
        if (!trial.valid()) continue;
        if (!(seconds > 0) || !std::isfinite(seconds))
            throw Malformed{fmt::format("a time must be a positive number of seconds, not {}",
                                        cost.dump(-1, ' ', false, Json::error_handler_t::replace))};
        if (seconds < kNoTime) trial.seconds.push_back(seconds); // else nothing was timed
    }
    trial.runSeconds = numberOf(result[2], "the cost of the measurement");
    const double timestamp = numberOf(result[3], "the timestamp");
    if (!(std::fabs(timestamp) < 1e18)) throw Malformed{"the timestamp is out of range"};
    trial.timestamp = static_cast<int64_t>(timestamp);
}

} // namespace

Record parseRecord(std::string_view line, const std::string &path, int lineNumber) {
    const Json json = parseJson(line, path, "the line", lineNumber);
    Record record;
    record.line = lineNumber;
    try {
        if (!json.is_object()) throw Malformed{fmt::format("a record is a JSON object, not {}", json.type_name())};
        const Json &input = arrayOf(member(json, "i"), "\"i\"", 2, 2);
        readTask(input[0], record);
        readSteps(input[1], record.trial);
        readResult(member(json, "r"), record.trial);
        record.version = stringOf(member(json, "v"), "\"v\"");
        constexpr size_t knownMembers = 3;
        if (json.size() > knownMembers) record.extra = extraMembers(line);
        if (input[0].size() > kTaskElements) record.extraTask = extraElements(line, 'i', 0, kTaskElements);
        if (json["r"].size() > kResultElements)
            record.extraResult = extraElements(line, 'r', std::nullopt, kResultElements);
    } catch (const Malformed &problem) {
        throw Error(path, lineNumber, 0, foreignLine(line).value_or(problem.sentence));
    } catch (const Error &problem) { // from the steps, which know no file
        throw Error(path, lineNumber, 0, problem.sentence());
    }
    return record;
}

} // namespace loopscope
