// Stands in for the oneDNN peer in a build without oneDNN's headers.
#include "peers/open_peers.h"

namespace loopscope {

Outcome<std::shared_ptr<const Peer>> openOneDnn(bool /*ownChoice*/) {
    return Refusal{"this build has no oneDNN peer because oneDNN's headers were missing; on Debian install the package "
                   "libdnnl-dev and build again"};
}

} // namespace loopscope
