#pragma once
// A function of C++ behind the C convention of networks/packed/packed_value.h, which refuses wrong calls itself.

#include "networks/packed/packed_function.h"

#include <exception>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

namespace loopscope {

/// Whatever it throws becomes the reason of the failure.
using PackedBody = std::function<Outcome<PackedArgument>(std::span<const PackedArgument>)>;

/// What the C interface calls a function of C++ with.
struct PackedClosure {
    std::string name;
    PackedSignature signature;
    PackedBody body;

    [[nodiscard]] Outcome<PackedArgument> answer(const PackedValue *values, const int *codes, int count) const {
        std::vector<PackedArgument> arguments;
        for (int i = 0; i < count; ++i) {
            Outcome<PackedArgument> argument = unpack(values[i], codes[i]);
            if (!argument) return Refusal{fmt::format("{}: argument {} {}", name, i + 1, argument.why())};
            arguments.push_back(std::move(argument).value());
        }
        if (auto problem = problemOfCall(name, signature, arguments)) return std::move(*problem);
        return body(arguments);
    }
};

// Both live until the thread fails or is answered the next time.
inline thread_local std::string lastErrorText;
inline thread_local PackedArgument lastResult;

/// Why one failed last on this thread.
inline const char *lastPackedError() { return lastErrorText.c_str(); }

/// The function that the C interface sees. Nothing thrown gets past it.
inline int callClosure(PackedValue *values, int *codes, int count, PackedValue *result, int *resultCode,
                       void *resource) {
    try {
        Outcome<PackedArgument> answer = static_cast<const PackedClosure *>(resource)->answer(values, codes, count);
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

inline PackedFunction packedOf(std::string name, PackedSignature signature, PackedBody body) {
    const auto closure = std::make_shared<PackedClosure>(PackedClosure{name, signature, std::move(body)});
    return PackedFunction({.name = std::move(name),
                           .code = callClosure,
                           .resource = closure.get(),
                           .whyItFailed = lastPackedError,
                           .signature = std::move(signature),
                           .kept = closure});
}

} // namespace loopscope
