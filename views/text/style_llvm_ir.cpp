// LLVM IR. A vector type is what one looks for, so it stands out; flags and metadata step back.

#include "views/text/line_scanner.h"

#include <array>

namespace loopscope {

namespace {

bool inName(char c) { return LineScanner::isWord(c) || c == '.' || c == '-' || c == '$'; }

bool isType(std::string_view word) {
    static constexpr auto types = std::to_array<std::string_view>(
        {"bfloat", "double", "float", "half", "label", "opaque", "ptr", "void", "x86_fp80"});
    if (isOneOf(word, types)) return true;
    return word.size() > 1 && word[0] == 'i' &&
           std::all_of(word.begin() + 1, word.end(), [](char c) { return LineScanner::isDigit(c); });
}

bool isFlag(std::string_view word) {
    static constexpr auto flags = std::to_array<std::string_view>({"afn",
                                                                   "align",
                                                                   "arcp",
                                                                   "captures",
                                                                   "contract",
                                                                   "disjoint",
                                                                   "dereferenceable",
                                                                   "exact",
                                                                   "fast",
                                                                   "inbounds",
                                                                   "local_unnamed_addr",
                                                                   "memory",
                                                                   "nnan",
                                                                   "ninf",
                                                                   "noalias",
                                                                   "nocapture",
                                                                   "nofree",
                                                                   "noinline",
                                                                   "nonnull",
                                                                   "norecurse",
                                                                   "nosync",
                                                                   "nounwind",
                                                                   "noundef",
                                                                   "nsw",
                                                                   "nsz",
                                                                   "nuw",
                                                                   "private",
                                                                   "readnone",
                                                                   "readonly",
                                                                   "reassoc",
                                                                   "samesign",
                                                                   "tail",
                                                                   "unnamed_addr",
                                                                   "writeonly"});
    return std::find(flags.begin(), flags.end(), word) != flags.end();
}

/// `<8 x float>` as one thing; false when the bracket opens something else.
bool takeVectorType(LineScanner &scan) {
    const std::string_view rest = scan.rest();
    const size_t close = rest.find('>');
    if (close == std::string_view::npos || close > 24 || rest.size() < 2 || !LineScanner::isDigit(rest[1]))
        return false;
    if (rest.substr(0, close).find(" x ") == std::string_view::npos) return false;
    scan.take(close + 1, CodeStyle::Vector);
    return true;
}

} // namespace

void styleLlvmIr(LineScanner &scan) {
    if (scan.peek() == '!') {
        scan.takeRest(CodeStyle::Quiet);
        return;
    }
    if (scan.peek() != ' ' && scan.peek() != ';') { // a label, or something of the module
        const std::string_view name = scan.look(inName);
        if (!name.empty() && scan.peek(name.size()) == ':') scan.take(name.size() + 1, CodeStyle::Label);
        if (name == "attributes" || name == "source_filename" || name == "target") {
            scan.takeRest(CodeStyle::Quiet);
            return;
        }
    }
    bool opcode = true; // the next word of the language is the instruction
    while (!scan.done()) {
        const char c = scan.peek();
        if (c == ';') {
            scan.takeRest(CodeStyle::Comment);
        } else if (c == '"') {
            scan.takeQuoted(CodeStyle::String);
        } else if (c == '%') {
            scan.take(1, CodeStyle::Register);
            if (scan.peek() == '"')
                scan.takeQuoted(CodeStyle::Register);
            else
                scan.takeWhile(inName, CodeStyle::Register);
        } else if (c == '@') {
            scan.take(1, CodeStyle::Function);
            scan.takeWhile(inName, CodeStyle::Function);
        } else if (c == '!' || c == '#') {
            scan.take(1, CodeStyle::Quiet);
            scan.takeWhile(inName, CodeStyle::Quiet);
        } else if (c == '<' && takeVectorType(scan)) {
            continue;
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (LineScanner::isLetter(c)) {
            const std::string_view word = scan.look(inName);
            CodeStyle style = CodeStyle::Text;
            if (isType(word))
                style = CodeStyle::Type;
            else if (isFlag(word))
                style = CodeStyle::Quiet;
            else if (word == "to" || word == "x" || word == "null" || word == "true" || word == "false" ||
                     word == "undef" || word == "poison" || word == "zeroinitializer" || word == "splat")
                style = CodeStyle::Number;
            else if (opcode)
                style = CodeStyle::Keyword;
            if (style == CodeStyle::Keyword) opcode = word == "define" || word == "declare";
            scan.take(word.size(), style);
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace loopscope
