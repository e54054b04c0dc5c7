#pragma once
// Targets as TVM writes them since it has given up its command-line form: {"kind": "llvm", "mcpu": "znver3", ...}.

#include <string>
#include <string_view>

namespace loopscope {

/// A JSON object as `KIND -keys=... -name=value`; any other text as it stands. Throws Error.
std::string targetLine(std::string_view text);

} // namespace loopscope
