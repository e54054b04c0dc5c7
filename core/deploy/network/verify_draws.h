#pragma once
// Whether a plan computes what the network that was imported means, with inputs that show what [-1, 1) hides: a mean
// far above the spread, sums that leave float16, ties, and where somebody wants it NaN and infinities. The measure is
// the network's own operators in double precision, not what passes made of them; the kernels are looked at one by one,
// with the same inputs, to say where it goes wrong.

#include "deploy/network/verify.h"
#include "deploy/network/weights.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct InputDraw {
    InputKind kind;
    std::string_view name; // of options and files: "mean100"
    std::string_view text; // "inputs with a mean of 100 times their spread"
};
/// In the order in which they are made; that of special values is the last, and not among the usual ones.
std::span<const InputDraw> inputDraws();

struct DrawVerdict {
    const InputDraw *draw = nullptr;
    double scale = 1; // of the inputs, less where a value of the network would have left its type
    Verification results;
    std::optional<Verification> kernels; // where a result is wrong, or the draw is the first
    std::string leftOut;                 // why nothing was compared
};

/// What is looked at: results for inputs, and if there is a way, how its kernels do with the same.
struct NetworkRuns {
    std::function<std::vector<HostTensor>(std::span<const HostTensor> inputs)> results;
    std::function<Outcome<Verification>(std::span<const HostTensor> inputs, const VerifyPlanOptions &options)> kernels =
        nullptr;
    std::vector<std::string> named = {}; // its kernels
};
/// Kernels are compared with what passes made of the network. All of them outlive it.
NetworkRuns runsOf(const GraphFunction &optimised, PlanRunner &runner);

/// For each kind. Where any value of the network leaves the range of its type, which says nothing about kernels, inputs
/// are made smaller; special values are what they are. What needs floats among the parameters, or narrow floats, is
/// left out of networks that have none. The dims of the parameters are known.
Outcome<std::vector<DrawVerdict>> verifyDraws(const GraphFunction &imported, const NetworkRuns &runs,
                                              std::span<const InputKind> kinds, uint64_t seed,
                                              VerifyPlanOptions options = {});

} // namespace loopscope
