#include "views/text/editor_access.h"

#include <QAccessibleWidget>

namespace loopscope {

namespace {

/// Asked for the most derived class first; null leaves the editor to QScintilla's own factory.
QAccessibleInterface *plainWhileNobodyListens(const QString &className, QObject *object) {
    if (className != QLatin1String("loopscope::CodeEditor") || QAccessible::isActive()) return nullptr;
    return new QAccessibleWidget(qobject_cast<QWidget *>(object), QAccessible::EditableText);
}

} // namespace

EditorAccess::EditorAccess(QWidget &editor) : m_editor(editor) {
    // After QScintilla's, which its first widget installs: the last one installed is asked first.
    [[maybe_unused]] static const bool installed = [] {
        QAccessible::installFactory(plainWhileNobodyListens);
        return true;
    }();
    QAccessible::installActivationObserver(this);
}

EditorAccess::~EditorAccess() { QAccessible::removeActivationObserver(this); }

void EditorAccess::accessibilityActiveChanged(bool active) {
    if (!active) return;
    if (auto *plain = QAccessible::queryAccessibleInterface(&m_editor))
        QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(plain)); // the next question makes the full one
}

} // namespace loopscope
