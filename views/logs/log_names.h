#pragma once
// How tasks and records of logs are called where there is room for a line.

#include "records/logs/log_row.h"

#include <QString>

#include <string>

namespace loopscope {

/// What can be said of a task without knowing its workload: "conv2d_layer (1, 7, 7, 512)", "d7b65649 (1 x 10, 1 x 10)".
QString shortKey(const std::string &key);
/// "wrong answer"; "ok" for none.
QString resultWord(TrialError error);
/// "2021-03-04 05:06:07", in the time of the place; a dash for none.
QString whenText(int64_t timestamp);

} // namespace loopscope
