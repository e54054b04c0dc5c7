#pragma once
// The editor inside CodeText: QScintilla taught to look at nothing but the lines on screen. Styles, markers and
// indicators are put on a line when it is about to be painted, so that a text of a million lines costs what a page
// costs; loading and fold levels, which need every line, go in slices between events.
//
// The window's reading of it: lines count from 1, as people do.

#include "views/settings/theme.h"
#include "views/text/code_problem.h"
#include "views/text/editor_access.h"
#include "views/text/find_matches.h"
#include "views/text/fold_levels.h"
#include "views/text/line_marks.h"
#include "views/text/line_styles.h"

#include <Qsci/qsciscintilla.h>

#include <QElapsedTimer>
#include <QTimer>

#include <string_view>
#include <vector>

namespace loopscope {

class CodeEditor : public QsciScintilla {
    Q_OBJECT

  public:
    CodeEditor(Theme &theme, QWidget *parent);

    void load(const QString &text);
    [[nodiscard]] QString all() const; // what was loaded, even while it is still being brought in
    [[nodiscard]] bool loading() const { return m_loaded < m_source.size(); }
    void setCodeLanguage(CodeLanguage language);
    [[nodiscard]] CodeLanguage codeLanguage() const { return m_language; }

    /// What the marks of the kind are from now on; painted when seen.
    void setMarks(LineMark kind, LineRanges lines);
    [[nodiscard]] const LineMarks &marks() const { return m_marks; }
    void setProblems(std::vector<CodeProblem> problems);
    /// Matches of a search; `current` stands out. The vector must live until the next call.
    void setMatches(const std::vector<FindMatch> *matches, int current);

    void reveal(int line); // scrolls only when it is not comfortably visible; the caret stays
    void moveTo(int line, int column);
    [[nodiscard]] int caretLine() const;
    [[nodiscard]] int64_t caretByte() const;
    void select(const FindMatch &match);
    void foldEverything(bool fold);
    void wrapWords(bool wrap);
    [[nodiscard]] std::string_view bytes() const; // valid until the text changes
    [[nodiscard]] int lineOfByte(int64_t at) const;
    /// First and last line on screen.
    [[nodiscard]] std::pair<int, int> seen() const;

  signals:
    void caretMoved(int line); // by the user: a click, or the keys
    void hovered(int line);    // 0 = none
    void loadedAll();
    void edited();      // by the user
    void viewChanged(); // scrolled, marks or text changed: what is drawn beside it is out of date
    void zoomAsked(int steps);
    void typed(QKeyEvent *event);      // after the editor took it
    void keyOffered(QKeyEvent *event); // before: accept() keeps it away from the editor

  protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

  private:
    long send(unsigned message, long w = 0, long l = 0) const {
        return SendScintilla(message, static_cast<unsigned long>(w), l);
    }
    void setUp();
    void setUpDocument(bool locked);
    void applyTheme();
    void loadSlice();
    void foldSlice();
    void refold();
    bool readFolds(); // false when the slice is over
    bool foldLines();
    void prepareSeen();
    void styleOne(int line);
    void markOne(int line);
    void showMatches(int firstLine, int lastLine);
    void showProblems();
    [[nodiscard]] int lineAt(int y) const; // from 1; 0 = below the text
    void sizeMargins();
    void textChangedHere();

    Theme &m_theme;
    EditorAccess m_access{*this};
    CodeLanguage m_language = CodeLanguage::Plain;
    QByteArray m_source; // while it is brought in
    qsizetype m_loaded = 0;
    QTimer m_loadTimer;
    QTimer m_foldTimer;
    QElapsedTimer m_slice;
    FoldScanner m_folds{CodeLanguage::Plain};
    int64_t m_foldRead = 0; // bytes whose lines m_folds knows
    size_t m_foldTold = 0;  // lines whose level the editor knows
    enum class FoldAll : uint8_t { No, Close, Open };
    FoldAll m_foldAll = FoldAll::No; // asked for; done line by line
    size_t m_foldAllAt = 0;
    std::vector<bool> m_styled; // by line, from 0
    std::vector<CodeStyle> m_lineStyles;
    LineMarks m_marks;
    std::vector<CodeProblem> m_problems;
    const std::vector<FindMatch> *m_matches = nullptr;
    int m_currentMatch = -1;
    bool m_matchesShown = false;
    std::pair<long, long> m_matchedBytes{0, 0};
    int m_hoverLine = 0;
    int m_marginDigits = 0;
};

} // namespace loopscope
