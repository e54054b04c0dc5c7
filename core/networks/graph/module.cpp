#include "networks/graph/module.h"

#include "base/check.h"

#include <utility>

namespace loopscope {

FunctionPtr Module::find(std::string_view functionName) const {
    for (const FunctionPtr &function : functions)
        if (function->name() == functionName) return function;
    return nullptr;
}

const GraphFunction &Module::main() const {
    const FunctionPtr function = find("main");
    LOOPSCOPE_CHECK(function, name);
    return *function;
}

Module Module::with(FunctionPtr function) const {
    Module changed = *this;
    for (FunctionPtr &other : changed.functions)
        if (other->name() == function->name()) {
            other = std::move(function);
            return changed;
        }
    changed.functions.push_back(std::move(function));
    return changed;
}

} // namespace loopscope
