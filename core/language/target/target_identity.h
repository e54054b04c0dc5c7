#pragma once
// What of a target decides how fast a kernel is: its processor and how many cores it may use. Times taken on different
// ones are neither ranked nor learnt together. Read from the text alone, since a log may come from a machine that this
// one knows nothing about.

#include "language/target/target.h"

#include <string>
#include <string_view>

namespace loopscope {

struct TargetIdentity {
    std::string kind;     // llvm, cuda
    std::string cpu;      // -mcpu, "generic" when not given; for cuda -arch, empty when not given
    std::string model;    // of a GPU that has a preset (gpu_presets.h); empty: not said
    std::string features; // -mattr, sorted
    std::string triple;
    int cores = 0; // 0: not said (the oldest logs have no place for it)

    /// What one of the two does not say does not tell them apart.
    [[nodiscard]] bool sameAs(const TargetIdentity &other) const;
    [[nodiscard]] std::string text() const; // `llvm -mcpu=znver3 -num-cores=2`
};

/// `hardware`: of the same record; null when it has none.
TargetIdentity identityOf(std::string_view targetText, const HardwareParams *hardware);
TargetIdentity identityOf(const Target &target);

} // namespace loopscope
