#pragma once
// What the tasks of a log compute, as far as keys and the user's files tell; and how the commands of `log` open logs.

#include "base/outcome.h"
#include "language/task/task.h"
#include "log_options.h"
#include "records/logs/log_document.h"
#include "records/resolve/resolver.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loopscope {

/// With progress on a terminal, and what cannot be read told on standard error. Throws Error.
LogDocument openLog(const std::string &path);
/// The task that --task names, or all. Throws UsageError when there is none of that number.
std::vector<size_t> chosenTasks(const LogDocument &log, const LogOptions &options);
/// Throws UsageError when the log has no such record.
void requireRecord(const LogDocument &log, size_t record);

class LogWorkloads {
  public:
    /// Throws Error for a file or folder that is not there.
    explicit LogWorkloads(const LogOptions &options);
    /// Of a task of the log, by its key and the steps of its best record, or its first.
    [[nodiscard]] Outcome<ResolutionPtr> ofTask(const LogDocument &log, size_t task) const;
    [[nodiscard]] Outcome<ResolutionPtr> ofRecord(const Record &record) const;

  private:
    std::unique_ptr<Resolver> m_resolver;
};

/// The record's task: the computation on the target as logged. Throws Error for a target this program does not know.
Task taskOf(const Record &record, const Resolution &resolution);

/// One line.
std::string jsonText(const nlohmann::ordered_json &json);
/// null when there is none.
nlohmann::ordered_json jsonSeconds(double seconds);

} // namespace loopscope
