#pragma once
// Code to read and to edit: QScintilla with our colours, a find line, folding, marks that other views can set, and
// clicks that they can follow. Texts of many megabytes load without freezing (lexers work by line, on what is seen).

#include "views/actions/view_roles.h"
#include "views/settings/theme.h"
#include "views/text/code_language.h"
#include "views/text/code_problem.h"
#include "views/text/line_marks.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <utility>
#include <vector>

class QsciScintilla;

namespace loopscope {

class CodeText : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    CodeText(Theme &theme, CodeLanguage language, bool readOnly, QWidget *parent = nullptr);
    ~CodeText() override;

    void setText(const QString &text); // keeps the scroll position when the text is the same
    [[nodiscard]] QString text() const;
    void setLanguage(CodeLanguage language);
    /// Instead of text, when there is none: a sentence in the middle.
    void setPlaceholder(const QString &sentence);
    /// Out of date: shown, but quieter, until the next text.
    void setDimmed(bool dimmed);

    /// Lines (from 1) in the highlight colour: "the same loop as selected elsewhere". `reveal` scrolls to the largest
    /// block of them.
    void markLines(const std::vector<int> &lines, bool reveal);
    /// The same with lines around it that belong to it, in a quieter colour.
    void markLines(LineRanges selected, LineRanges inside, bool reveal);
    /// Any other kind of mark: hovered, bars in the margin.
    void setMarks(LineMark kind, LineRanges lines);
    void clearMarks();
    /// To the next (+1) or previous (-1) block of marked lines from the caret on, around the ends. False when there is
    /// none.
    bool goToMark(int direction);
    void setProblems(const std::vector<CodeProblem> &problems);
    /// Words offered while typing, with what is shown beside them ("conv2d_nchw", "(data, kernel, stride = 1)").
    void setCompletions(const std::vector<std::pair<QString, QString>> &words);
    void goTo(int line, int column = 1);
    [[nodiscard]] int currentLine() const; // from 1

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override; // font size, for all code texts (Theme::setCodePointSize)
    void zoomOut() override;
    void zoomToFit() override; // back to the default size
    void foldAll(bool fold);
    /// Lines longer than the view go on in the next row.
    void setWordWrap(bool wrap);
    [[nodiscard]] QsciScintilla *editor() const { return m_editor; }

  signals:
    void textEdited(const QString &text);
    void lineClicked(int line); // by mouse, or by moving there with the keys
    void lineHovered(int line); // 0 = none

  protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    struct Impl;
    Theme &m_theme;
    QsciScintilla *m_editor = nullptr;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
