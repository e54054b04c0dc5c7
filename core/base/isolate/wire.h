#pragma once
// Bytes of a message between the measurer and its workers. Both ends are the same build on the same machine, so numbers
// travel as they lie in memory. A reader of a short or corrupt message throws WireError instead of reading past its
// end.

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace loopscope {

class WireError : public std::runtime_error {
  public:
    WireError() : std::runtime_error("a message between processes is corrupt") {}
};

class WireWriter {
  public:
    template <typename T>
        requires std::is_trivially_copyable_v<T>
    void put(const T &value) {
        m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    void put(std::string_view text) {
        put(static_cast<uint64_t>(text.size()));
        m_bytes.append(text);
    }
    void put(const std::string &text) { put(std::string_view(text)); }
    void put(const char *text) { put(std::string_view(text)); }
    template <typename T> void put(const std::vector<T> &values) {
        put(static_cast<uint64_t>(values.size()));
        if constexpr (std::is_trivially_copyable_v<T>) {
            m_bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
        } else {
            for (const T &value : values) put(value);
        }
    }
    [[nodiscard]] const std::string &bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

class WireReader {
  public:
    explicit WireReader(std::string_view bytes) : m_rest(bytes) {}

    template <typename T>
        requires std::is_trivially_copyable_v<T>
    void get(T &value) {
        const std::string_view from = take(sizeof value);
        std::memcpy(&value, from.data(), sizeof value);
    }
    void get(bool &value) {
        const auto byte = get<uint8_t>(); // any other would be no bool at all
        if (byte > 1) throw WireError();
        value = byte == 1;
    }
    void get(std::string &text) {
        const auto size = get<uint64_t>();
        text = take(size);
    }
    template <typename T> void get(std::vector<T> &values) {
        const auto count = get<uint64_t>();
        if (count > m_rest.size()) throw WireError(); // every element takes a byte at least
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (count > m_rest.size() / sizeof(T)) throw WireError();
            values.resize(count);
            const std::string_view from = take(count * sizeof(T));
            if (count > 0) std::memcpy(values.data(), from.data(), from.size());
        } else {
            values.resize(count);
            for (T &value : values) get(value);
        }
    }
    template <typename T> T get() {
        T value{};
        get(value);
        return value;
    }

  private:
    std::string_view take(uint64_t size) {
        if (size > m_rest.size()) throw WireError();
        const std::string_view taken = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return taken;
    }
    std::string_view m_rest;
};

} // namespace loopscope
