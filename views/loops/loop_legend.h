#pragma once
// What the colours of the loop tree mean, in a line.

#include "views/settings/theme.h"

#include <QString>

namespace loopscope {

/// Rich text: the loops and memories that the kind of target has.
QString loopLegend(const Theme &theme, bool gpu);

} // namespace loopscope
