#pragma once
// Text in the language of man(7), for the manual pages that the programs print of themselves.

#include <cctype>
#include <string>
#include <string_view>

namespace loopscope::roff {

/// A line may not begin with a dot or an apostrophe, a plain hyphen is a dash, a backslash begins a request.
inline std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
    return out;
}
/// As a sentence of its own.
inline std::string sentence(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return plain(text) + ".\n";
}
inline std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
inline std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

} // namespace loopscope::roff
