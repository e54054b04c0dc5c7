#include "deploy/dispatch/general_kernel.h"

#include "base/fnv_hash.h"
#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "deploy/dispatch/padded_program.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

namespace loopscope {

namespace {

/// Sizes, in multiples, at which a schedule is lowered to see what the numbers in it are. Large ones, since loops of
/// one turn are no loops, and of different rests, so that no remainder is taken for a constant: such that fill their
/// tiles and such that do not; such that leave two at least of every tile; and such that leave one of a tile of two.
constexpr std::array<int64_t, 7> kMixedSizes = {384, 397, 411, 447, 461, 490, 512};
constexpr std::array<int64_t, 7> kTailSizes = {398, 443, 458, 482, 503, 527, 542};
constexpr std::array<int64_t, 7> kOddSizes = {397, 419, 433, 451, 461, 479, 487};
constexpr std::array<int64_t, 6> kMultiples = {7, 9, 11, 13, 16, 17};

bool packsUnknown(const LoopProgram &program, const std::vector<bool> &constants) {
    for (size_t i = 0; i < program.args.size(); ++i)
        if (!program.args[i].packing.empty() && !(i < constants.size() && constants[i])) return true;
    return false;
}

Outcome<SymbolicProgramPtr> programThrough(const KernelFamily &family, const Steps &steps,
                                           std::span<const int64_t> sizes) {
    std::vector<LoopProgram> programs;
    for (const int64_t size : sizes) {
        auto program = loweredAt(family, steps, size);
        if (!program) return program.refusal();
        programs.push_back(std::move(program).value());
    }
    return mergedProgram(std::move(programs), {sizes.begin(), sizes.end()}, family.symbol);
}

std::string hashOf(const std::string &text) { return fmt::format("{:016x}", fnvHash(text)); }

std::vector<int64_t> sizesOfMultiple(int64_t multiple) {
    std::vector<int64_t> sizes;
    for (const int64_t times : kMultiples) sizes.push_back(times * multiple);
    return sizes;
}

GeneralKernel kernelOf(const KernelFamily &family, const Steps &steps, int64_t multiple, SymbolicProgramPtr program) {
    GeneralKernel kernel;
    kernel.steps = steps;
    kernel.multiple = multiple;
    kernel.program = std::move(program);
    kernel.hash = hashOf(fmt::format("{} {} {}", family.bound, multiple, kernel.program->text()));
    return kernel;
}

/// Lowering takes well below a millisecond, so that every size is looked at.
void findDomain(const KernelFamily &family, GeneralKernel &kernel) {
    kernel.holds.assign(static_cast<size_t>(family.bound), false);
    for (int64_t size = 1; size <= family.bound; ++size) {
        if (size % kernel.multiple != 0) continue;
        const std::string why = whyNotAt(family, kernel, size);
        kernel.holds[static_cast<size_t>(size - 1)] = why.empty();
        if (!why.empty() && kernel.exception.empty())
            kernel.exception = fmt::format("at {} = {}, {}", family.symbol, size, why);
    }
}

/// The last kernel, of multiples, as one for all sizes.
void addPadded(const KernelFamily &family, std::vector<GeneralKernel> &kernels) {
    const GeneralKernel &of = kernels.back();
    auto program = paddedProgram(of.program, of.multiple);
    if (!program) {
        kernels.back().whyMultiple +=
            fmt::format("{}it cannot be padded: {}", of.whyMultiple.empty() ? "" : "; ", program.why());
        return;
    }
    GeneralKernel padded = kernelOf(family, of.steps, 1, std::move(program).value());
    padded.tile = of.multiple;
    padded.holds = of.holds; // whole tiles, and what is padded to one
    const int64_t beyond = padded.program->padded(family.bound);
    const bool last = beyond <= family.bound ? of.holdsAt(beyond) : whyNotAt(family, padded, beyond).empty();
    for (int64_t size = 1; size <= family.bound; ++size) {
        const int64_t runsFor = padded.program->padded(size);
        padded.holds[static_cast<size_t>(size - 1)] = runsFor <= family.bound ? of.holdsAt(runsFor) : last;
    }
    kernels.push_back(std::move(padded));
}

} // namespace

Outcome<LoopProgram> loweredAt(const KernelFamily &family, const Steps &steps, int64_t size) {
    const auto dag = family.dagAt(size);
    if (!dag) return dag.refusal();
    const auto state = replay(*dag, steps);
    if (!state) return state.refusal();
    auto program = lower(*state, family.target, {.layoutRewrite = 2, .observer = {}});
    if (program && packsUnknown(*program, family.constants))
        program = lower(*state, family.target, {.layoutRewrite = 1, .observer = {}});
    return program;
}

Outcome<std::vector<GeneralKernel>> generalise(const KernelFamily &family, const Steps &steps) {
    std::vector<GeneralKernel> kernels;
    std::string why;
    const auto add = [&](int64_t multiple, std::span<const int64_t> sizes) {
        auto program = programThrough(family, steps, sizes);
        if (!program) {
            why = program.why();
            return false;
        }
        GeneralKernel kernel = kernelOf(family, steps, multiple, std::move(program).value());
        findDomain(family, kernel);
        if (std::none_of(kernel.holds.begin(), kernel.holds.end(), [](bool one) { return one; })) {
            why = kernel.exception;
            return false;
        }
        kernels.push_back(std::move(kernel));
        return true;
    };
    if (!add(1, kMixedSizes) && !add(1, kTailSizes)) add(1, kOddSizes);
    const std::string whyNotAll = why;
    const int whole = kernels.empty() ? 0 : countStmts(kernels.front().program->program.root);
    for (int64_t multiple = 2; multiple <= std::min<int64_t>(128, family.bound); multiple *= 2) {
        if (!add(multiple, sizesOfMultiple(multiple))) continue;
        if (whole == 0) kernels.back().whyMultiple = whyNotAll;
        addPadded(family, kernels);
        // Whole tiles only: worth a kernel of its own where it has less to do.
        const auto multiples = std::ranges::find(kernels, multiple, &GeneralKernel::multiple);
        if (whole > 0 && countStmts(multiples->program->program.root) >= whole) kernels.erase(multiples);
        break;
    }
    if (kernels.empty()) return Refusal{fmt::format("the schedule is for its own size alone: {}", whyNotAll)};
    return kernels;
}

Outcome<GeneralKernel> generalKernelOfHash(const KernelFamily &family, const Steps &steps, int64_t multiple,
                                           int64_t tile, const std::string &hash) {
    std::vector<std::vector<int64_t>> attempts;
    if (tile > 1)
        attempts.push_back(sizesOfMultiple(tile));
    else if (multiple == 1)
        for (const std::array<int64_t, 7> &sizes : {kMixedSizes, kTailSizes, kOddSizes})
            attempts.emplace_back(sizes.begin(), sizes.end());
    else
        attempts.push_back(sizesOfMultiple(multiple));
    std::string why;
    for (const std::vector<int64_t> &sizes : attempts) {
        auto program = programThrough(family, steps, sizes);
        if (!program) {
            why = program.why();
            continue;
        }
        if (tile > 1) program = paddedProgram(*program, tile);
        if (!program) {
            why = program.why();
            continue;
        }
        GeneralKernel kernel = kernelOf(family, steps, multiple, std::move(program).value());
        kernel.tile = tile;
        if (kernel.hash == hash) return kernel;
        why = fmt::format("its schedule is now a program with hash {}", kernel.hash);
    }
    return Refusal{std::move(why)};
}

std::string whyNotAt(const KernelFamily &family, const GeneralKernel &kernel, int64_t size) {
    if (!kernel.takesSize())
        return size == kernel.only ? std::string() : fmt::format("it is for {} = {} alone", family.symbol, kernel.only);
    if (size % kernel.multiple != 0) return fmt::format("it is for multiples of {}", kernel.multiple);
    // What is padded is the program of the multiple.
    const int64_t runsFor = kernel.program->padded(size);
    const auto fixed = loweredAt(family, kernel.steps, runsFor);
    const SymbolicProgram &program = kernel.program->base ? *kernel.program->base : *kernel.program;
    return fixed ? differenceAt(program, runsFor, *fixed) : fixed.why();
}

Outcome<GeneralKernel> fixedKernel(const KernelFamily &family, const Steps &steps, int64_t size) {
    const auto program = loweredAt(family, steps, size);
    if (!program) return program.refusal();
    GeneralKernel kernel;
    kernel.steps = steps;
    kernel.only = size;
    kernel.holds.assign(static_cast<size_t>(family.bound), false);
    kernel.holds[static_cast<size_t>(size - 1)] = true;
    kernel.hash = hashOf(fmt::format("only {} {}", size, printProgram(*program)));
    return kernel;
}

Outcome<BuiltKernel> buildGeneral(const KernelFamily &family, const GeneralKernel &kernel, CodeGenerator &generator) {
    if (!kernel.takesSize()) {
        const auto program = loweredAt(family, kernel.steps, kernel.only);
        if (!program) return program.refusal();
        auto fixed = generator.compile(*program, {});
        if (!fixed) return fixed.refusal();
        return std::move(fixed.value().kernel);
    }
    const int64_t lanes = std::max(16, family.target.vectorBytes) / int64_t{4};
    auto code = generator.compile(programForSizes(kernel.program, family.bound, lanes), {});
    if (!code) return code.refusal();
    return std::move(code.value().kernel);
}

} // namespace loopscope
