#include "views/text/find_matches.h"

#include <algorithm>

namespace loopscope {

namespace {

bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

} // namespace

MatchFinder::MatchFinder(const FindQuery &query) : m_query(query) {
    for (size_t c = 0; c < m_fold.size(); ++c)
        m_fold[c] = static_cast<uint8_t>(!query.matchCase && c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
    if (query.regex) {
        const QString pattern = query.wholeWord ? QStringLiteral("\\b(?:%1)\\b").arg(query.text) : query.text;
        m_expression = QRegularExpression(pattern, query.matchCase ? QRegularExpression::NoPatternOption
                                                                   : QRegularExpression::CaseInsensitiveOption);
        if (!m_expression.isValid()) m_problem = m_expression.errorString();
        return;
    }
    m_needle = query.text.toStdString();
    for (char &c : m_needle) c = static_cast<char>(m_fold[static_cast<uint8_t>(c)]);
    // Horspool's table: how far the needle may move when its last place holds this byte.
    const auto length = static_cast<int64_t>(m_needle.size());
    m_skip.fill(length);
    for (int64_t i = 0; i + 1 < length; ++i)
        m_skip[static_cast<uint8_t>(m_needle[static_cast<size_t>(i)])] = length - 1 - i;
}

bool MatchFinder::advance(std::string_view text, int64_t bytes) {
    const auto size = static_cast<int64_t>(text.size());
    if (empty()) return true;
    const int64_t until = std::min(size, m_at + bytes);
    if (!m_query.regex) {
        plain(text, until);
    } else {
        while (m_at < until && !tooMany()) {
            const std::string_view rest = text.substr(static_cast<size_t>(m_at));
            const std::string_view line = rest.substr(0, rest.find('\n'));
            expression(line, m_at);
            m_at += static_cast<int64_t>(line.size()) + 1;
        }
    }
    return tooMany() || m_at >= size;
}

void MatchFinder::plain(std::string_view text, int64_t until) {
    const auto length = static_cast<int64_t>(m_needle.size());
    const auto size = static_cast<int64_t>(text.size());
    const auto at = [&](int64_t i) { return m_fold[static_cast<uint8_t>(text[static_cast<size_t>(i)])]; };
    while (m_at < until && m_at + length <= size) {
        const uint8_t last = at(m_at + length - 1);
        int64_t same = length - 1;
        if (last == static_cast<uint8_t>(m_needle.back())) {
            same = 0;
            while (same < length - 1 && at(m_at + same) == static_cast<uint8_t>(m_needle[static_cast<size_t>(same)]))
                ++same;
        } else {
            same = -1;
        }
        const bool found = same == length - 1;
        const bool word =
            !m_query.wholeWord || ((m_at == 0 || !isWordByte(text[static_cast<size_t>(m_at - 1)])) &&
                                   (m_at + length == size || !isWordByte(text[static_cast<size_t>(m_at + length)])));
        if (found && word) {
            m_matches.push_back({m_at, static_cast<int32_t>(length)});
            if (tooMany()) return;
            m_at += length;
        } else {
            m_at += m_skip[last];
        }
    }
    if (m_at + length > size) m_at = size;
}

void MatchFinder::expression(std::string_view line, int64_t at) {
    const QString wide = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
    const bool narrow = wide.size() == static_cast<qsizetype>(line.size()); // ASCII: places are the same
    for (auto found = m_expression.globalMatch(wide); found.hasNext() && !tooMany();) {
        const auto match = found.next();
        if (match.capturedLength() == 0) continue;
        const auto bytes = [&](qsizetype from, qsizetype count) {
            return narrow ? count : QStringView(wide).mid(from, count).toUtf8().size();
        };
        m_matches.push_back({at + bytes(0, match.capturedStart()),
                             static_cast<int32_t>(bytes(match.capturedStart(), match.capturedLength()))});
    }
}

} // namespace loopscope
