#pragma once
// How the code editor looks: what its margins, markers and indicators are, and the colours of the theme on them.

#include "views/settings/theme.h"
#include "views/text/code_language.h"

class QsciScintilla;

namespace loopscope {

class EditorLook {
  public:
    EditorLook(QsciScintilla &editor, const Theme &theme) : m_editor(editor), m_theme(theme) {} // must outlive it

    void setUp(); // once
    void setUpDocument(CodeLanguage language, bool locked);
    void apply();       // the theme's colours and fonts
    void sizeMargins(); // to the number of lines

  private:
    QsciScintilla &m_editor;
    const Theme &m_theme;
    int m_marginDigits = 0;
};

} // namespace loopscope
