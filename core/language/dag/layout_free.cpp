#include "language/dag/layout_free.h"

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
        if (!named) continue;
        // Inputs of old logs are all called `placeholder`: the weight is the one read last.
        const Tensor *last = nullptr;
        for (const LoadAccess &load : dag.access(i).loads)
            if (load.tensor->op->isPlaceholder() && load.tensor->name == placeholder->name) last = load.tensor;
        if (last == placeholder) return true;
    }
    return false;
}

} // namespace loopscope
