#pragma once
// `loopscope --check`: can these files be read? One line a file; what is wrong goes to the error stream.

#include <QStringList>

namespace loopscope {

/// 0 when all can be read.
int checkFiles(const QStringList &paths);

} // namespace loopscope
