#pragma once
// What kind of file a path is, told by what stands in it, as logs of other programs have all kinds of suffixes.

#include <QByteArray>
#include <QString>

namespace loopscope {

enum class FileKind : uint8_t { Workload, Log, SessionFile, Script, Network };

struct FileStart {
    QByteArray bytes; // of a workload or a script: all
    FileKind kind = FileKind::Workload;
    QString problem; // why it cannot be opened, without the path; empty when it can
};

FileStart readStart(const QString &path);

/// All of a file; `problem` says why it cannot be read: it is a folder, a device or a pipe, or larger than anything
/// that is read whole.
struct FileBytes {
    QByteArray bytes;
    QString problem;
};
FileBytes readWhole(const QString &path);

} // namespace loopscope
