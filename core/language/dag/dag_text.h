#pragma once
// A DAG as text, and the key that is made of it: logs of this and other programs know a task by it.

#include "language/dag/compute_dag.h"

#include <string>

namespace loopscope {

/// The text TVM prints for a ComputeDAG, one op a line; no line is shortened.
std::string dagText(const ComputeDag &dag, DagTextMode mode = DagTextMode::Normal);
/// The part of it that one op is: its line, or a line per output, each ended.
std::string opText(const Op &op, DagTextMode mode = DagTextMode::Normal);
/// 32 hex digits: MD5 of the simple text.
std::string dagHash(const ComputeDag &dag);
/// `["hash", [shape], ...]` with `, ` separators.
std::string dagKey(const ComputeDag &dag);

} // namespace loopscope
