#include "schedule/gpu_binding.h"

#include <fmt/format.h>

namespace loopscope {

std::optional<Refusal> gpuBindingIn(const Steps &steps) {
    for (size_t number = 0; number < steps.size(); ++number) {
        const auto *bind = std::get_if<AnnotateStep>(&steps[number]);
        if (bind == nullptr || bind->annotation < Annotation::VThread || bind->annotation > Annotation::ThreadZ)
            continue;
        return Refusal{fmt::format("step {} (AN) binds loop {} of stage {} to {}, which a CPU does not have; parallel, "
                                   "vectorize and unroll are legal on it",
                                   number, bind->iter.value, bind->stage.value, annotationText(bind->annotation))};
    }
    return std::nullopt;
}

} // namespace loopscope
