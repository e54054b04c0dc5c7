#pragma once
// A schedule of the session as the text of a script, and what an edit of such a text is called.

#include "schedule/edit_steps.h"

#include <QString>

#include <vector>

namespace loopscope {

/// The lines of the steps that apply; a refused one stands between them as a comment with its reason.
QString scriptText(const EditedSteps &steps);

/// The edit that makes one text of the other: the line that came, that changed or that went where it is one, else
/// "script". Comments and blanks do not count.
QString scriptEdit(const QString &before, const QString &after);

} // namespace loopscope
