#include "networks/passes/well_formed.h"

#include "networks/graph/verify.h"
#include "networks/op/infer_types.h"

namespace loopscope {

std::optional<std::string> whatIsWrong(const GraphFunction &function) {
    if (auto problems = graphProblems(function, 1); !problems.empty()) return std::move(problems.front());
    if (auto problems = checkAgainstCatalogue(function); !problems.empty()) return std::move(problems.front().sentence);
    return std::nullopt;
}

} // namespace loopscope
