#pragma once
// Fold levels of the text in an editor, and folding all of it: what needs every line, done in slices between events.

#include "views/text/code_language.h"
#include "views/text/fold_levels.h"

#include <QElapsedTimer>
#include <QTimer>

#include <cstdint>

class QsciScintilla;

namespace loopscope {

class EditorFolds {
  public:
    explicit EditorFolds(QsciScintilla &editor); // must outlive it

    void forget();                    // the text is going to be another
    void read(CodeLanguage language); // the whole text anew
    void foldAll(bool fold);          // opens otherwise; done by `slice`
    void slice();                     // begins, and goes on by itself

  private:
    bool readOn(); // false when the slice is over
    bool foldOn();

    enum class All : uint8_t { No, Close, Open };
    QsciScintilla &m_editor;
    CodeLanguage m_language = CodeLanguage::Plain;
    QTimer m_timer;
    QElapsedTimer m_slice;
    FoldScanner m_scanner{CodeLanguage::Plain};
    int64_t m_read = 0;  // bytes whose lines m_scanner knows
    size_t m_told = 0;   // lines whose level the editor knows
    All m_all = All::No; // asked for; done line by line
    size_t m_allAt = 0;
};

} // namespace loopscope
