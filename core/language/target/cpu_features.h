#pragma once
// What LLVM knows about processors: their names, the host's, and which vector registers they have. LLVM stays behind
// this header.

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct HostCpu {
    std::string name; // LLVM's name, "znver3"
    /// `+f,-g`: where this machine differs from what its name promises (a virtual machine may hide AVX-512, which code
    /// for the name alone would use and crash). Empty when it does not.
    std::string differences;
};
HostCpu hostCpu();

/// Whether LLVM's x86-64 back end knows the name (`x86-64-v3`, `znver4`, `generic`).
bool isKnownCpu(const std::string &name);
std::vector<std::string> knownCpus();

/// Every name LLVM takes after + or - for this machine's architecture, sorted; asked of the back end once per process.
const std::vector<std::string> &knownFeatures();

struct VectorUnit {
    int bytes = 16;
    int integerBytes = 16; // that whole numbers are computed in: AVX alone, and AVX-512 without BW, have narrower ones
    int registers = 16;
};
/// Of a processor with `+f,-g` changes applied, implications included (`-avx` takes AVX-512 away too).
VectorUnit vectorUnit(const std::string &cpu, std::string_view changes);

} // namespace loopscope
