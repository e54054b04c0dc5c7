#include "validators.h"

#include "base/nearest_name.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace loopscope {

/// CLI11's own conversions let a negative number wrap around, a large one saturate, and `nan` through.
CLI::Validator anyWholeNumber() {
    return {[](std::string &text) {
                uint64_t value = 0;
                const char *end = text.data() + text.size();
                const auto parsed = std::from_chars(text.data(), end, value);
                const bool whole = parsed.ec == std::errc() && parsed.ptr == end;
                return whole ? std::string()
                             : fmt::format("{} is not a whole number from 0 to {}", text,
                                           std::numeric_limits<uint64_t>::max());
            },
            "0 to 2^64-1"};
}
CLI::Validator numberOfSeconds() {
    return {[](std::string &text) {
                double value = 0;
                const char *end = text.data() + text.size();
                const auto parsed = std::from_chars(text.data(), end, value);
                const bool legal = parsed.ec == std::errc() && parsed.ptr == end && value >= 0 && value <= 1e9;
                return legal ? std::string() : fmt::format("{} is not a number of seconds from 0 to 1e9", text);
            },
            "0 to 1e9"};
}
CLI::Validator fileName() {
    return {[](std::string &text) { return text.empty() ? std::string("a file name is missing") : std::string(); }, ""};
}
CLI::Validator wholeNumber(int least, int most) {
    CLI::Validator range = CLI::Range(least, most);
    range.description(fmt::format("{} to {}", least, most));
    return range;
}
CLI::Validator oneOf(const std::vector<std::string> &words) {
    return {[words](std::string &text) {
                if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
                return fmt::format("`{}` is none of {}{}", text, fmt::join(words, ", "), suggestion(text, words));
            },
            fmt::format("{}", fmt::join(words, "|"))};
}

std::vector<std::string> partsOf(const std::string &list) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= list.size();) {
        const size_t comma = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return parts;
}
CLI::Validator listOf(const std::vector<std::string> &words) {
    const CLI::Validator one = oneOf(words);
    return {[words, one](std::string &text) {
                for (std::string &part : partsOf(text)) {
                    if (part.empty())
                        return fmt::format("`{}` has an empty name; give {}, with commas between", text,
                                           fmt::join(words, ", "));
                    if (std::string why = one(part); !why.empty()) return why;
                }
                return std::string();
            },
            one.get_description()};
}

} // namespace loopscope
