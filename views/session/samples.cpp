#include "views/session/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace loopscope {

QString samplesFolder() {
    const QString chosen = qEnvironmentVariable("LOOPSCOPE_SAMPLES");
    if (!chosen.isEmpty()) return chosen;
    const QString witness = QStringLiteral("benchmarks.txt");
    QDir folder(QCoreApplication::applicationDirPath());
    const QString installed = folder.absoluteFilePath(QStringLiteral("../share/loopscope/samples"));
    if (QFileInfo::exists(installed + u'/' + witness)) return QDir::cleanPath(installed);
    do {
        const QString here = folder.absoluteFilePath(QStringLiteral("samples"));
        if (QFileInfo::exists(here + u'/' + witness)) return here;
    } while (folder.cdUp());
    return {};
}

bool isSample(const QString &path) {
    const QString folder = samplesFolder();
    return !folder.isEmpty() && QFileInfo(path).canonicalPath() == QFileInfo(folder).canonicalFilePath();
}

} // namespace loopscope
