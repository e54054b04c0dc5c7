#pragma once
// One opener per library; peer.cpp lists them. `ownChoice`: nothing is done to help it choose its kernels.

#include "peers/peer.h"

namespace loopscope {

Outcome<std::shared_ptr<const Peer>> openOpenBlas(bool ownChoice);
Outcome<std::shared_ptr<const Peer>> openOneDnn(bool ownChoice);
Outcome<std::shared_ptr<const Peer>> openBlis(bool ownChoice);

} // namespace loopscope
