// The printed loop program: one statement a line, the first word says which.

#include "views/text/line_scanner.h"

#include <array>

namespace loopscope {

namespace {

constexpr auto kLoopTypes =
    std::to_array<std::string_view>({"bfloat16", "bool", "float16", "float32", "float64", "int16", "int32", "int64",
                                     "int8", "uint16", "uint32", "uint8"});
constexpr auto kScopes = std::to_array<std::string_view>({"argument", "heap", "local", "register", "shared", "stack"});

CodeStyle loopStyle(std::string_view word) {
    if (word == "for") return CodeStyle::Keyword;
    if (word == "parallel") return CodeStyle::Parallel;
    if (word == "vectorized") return CodeStyle::Vector;
    if (word == "unrolled") return CodeStyle::Unroll;
    if (word == "vthread") return CodeStyle::VThreadBound;
    if (word.starts_with("blockIdx.")) return CodeStyle::BlockBound;
    if (word.starts_with("threadIdx.")) return CodeStyle::ThreadBound;
    return CodeStyle::Text;
}

void styleExpressions(LineScanner &scan, bool types) {
    while (!scan.done()) {
        const char c = scan.peek();
        if (c == '"') {
            scan.takeQuoted(CodeStyle::String);
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (LineScanner::isLetter(c)) {
            const std::string_view word = scan.look(LineScanner::isDotted);
            CodeStyle style = CodeStyle::Text;
            if (scan.peek(word.size()) == '(')
                style = isOneOf(word, kLoopTypes) ? CodeStyle::Type : CodeStyle::Function;
            else if (types && isOneOf(word, kLoopTypes))
                style = CodeStyle::Type;
            else if (types && (isOneOf(word, kScopes) || word == "out" || word == "packed" || word == "from"))
                style = CodeStyle::Keyword;
            scan.take(word.size(), style);
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace

void styleLoopProgram(LineScanner &scan) {
    const bool head = scan.peek() != ' ';
    scan.skipBlanks();
    const std::string_view word = scan.look(LineScanner::isDotted);
    const char after = scan.peek(word.size());
    if (head && after == '(') {
        scan.take(word.size(), CodeStyle::Function);
        return styleExpressions(scan, true);
    }
    const CodeStyle loop = after == ' ' ? loopStyle(word) : CodeStyle::Text;
    if (loop != CodeStyle::Text) {
        scan.take(word.size(), loop);
        scan.skipBlanks();
        scan.takeWhile(LineScanner::isDotted, CodeStyle::Register); // the variable
        scan.skipBlanks();
        if (scan.startsWith("in ")) scan.take(2, CodeStyle::Keyword);
        const size_t unroll = scan.rest().rfind("  unroll up to ");
        std::string_view before = scan.rest().substr(0, unroll);
        const size_t end = scan.at() + before.size();
        while (scan.at() < end) {
            if (LineScanner::isDigit(scan.peek()))
                scan.takeNumber();
            else
                scan.take(1, CodeStyle::Text);
        }
        if (!scan.done()) scan.takeRest(CodeStyle::Unroll);
        return;
    }
    if (word == "allocate" && after == ' ') {
        scan.take(word.size(), CodeStyle::Keyword);
        return styleExpressions(scan, true);
    }
    if ((word == "if" && after == ' ') || (word == "let" && after == ' ') || word == "else" || word == "barrier") {
        scan.take(word.size(), CodeStyle::Keyword);
        if (scan.startsWith(" likely ")) scan.take(7, CodeStyle::Keyword);
    }
    styleExpressions(scan, false);
}

} // namespace loopscope
