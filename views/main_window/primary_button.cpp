#include "views/main_window/primary_button.h"

namespace loopscope {

QString primaryStyle(const Theme &theme) {
    const QColor accent = theme.color(Role::Accent);
    return QStringLiteral(
               "QAbstractButton { background: %1; color: %2; border: 1px solid %1; border-radius: 5px; padding: 3px "
               "14px; font-weight: 600; }"
               "QAbstractButton:hover { background: %3; }"
               "QAbstractButton:pressed { background: %4; }"
               "QAbstractButton:focus { border: 1px solid %2; }"
               "QAbstractButton:disabled { background: %5; color: %6; border-color: %5; }")
        .arg(accent.name(), theme.color(Role::AccentText).name(), accent.lighter(112).name(), accent.darker(112).name(),
             theme.color(Role::Hover).name(), theme.color(Role::QuietText).name());
}

QIcon primaryIcon(const Theme &theme, const QString &name, bool enabled) {
    const QIcon icon = theme.icon(name);
    if (!enabled) return icon;
    QIcon painted; // in the text colour of the accent, which icons have while selected
    for (const int side : {16, 20, 24, 32, 48, 64}) painted.addPixmap(icon.pixmap({side, side}, QIcon::Selected));
    return painted;
}

} // namespace loopscope
