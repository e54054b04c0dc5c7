#include "networks/packed/packed_function.h"

#include "base/check.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace loopscope {

PackedFunction::PackedFunction(Parts parts) : m_parts(std::move(parts)) {
    LOOPSCOPE_CHECK(m_parts.code != nullptr, m_parts.name);
}

Outcome<PackedArgument> PackedFunction::call(std::span<const PackedArgument> arguments) const {
    if (m_parts.signature)
        if (auto problem = problemOfCall(m_parts.name, *m_parts.signature, arguments)) return std::move(*problem);
    // One more, as there may be none and their address is handed out.
    std::vector<PackedValue> values(arguments.size() + 1);
    std::vector<int> codes(arguments.size() + 1);
    for (size_t i = 0; i < arguments.size(); ++i) values[i] = pack(arguments[i], codes[i]);
    PackedValue result;
    int resultCode = static_cast<int>(PackedCode::Null);
    const int status = m_parts.code(values.data(), codes.data(), static_cast<int>(arguments.size()), &result,
                                    &resultCode, m_parts.resource);
    if (status != 0) {
        const char *why = m_parts.whyItFailed != nullptr ? m_parts.whyItFailed() : nullptr;
        if (why == nullptr || *why == '\0')
            return Refusal{fmt::format("{} failed with {} and does not say why", m_parts.name, status)};
        const std::string sentence = why;
        return Refusal{sentence.starts_with(m_parts.name) ? sentence : m_parts.name + ": " + sentence};
    }
    Outcome<PackedArgument> answer = unpack(result, resultCode);
    if (!answer) return Refusal{fmt::format("the result of {} {}", m_parts.name, answer.why())};
    if (m_parts.signature && !kindFits(codeOf(*answer), m_parts.signature->result))
        return Refusal{fmt::format("the result of {} is {}; {} is wanted", m_parts.name, argumentText(*answer),
                                   kindText(m_parts.signature->result))};
    return answer;
}

} // namespace loopscope
