#pragma once
// Where the workloads and networks that come with Loopscope lie: installed beside the program, or in the checkout it
// was built from.

#include <QString>
#include <QStringList>

namespace loopscope {

/// LOOPSCOPE_SAMPLES, <program>/../share/loopscope/samples, or `samples` in a folder above the program; empty when
/// there is none.
QString samplesFolder();
/// That one and, where they are there, those of image pipelines and of networks in it.
QStringList sampleFolders();
QString pipelinesIn(const QString &samples);
QString networksIn(const QString &samples);
/// A file of those folders, which belongs to the program.
bool isSample(const QString &path);

} // namespace loopscope
