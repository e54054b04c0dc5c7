#include "schedule/step.h"

#include <array>

namespace loopscope {

std::string_view annotationText(Annotation annotation) {
    static constexpr std::array<std::string_view, 12> names = {"for",         "unroll",     "vectorize",   "parallel",
                                                               "vthread",     "blockIdx.x", "threadIdx.x", "blockIdx.y",
                                                               "threadIdx.y", "blockIdx.z", "threadIdx.z", "tensorize"};
    return names[static_cast<size_t>(annotation)];
}

std::string_view stepTag(const Step &step) {
    return std::visit([](const auto &s) { return s.tag; }, step);
}

StageId stageOf(const Step &step) {
    return std::visit([](const auto &s) { return s.stage; }, step);
}

void setStage(Step &step, StageId stage) {
    std::visit([&](auto &s) { s.stage = stage; }, step);
}

} // namespace loopscope
