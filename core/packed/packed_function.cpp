#include "packed/packed_function.h"

#include "check.h"

#include <exception>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

/// What the C interface calls a function of C++ with.
struct PackedClosure {
    std::string name;
    PackedSignature signature;
    PackedBody body;
};

// Both live until the thread fails or is answered the next time.
thread_local std::string lastErrorText;
thread_local PackedArgument lastResult;

Outcome<PackedArgument> answerOf(const PackedClosure &closure, const PackedValue *values, const int *codes, int count) {
    std::vector<PackedArgument> arguments;
    for (int i = 0; i < count; ++i) {
        Outcome<PackedArgument> argument = unpack(values[i], codes[i]);
        if (!argument) return Refusal{fmt::format("{}: argument {} {}", closure.name, i + 1, argument.why())};
        arguments.push_back(std::move(argument).value());
    }
    if (auto problem = problemOfCall(closure.name, closure.signature, arguments)) return std::move(*problem);
    return closure.body(arguments);
}

/// The function that the C interface sees. Nothing thrown gets past it.
int callClosure(PackedValue *values, int *codes, int count, PackedValue *result, int *resultCode, void *resource) {
    try {
        const auto &closure = *static_cast<const PackedClosure *>(resource);
        Outcome<PackedArgument> answer = answerOf(closure, values, codes, count);
        if (!answer) {
            lastErrorText = answer.why();
            return -1;
        }
        lastResult = std::move(answer).value();
        int code = 0;
        const PackedValue value = pack(lastResult, code);
        if (result != nullptr) *result = value;
        if (resultCode != nullptr) *resultCode = code;
        return 0;
    } catch (const std::exception &problem) {
        lastErrorText = problem.what();
    } catch (...) {
        lastErrorText = "something was thrown that is no exception of the standard library";
    }
    return -1;
}

} // namespace

const char *lastPackedError() { return lastErrorText.c_str(); }

PackedFunction::PackedFunction(Parts parts) : m_parts(std::move(parts)) {
    LOOPSCOPE_CHECK(m_parts.code != nullptr, m_parts.name);
}

PackedFunction PackedFunction::of(std::string name, PackedSignature signature, PackedBody body) {
    const auto closure = std::make_shared<PackedClosure>(PackedClosure{name, signature, std::move(body)});
    return PackedFunction({.name = std::move(name),
                           .code = callClosure,
                           .resource = closure.get(),
                           .whyItFailed = lastPackedError,
                           .signature = std::move(signature),
                           .kept = closure});
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
