#include "measure/baselines/shared_library.h"

#include <dlfcn.h>

namespace loopscope {

Outcome<SharedLibrary> SharedLibrary::open(const std::string &file, const std::string &package) {
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char *cause = dlerror();
        return Refusal{"cannot open " + file + " (" + (cause != nullptr ? cause : "no reason given") +
                       "); on Debian install the package " + package};
    }
    return SharedLibrary(handle, file);
}

void *SharedLibrary::address(const char *symbol) const { return dlsym(m_handle, symbol); }

} // namespace loopscope
