// x86 assembly in AT&T syntax, as LLVM prints it. Vector instructions, the ones a fast kernel is made of, stand out;
// their scalar cousins on the same registers do not.

#include "views/text/line_scanner.h"

namespace loopscope {

namespace {

bool inSymbol(char c) { return LineScanner::isWord(c) || c == '.' || c == '$' || c == '@'; }

/// Works on several lanes: on ymm or zmm registers, or on whole xmm registers.
bool isVector(std::string_view mnemonic, std::string_view operands) {
    if (operands.find("%ymm") != std::string_view::npos || operands.find("%zmm") != std::string_view::npos) return true;
    if (operands.find("%xmm") == std::string_view::npos) return false;
    static constexpr std::string_view scalar[] = {"ss", "sd", "sh", "d", "q"}; // q, d: vmovd, vcvtsi2ssq
    for (const std::string_view end : scalar)
        if (mnemonic.ends_with(end) && !mnemonic.starts_with("vp") && !mnemonic.ends_with("pd")) return false;
    return true;
}

bool isBranch(std::string_view mnemonic) {
    return mnemonic.starts_with('j') || mnemonic.starts_with("call") || mnemonic.starts_with("ret");
}

} // namespace

void styleAssembly(LineScanner &scan) {
    if (scan.peek() != '\t' && scan.peek() != ' ' && scan.peek() != '#') {
        const std::string_view name = scan.look(inSymbol);
        if (!name.empty() && scan.peek(name.size()) == ':') scan.take(name.size() + 1, CodeStyle::Label);
    }
    scan.skipBlanks();
    if (scan.peek() == '.') {
        scan.takeRest(CodeStyle::Quiet);
        return;
    }
    const std::string_view mnemonic = scan.look(inSymbol);
    const std::string_view operands = scan.rest().substr(mnemonic.size());
    const bool branch = isBranch(mnemonic);
    scan.take(mnemonic.size(), isVector(mnemonic, operands) ? CodeStyle::Vector
                               : branch                     ? CodeStyle::Function
                                                            : CodeStyle::Keyword);
    while (!scan.done()) {
        const char c = scan.peek();
        if (c == '#') {
            scan.takeRest(CodeStyle::Comment);
        } else if (c == '%') {
            scan.take(1, CodeStyle::Register);
            scan.takeWhile(LineScanner::isWord, CodeStyle::Register);
        } else if (c == '$') {
            scan.take(1, CodeStyle::Number);
            scan.takeWhile([](char d) { return inSymbol(d) || d == '-'; }, CodeStyle::Number);
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (LineScanner::isLetter(c) || c == '.') {
            scan.takeWhile(inSymbol, CodeStyle::Label);
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace loopscope
