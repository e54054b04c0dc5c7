#pragma once
// A view whose export takes longer than a blink: the window asks for this instead of ExportRole::exportTo where there
// is one.

#include <QString>

#include <functional>

namespace loopscope {

class LongExportRole {
  public:
    virtual ~LongExportRole() = default;
    /// Writes what is shown now in a job of its own; the suffix decides the format. `done` hears on the UI thread how
    /// it went: empty on success, else one sentence with path and cause. A cancelled job writes no file and says so
    /// itself.
    virtual void exportLater(const QString &path, std::function<void(const QString &problem)> done) = 0;
};

} // namespace loopscope
