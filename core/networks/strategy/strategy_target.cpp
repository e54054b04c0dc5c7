#include "networks/strategy/strategy_target.h"

#include "base/outcome.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace loopscope {

namespace {

/// The keys that TVM's target kinds and tags have, in their order.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kKeysOfKinds = {{{"llvm", "cpu"},
                                                                                        {"cuda", "cuda,gpu"},
                                                                                        {"rocm", "rocm,gpu"},
                                                                                        {"arm_cpu", "arm_cpu,cpu"},
                                                                                        {"mali", "mali,opencl,gpu"}}};

std::vector<std::string> separated(std::string_view text, char by) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(by, at), text.size());
        if (end > at) parts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

} // namespace

bool StrategyTarget::has(std::string_view library) const {
    return std::find(libraries.begin(), libraries.end(), library) != libraries.end();
}

StrategyTarget strategyTarget(const Target &target) {
    const auto libraries = target.attrs.find("libs");
    return {target.text(), separated(target.keys, ','),
            libraries == target.attrs.end() ? std::vector<std::string>{} : separated(libraries->second, ',')};
}

StrategyTarget strategyTarget(std::string_view text) {
    const std::vector<std::string> words = separated(text, ' ');
    const auto *const kind = std::find_if(kKeysOfKinds.begin(), kKeysOfKinds.end(),
                                          [&](const auto &one) { return !words.empty() && words[0] == one.first; });
    if (kind == kKeysOfKinds.end()) {
        std::vector<std::string_view> known;
        for (const auto &[name, keys] : kKeysOfKinds) known.push_back(name);
        throw Error(fmt::format("target '{}': there are strategies for {}", text, fmt::join(known, ", ")));
    }
    StrategyTarget target = {std::string(text), separated(kind->second, ','), {}};
    for (const std::string &word : words) {
        if (word.starts_with("-keys=")) target.keys = separated(std::string_view(word).substr(6), ',');
        if (word.starts_with("-libs=")) target.libraries = separated(std::string_view(word).substr(6), ',');
    }
    return target;
}

} // namespace loopscope
