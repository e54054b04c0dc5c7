#pragma once
// QScintilla tells assistive technology of every change in characters from the beginning of the text, which it counts:
// a tenth of a second for each move in a text of 10 MB, whether anybody listens or not. With this, it does so only
// while somebody does.

#include <QAccessible>

class QWidget;

namespace loopscope {

class EditorAccess : public QAccessible::ActivationObserver {
  public:
    explicit EditorAccess(QWidget &editor);
    ~EditorAccess() override;
    EditorAccess(const EditorAccess &) = delete;
    EditorAccess &operator=(const EditorAccess &) = delete;
    void accessibilityActiveChanged(bool active) override;

  private:
    QWidget &m_editor;
};

} // namespace loopscope
