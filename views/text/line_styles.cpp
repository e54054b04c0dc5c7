#include "views/text/line_styles.h"

#include "views/text/line_scanner.h"

#include <array>

namespace loopscope {

void styleLine(CodeLanguage language, std::string_view line, std::vector<CodeStyle> &styles) {
    LineScanner scan(line, styles);
    switch (language) {
    case CodeLanguage::Plain:
        return;
    case CodeLanguage::Te:
        return styleTe(scan);
    case CodeLanguage::Script:
        return styleScript(scan);
    case CodeLanguage::LoopProgram:
        return styleLoopProgram(scan);
    case CodeLanguage::C:
        return styleC(scan);
    case CodeLanguage::LlvmIr:
        return styleLlvmIr(scan);
    case CodeLanguage::Assembly:
        return styleAssembly(scan);
    case CodeLanguage::Cuda:
        return styleCuda(scan);
    case CodeLanguage::Ptx:
        return stylePtx(scan);
    case CodeLanguage::Sass:
        return styleSass(scan);
    }
}

std::string styleRuns(CodeLanguage language, std::string_view line) {
    static constexpr std::array<std::string_view, kCodeStyles> names = {
        "Text",  "Keyword", "Number",   "String", "Comment", "Function",   "Type",         "Register",
        "Label", "Quiet",   "Parallel", "Vector", "Unroll",  "BlockBound", "VThreadBound", "ThreadBound"};
    std::vector<CodeStyle> styles;
    styleLine(language, line, styles);
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        if (i == 0 || styles[i] != styles[i - 1]) {
            if (i > 0) out += ' ';
            out += names[static_cast<size_t>(styles[i])];
            out += ':';
        }
        out += line[i] == ' ' ? '_' : line[i] == '\t' ? '>' : line[i];
    }
    return out;
}

} // namespace loopscope
