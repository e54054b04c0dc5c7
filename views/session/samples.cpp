#include "views/session/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace loopscope {

QString samplesFolder() {
    QString chosen = qEnvironmentVariable("LOOPSCOPE_SAMPLES");
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

QStringList sampleFolders() {
    const QString folder = samplesFolder();
    if (folder.isEmpty()) return {};
    QStringList folders{folder};
    for (const QString &inside : {pipelinesIn(folder), networksIn(folder)})
        if (QFileInfo(inside).isDir()) folders << inside;
    return folders;
}

QString pipelinesIn(const QString &samples) { return QDir(samples).filePath(QStringLiteral("pipelines")); }

QString networksIn(const QString &samples) { return QDir(samples).filePath(QStringLiteral("networks")); }

bool isSample(const QString &path) {
    const QString folder = QFileInfo(path).canonicalPath();
    const QStringList samples = sampleFolders();
    return std::any_of(samples.begin(), samples.end(),
                       [&](const QString &sample) { return folder == QFileInfo(sample).canonicalFilePath(); });
}

} // namespace loopscope
