#pragma once
// Code to read and to edit: QScintilla with our colours, a find line, folding, marks that other views can set, and
// clicks that they can follow. Texts of many megabytes load without freezing (lexers work by line, on what is seen).

#include "views/actions/view_roles.h"
#include "views/settings/theme.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

class QsciScintilla;

namespace loopscope {

enum class CodeLanguage : uint8_t { Plain, Te, LoopProgram, C, LlvmIr, Assembly };

/// A place in the text that something is wrong with: a wavy underline, the sentence as annotation and tooltip.
struct CodeProblem {
    int line = 0;   // from 1
    int column = 0; // from 1
    int length = 0; // characters; 0 = the word there
    QString sentence;
    bool warning = false;
};

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

    /// Lines (from 1) in the highlight colour: "the same loop as selected elsewhere". `reveal` scrolls to the first.
    void markLines(const std::vector<int> &lines, bool reveal);
    void clearMarks();
    void setProblems(const std::vector<CodeProblem> &problems);
    /// Words offered while typing, with what is shown beside them ("conv2d_nchw", "(data, kernel, stride = 1)").
    void setCompletions(const std::vector<std::pair<QString, QString>> &words);
    void goTo(int line, int column = 1);
    [[nodiscard]] int currentLine() const; // from 1

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return {"txt"}; }
    QString exportTo(const QString &path) override;
    void zoomIn() override; // font size, for all code texts (Theme::setCodePointSize)
    void zoomOut() override;
    void zoomToFit() override; // back to the default size
    void foldAll(bool fold);
    [[nodiscard]] QsciScintilla *editor() const { return m_editor; }

  signals:
    void textEdited(const QString &text);
    void lineClicked(int line); // by mouse, or by moving there with the keys
    void lineHovered(int line); // 0 = none

  private:
    struct Impl;
    Theme &m_theme;
    QsciScintilla *m_editor = nullptr;
    std::unique_ptr<Impl> m_impl;
};

} // namespace loopscope
