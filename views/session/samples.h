#pragma once
// Where the workloads that come with Loopscope lie: installed beside the program, or in the checkout it was built from.

#include <QString>

namespace loopscope {

/// LOOPSCOPE_SAMPLES, <program>/../share/loopscope/samples, or `samples` in a folder above the program; empty when
/// there is none.
QString samplesFolder();
/// A file of that folder, which belongs to the program.
bool isSample(const QString &path);

} // namespace loopscope
