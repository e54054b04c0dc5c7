#include "views/session/file_start.h"

#include "base/input_file.h"
#include "base/outcome.h"
#include "records/record/foreign_log.h"
#include "records/record/unpacker.h"
#include "views/session/text.h"

#include <QFile>
#include <QFileInfo>
#include <QStringList>

#include <sys/stat.h>

namespace loopscope {

namespace {

bool isNetworkFile(const QString &suffix) {
    return suffix.compare(QLatin1String("onnx"), Qt::CaseInsensitive) == 0 || suffix == QLatin1String("net");
}

/// By what stands in it, as logs of other programs have all kinds of suffixes; where nothing stands in it, by its
/// suffix.
FileKind kindOf(const QByteArray &start, const QString &suffix) {
    if (packingOf({start.constData(), static_cast<size_t>(start.size())}) != Packing::None) return FileKind::Log;
    if (isNetworkFile(suffix)) return FileKind::Network;
    // A script and a workload are both plain text.
    if (QStringList{QStringLiteral("sched"), QStringLiteral("script"), QStringLiteral("schedule")}.contains(suffix))
        return FileKind::Script;
    if (start.startsWith("\x1f\x8b") || start.startsWith("\x28\xb5\x2f\xfd")) return FileKind::Log; // gzip, zstd
    bool words = false; // something else stood in front: what a program printed into its log, or a workload
    for (const QByteArray &line : start.split('\n')) {
        const QByteArray text = line.trimmed();
        if (text.isEmpty() || text.startsWith('#')) continue;
        if (words && text.startsWith("{\"i\"")) return FileKind::Log;
        words = words || !text.startsWith('{');
        if (words) continue;
        if (suffix == QLatin1String("loopscope")) return FileKind::SessionFile; // the field may stand far behind
        return start.contains("\"loopscope_session\"") ? FileKind::SessionFile : FileKind::Log;
    }
    const bool namedLog = suffix == QLatin1String("json") || suffix == QLatin1String("log");
    return namedLog && !words ? FileKind::Log : FileKind::Workload;
}

constexpr qint64 kLargestText = 16 << 20; // far beyond what anybody writes

bool isText(FileKind kind) { return kind == FileKind::Workload || kind == FileKind::Script; }

/// Such as /dev/zero, which has no end, or a pipe, whose end somebody else has to bring about.
bool isNoFile(const QString &path) {
    struct stat info{};
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

} // namespace

FileStart readStart(const QString &path) {
    FileStart start;
    const QFileInfo info(path);
    QFile file(path);
    if (info.isDir()) {
        start.problem = QStringLiteral(
            "is a folder; open a workload (.te), a network (.onnx, .net), a tuning log, or a session (.loopscope)");
    } else if (isNoFile(path)) {
        start.problem = QStringLiteral("is a device or a pipe; open a workload (.te), a network (.onnx, .net), a "
                                       "tuning log, or a session (.loopscope)");
    } else if (!file.open(QIODevice::ReadOnly)) {
        start.problem = QStringLiteral("cannot be read: %1").arg(file.errorString());
    } else {
        start.bytes = file.read(1 << 16);
        start.kind = kindOf(start.bytes, info.suffix());
        if (const auto foreign = foreignLog({start.bytes.constData(), static_cast<size_t>(start.bytes.size())});
            foreign && (start.kind == FileKind::Workload || start.kind == FileKind::Log))
            start.problem = qt(*foreign);
        else if (start.kind == FileKind::Workload &&
                 (info.suffix() == QLatin1String("json") || info.suffix() == QLatin1String("log")))
            start.problem =
                QStringLiteral("is neither a tuning log nor a session: none of its first lines is a record");
        else if (start.kind == FileKind::Workload && info.suffix() != QLatin1String("te") && start.bytes.contains('\0'))
            start.problem = QStringLiteral("is neither a workload, nor a tuning log, nor a session");
        else if (start.kind == FileKind::Script && start.bytes.contains('\0'))
            start.problem = QStringLiteral("is no script of a schedule, which is a text");
        else if (isText(start.kind) && info.size() > kLargestText)
            start.problem = QStringLiteral("has %1; a text of more than %2 is not read")
                                .arg(bytesText(info.size()), bytesText(kLargestText));
        else if (isText(start.kind))
            start.bytes += file.read(kLargestText + 1);
        if (start.problem.isEmpty() && start.bytes.size() > kLargestText) // of a pipe, which does not tell its size
            start.problem = QStringLiteral("has more than %1; a larger text is not read").arg(bytesText(kLargestText));
    }
    return start;
}

FileBytes readWhole(const QString &path) {
    constexpr size_t most = size_t{256} << 20;
    try {
        return {QByteArray::fromStdString(readRegularFile(QFile::encodeName(path).toStdString(), "the file", most)),
                {}};
    } catch (const Error &problem) {
        return {{}, qt(problem.sentence())};
    }
}

} // namespace loopscope
