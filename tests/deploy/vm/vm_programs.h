#pragma once
// Small networks as programs, for the tests of the machine.

#include "assemble.h"
#include "deploy/vm/assembly.h"
#include "deploy/vm/compile.h"
#include "deploy/vm/machine.h"
#include "deploy/vm/verify_program.h"
#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/reference.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace loopscope {

/// With types, where they can be inferred.
inline Module networkOf(const std::string &text) {
    Module module = parseNet(text, "t.net").module;
    auto typed = inferTypes(module);
    return typed ? *std::move(typed) : module;
}

inline bool sameBits(const WideTensor &a, const WideTensor &b) {
    return a.dtype == b.dtype && a.dims == b.dims && a.integers == b.integers && a.floats.size() == b.floats.size() &&
           (a.floats.empty() || std::memcmp(a.floats.data(), b.floats.data(), a.floats.size() * sizeof(double)) == 0);
}

inline std::string contentsOf(const WideTensor &tensor) {
    std::string text = typeText({tensor.dtype, asDims(tensor.dims)});
    for (const double number : tensor.floats) text += std::isnan(number) ? " nan" : fmt::format(" {:.6g}", number);
    for (const int64_t number : tensor.integers) text += fmt::format(" {}", number);
    return text;
}

/// How the two differ; empty where the program gives what the reference gives, bit for bit, or both refuse.
inline std::string difference(const Program &program, KernelRunner &kernels, const std::vector<HostTensor> &inputs,
                              bool *refused = nullptr) {
    const auto expected = runReference(program.network, inputs, {.threads = 1});
    const auto machine = VirtualMachine::make(program, kernels);
    if (!machine) return machine.why();
    const auto given = (*machine)->run(inputs);
    if (refused != nullptr) *refused = !expected.ok();
    if (!expected || !given) {
        if (!expected && !given) return {};
        return !given ? "the machine refuses: " + given.why() : "the reference refuses: " + expected.why();
    }
    const std::vector<ValueId> &results = program.network.main().results();
    if (results.size() != given->size()) return "another number of results";
    for (size_t i = 0; i < results.size(); ++i)
        if (!sameBits(expected->at(results[i]), (*given)[i]))
            return fmt::format("result {} is {}, it has to be {}", i, contentsOf((*given)[i]),
                               contentsOf(expected->at(results[i])));
    return {};
}

} // namespace loopscope
