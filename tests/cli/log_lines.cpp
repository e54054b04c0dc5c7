#include "log_lines.h"

#include <QFile>

namespace loopscope {

QByteArray contents(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QList<QByteArray> records(const QString &path) {
    QList<QByteArray> lines;
    for (const QByteArray &line : contents(path).split('\n'))
        if (!line.isEmpty() && !line.startsWith('#')) lines << line;
    return lines;
}

} // namespace loopscope
