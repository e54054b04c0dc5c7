#include "networks/packed/checked_call.h"

#include "language/tensor/content_hash.h"

#include <fmt/format.h>
#include <vector>

namespace loopscope {

namespace {

Hash128 hashOf(const DlTensor &tensor) {
    ContentHasher hasher;
    if (const size_t bytes = bytesOf(tensor); bytes > 0) hasher.add(std::span(firstElement(tensor), bytes));
    return hasher.finish();
}

} // namespace

Outcome<PackedArgument> checkedCall(const PackedFunction &function, std::span<const PackedArgument> arguments) {
    if (!function.signature())
        return Refusal{fmt::format(
            "{} has no signature, so that nobody knows what it may write; a checked call needs one", function.name())};
    if (auto problem = problemOfCall(function.name(), *function.signature(), arguments)) return std::move(*problem);
    std::vector<Hash128> before(arguments.size());
    const auto onlyRead = [&](size_t i) -> const DlTensor * {
        const auto *const *tensor = std::get_if<DlTensor *>(&arguments[i]);
        return tensor == nullptr || function.signature()->arguments[i].written ? nullptr : *tensor;
    };
    for (size_t i = 0; i < arguments.size(); ++i)
        if (const DlTensor *tensor = onlyRead(i)) before[i] = hashOf(*tensor);
    Outcome<PackedArgument> answer = function.call(arguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
        const DlTensor *tensor = onlyRead(i);
        if (tensor == nullptr || hashOf(*tensor) == before[i]) continue;
        const std::string &name = function.signature()->arguments[i].name;
        return Refusal{fmt::format("{} wrote to its argument {}{}, which it may only read", function.name(), i + 1,
                                   name.empty() ? "" : fmt::format(" ({})", name))};
    }
    return answer;
}

} // namespace loopscope
