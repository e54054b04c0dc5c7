#pragma once
// Structs over the wire, field by field in the order of their list (fields.h), so that what is written and what is read
// cannot differ. A struct without a list travels as it lies in memory, whole; what is neither has a pair of
// `sendField` and `receiveField` of its own in the namespace of its type.

#include "base/fields.h"
#include "base/isolate/wire.h"

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loopscope {

template <typename T>
concept HasFields = requires(T &value) { fieldsOf(value); };
template <typename T> struct IsNestedList : std::false_type {};
template <typename T> struct IsNestedList<std::vector<T>> : std::bool_constant<!std::is_trivially_copyable_v<T>> {};

inline constexpr uint64_t kMaxItems = 1'000'000; // of a list of structs

inline void sendField(WireWriter &wire, const std::map<std::string, std::string> &values) {
    wire.put(static_cast<uint64_t>(values.size()));
    for (const auto &[name, value] : values) {
        wire.put(name);
        wire.put(value);
    }
}
template <typename T> void sendField(WireWriter &wire, const T &value) {
    if constexpr (HasFields<const T>) {
        std::apply([&](const auto &...fields) { (sendField(wire, fields), ...); }, fieldsOf(value));
    } else if constexpr (IsNestedList<T>::value) {
        wire.put(static_cast<uint64_t>(value.size()));
        for (const auto &item : value) sendField(wire, item);
    } else {
        wire.put(value);
    }
}

inline void receiveField(WireReader &wire, std::map<std::string, std::string> &values) {
    const auto count = wire.get<uint64_t>();
    if (count > kMaxItems) throw WireError();
    for (uint64_t i = 0; i < count; ++i) {
        auto name = wire.get<std::string>();
        values[std::move(name)] = wire.get<std::string>();
    }
}
template <typename T> void receiveField(WireReader &wire, T &value) {
    if constexpr (HasFields<T>) {
        std::apply([&](auto &...fields) { (receiveField(wire, fields), ...); }, fieldsOf(value));
    } else if constexpr (IsNestedList<T>::value) {
        const auto count = wire.get<uint64_t>();
        if (count > kMaxItems) throw WireError();
        value.resize(count);
        for (auto &item : value) receiveField(wire, item);
    } else {
        wire.get(value);
    }
}

/// A whole message.
template <typename T> std::string encodeFields(const T &message) {
    WireWriter wire;
    sendField(wire, message);
    return wire.bytes();
}
template <typename T> T decodeFields(std::string_view bytes) {
    WireReader wire(bytes);
    T message;
    receiveField(wire, message);
    return message;
}

} // namespace loopscope
