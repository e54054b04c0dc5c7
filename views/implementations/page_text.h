#pragma once
// What the pages of this view are written with.

#include "views/session/text.h"

#include <QCoreApplication>

namespace loopscope {

inline QString pageText(const char *text) { return QCoreApplication::translate("ImplementationsView", text); }
inline QString escaped(std::string_view text) { return qt(text).toHtmlEscaped(); }

} // namespace loopscope
