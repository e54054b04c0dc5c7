// Stands in for the oneDNN baseline in a build without oneDNN's headers.
#include "measure/baselines/open_baselines.h"

namespace loopscope {

Outcome<std::shared_ptr<const Baseline>> openOneDnn(bool /*ownChoice*/) {
    return Refusal{
        "this build has no oneDNN baseline because oneDNN's headers were missing; on Debian install the package "
        "libdnnl-dev and build again"};
}

} // namespace loopscope
