#include "views/text/editor_lines.h"

#include "views/text/editor_numbers.h"
#include "views/text/scintilla_calls.h"

#include <algorithm>
#include <string_view>

namespace loopscope {

void EditorLines::styleAnew() { m_styled.assign(static_cast<size_t>(m_editor.lines()), false); }

void EditorLines::setLanguage(CodeLanguage language) {
    m_language = language;
    styleAnew();
}

void EditorLines::setMatches(const std::vector<FindMatch> *matches, int current) {
    m_matches = matches;
    m_currentMatch = current;
    m_matchesShown = false;
}

void EditorLines::prepare() {
    const long top = send(m_editor, Sci::SCI_GETFIRSTVISIBLELINE);
    const long rows = send(m_editor, Sci::SCI_LINESONSCREEN) + 1;
    m_styled.resize(static_cast<size_t>(m_editor.lines()), false);
    long before = -1;
    long first = -1;
    for (long row = top; row <= top + rows; ++row) {
        const long line = send(m_editor, Sci::SCI_DOCLINEFROMVISIBLE, row);
        if (line == before || static_cast<size_t>(line) >= m_styled.size()) continue; // annotations; the end
        before = line;
        if (first < 0) first = line;
        styleOne(static_cast<int>(line));
        markOne(static_cast<int>(line));
    }
    // Everything unseen counts as styled, so that the editor never asks for it.
    send(m_editor, Sci::SCI_STARTSTYLING, send(m_editor, Sci::SCI_GETLENGTH));
    if (first >= 0) showMatches(static_cast<int>(first), static_cast<int>(before));
}

void EditorLines::styleOne(int line) {
    if (m_styled[static_cast<size_t>(line)]) return;
    m_styled[static_cast<size_t>(line)] = true;
    const long from = send(m_editor, Sci::SCI_POSITIONFROMLINE, line);
    const long end = send(m_editor, Sci::SCI_GETLINEENDPOSITION, line);
    if (end <= from) return;
    const std::string_view text(static_cast<const char *>(reinterpret_cast<const void *>(
                                    send(m_editor, Sci::SCI_GETRANGEPOINTER, from, end - from))),
                                static_cast<size_t>(end - from));
    if (m_language == CodeLanguage::Assembly ||
        m_language == CodeLanguage::Ptx) { // operands in one column, whatever the mnemonic
        const long column = send(m_editor, Sci::SCI_TEXTWIDTH, Sci::STYLE_DEFAULT, reinterpret_cast<long>("0"));
        send(m_editor, Sci::SCI_CLEARTABSTOPS, line);
        for (const long stop : {4, m_language == CodeLanguage::Ptx ? 26 : 19})
            send(m_editor, Sci::SCI_ADDTABSTOP, line, stop * column);
    }
    styleLine(m_language, text, m_lineStyles);
    send(m_editor, Sci::SCI_STARTSTYLING, from);
    static_assert(sizeof(CodeStyle) == 1);
    m_editor.SendScintilla(Sci::SCI_SETSTYLINGEX, static_cast<uintptr_t>(m_lineStyles.size()),
                           reinterpret_cast<const char *>(m_lineStyles.data()));
}

void EditorLines::markOne(int line) {
    long wanted = static_cast<long>(m_marks.at(line + 1)) << kFirstMarker;
    if (line == send(m_editor, Sci::SCI_LINEFROMPOSITION, send(m_editor, Sci::SCI_GETCURRENTPOS)))
        wanted |= 1L << kCaretMarker;
    constexpr long ours = ((1L << kLineMarks) - 1) << kFirstMarker | 1L << kCaretMarker;
    const long there = send(m_editor, Sci::SCI_MARKERGET, line) & ours;
    if (there == wanted) return;
    for (int marker = 0; marker < kFirstMarker + kLineMarks; ++marker) {
        const long bit = 1L << marker;
        if ((there & bit) != 0 && (wanted & bit) == 0) send(m_editor, Sci::SCI_MARKERDELETE, line, marker);
        if ((there & bit) == 0 && (wanted & bit) != 0) send(m_editor, Sci::SCI_MARKERADD, line, marker);
    }
}

void EditorLines::showMatches(int firstLine, int lastLine) {
    const std::pair<long, long> range{send(m_editor, Sci::SCI_POSITIONFROMLINE, firstLine),
                                      send(m_editor, Sci::SCI_GETLINEENDPOSITION, lastLine)};
    if (m_matchesShown && range == m_matchedBytes) return;
    m_matchesShown = true;
    m_matchedBytes = range;
    for (const long indicator : {number(Indicator::Match), number(Indicator::CurrentMatch)}) {
        send(m_editor, Sci::SCI_SETINDICATORCURRENT, indicator);
        send(m_editor, Sci::SCI_INDICATORCLEARRANGE, range.first, range.second - range.first);
    }
    if (m_matches == nullptr) return;
    auto match = std::lower_bound(m_matches->begin(), m_matches->end(), range.first,
                                  [](const FindMatch &m, long at) { return m.at + m.length < at; });
    for (; match != m_matches->end() && match->at < range.second; ++match) {
        const bool current = match - m_matches->begin() == m_currentMatch;
        send(m_editor, Sci::SCI_SETINDICATORCURRENT,
             current ? number(Indicator::CurrentMatch) : number(Indicator::Match));
        send(m_editor, Sci::SCI_INDICATORFILLRANGE, match->at, match->length);
    }
}

} // namespace loopscope
