#pragma once
// Styles, markers and indicators of the lines on screen, put there when they are about to be painted: a text of a
// million lines costs what a page costs.

#include "views/text/code_language.h"
#include "views/text/find_matches.h"
#include "views/text/line_marks.h"
#include "views/text/line_styles.h"

#include <utility>
#include <vector>

class QsciScintilla;

namespace loopscope {

class EditorLines {
  public:
    explicit EditorLines(QsciScintilla &editor) : m_editor(editor) {} // must outlive it

    void setLanguage(CodeLanguage language);
    void styleAnew(); // the text, or what its columns measure, is another
    void textChanged() {
        styleAnew(); // a line's look does not depend on others, but an edit shifts them
        m_matchesShown = false;
    }
    [[nodiscard]] LineMarks &marks() { return m_marks; }
    [[nodiscard]] const LineMarks &marks() const { return m_marks; }
    /// `current` stands out. The vector must live until the next call.
    void setMatches(const std::vector<FindMatch> *matches, int current);

    void prepare();

  private:
    void styleOne(int line);
    void markOne(int line);
    void showMatches(int firstLine, int lastLine);

    QsciScintilla &m_editor;
    CodeLanguage m_language = CodeLanguage::Plain;
    std::vector<bool> m_styled; // by line, from 0
    std::vector<CodeStyle> m_lineStyles;
    LineMarks m_marks;
    const std::vector<FindMatch> *m_matches = nullptr;
    int m_currentMatch = -1;
    bool m_matchesShown = false;
    std::pair<long, long> m_matchedBytes{0, 0};
};

} // namespace loopscope
