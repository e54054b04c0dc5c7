#pragma once
// Nodes for a search of the window, from the words that its user asks Slurm for them with, to its end.

#include "measure/fleet/fleet.h"
#include "search/search_control.h"

#include <QString>

#include <functional>
#include <memory>
#include <string>

namespace loopscope {

/// On the search's thread; waits until Slurm gives them. Null: cancelled meanwhile. Throws Error. `tell`: until
/// endFleet.
std::shared_ptr<Fleet> openFleet(const QString &words, const Target &target, const MeasureOptions &options,
                                 SearchControl &control, const std::function<void(const std::string &sentence)> &tell);
/// The search is over, and who listened to it goes away; whoever shows the fleet may keep it longer. Null: nothing.
void endFleet(std::shared_ptr<Fleet> &fleet, const SearchControl &control);

} // namespace loopscope
