#pragma once
// PTX as a person reads it, and which of its dialects an architecture gets.

#include "codegen/kernel_code.h"

#include <string>
#include <string_view>

namespace loopscope {

/// PTX as LLVM prints it with line directives: `.loc` lines become links, they and what belongs to them leave the text.
LinkedText readPtx(std::string_view printed);

/// What LLVM is asked for.
struct PtxDialect {
    std::string architecture; // "sm_80"; the newest that LLVM knows where it does not know the target's
    std::string version;      // as LLVM's feature: "ptx70"
};

/// `architecture` as in the target ("sm_80", "sm_100a"). PTX of an older architecture runs on every newer one. Throws
/// Error for a name that is none, and for one older than sm_50.
PtxDialect dialectFor(std::string_view architecture);

} // namespace loopscope
