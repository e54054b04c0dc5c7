#include "mutated_text.h"

#include <algorithm>
#include <string_view>

namespace loopscope {

namespace {

/// [begin, end) of the line or the word around a place.
std::pair<size_t, size_t> around(const std::string &text, size_t at, std::string_view ends) {
    const size_t before = text.find_last_of(ends, at);
    const size_t begin = before == std::string::npos ? 0 : before + 1;
    const size_t end = std::min(text.find_first_of(ends, at), text.size());
    return {std::min(begin, end), end};
}

void mutateOnce(std::string &text, Random &random) {
    static constexpr std::string_view characters = "0123456789tis(),=:{}[]\"-_@ \nmn*";
    if (text.empty()) return;
    const size_t at = random.index(text.size());
    const std::string_view ends = random.below(2) == 0 ? "\n" : " ,()[]\n";
    const auto [begin, end] = around(text, at, ends);
    // Most changes leave a text that can be read, since what comes behind reading is what is to be looked at.
    switch (random.below(16)) {
    case 0:
        text[at] = characters[random.index(characters.size())];
        break;
    case 1:
        text.insert(at, 1, characters[random.index(characters.size())]);
        break;
    case 2:
        text.erase(at, 1 + random.index(3));
        break;
    case 3:
        text.erase(begin, end - begin + 1);
        break;
    case 4:
        text.insert(begin, text.substr(begin, end - begin + 1));
        break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: { // the same kind of thing from elsewhere
        const auto [from, to] = around(text, random.index(text.size()), ends);
        text.replace(begin, end - begin, text.substr(from, to - from));
        break;
    }
    default: // a number beside it, which is what registers and targets are made of
        if (const size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
            text[digit] = static_cast<char>('0' + random.below(10));
    }
}

} // namespace

std::string mutatedText(std::string text, Random &random) {
    const size_t times = 1 + random.index(3);
    for (size_t i = 0; i < times; ++i) mutateOnce(text, random);
    return text;
}

} // namespace loopscope
