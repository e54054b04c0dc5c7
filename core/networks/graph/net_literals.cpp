#include "networks/graph/net_literals.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Of what fmt says of a finite number: "1" is an integer to whoever reads it.
std::string withPoint(std::string digits) {
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    return digits;
}

} // namespace

std::string netNumber(double value) {
    if (std::isnan(value)) {
        const auto bits = std::bit_cast<uint64_t>(value);
        const bool plain = bits == std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
        return plain ? "nan" : fmt::format("bits(0x{:016x})", bits);
    }
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return withPoint(fmt::format("{}", value));
}

std::optional<std::string> netElement(const HostTensor &tensor, int64_t i) {
    const DType type = tensor.dtype();
    const HostTensor element = tensor.elementAt(i);
    if (type == DType::Bool) {
        const auto byte = static_cast<uint8_t>(element.bytes()[0]);
        if (byte > 1) return std::nullopt;
        return byte == 1 ? "true" : "false";
    }
    if (!isFloat(type)) return std::to_string(element.integer(0));
    const double value = element.number(0);
    if (std::isnan(value)) {
        if (element.sameAs(HostTensor::scalar(type, std::numeric_limits<double>::quiet_NaN()).dense())) return "nan";
        uint64_t bits = 0;
        std::memcpy(&bits, element.bytes(), static_cast<size_t>(dtypeBytes(type)));
        return fmt::format("bits(0x{:x})", bits);
    }
    if (std::isinf(value) || type == DType::Float64) return netNumber(value);
    return withPoint(fmt::format("{}", static_cast<float>(value)));
}

std::string base64Of(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t at = 0; at < bytes.size(); at += 3) {
        const size_t count = std::min<size_t>(3, bytes.size() - at);
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<uint32_t>(bytes[at + k]) : 0);
        for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

std::optional<std::vector<std::byte>> fromBase64(std::string_view text) {
    static const std::array<int8_t, 256> values = [] {
        std::array<int8_t, 256> table{};
        table.fill(-1);
        for (size_t i = 0; i < kDigits.size(); ++i)
            table[static_cast<unsigned char>(kDigits[i])] = static_cast<int8_t>(i);
        return table;
    }();
    if (text.size() % 4 != 0) return std::nullopt;
    size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    uint32_t bits = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        const bool filler = at >= text.size() - padding;
        const int value = filler ? 0 : values[static_cast<unsigned char>(text[at])];
        if (value < 0) return std::nullopt;
        bits = bits << 6 | static_cast<uint32_t>(value);
        if (at % 4 != 3) continue;
        for (int shift = 16; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(bits >> shift & 255));
        bits = 0;
    }
    for (; padding > 0; --padding) bytes.pop_back();
    return bytes;
}

} // namespace loopscope
