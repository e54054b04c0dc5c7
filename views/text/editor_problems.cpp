#include "views/text/editor_problems.h"

#include "views/text/editor_numbers.h"
#include "views/text/scintilla_calls.h"

#include <algorithm>

namespace loopscope {

void EditorProblems::set(std::vector<CodeProblem> problems) {
    m_problems = std::move(problems);
    show();
}

QString EditorProblems::at(int line) const {
    for (const CodeProblem &problem : m_problems)
        if (problem.line == line && line > 0) return problem.sentence;
    return {};
}

void EditorProblems::show() {
    const long length = send(m_editor, Sci::SCI_GETLENGTH);
    for (const long indicator : {number(Indicator::Problem), number(Indicator::Warning)}) {
        send(m_editor, Sci::SCI_SETINDICATORCURRENT, indicator);
        send(m_editor, Sci::SCI_INDICATORCLEARRANGE, 0, length);
    }
    send(m_editor, Sci::SCI_ANNOTATIONCLEARALL);
    for (const CodeProblem &problem : m_problems) {
        if (problem.line <= 0 || problem.line > m_editor.lines()) continue;
        const int row = problem.line - 1;
        const long end = send(m_editor, Sci::SCI_GETLINEENDPOSITION, row);
        long from =
            std::min(static_cast<long>(m_editor.positionFromLineIndex(row, std::max(0, problem.column - 1))), end);
        long to = problem.length > 0
                      ? static_cast<long>(m_editor.positionFromLineIndex(row, problem.column - 1 + problem.length))
                      : send(m_editor, Sci::SCI_WORDENDPOSITION, from, 1);
        to = std::clamp(to, from, end);
        if (to == from) { // at the end of the line, or on punctuation: something must be seen
            if (to < end)
                ++to;
            else if (from > send(m_editor, Sci::SCI_POSITIONFROMLINE, row))
                --from;
        }
        send(m_editor, Sci::SCI_SETINDICATORCURRENT,
             problem.warning ? number(Indicator::Warning) : number(Indicator::Problem));
        send(m_editor, Sci::SCI_INDICATORFILLRANGE, from, to - from);
        const QByteArray sentence = problem.sentence.toUtf8();
        if (sentence.isEmpty()) continue;
        m_editor.SendScintilla(Sci::SCI_ANNOTATIONSETTEXT, static_cast<uintptr_t>(row), sentence.constData());
        send(m_editor, Sci::SCI_ANNOTATIONSETSTYLE, row,
             problem.warning ? number(AnnotationStyle::Warning) : number(AnnotationStyle::Problem));
    }
}

} // namespace loopscope
