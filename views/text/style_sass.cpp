// The machine code of NVIDIA's GPUs as their disassemblers print it. Wide accesses and what threads do together stand
// out, addresses and encodings step back.

#include "views/text/line_scanner.h"

#include <array>

namespace loopscope {

namespace {

bool inSassName(char c) { return LineScanner::isWord(c) || c == '.' || c == '$'; }

CodeStyle sassStyleOf(std::string_view mnemonic) {
    const std::string_view name = mnemonic.substr(0, mnemonic.find('.'));
    static constexpr auto together =
        std::to_array<std::string_view>({"BAR", "DEPBAR", "LDGDEPBAR", "MEMBAR", "REDUX", "SHFL", "VOTE", "WARPSYNC"});
    static constexpr auto jumps = std::to_array<std::string_view>(
        {"BRA", "BREAK", "BRX", "BSSY", "BSYNC", "CALL", "EXIT", "JMP", "RET", "SSY", "SYNC"});
    if (isOneOf(name, together)) return CodeStyle::ThreadBound;
    if (isOneOf(name, jumps)) return CodeStyle::Function;
    for (const std::string_view wide : {".64", ".128", "FFMA2", "HFMA2", "HADD2", "HMUL2"})
        if (mnemonic.find(wide) != std::string_view::npos) return CodeStyle::Vector;
    return CodeStyle::Keyword;
}

/// R12, RZ, UR4, P0, UPT, B1; the rest of the name is a modifier (`.reuse`, `.64`).
bool isSassRegister(std::string_view word) {
    word = word.substr(0, word.find('.'));
    if (word.starts_with('U')) word.remove_prefix(1);
    if (word == "RZ" || word == "PT") return true;
    if (word.size() < 2 || (word[0] != 'R' && word[0] != 'P' && word[0] != 'B')) return false;
    return std::all_of(word.begin() + 1, word.end(), [](char c) { return LineScanner::isDigit(c); });
}

void takeSassComment(LineScanner &scan, CodeStyle style) {
    const size_t end = scan.rest().find("*/", 2);
    scan.take(end == std::string_view::npos ? scan.rest().size() : end + 2, style);
}

} // namespace

void styleSass(LineScanner &scan) {
    const std::string_view label = scan.look(inSassName);
    if (!label.empty() && scan.peek(label.size()) == ':') scan.take(label.size() + 1, CodeStyle::Label);
    scan.skipBlanks();
    if (scan.peek() == '.') {
        scan.takeRest(CodeStyle::Quiet);
        return;
    }
    if (scan.startsWith("/*")) takeSassComment(scan, CodeStyle::Quiet); // where it stands
    scan.skipBlanks();
    if (scan.peek() == '@') {
        scan.take(scan.peek(1) == '!' ? 2 : 1, CodeStyle::Register);
        scan.takeWhile(LineScanner::isWord, CodeStyle::Register);
        scan.skipBlanks();
    }
    if (LineScanner::isLetter(scan.peek())) {
        const std::string_view mnemonic = scan.look(inSassName);
        scan.take(mnemonic.size(), sassStyleOf(mnemonic));
    }
    while (!scan.done()) {
        const char c = scan.peek();
        if (scan.startsWith("//")) {
            scan.takeRest(CodeStyle::Comment);
        } else if (scan.startsWith("/*")) {
            takeSassComment(scan, CodeStyle::Comment);
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (LineScanner::isLetter(c)) {
            const std::string_view word = scan.look(inSassName);
            scan.take(word.size(), word.starts_with("SR_CTAID") ? CodeStyle::BlockBound
                                   : word.starts_with("SR_")    ? CodeStyle::ThreadBound
                                   : isSassRegister(word)       ? CodeStyle::Register
                                                                : CodeStyle::Text);
        } else if (c == '.' && scan.peek(1) == 'L') {
            scan.takeWhile(inSassName, CodeStyle::Label);
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace loopscope
