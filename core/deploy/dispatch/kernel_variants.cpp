#include "deploy/dispatch/kernel_variants.h"

#include "language/task/task.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace loopscope {

namespace {

/// One schedule: its static kernel, and what it generalises to.
struct PointWork {
    std::optional<FixedKernel> fixed;
    std::vector<KernelVariant> variants;
    std::string note;
    std::string problem;
};

Outcome<FixedKernel> fixedOf(const KernelFamily &family, const PointSchedule &point, CodeGenerator &generator) {
    const auto program = loweredAt(family, point.steps, point.size);
    if (!program) return program.refusal();
    auto code = generator.compile(*program, {});
    if (!code) return code.refusal();
    return FixedKernel{point, std::move(code.value().kernel)};
}

/// One for each thread.
Outcome<std::vector<std::unique_ptr<CodeGenerator>>> generatorsOf(const KernelFamily &family, const ThreadPool &pool) {
    std::vector<std::unique_ptr<CodeGenerator>> generators;
    for (int i = 0; i < pool.threads(); ++i) {
        auto made = makeCodeGenerator(family.target);
        if (!made) return made.refusal();
        generators.push_back(std::move(made).value());
    }
    return generators;
}

PointWork workOf(const KernelFamily &family, const PointSchedule &point, CodeGenerator &generator) {
    PointWork work;
    auto fixed = fixedOf(family, point, generator);
    if (!fixed) {
        work.problem = fixed.why();
        return work;
    }
    work.fixed = std::move(fixed).value();
    const std::string origin = fmt::format("{} at {} = {}", point.source, family.symbol, point.size);
    auto general = generalise(family, point.steps);
    if (!general) {
        work.note = fmt::format("{}, {}: {}", family.name, origin, general.why());
        return work;
    }
    for (GeneralKernel &kernel : general.value()) work.variants.push_back({std::move(kernel), origin, {}});
    return work;
}

std::vector<int64_t> sizesLeft(const KernelFamily &family, const std::vector<KernelVariant> &variants) {
    std::vector<int64_t> left;
    for (int64_t size = 1; size <= family.bound; ++size)
        if (std::ranges::none_of(variants, [&](const KernelVariant &one) { return one.kernel.holdsAt(size); }))
            left.push_back(size);
    return left;
}

/// Sizes that no variant holds for get what the estimate picks for a few sizes, down to the loops as they are written;
/// those few that even these do not hold for, static kernels.
Outcome<bool> addForSizesLeft(const KernelFamily &family, const std::vector<PointSchedule> &points,
                              const DefaultScheduleOptions &defaults, std::vector<KernelVariant> &variants) {
    constexpr size_t kMaxLeft = 16; // of reductions over the size, those below two vectors
    std::vector<int64_t> left = sizesLeft(family, variants);
    for (const int64_t size : {int64_t{1}, int64_t{4}, family.bound}) {
        if (left.empty()) return true;
        const auto dag = family.dagAt(std::min(size, family.bound));
        if (!dag) return dag.refusal();
        const auto schedules = defaultSchedules(makeTask(*dag, family.target), defaults);
        if (!schedules) return schedules.refusal();
        for (const Steps &steps : *schedules) {
            auto general = generalise(family, steps);
            if (!general) continue;
            for (GeneralKernel &kernel : general.value()) {
                if (std::ranges::none_of(left, [&](int64_t one) { return kernel.holdsAt(one); })) continue;
                variants.push_back({std::move(kernel),
                                    fmt::format("default at {} = {}", family.symbol, std::min(size, family.bound)),
                                    {}});
                left = sizesLeft(family, variants);
            }
        }
    }
    if (left.size() > kMaxLeft) {
        const auto hint =
            std::ranges::find_if(variants, [](const KernelVariant &one) { return !one.kernel.exception.empty(); });
        return Refusal{fmt::format("no schedule of {} generalises to {} = {} and {} more sizes{}{}", family.name,
                                   family.symbol, left.front(), left.size() - 1,
                                   hint == variants.end() ? "" : "; of one: ",
                                   hint == variants.end() ? std::string() : hint->kernel.exception)};
    }
    for (const int64_t size : left) {
        const auto same = std::ranges::find(points, size, &PointSchedule::size);
        const PointSchedule &from = same != points.end() ? *same : points.back();
        auto kernel = fixedKernel(family, from.steps, size);
        if (!kernel) return kernel.refusal();
        variants.push_back(
            {std::move(kernel).value(), fmt::format("{}, for {} = {} alone", from.source, family.symbol, size), {}});
    }
    return true;
}

} // namespace

Outcome<std::vector<FixedKernel>> fixedKernels(const KernelFamily &family, const std::vector<PointSchedule> &points,
                                               ThreadPool &pool) {
    const auto generators = generatorsOf(family, pool);
    if (!generators) return generators.refusal();
    std::vector<FixedKernel> all(points.size());
    std::vector<std::string> problems(points.size());
    pool.forEach(points.size(), [&](size_t i, int worker) {
        auto fixed = fixedOf(family, points[i], *(*generators)[static_cast<size_t>(worker)]);
        if (fixed)
            all[i] = std::move(fixed).value();
        else
            problems[i] = fixed.why();
    });
    for (const std::string &problem : problems)
        if (!problem.empty()) return Refusal{fmt::format("no code for {}: {}", family.name, problem)};
    return all;
}

Outcome<KernelVariants> kernelVariants(const KernelFamily &family, const std::vector<PointSchedule> &points,
                                       const DefaultScheduleOptions &defaults, ThreadPool &pool) {
    const auto generators = generatorsOf(family, pool);
    if (!generators) return generators.refusal();
    std::vector<PointWork> works(points.size());
    pool.forEach(points.size(), [&](size_t i, int worker) {
        works[i] = workOf(family, points[i], *(*generators)[static_cast<size_t>(worker)]);
    });
    KernelVariants result;
    for (PointWork &work : works) {
        if (!work.problem.empty()) return Refusal{fmt::format("no code for {}: {}", family.name, work.problem)};
        if (!work.note.empty()) result.notes.push_back(std::move(work.note));
        if (work.fixed) result.fixed.push_back(std::move(*work.fixed));
        for (KernelVariant &variant : work.variants)
            if (std::ranges::none_of(result.variants, [&](const KernelVariant &known) {
                    return known.kernel.hash == variant.kernel.hash;
                }))
                result.variants.push_back(std::move(variant));
    }
    if (auto rest = addForSizesLeft(family, points, defaults, result.variants); !rest) return rest.refusal();
    std::vector<std::string> problems(result.variants.size());
    pool.forEach(result.variants.size(), [&](size_t i, int worker) {
        auto code = buildGeneral(family, result.variants[i].kernel, *(*generators)[static_cast<size_t>(worker)]);
        if (code)
            result.variants[i].code = std::move(code).value();
        else
            problems[i] = code.why();
    });
    for (size_t i = problems.size(); i-- > 0;) {
        if (problems[i].empty()) continue;
        result.notes.push_back(fmt::format("{}, {}: {}", family.name, result.variants[i].origin, problems[i]));
        result.variants.erase(result.variants.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return result;
}

} // namespace loopscope
