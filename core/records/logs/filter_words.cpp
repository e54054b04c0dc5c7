#include "records/logs/filter_words.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isOperator(char c) { return std::string_view("<>=!:").find(c) != std::string_view::npos; }
bool endsWord(char c) {
    return isBlank(c) || isOperator(c) || std::string_view("()\"&|").find(c) != std::string_view::npos;
}

FilterWord::Kind kindOfWord(std::string_view word) {
    const std::string lower = lowerCase(word);
    if (lower == "and") return FilterWord::And;
    if (lower == "or") return FilterWord::Or;
    return lower == "not" ? FilterWord::Not : FilterWord::Word;
}

/// Behind the operator that begins at `at`.
size_t operatorEnd(std::string_view text, size_t at) {
    size_t end = at + 1;
    if (text[at] == '!') return end < text.size() && text[end] == '=' ? end + 1 : end;
    while (end < text.size() && end < at + 3 && std::string_view("<>=").find(text[end]) != std::string_view::npos)
        ++end;
    return end;
}

} // namespace

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

std::vector<FilterWord> filterWords(std::string_view text) {
    std::vector<FilterWord> words;
    size_t at = 0;
    const auto put = [&](FilterWord::Kind kind, size_t end, std::string_view word) {
        words.push_back({kind, std::string(word), at, end - at});
        at = end;
    };
    while (at < text.size()) {
        const char c = text[at];
        if (isBlank(c)) {
            ++at;
        } else if (c == '(' || c == ')') {
            put(c == '(' ? FilterWord::Open : FilterWord::Close, at + 1, text.substr(at, 1));
        } else if (c == '"') {
            const size_t close = text.find('"', at + 1);
            const bool closed = close != std::string_view::npos;
            const size_t end = closed ? close : text.size();
            put(closed ? FilterWord::Quoted : FilterWord::OpenQuote, closed ? end + 1 : end,
                text.substr(at + 1, end - at - 1));
        } else if (isOperator(c)) {
            const size_t end = operatorEnd(text, at);
            const std::string_view word = text.substr(at, end - at);
            put(word == "!" ? FilterWord::Not : FilterWord::Operator, end, word);
        } else if (c == '&' || c == '|') {
            const size_t end = at + 1 < text.size() && text[at + 1] == c ? at + 2 : at + 1;
            put(c == '&' ? FilterWord::And : FilterWord::Or, end, text.substr(at, end - at));
        } else if (c == '-') {
            put(FilterWord::Not, at + 1, "-");
        } else {
            size_t end = at + 1;
            while (end < text.size() && !endsWord(text[end])) ++end;
            const std::string_view word = text.substr(at, end - at);
            put(kindOfWord(word), end, word);
        }
    }
    put(FilterWord::End, at, {});
    return words;
}

} // namespace loopscope
