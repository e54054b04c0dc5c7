#pragma once
// What is wrong with the text, where it stands: a squiggle under the place and a sentence below the line.

#include "views/text/code_problem.h"

#include <QString>

#include <vector>

class QsciScintilla;

namespace loopscope {

class EditorProblems {
  public:
    explicit EditorProblems(QsciScintilla &editor) : m_editor(editor) {} // must outlive it

    void set(std::vector<CodeProblem> problems);
    [[nodiscard]] QString at(int line) const; // the first one's sentence; empty: none

  private:
    void show();

    QsciScintilla &m_editor;
    std::vector<CodeProblem> m_problems;
};

} // namespace loopscope
