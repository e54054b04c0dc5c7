// PTX as LLVM and NVRTC print it. Accesses of several elements at once and what threads do together stand out.

#include "views/text/line_scanner.h"

namespace loopscope {

namespace {

bool inPtxName(char c) { return LineScanner::isWord(c) || c == '.' || c == '$'; }

CodeStyle ptxStyleOf(std::string_view mnemonic) {
    const auto is = [&](std::string_view name) {
        return mnemonic.starts_with(name) && (mnemonic.size() == name.size() || mnemonic[name.size()] == '.');
    };
    if (is("bar") || is("barrier") || is("shfl") || is("vote") || is("membar") || is("fence") || is("activemask"))
        return CodeStyle::ThreadBound;
    if (is("bra") || is("ret") || is("exit") || is("call") || is("trap")) return CodeStyle::Function;
    for (const std::string_view several : {".v2", ".v4", ".v8", "x2"})
        if (mnemonic.find(several) != std::string_view::npos) return CodeStyle::Vector;
    return CodeStyle::Keyword;
}

/// `%tid.x` and the like tell a thread its place; `%r12` is a register.
void takePtxRegister(LineScanner &scan) {
    const std::string_view name = scan.rest().substr(1);
    bool place = false;
    for (const std::string_view known : {"tid.", "ntid.", "ctaid.", "nctaid.", "laneid", "warpid"})
        place = place || name.starts_with(known);
    const bool block = name.starts_with("ctaid.") || name.starts_with("nctaid.");
    const CodeStyle style = block ? CodeStyle::BlockBound : place ? CodeStyle::ThreadBound : CodeStyle::Register;
    scan.take(1, style);
    if (place)
        scan.takeWhile(inPtxName, style);
    else
        scan.takeWhile(LineScanner::isWord, style);
}

void takeOperands(LineScanner &scan, CodeStyle names) {
    while (!scan.done()) {
        const char c = scan.peek();
        if (scan.startsWith("//")) {
            scan.takeRest(CodeStyle::Comment);
        } else if (c == '"') {
            scan.takeQuoted(CodeStyle::String);
        } else if (c == '%') {
            takePtxRegister(scan);
        } else if (LineScanner::isDigit(c)) {
            scan.takeNumber();
        } else if (c == '.') {
            scan.takeWhile(inPtxName, CodeStyle::Quiet);
        } else if (LineScanner::isLetter(c) || c == '$') {
            scan.takeWhile(inPtxName, names);
        } else {
            scan.take(1, CodeStyle::Text);
        }
    }
}

} // namespace

void stylePtx(LineScanner &scan) {
    const std::string_view label = scan.look(inPtxName);
    if (!label.empty() && label[0] != '.' && scan.peek(label.size()) == ':')
        scan.take(label.size() + 1, CodeStyle::Label);
    scan.skipBlanks();
    if (scan.peek() == '.') {
        const bool kernel =
            scan.rest().find(".entry") != std::string_view::npos || scan.rest().find(".func") != std::string_view::npos;
        if (kernel)
            takeOperands(scan, CodeStyle::Function);
        else
            scan.takeRest(CodeStyle::Quiet);
        return;
    }
    if (scan.peek() == '@') { // only where a predicate holds
        scan.take(scan.peek(1) == '!' ? 2 : 1, CodeStyle::Register);
        if (scan.peek() == '%') takePtxRegister(scan);
        scan.skipBlanks();
    }
    if (LineScanner::isLetter(scan.peek())) {
        const std::string_view mnemonic = scan.look(inPtxName);
        scan.take(mnemonic.size(), ptxStyleOf(mnemonic));
    }
    takeOperands(scan, CodeStyle::Label);
}

} // namespace loopscope
