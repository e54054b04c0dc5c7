#pragma once
// A shared library from sources in C, by whatever C compiler is installed.

#include "base/outcome.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct LibrarySources {
    std::vector<std::string> files;
    std::string includeFolder;
    std::string library; // to be written, over an earlier one; lib*.so
};

/// For the processor of this machine, with OpenMP. Refused, with what to do, when there is no compiler, and with its
/// first complaint when it fails; then nothing is written.
std::optional<Refusal> compileLibrary(const LibrarySources &sources);

} // namespace loopscope
