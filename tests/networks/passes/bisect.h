#pragma once
// The first pass after which the network computes something else: the module that comes in is run once by the
// reference evaluation, and again after every pass that changed it. Results are compared, and all values that kept
// their names; so what is reported is the first node, in order, that is wrong.

#include "language/tensor/wide_tensor.h"
#include "networks/passes/pass_context.h"

#include <map>
#include <vector>

namespace loopscope::test {

class Bisect {
  public:
    struct Options {
        double tolerance = 1e-5; // of max |a - b| / max |b|, for each value
        int threads = 0;
    };
    struct Finding {
        std::string pass;
        std::string value; // the first that is wrong; empty when the network cannot be run any more
        double error = 0;  // relative to the largest number there should be; infinite where the shapes differ
        std::string sentence;
    };
    /// One input for each parameter of main. Throws Error when the module cannot be run.
    Bisect(const Module &module, std::vector<HostTensor> inputs) : Bisect(module, std::move(inputs), Options()) {}
    Bisect(const Module &module, std::vector<HostTensor> inputs, Options options);

    /// For GraphPassContext: the run ends with the first pass that is wrong, or leaves what is not well-formed.
    PassWatch watch() {
        return [this](const PassInfo &info, const Module &before, const Module &after) {
            return look(info, before, after);
        };
    }

    /// Nothing while all is well.
    [[nodiscard]] const std::optional<Finding> &finding() const { return m_finding; }
    /// How often it compared.
    [[nodiscard]] size_t runs() const { return m_runs; }

  private:
    PassVerdict look(const PassInfo &info, const Module &before, const Module &after);
    std::optional<Finding> compare(const GraphFunction &main) const;
    std::vector<HostTensor> m_inputs;
    Options m_options;
    std::map<std::string, WideTensor> m_expected; // by name of value
    std::vector<std::string> m_results;
    std::optional<Finding> m_finding;
    size_t m_runs = 0;
};

/// max |a - b| / max |b|; infinite where types or dims differ, or where not the same elements are NaN or infinite.
double relativeDifference(const WideTensor &a, const WideTensor &b);

} // namespace loopscope::test
