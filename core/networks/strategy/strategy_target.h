#pragma once
// What a strategy has to know of a target: the keys under which implementations are registered, the nearest first, and
// the libraries it names.

#include "language/target/target.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct StrategyTarget {
    std::string text;                   // "llvm", "cuda -libs=cudnn"
    std::vector<std::string> keys;      // "cuda", "gpu"
    std::vector<std::string> libraries; // of -libs

    [[nodiscard]] bool has(std::string_view library) const;
};

StrategyTarget strategyTarget(const Target &target);
/// `KIND -keys=a,b -libs=c,d`; other attributes are not looked at, and without -keys they are the kind's own. Also of
/// kinds for which no code is made: rocm, arm_cpu, mali. Throws Error for an unknown kind.
StrategyTarget strategyTarget(std::string_view text);

} // namespace loopscope
