#pragma once
// What a grouping of the task comes to, as one value: the decisions, the schedule made of them or why there is none.
// Made in a job.

#include "language/target/target.h"
#include "schedule/grouping/group_dag.h"
#include "schedule/step.h"

#include <QString>
#include <QStringList>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope {

struct GroupingRequest {
    DagPtr dag;
    Target target;
    GroupingOptions options;
};

struct ShownGrouping {
    GroupingRequest request;
    Grouping grouping;
    std::vector<std::vector<BufferNumber>> reads; // by stage: what it reads in the DAG
    std::optional<Steps> steps;
    QString refusal;   // why there are none
    QStringList notes; // where the steps differ from the plan
    QString script;    // empty: see scriptRefusal
    QString scriptRefusal;

    [[nodiscard]] const Pipeline &pipeline() const { return grouping.pipeline; }
};
using ShownGroupingPtr = std::shared_ptr<const ShownGrouping>;

/// The same decisions as `loopscope-cli group`.
/// It need not be whole where `cancelled` is set meanwhile.
ShownGroupingPtr makeGrouping(const GroupingRequest &request, const std::atomic<bool> &cancelled = false);

/// A set of machine parameters that has a name.
struct MachinePreset {
    QString name;
    QString tip;
    MachineParameters machine;
};
std::vector<MachinePreset> machinePresets(const Target &target);

// Words of the view
QString stageName(const Pipeline &pipeline, BufferNumber buffer);
/// "256 × 256", innermost first; "y 1" where not all spatial loops are cut; "none".
QString tileText(const Pipeline &pipeline, int node, const TileSizes &tile);
/// "x 256, y 256"; "none".
QString namedTileText(const Pipeline &pipeline, int node, const TileSizes &tile);
QString costText(int64_t cost);  // "2.315 G", with a real minus sign
QString exactText(int64_t cost); // "2 315 326 464"

} // namespace loopscope
