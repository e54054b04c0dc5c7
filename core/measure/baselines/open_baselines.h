#pragma once
// One opener per library; baseline.cpp lists them. `ownChoice`: nothing is done to help it choose its kernels.

#include "measure/baselines/baseline.h"

namespace loopscope {

Outcome<std::shared_ptr<const Baseline>> openOpenBlas(bool ownChoice);
Outcome<std::shared_ptr<const Baseline>> openOneDnn(bool ownChoice);
Outcome<std::shared_ptr<const Baseline>> openBlis(bool ownChoice);

} // namespace loopscope
