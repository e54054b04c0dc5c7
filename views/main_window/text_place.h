#pragma once
// Going to a line of whichever text a view shows.

class QWidget;

namespace loopscope {

/// Of the first text in the view; line and column count from 1.
void goToLine(QWidget &view, int line, int column);

} // namespace loopscope
