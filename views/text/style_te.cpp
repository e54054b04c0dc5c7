// The `.te` language, as samples/README.md describes it.

#include "views/text/line_scanner.h"

#include <array>

namespace loopscope {

namespace {

constexpr auto kStatements =
    std::to_array<std::string_view>({"args", "from", "let", "output", "placeholder", "where", "workload"});
constexpr auto kTeTypes = std::to_array<std::string_view>({"bfloat16", "bool", "float16", "float32", "float64", "int16",
                                                           "int32", "int64", "int8", "uint16", "uint32", "uint8"});
constexpr auto kReductions = std::to_array<std::string_view>({"max", "min", "prod", "reduce", "select", "sum"});

} // namespace

void styleTe(LineScanner &scan) {
    while (!scan.done()) {
        const char c = scan.peek();
        if (c == '#') {
            scan.takeRest(CodeStyle::Comment);
        } else if (c == '"') {
            scan.takeQuoted(CodeStyle::String);
        } else if (c == '@') {
            scan.take(1, CodeStyle::Label);
            scan.takeWhile(LineScanner::isDotted, CodeStyle::Label);
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (LineScanner::isLetter(c)) {
            const std::string_view word =
                scan.look([](char letter) { return LineScanner::isWord(letter) || letter == '.'; });
            const char after = scan.peek(word.size());
            CodeStyle style = CodeStyle::Text;
            if (isOneOf(word, kTeTypes))
                style = CodeStyle::Type;
            else if (isOneOf(word, kReductions) && after == '(')
                style = CodeStyle::Keyword;
            else if (after == '(' && word != "workload")
                style = word == "let" ? CodeStyle::Keyword : CodeStyle::Function;
            else if (isOneOf(word, kStatements))
                style = CodeStyle::Keyword;
            scan.take(word.size(), style);
            if (word == "workload") { // what follows is its name, not a call
                scan.skipBlanks();
                scan.takeWhile(LineScanner::isDotted, CodeStyle::Function);
            }
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace loopscope
