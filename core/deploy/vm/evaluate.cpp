#include "deploy/vm/evaluate.h"

#include <array>
#include <fmt/format.h>

namespace loopscope {

namespace {

std::optional<int64_t> applied(EvalKind kind, int64_t a, int64_t b) {
    int64_t result = 0;
    switch (kind) {
    case EvalKind::Add:
        if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
        return result;
    case EvalKind::Sub:
        if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
        return result;
    case EvalKind::Mul:
        if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
        return result;
    case EvalKind::FloorDiv:
        if (b < 1) return std::nullopt;
        return a / b - (a % b < 0 ? 1 : 0);
    case EvalKind::Less:
        return a < b ? 1 : 0;
    case EvalKind::And:
        return a != 0 && b != 0 ? 1 : 0;
    case EvalKind::Number:
    case EvalKind::Register:
        break;
    }
    return std::nullopt;
}

} // namespace

std::optional<int64_t> evaluate(std::span<const EvalStep> steps, const int64_t *registers) {
    std::array<int64_t, kMaxEvalDepth> waiting;
    size_t depth = 0;
    for (const EvalStep &step : steps) {
        if (step.kind == EvalKind::Number) {
            waiting[depth++] = step.value;
        } else if (step.kind == EvalKind::Register) {
            waiting[depth++] = registers[step.value];
        } else {
            const auto result = applied(step.kind, waiting[depth - 2], waiting[depth - 1]);
            if (!result) return std::nullopt;
            waiting[--depth - 1] = *result;
        }
    }
    return waiting[0];
}

std::string evalProblem(std::span<const EvalStep> steps) {
    size_t depth = 0;
    for (const EvalStep &step : steps) {
        if (step.kind == EvalKind::Number || step.kind == EvalKind::Register) {
            if (++depth > kMaxEvalDepth)
                return fmt::format("more than {} numbers wait for an operation", kMaxEvalDepth);
            continue;
        }
        if (depth < 2)
            return fmt::format("{} takes two numbers, and there {}", evalName(step.kind),
                               depth == 1 ? "is one" : "is none");
        --depth;
    }
    return depth == 1 ? "" : fmt::format("{} numbers are left, and one is the result", depth);
}

} // namespace loopscope
