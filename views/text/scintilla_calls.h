#pragma once
// How the parts of the code editor speak to Scintilla: by its messages, from QScintilla's table of them.

#include <Qsci/qsciscintilla.h>

#include <string_view>

namespace loopscope {

using Sci = QsciScintillaBase;

inline long send(const Sci &editor, unsigned message, long w = 0, long l = 0) {
    return editor.SendScintilla(message, static_cast<unsigned long>(w), l);
}

/// While it lives nobody hears of changes: QScintilla takes a tenth of a second to tell of one in a text of 10 MB.
class Unreported {
  public:
    explicit Unreported(const Sci &editor) : m_editor(editor), m_reported(send(editor, Sci::SCI_GETMODEVENTMASK)) {
        send(m_editor, Sci::SCI_SETMODEVENTMASK, 0);
    }
    ~Unreported() { send(m_editor, Sci::SCI_SETMODEVENTMASK, m_reported); }
    Unreported(const Unreported &) = delete;
    Unreported &operator=(const Unreported &) = delete;

  private:
    const Sci &m_editor;
    long m_reported;
};

/// As it stands in the editor; valid until the text changes.
inline std::string_view bytesOf(const Sci &editor) {
    const auto *text = static_cast<const char *>(editor.SendScintillaPtrResult(Sci::SCI_GETCHARACTERPOINTER));
    return {text, static_cast<size_t>(send(editor, Sci::SCI_GETLENGTH))};
}

constexpr int kSliceMilliseconds = 6; // of work on a long text between two events

} // namespace loopscope
