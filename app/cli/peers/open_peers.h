#pragma once
// One opener per library; peer.cpp lists them.

#include "peers/peer.h"

namespace loopscope {

Outcome<std::shared_ptr<const Peer>> openOpenBlas();
Outcome<std::shared_ptr<const Peer>> openOneDnn();
Outcome<std::shared_ptr<const Peer>> openBlis();

} // namespace loopscope
