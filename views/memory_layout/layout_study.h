#pragma once
// The layouts a tensor of a schedule could have, each with what the schedule's accesses would then cost at every level
// of the memory, and which of them pays, as core chooses (codegen/layout/choice.h). Values; a job
// makes them.

#include "codegen/layout/access_nest.h"
#include "codegen/layout/choice.h"
#include "codegen/layout/layout.h"
#include "codegen/layout/memory_model.h"
#include "codegen/layout/rewrite.h"
#include "language/target/target.h"
#include "schedule/loop_state.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct LayoutCandidate {
    Layout layout = Layout::identity({});
    std::vector<std::string> readers; // that see it so; empty: all
    QString text;                     // "[j/16] [k] [j%16]"
    QString words;                    // "as it is", "for conv alone", "as typed"; empty: nothing to add
    LayoutCost cost;                  // of all accesses of the schedule
    LayoutCost stage;                 // of bringing the tensor into it, once a call
    LaidOutBy by = LaidOutBy::Nobody;
    QString problem; // why the workload cannot be rewritten so; empty: it can
};

/// One tensor of a choice.
struct LayoutStudy {
    QString tensor;
    std::vector<QString> axes;
    std::vector<int64_t> shape;
    int64_t elementBytes = 4;
    int64_t lanes = 8; // of a vector
    int vectorAxis = 0;
    QStringList levels;                      // "L1", "L2", "pages"
    std::vector<LayoutCandidate> candidates; // the one it has first, then the cheapest first
    int best = 0;                            // 0: as it is
    QString why;                             // a sentence
};

/// What the layouts of all tensors would cost on the loops of a schedule.
struct WeighedLayouts {
    DagPtr dag;
    MemoryModel model;
    std::optional<AccessNest> nest;
    LayoutChoice choice;
    QString problem; // why there is none; empty: there is
};
using WeighedLayoutsPtr = std::shared_ptr<const WeighedLayouts>;
WeighedLayoutsPtr weighLayouts(const DagPtr &dag, const LoopState &state, const Target &target);

/// Tensors of two axes or more that lie in memory, the dearest first.
QStringList layoutTensors(const WeighedLayouts &weighed);
/// `typed`: layouts of the user's own, priced like the others.
LayoutStudy studyOf(const WeighedLayouts &weighed, const QString &tensor, const std::vector<Layout> &typed);

} // namespace loopscope
