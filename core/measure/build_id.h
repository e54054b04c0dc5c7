#pragma once
// Which build this is: a hash over the sources that decide what a worker computes and how long it takes, the compiler
// and the kind of build. Two programs whose messages are laid out alike may still mean other things by them, or
// generate other code.

#include <cstdint>

namespace loopscope {

uint64_t buildId();

} // namespace loopscope
