#pragma once
// What a pass changed: the lines of its program that the one before did not have, and the places where lines went away.
// Indentation does not count: a loop put around ten lines changes one.

#include "views/text/line_marks.h"

#include <string_view>

namespace loopscope {

struct LineDiff {
    LineRanges added;        // lines of the new text
    LineRanges changed;      // of it: where others stood
    LineRanges removedBelow; // lines of the new text behind which lines are missing, without any in their place
    int addedCount = 0;
    int removedCount = 0;
};

LineDiff diffLines(std::u16string_view before, std::u16string_view after);

} // namespace loopscope
