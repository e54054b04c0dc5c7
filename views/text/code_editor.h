#pragma once
// The editor inside CodeText: QScintilla made to look at nothing but the lines on screen, in parts that own one thing
// each: looks, lines on screen, folds, problems. Loading a text, as all that needs every line, goes in slices between
// events.
//
// The window's reading of it: lines count from 1, as people do.

#include "views/settings/theme.h"
#include "views/text/editor_access.h"
#include "views/text/editor_folds.h"
#include "views/text/editor_lines.h"
#include "views/text/editor_look.h"
#include "views/text/editor_problems.h"

#include <Qsci/qsciscintilla.h>

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
    [[nodiscard]] const LineMarks &marks() const { return m_lines.marks(); }
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
    void applyTheme();
    void loadSlice();
    [[nodiscard]] int lineAt(int y) const; // from 1; 0 = below the text
    void textChangedHere();

    Theme &m_theme;
    EditorAccess m_access{*this};
    EditorLook m_look{*this, m_theme};
    EditorLines m_lines{*this};
    EditorFolds m_folds{*this};
    EditorProblems m_problems{*this};
    CodeLanguage m_language = CodeLanguage::Plain;
    QByteArray m_source; // while it is brought in
    qsizetype m_loaded = 0;
    QTimer m_loadTimer;
    int m_hoverLine = 0;
};

} // namespace loopscope
