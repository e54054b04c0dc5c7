#include "schedule/translate/identifiers.h"

namespace loopscope {

std::string identifierText(std::string_view name) {
    std::string text;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (letter || (digit && !text.empty()))
            text += c;
        else if (digit)
            (text += 'x') += c;
        else if (text.empty() || text.back() != '_')
            text += '_';
    }
    while (text.size() > 1 && text.back() == '_') text.pop_back();
    // Names with an underscore in front, or two in a row, belong to the languages themselves.
    while (!text.empty() && text.front() == '_') text.erase(0, 1);
    return text.empty() ? "x" : text;
}

std::string Identifiers::fresh(std::string_view name) {
    const std::string base = identifierText(name);
    std::string text = base;
    for (int n = 2; !m_taken.insert(text).second; ++n) text = base + "_" + std::to_string(n);
    return text;
}

} // namespace loopscope
