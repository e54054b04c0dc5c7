#include "views/session/open_fleet.h"

#include "measure/fleet/slurm.h"
#include "measure/fleet/slurm_fleet.h"
#include "views/session/text.h"

#include <utility>

namespace loopscope {

std::shared_ptr<Fleet> openFleet(const QString &words, const Target &target, const MeasureOptions &options,
                                 SearchControl &control, const std::function<void(const std::string &sentence)> &tell) {
    const auto choice = slurmChoice(std8(words));
    if (!choice) throw Error(choice.why());
    auto fleet = fleetOnSlurm(*choice, target, options, tell, &control.cancelledFlag());
    if (!fleet) throw Error(fleet.why());
    return std::move(fleet).value();
}

void endFleet(std::shared_ptr<Fleet> &fleet, const SearchControl &control) {
    if (!fleet) return;
    if (!control.cancelled()) fleet->finish();
    fleet->endTelling();
    fleet.reset();
}

} // namespace loopscope
