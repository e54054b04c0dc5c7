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
    return std::visit(StepVisitor{
                          [](const AnnotateStep &) { return std::string_view("AN"); },
                          [](const FuseStep &) { return std::string_view("FU"); },
                          [](const PragmaStep &) { return std::string_view("PR"); },
                          [](const ReorderStep &) { return std::string_view("RE"); },
                          [](const SplitStep &) { return std::string_view("SP"); },
                          [](const FollowSplitStep &) { return std::string_view("FSP"); },
                          [](const FollowFusedSplitStep &) { return std::string_view("FFSP"); },
                          [](const StorageAlignStep &) { return std::string_view("SA"); },
                          [](const ComputeAtStep &) { return std::string_view("CA"); },
                          [](const ComputeInlineStep &) { return std::string_view("CI"); },
                          [](const ComputeRootStep &) { return std::string_view("CR"); },
                          [](const CacheReadStep &) { return std::string_view("CHR"); },
                          [](const CacheWriteStep &) { return std::string_view("CHW"); },
                          [](const RfactorStep &) { return std::string_view("RF"); },
                      },
                      step);
}

StageId stageOf(const Step &step) {
    return std::visit([](const auto &s) { return s.stage; }, step);
}

void setStage(Step &step, StageId stage) {
    std::visit([&](auto &s) { s.stage = stage; }, step);
}

} // namespace loopscope
