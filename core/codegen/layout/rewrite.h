#pragma once
// A workload in which a tensor lies in another layout, made from a DAG: with one stage that copies the tensor into it,
// or by its producer writing it so at once, or packed by a workload of its own that runs once, where the tensor is
// constant. Every read in every chosen reader is rewritten, wherever it stands. Layouts that are applied one after the
// other come to one copy; a layout that moves nothing comes to none.
//
// The op whose result lies so carries the attribute `layout` (language/dag/stays_in_memory.h): the text of the layout
// over axes d0, d1, ... and then the extents they have, so that whoever reads the workload knows what lies how.

#include "base/outcome.h"
#include "codegen/layout/layout.h"
#include "language/dag/compute_dag.h"
#include "language/te/workload.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Who brings the elements into their order.
enum class LaidOutBy : uint8_t {
    Nobody,    // the layout moves nothing: the workload as it was
    CopyStage, // a stage copies them, at every call
    Producer,  // the stage that computes them stores them so
    Prepack,   // constants: a workload of its own, run once
};
std::string_view laidOutByText(LaidOutBy by); // "a copy stage"

struct LayoutRequest {
    std::string tensor;                    // name, as tensorText has it
    Layout layout;                         // of its shape
    std::vector<std::string> readers = {}; // ops whose reads are rewritten; empty: all
    bool copyOnly = false;                 // always by a copy stage
};

struct RewrittenWorkload {
    Workload workload;
    std::string text;                     // of the workload, `.te`
    std::string stored;                   // name of the tensor that lies so
    Layout layout = Layout::identity({}); // of it, canonical
    LaidOutBy by = LaidOutBy::Nobody;
    std::optional<Workload> prepack; // takes the tensor as it was, gives the one that lies so
};

/// Refused: no such tensor or reader, a layout of another shape, an output (which lies as the caller has it), a tensor
/// nobody reads.
Outcome<RewrittenWorkload> rewriteForLayout(const ComputeDag &dag, const LayoutRequest &request);

/// A stage may store its result in another order: it is no output, and nothing about it counts on its axes.
bool mayStoreOtherwise(const ComputeDag &dag, const Op &op);
/// How the result of an op lies, when the op carries the attribute.
std::optional<Layout> layoutOf(const Op &op);
/// The op copies a tensor into a layout, and does nothing else.
bool isLayoutCopy(const Op &op);

/// Names of a tensor's axes for texts: those of the op; of an input those its readers index it with, else d0, d1, ...
std::vector<std::string> axisNamesOf(const ComputeDag &dag, const Tensor &tensor);

} // namespace loopscope
