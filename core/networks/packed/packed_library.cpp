#include "networks/packed/packed_library.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

PackedLibrary::PackedLibrary(std::string path, std::shared_ptr<void> handle)
    : m_path(std::move(path)), m_handle(std::move(handle)) {}

Outcome<PackedLibrary> PackedLibrary::open(const std::string &path) {
    // A name without a folder would be looked for among the system's libraries.
    std::error_code unknown;
    const std::string file = std::filesystem::absolute(path, unknown).string();
    void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char *why = ::dlerror();
        return Refusal{
            fmt::format("the library {} cannot be opened: {}", path, why != nullptr ? why : "no reason given")};
    }
    return PackedLibrary(path, std::shared_ptr<void>(handle, [](void *open) { ::dlclose(open); }));
}

Outcome<void *> PackedLibrary::address(const std::string &symbol) const {
    if (void *found = ::dlsym(m_handle.get(), symbol.c_str())) return found;
    return Refusal{fmt::format("the library {} has no function {}", m_path, symbol)};
}

Outcome<PackedFunction> PackedLibrary::function(Wanted wanted) const {
    const Outcome<void *> code = address(wanted.symbol);
    if (!code) return code.refusal();
    PackedFunction::Parts parts{.name = std::move(wanted.symbol),
                                .code = reinterpret_cast<PackedFunctionPointer>(*code),
                                .resource = wanted.resource,
                                .signature = std::move(wanted.signature),
                                .kept = m_handle};
    if (!wanted.errorSymbol.empty()) {
        const Outcome<void *> error = address(wanted.errorSymbol);
        if (!error) return error.refusal();
        parts.whyItFailed = reinterpret_cast<PackedErrorPointer>(*error);
    }
    return PackedFunction(std::move(parts));
}

} // namespace loopscope
