#pragma once
// The schedule shown, in one line of words: which, how fast, what is wrong with it.

#include "views/session/document.h"
#include "views/session/representations.h"

namespace loopscope {

/// "trial 17 (best) · 2.40 ms · 96.6 GFLOP/s", "trial 4 · failed: wrong answer", "sketch 2 · open lengths: choose a
/// candidate to see code". `representations` may still be null.
QString scheduleWords(const Document &document, const ScheduleRef &ref, const RepresentationsPtr &representations);

/// Why nothing can be shown: no document, no task, a schedule that is not there. Empty = there is one.
QString whyNoSchedule(const Document *document, const ScheduleRef &ref);

} // namespace loopscope
