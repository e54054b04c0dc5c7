#include "codegen/cuda/text_lines.h"

namespace loopscope {

void TextLines::line(const std::string &text, int programLine) {
    m_lines.push_back({std::string(static_cast<size_t>(m_depth) * 4, ' ') + text, programLine});
}

void TextLines::insertBefore(size_t mark, const std::string &text) {
    Line line = m_lines.at(mark);
    line.text = line.text.substr(0, line.text.find_first_not_of(' ')) + text;
    m_lines.insert(m_lines.begin() + static_cast<ptrdiff_t>(mark), std::move(line));
}

void TextLines::append(const TextLines &other) {
    m_lines.insert(m_lines.end(), other.m_lines.begin(), other.m_lines.end());
}

LinkedText TextLines::finished() const {
    LinkedText code;
    for (size_t i = 0; i < m_lines.size(); ++i) {
        code.text += m_lines[i].text + "\n";
        if (m_lines[i].programLine > 0) code.links.push_back({static_cast<int>(i) + 1, m_lines[i].programLine});
    }
    return code;
}

} // namespace loopscope
