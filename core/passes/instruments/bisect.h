#pragma once
// The first pass after which the network computes something else: the module that comes in is run once by the
// reference evaluation, and again after every pass that changed it. Results are compared, and all values that kept
// their names; so what is reported is the first node, in order, that is wrong.

#include "passes/pass_instrument.h"
#include "tensor/wide_tensor.h"

#include <map>
#include <vector>

namespace loopscope {

class BisectInstrument : public PassInstrument {
  public:
    struct Options {
        double tolerance = 1e-5; // of max |a - b| / max |b|, for each value
        int threads = 0;
        bool stop = true; // run no further pass, and refuse
    };
    struct Finding {
        std::string pass;
        std::string value; // the first that is wrong; empty when the network cannot be run any more
        double error = 0;  // relative to the largest number there should be; infinite where the shapes differ
        std::string sentence;
    };
    /// One input for each parameter of main.
    explicit BisectInstrument(std::vector<HostTensor> inputs) : BisectInstrument(std::move(inputs), Options()) {}
    BisectInstrument(std::vector<HostTensor> inputs, Options options)
        : m_inputs(std::move(inputs)), m_options(options) {}

    [[nodiscard]] std::string name() const override { return "bisect"; }
    /// Throws Error when the module cannot be run.
    void enter(const Module &module) override;
    Verdict after(const PassInfo &info, const Module &before, const Module &after) override;

    /// Nothing while all is well.
    [[nodiscard]] const std::optional<Finding> &finding() const { return m_finding; }
    /// How often it compared.
    [[nodiscard]] size_t runs() const { return m_runs; }

  private:
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

} // namespace loopscope
