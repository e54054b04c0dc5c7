#pragma once
// A struct as the tuple of its fields, for code that must treat every one of them: sent to a worker, a forgotten field
// would silently have its default there. The names are bound to the struct by their number, so that a field that is
// added does not compile until it is in the list.
//
//     LOOPSCOPE_FIELDS(Target, kind, keys, attrs)      // in the namespace of the struct
//     std::apply([](auto &...field) { ... }, fieldsOf(target));

#include <concepts>
#include <tuple>
#include <type_traits>

#define LOOPSCOPE_FIELDS(Struct, ...)                                                                                  \
    template <typename Value>                                                                                          \
        requires std::same_as<std::remove_const_t<Value>, Struct>                                                      \
    constexpr auto fieldsOf(Value &value) {                                                                            \
        auto &[__VA_ARGS__] = value;                                                                                   \
        return std::tie(__VA_ARGS__);                                                                                  \
    }
