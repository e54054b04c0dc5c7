#pragma once
// What a log holds, as its reader sees it: lines.

#include <QByteArray>
#include <QList>
#include <QString>

namespace loopscope {

QByteArray contents(const QString &path);
/// The records of a log, comment lines left out.
QList<QByteArray> records(const QString &path);

} // namespace loopscope
