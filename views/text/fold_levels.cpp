#include "views/text/fold_levels.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kDeepest = 1000; // the editor keeps 12 bits

size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

} // namespace

int FoldScanner::levelOf(std::string_view line) {
    switch (m_language) {
    case CodeLanguage::Plain:
    case CodeLanguage::Script:
        return 0;
    case CodeLanguage::Te: // a statement and its continuation lines
        return indentation(line) > 0 ? 1 : 0;
    case CodeLanguage::LoopProgram: // four blanks a level; the head stays outside
        return std::max(0, static_cast<int>(indentation(line) / 4) - 1);
    case CodeLanguage::C:
    case CodeLanguage::Cuda:
    case CodeLanguage::Ptx:
        return ofBraces(line);
    case CodeLanguage::LlvmIr:
        return ofIr(line);
    case CodeLanguage::Assembly:
        return ofAssembly(line);
    case CodeLanguage::Sass:
        return ofSass(line);
    }
    return 0;
}

int FoldScanner::ofBraces(std::string_view line) {
    const int before = m_depth;
    int lowest = m_depth;
    for (const char c : line) {
        if (c == '{') ++m_depth;
        if (c == '}') --m_depth;
        lowest = std::min(lowest, m_depth);
    }
    m_depth = std::max(0, m_depth);
    // The closing brace belongs to what it closes: folded, it disappears with it.
    return m_depth < before ? before : std::max(0, lowest);
}

int FoldScanner::ofIr(std::string_view line) {
    if (line.starts_with("define ")) {
        m_depth = 1;
        return 0;
    }
    if (m_depth == 0) return 0;
    if (line[0] == '}') {
        m_depth = 0;
        return 1;
    }
    if (line[0] != ' ' && line[0] != ';') {
        m_depth = 2;
        return 1; // a label
    }
    return m_depth;
}

int FoldScanner::ofAssembly(std::string_view line) {
    if (line[0] == '\t' || line[0] == ' ' || line[0] == '#') {
        const std::string_view body = line.substr(indentation(line));
        // Alignment stands before the label it belongs to: it would hide at the end of the block before.
        if (m_depth > 1 && body.starts_with(".p2align")) return 1;
        if (body.starts_with(".section") || body.starts_with(".size")) m_depth = 0;
        return m_depth;
    }
    if (line.starts_with(".Lfunc_end")) {
        m_depth = 0;
        return 0;
    }
    if (line.starts_with(".L")) {
        if (m_depth == 0) return 0; // constants
        m_depth = 2;
        return 1;
    }
    m_depth = 1;
    return 0;
}

/// A kernel begins with a label that has no dot in front but that of its section; jumps go to labels inside.
int FoldScanner::ofSass(std::string_view line) {
    if (line[0] == '\t' || line[0] == ' ' || line[0] == '/') return m_depth;
    if (line.starts_with(".L")) {
        if (m_depth == 0) return 0;
        m_depth = 2;
        return 1;
    }
    m_depth = line.ends_with(':') ? 1 : 0;
    return 0;
}

void FoldScanner::add(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    FoldLine fold;
    fold.blank = indentation(line) == line.size();
    if (!fold.blank) {
        fold.level = static_cast<uint16_t>(std::clamp(levelOf(line), 0, kDeepest));
        if (m_filled > 0) {
            FoldLine &before = m_lines[m_filled - 1];
            before.header = fold.level > before.level;
            // Blank lines between belong to the shallower of the two.
            for (size_t i = m_filled; i < m_lines.size(); ++i) m_lines[i].level = std::min(before.level, fold.level);
        }
        m_filled = m_lines.size() + 1;
    }
    m_lines.push_back(fold);
}

int foldAllLevel(CodeLanguage language) {
    switch (language) {
    case CodeLanguage::C:
    case CodeLanguage::LlvmIr:
    case CodeLanguage::Assembly:
    case CodeLanguage::Cuda:
    case CodeLanguage::Ptx:
    case CodeLanguage::Sass:
        return 1; // in functions
    case CodeLanguage::Plain:
    case CodeLanguage::Te:
    case CodeLanguage::Script:
    case CodeLanguage::LoopProgram:
        break;
    }
    return 0;
}

} // namespace loopscope
