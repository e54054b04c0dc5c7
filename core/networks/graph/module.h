#pragma once
// All functions of a network: the unit that is read, written, transformed and built. A value: functions are shared, so
// that a pass which changes one of them leaves the others pointer-equal.

#include "networks/graph/function.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct Module {
    std::string name;
    std::string path; // of the file it was read from, or empty
    std::vector<FunctionPtr> functions;

    /// The function that is run: the one named "main".
    [[nodiscard]] const GraphFunction &main() const;
    [[nodiscard]] FunctionPtr find(std::string_view functionName) const;
    /// The same module with this function in the place of the one of its name.
    [[nodiscard]] Module with(FunctionPtr function) const;
};

} // namespace loopscope
