// Gives every value its type.

#include "networks/op/infer_types.h"
#include "networks/passes/pass_list.h"

namespace loopscope {

GraphPass inferShapesPass() {
    return {{.name = "inferShapes",
             .level = 0,
             .preserves = Facts::all(),
             .establishes = {Fact::Types},
             .description = "gives every value its type, shape rules being those of the catalogue"},
            FunctionRun([](const FunctionPtr &function, GraphPassContext &) -> Outcome<FunctionPtr> {
                return inferTypes(function);
            })};
}

} // namespace loopscope
