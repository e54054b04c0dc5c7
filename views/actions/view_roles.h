#pragma once
// What the window may ask of whichever view has the focus: Ctrl+F, export as shown, copy. A view implements the roles
// that make sense for it.

#include <QString>
#include <QStringList>

namespace loopscope {

class FindRole {
  public:
    virtual ~FindRole() = default;
    /// Opens the view's own find line, or puts the cursor into it.
    virtual void startFind() = 0;
};

class ExportRole {
  public:
    virtual ~ExportRole() = default;
    /// Suffixes without dot, the preferred one first: "svg", "png", "pdf", "csv", "tsv", "txt".
    [[nodiscard]] virtual QStringList exportSuffixes() const = 0;
    /// Writes what is shown; the suffix decides the format. Empty on success, else one sentence with path and cause.
    virtual QString exportTo(const QString &path) = 0;
};

class ZoomRole {
  public:
    virtual ~ZoomRole() = default;
    virtual void zoomIn() = 0;
    virtual void zoomOut() = 0;
    virtual void zoomToFit() = 0;
};

} // namespace loopscope
