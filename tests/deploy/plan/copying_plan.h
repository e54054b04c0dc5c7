#pragma once
// A plan without code: it copies its input through the arena to one output, and constants to others.

#include "deploy/plan/execution_plan.h"

#include <array>

namespace loopscope {

inline ExecutionPlan copyingPlan() {
    ExecutionPlan plan;
    plan.network = "copies";
    plan.target = "llvm";
    plan.inputs = {{"x", DType::Float32, {2, 3}}};
    plan.outputs = {{"y", DType::Float32, {2, 3}}, {"c", DType::Int64, {3}}, {"s", DType::Float32, {1000}}};
    plan.constants = {{"counted", "1", integerTensor({3}, std::array<int64_t, 3>{7, -8, 9})},
                      {"splat", "2", HostTensor::splat(DType::Float32, {1000}, 0.1)}};
    plan.packed = {{0, {}, 24}, {1, {}, 4000}};
    const auto call = [](PlanArgument from, PlanArgument to, const PlanTensor &type) {
        PlanCall copy;
        copy.name = "copy";
        copy.action = KernelAction::Copy;
        copy.arguments = {std::move(from), std::move(to)};
        copy.outputs = {type};
        copy.nodes = {type.name};
        copy.sources = {"imported " + type.name};
        return copy;
    };
    plan.arenaBytes = 128;
    plan.livePeak = plan.withoutReuse = 64;
    plan.calls = {
        call({StorageKind::Input, 0, 24, "x"}, {StorageKind::Arena, 64, 24, "t"}, {"t", DType::Float32, {2, 3}}),
        call({StorageKind::Arena, 64, 24, "t"}, {StorageKind::Output, 0, 24, "y"}, plan.outputs[0]),
        call({StorageKind::Constant, 0, 24, "counted"}, {StorageKind::Output, 1, 24, "c"}, plan.outputs[1]),
        call({StorageKind::Constant, 1, 4000, "splat"}, {StorageKind::Output, 2, 4000, "s"}, plan.outputs[2])};
    plan.values = {{"t", StorageKind::Arena, 64, 24, 0, 1, ""}};
    return plan;
}

} // namespace loopscope
