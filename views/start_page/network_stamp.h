#pragma once
// A network as a picture the size of a stamp. Networks are long: neighbouring nodes of a stretch are one dot, so that
// branches and where they meet again are still seen.

#include "networks/graph/function.h"
#include "views/start_page/dag_stamp.h"

namespace loopscope {

/// Without constants. Dots that multiply stand out as reductions do; `stages` are nodes.
DagStamp drawNetwork(const GraphFunction &function);
/// "70 nodes · 44.6 MiB": with the bytes of its constants.
QString networkFacts(const GraphFunction &function);

} // namespace loopscope
