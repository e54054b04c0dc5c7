#pragma once
// A network with its operators written for the layouts that a table gives them. Only who has costs can fill in the
// table (deploy/network/layout_choice.h), so the pass stands in no pipeline: it is made when it is asked for.
//
// Every value is brought into another layout once at most, however many nodes read it so, and never back and forth;
// constants are laid out here and now. Parameters and results keep the caller's layout. A value with channels last is
// called otherwise than the one with channels first ("x.channels_last"), so that equal names stand for equal numbers.

#include "base/outcome.h"
#include "base/thread_pool.h"
#include "networks/op/layout_rule.h"
#include "networks/passes/pass.h"
#include "networks/passes/pass_report.h"

#include <cstddef>
#include <vector>

namespace loopscope {

/// By node of the main function.
using LayoutTable = std::vector<DataLayout>;

/// Nodes that take any layout and hang together with a convolution or a window, by values that only such nodes hand on,
/// in the one layout; all else channels first.
LayoutTable uniformLayouts(const GraphFunction &function, DataLayout layout);

/// The function so written, with what became of its nodes told to the report. Refuses a table of another length, and
/// one that has a node in a layout that it does not take.
Outcome<FunctionPtr> withLayouts(const FunctionPtr &function, const LayoutTable &table, ThreadPool &pool,
                                 PassReport &report);
/// The same as a pass over the main function.
GraphPass assignLayoutsPass(LayoutTable table);

/// Whether the pass added a node, to bring a value into a layout: it stands for no node of a file, and is named
/// "VALUE.transform".
bool isLayoutTransform(const Node &node);

} // namespace loopscope
