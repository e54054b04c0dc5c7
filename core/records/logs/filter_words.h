#pragma once
// The words of a filter text with their places; see log_filter.h.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct FilterWord {
    enum Kind : uint8_t { Word, Quoted, OpenQuote, Operator, Not, And, Or, Open, Close, End };
    Kind kind = End;
    std::string text; // without quotes
    size_t at = 0;
    size_t length = 0;
};

/// Ends with End.
std::vector<FilterWord> filterWords(std::string_view text);

/// ASCII letters in lower case.
std::string lowerCase(std::string_view text);

} // namespace loopscope
