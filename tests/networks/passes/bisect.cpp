#include "bisect.h"

#include "networks/op/kernel_roundings.h"
#include "networks/op/reference.h"
#include "networks/passes/well_formed.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace loopscope::test {

double relativeDifference(const WideTensor &a, const WideTensor &b) {
    constexpr double all = std::numeric_limits<double>::infinity();
    if (a.dtype != b.dtype || a.dims != b.dims || a.size() != b.size()) return all;
    if (!isFloat(a.dtype)) return a.integers == b.integers ? 0 : all;
    double largest = 0;
    double difference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double x = a.floats[i];
        const double y = b.floats[i];
        if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y)) {
            if ((std::isnan(x) && std::isnan(y)) || x == y) continue;
            return all;
        }
        largest = std::max(largest, std::abs(y));
        difference = std::max(difference, std::abs(x - y));
    }
    if (difference == 0) return 0;
    return largest > 0 ? difference / largest : all;
}

Bisect::Bisect(const Module &module, std::vector<HostTensor> inputs, Options options)
    : m_inputs(std::move(inputs)), m_options(options) {
    const GraphFunction &main = module.main();
    ReferenceOptions keeping;
    keeping.threads = m_options.threads;
    keeping.keepAll = true;
    auto values = runReference(main, m_inputs, keeping);
    if (!values) throw Error(values.why());
    for (auto &[value, tensor] : *values) m_expected[main.value(value).name] = std::move(tensor);
    for (const ValueId result : main.results()) m_results.push_back(main.value(result).name);
}

std::optional<Bisect::Finding> Bisect::compare(const GraphFunction &main) const {
    for (size_t i = 0; i < m_results.size(); ++i)
        if (main.results().size() != m_results.size() || main.value(main.results()[i]).name != m_results[i])
            return Finding{{}, m_results[i], 0, fmt::format("the result '{}' is not there any more", m_results[i])};
    std::optional<Finding> wrong;
    const auto check = [&](const std::string &name, const WideTensor &tensor) {
        const auto expected = m_expected.find(name);
        if (wrong || expected == m_expected.end()) return;
        const double error = relativeDifference(tensor, expected->second);
        // A cast that a pass leaves out, or puts in, is a rounding.
        const double allowed = std::max(m_options.tolerance, 4 * narrowRoundingOf(tensor.dtype));
        if (error <= allowed) return;
        wrong = Finding{{},
                        name,
                        error,
                        std::isfinite(error)
                            ? fmt::format("'{}' differs by {:.3g} of its largest number, which is more than {:.3g}",
                                          name, error, allowed)
                            : fmt::format("'{}' has another shape, or NaN, infinities or integers elsewhere", name)};
    };
    ReferenceOptions options;
    options.threads = m_options.threads;
    options.onValue = [&](ValueId value, const WideTensor &tensor) {
        check(main.value(value).name, tensor);
        return true;
    };
    const auto results = runReference(main, m_inputs, options);
    if (wrong) return wrong;
    if (!results) return Finding{{}, {}, 0, results.why()};
    for (const ValueId result : main.results()) check(main.value(result).name, results->at(result));
    return wrong;
}

PassVerdict Bisect::look(const PassInfo &info, const Module &before, const Module &after) {
    if (m_finding || before.find("main") == after.find("main")) return {};
    if (auto wrong = whatIsWrong(after.main())) return {true, Refusal{*std::move(wrong)}};
    ++m_runs;
    m_finding = compare(after.main());
    if (!m_finding) return {};
    m_finding->pass = info.name;
    return {true, Refusal{m_finding->sentence}};
}

} // namespace loopscope::test
