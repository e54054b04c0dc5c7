#include "dag/layout_free.h"

#include <algorithm>

namespace loopscope {

bool isLayoutFree(const ComputeDag &dag, const Tensor *placeholder) {
    for (size_t i = 0; i < dag.size(); ++i) {
        const auto attr = dag.op(i).attrs.find("layout_free_placeholders");
        if (attr == dag.op(i).attrs.end()) continue;
        const auto *one = std::get_if<std::string>(&attr->second);
        const auto *several = std::get_if<std::vector<std::string>>(&attr->second);
        const bool named =
            one ? *one == placeholder->name
                : several && std::find(several->begin(), several->end(), placeholder->name) != several->end();
        const auto &loads = dag.access(i).loads;
        if (named &&
            std::any_of(loads.begin(), loads.end(), [&](const LoadAccess &load) { return load.tensor == placeholder; }))
            return true;
    }
    return false;
}

} // namespace loopscope
