#pragma once
// Packed functions by the types of C++: int64_t, double, bool, std::string, void *, DlTensor * (to be read) and
// Filled (a tensor to be written). The signature is made from them, so that it cannot say something else than the code.

#include "packed/packed_function.h"

#include <array>
#include <type_traits>
#include <utility>

namespace loopscope {

/// A tensor that the function fills in.
struct Filled {
    DlTensor *tensor = nullptr;
};

template <typename T> ArgumentSpec specOf() {
    if constexpr (std::is_same_v<T, int64_t>)
        return {.name = {}, .kind = PackedCode::Int};
    else if constexpr (std::is_same_v<T, double>)
        return {.name = {}, .kind = PackedCode::Float};
    else if constexpr (std::is_same_v<T, bool>)
        return {.name = {}, .kind = PackedCode::Bool};
    else if constexpr (std::is_same_v<T, std::string>)
        return {.name = {}, .kind = PackedCode::String};
    else if constexpr (std::is_same_v<T, void *>)
        return {.name = {}, .kind = PackedCode::Pointer};
    else if constexpr (std::is_same_v<T, DlTensor *>)
        return {};
    else if constexpr (std::is_same_v<T, Filled>)
        return {.name = {}, .kind = PackedCode::Tensor, .tensor = {}, .written = true};
    else {
        static_assert(std::is_void_v<T>, "no type of packed functions");
        return {.name = {}, .kind = PackedCode::Null};
    }
}

/// Of an argument or result whose kind was checked.
template <typename T> T valueAs(const PackedArgument &argument) {
    if constexpr (std::is_same_v<T, Filled>) {
        return {std::get<DlTensor *>(argument)};
    } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int64_t>) {
        if (const auto *truth = std::get_if<bool>(&argument)) return static_cast<T>(*truth);
        if (const auto *integer = std::get_if<int64_t>(&argument)) return static_cast<T>(*integer);
        return std::get<T>(argument);
    } else if constexpr (std::is_same_v<T, void *>) {
        return std::holds_alternative<std::monostate>(argument) ? nullptr : std::get<void *>(argument);
    } else {
        return std::get<T>(argument);
    }
}

template <typename T> PackedArgument packedOf(T value) {
    if constexpr (std::is_same_v<T, Filled>)
        return value.tensor;
    else
        return value;
}

template <typename R, typename... A> PackedSignature signatureOf() {
    return {.arguments = {specOf<A>()...}, .result = specOf<R>().kind};
}

/// typedFunction<double, int64_t, double>("scale", [](int64_t n, double x) { return static_cast<double>(n) * x; })
template <typename R, typename... A>
PackedFunction typedFunction(std::string name, std::type_identity_t<std::function<R(A...)>> body) {
    return PackedFunction::of(
        std::move(name), signatureOf<R, A...>(),
        [body = std::move(body)](std::span<const PackedArgument> arguments) -> Outcome<PackedArgument> {
            return [&]<size_t... I>(std::index_sequence<I...>) -> PackedArgument {
                if constexpr (std::is_void_v<R>) {
                    body(valueAs<A>(arguments[I])...);
                    return std::monostate{};
                } else {
                    return packedOf<R>(body(valueAs<A>(arguments[I])...));
                }
            }(std::index_sequence_for<A...>{});
        });
}

/// callTyped<double>(function, int64_t{2}, 0.5). What the function is not known to take or give is found out here, too.
template <typename R, typename... A> Outcome<R> callTyped(const PackedFunction &function, A... arguments) {
    const std::array<PackedArgument, sizeof...(A)> packed{packedOf<A>(std::move(arguments))...};
    const Outcome<PackedArgument> answer = function.call(packed);
    if (!answer) return answer.refusal();
    constexpr auto wanted = [] { return specOf<R>().kind; };
    if (!kindFits(codeOf(*answer), wanted()))
        return Refusal{"the result of " + function.name() + " is " + argumentText(*answer) + "; " +
                       std::string(kindText(wanted())) + " is wanted"};
    return valueAs<R>(*answer);
}

} // namespace loopscope
