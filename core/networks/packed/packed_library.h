#pragma once
// A shared library with packed functions, open as long as one of them lives. Opening runs what the library runs on
// opening: only libraries that the user named or that were built here are opened.

#include "networks/packed/packed_function.h"

#include <memory>
#include <string>

namespace loopscope {

class PackedLibrary {
  public:
    /// Refused with the loader's reason.
    static Outcome<PackedLibrary> open(const std::string &path);

    struct Wanted {
        std::string symbol;
        std::string errorSymbol; // `const char *NAME(void)`, of why it failed; empty: it does not say
        std::optional<PackedSignature> signature = std::nullopt;
        void *resource = nullptr;
    };
    /// Refused when the library has no such symbol.
    [[nodiscard]] Outcome<PackedFunction> function(Wanted wanted) const;

  private:
    PackedLibrary(std::string path, std::shared_ptr<void> handle);
    [[nodiscard]] Outcome<void *> address(const std::string &symbol) const;

    std::string m_path;
    std::shared_ptr<void> m_handle;
};

} // namespace loopscope
