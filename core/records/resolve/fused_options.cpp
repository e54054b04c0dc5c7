#include "records/resolve/fused_options.h"

#include "base/outcome.h"
#include "records/resolve/hashed_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

void replaceAll(std::string &text, std::string_view from, char to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
        text.replace(at, from.size(), 1, to);
}

std::optional<FusedOption> optionOf(const FusedOp &op, const FusedOptions::Request &request, HashForm form) {
    std::string te = fmt::format("workload fused()\nx \"@x\" = placeholder [{}] {}\n", fmt::join(request.shape, ", "),
                                 request.dtype);
    if (request.operand)
        te += fmt::format("y \"@y\" = placeholder [{}] {}\n", fmt::join(*request.operand, ", "), request.dtype);
    te += fusedStatements(op, "x", "y", "r", "_", request.shape, request.dtype);
    try {
        HashedText hashed = hashedText(te, form);
        FusedOption option{op, {}, {}, std::move(hashed.result), std::move(hashed.shape), std::move(hashed.dtype)};
        for (const HashedLine &line : hashed.lines)
            if (line.input != "@x" && !(op.leading && line.input == "@y")) option.text += line.text;
        for (std::string *text : {&option.text, &option.result}) {
            replaceAll(*text, "@x", FusedOptions::kBefore);
            replaceAll(*text, "@y", FusedOptions::kOperand);
        }
        for (size_t at = 0; at < option.text.size(); ++at)
            if (option.text[at] == FusedOptions::kBefore || option.text[at] == FusedOptions::kOperand)
                option.marks.push_back(at);
        return option;
    } catch (const Error &) {
        return std::nullopt; // not for this type or these shapes
    }
}

} // namespace

const std::vector<FusedOption> &FusedOptions::options(const Request &request) {
    const auto known = m_options.find(request);
    if (known != m_options.end()) return known->second;
    std::vector<FusedOption> options;
    for (const FusedOp &op : fusedOps(request.shape.size(), request.reductions)) {
        if (op.binary != request.operand.has_value() || op.leading != request.leading) continue;
        if (auto option = optionOf(op, request, m_form)) options.push_back(*std::move(option));
    }
    std::stable_sort(options.begin(), options.end(),
                     [](const auto &a, const auto &b) { return a.op.cost < b.op.cost; });
    return m_options.emplace(request, std::move(options)).first->second;
}

} // namespace loopscope
