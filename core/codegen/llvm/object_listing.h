#pragma once
// What stands in compiled files, of ours or from elsewhere: functions and data with their sizes, what is wanted from
// others, and instructions read back from their bytes. Nothing of the file is run.

#include "base/outcome.h"
#include "language/target/target.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace loopscope {

struct ObjectSymbol {
    std::string name;
    uint64_t bytes = 0; // 0: wanted from others, or not said
    bool function = false;
    bool defined = false;
};

struct ObjectListing {
    std::vector<ObjectSymbol> symbols; // what others can see or have to bring, in the order of the file
    std::vector<std::string> needed;   // libraries that are opened with it: "libc.so.6"
    [[nodiscard]] const ObjectSymbol *find(std::string_view name) const; // null
};

/// Of an ELF file, shared or not yet linked; refused where the bytes are nothing of the kind.
Outcome<ObjectListing> listObject(std::span<const char> bytes);

/// The instructions of a function, a line each with its offset, with names for places that are jumped to and for what
/// the linker fills in. Refused where there is no such function, or none with bytes; `target` says for which processor.
Outcome<std::string> disassembleFunction(std::span<const char> bytes, const std::string &function,
                                         const Target &target);

} // namespace loopscope
