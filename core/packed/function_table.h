#pragma once
// Packed functions by name. Whoever calls by name is given a table: there is none for the whole program.

#include "packed/packed_function.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

class FunctionTable {
  public:
    /// Under its own name. Refused when there is one of that name.
    std::optional<Refusal> add(PackedFunction function);
    /// Null when there is none.
    [[nodiscard]] const PackedFunction *find(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// Refused, with what may have been meant, when there is none of that name.
    [[nodiscard]] Outcome<PackedArgument> call(std::string_view name, std::span<const PackedArgument> arguments) const;

  private:
    std::map<std::string, PackedFunction, std::less<>> m_functions;
};

} // namespace loopscope
