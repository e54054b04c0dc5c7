#pragma once
// A shared library opened at run time with its symbols kept local.

#include "base/outcome.h"

#include <string>

namespace loopscope {

class SharedLibrary {
  public:
    /// Never closed: the libraries opened here keep threads. The refusal says which file, why, and which package has
    /// it.
    static Outcome<SharedLibrary> open(const std::string &file, const std::string &package);

    /// Null when the library (and what it depends on) does not define the name.
    template <typename Function> Function find(const char *symbol) const {
        return reinterpret_cast<Function>(address(symbol));
    }
    [[nodiscard]] const std::string &file() const { return m_file; }

  private:
    explicit SharedLibrary(void *handle, std::string file) : m_handle(handle), m_file(std::move(file)) {}
    [[nodiscard]] void *address(const char *symbol) const;
    void *m_handle;
    std::string m_file;
};

} // namespace loopscope
