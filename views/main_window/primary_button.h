#pragma once
// The one button that stands out: white on the product's colour.

#include "views/settings/theme.h"

namespace loopscope {

QString primaryStyle(const Theme &theme);
QIcon primaryIcon(const Theme &theme, const QString &name, bool enabled);

} // namespace loopscope
