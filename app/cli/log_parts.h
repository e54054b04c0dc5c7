#pragma once
// The commands of `log`, each for itself; which of them was called tells log_command.cpp.

#include "log_options.h"

namespace loopscope {

int logInfo(const LogOptions &options);
int logList(const LogOptions &options);
int logFollow(const LogOptions &options);
int logShow(const LogOptions &options);
int logBest(const LogOptions &options);
int logApply(const LogOptions &options);
int logDiff(const LogOptions &options);
int logVerify(const LogOptions &options);
int logDistil(const LogOptions &options);
int logMerge(const LogOptions &options);
int logSplit(const LogOptions &options);
int logFilter(const LogOptions &options);
int logConvert(const LogOptions &options);
int logNote(const LogOptions &options);

} // namespace loopscope
