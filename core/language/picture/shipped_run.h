#pragma once
// What the comment at the head of a pipeline says about running it, as one would type it after `loopscope-cli run`:
//
//     # Small: --param W=61 --param H=47
//     # Picture: --param W=192 --param H=144 --input in=pictures/photograph.png

#include "language/te/workload.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope {

struct ShippedRun {
    ParamOverrides params;
    std::vector<std::pair<std::string, std::string>> inputs; // name, file relative to that of the workload
    bool operator==(const ShippedRun &) const = default;
};

/// What stands behind that word ("Small", "Picture") up to the end of its line; none: the comment does not say, or says
/// something else there.
std::optional<ShippedRun> shippedRun(std::string_view text, std::string_view word);

/// Values of parameters with which an input has that shape, the others as given: sizes of a picture found from the
/// picture. None: there are none, or one would have to guess (two parameters along one axis, an extent that does not
/// follow a parameter in equal steps). Throws Error for a text that is no workload.
std::optional<ParamOverrides> paramsForShape(std::string_view text, const std::string &path,
                                             const ParamOverrides &params, const std::string &input,
                                             const std::vector<int64_t> &shape);

} // namespace loopscope
