#include "networks/onnx/readable.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

/// Bytes of the character that begins there; 0 when none does.
size_t characterAt(std::string_view text, size_t at) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
    const unsigned first = byte(at);
    if (first < 0x80) return 1;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(at + 1);
    // Written longer than needed, halves of pairs, beyond the last character.
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
        return 0;
    return length;
}

} // namespace

bool isUtf8(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
        const size_t length = characterAt(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

std::string readable(std::string_view text, size_t most) {
    std::string shown;
    for (size_t at = 0; at < text.size();) {
        if (shown.size() >= most) return shown + "...";
        const size_t length = characterAt(text, at);
        const auto byte = static_cast<unsigned char>(text[at]);
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            shown += fmt::format("\\x{:02x}", byte);
            ++at;
            continue;
        }
        shown += text.substr(at, length);
        at += length;
    }
    return shown;
}

} // namespace loopscope
