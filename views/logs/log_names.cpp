#include "views/logs/log_names.h"

#include "views/session/text.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonValue>
#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

QString argumentText(const QJsonValue &value) {
    if (!value.isArray()) return value.toVariant().toString();
    const QJsonArray list = value.toArray();
    if (list.size() == 3 && list[0].toString() == QLatin1String("TENSOR")) // ["TENSOR", shape, dtype]
        return argumentText(list[1]) + u' ' + list[2].toString();
    QStringList parts;
    for (const auto &part : list) parts << argumentText(part);
    return parts.join(QStringLiteral(" \u00d7 "));
}

bool isHash(const QString &name) {
    constexpr qsizetype kHexDigits = 32;
    return name.size() == kHexDigits &&
           std::all_of(name.begin(), name.end(), [](QChar c) { return c.isDigit() || (c >= u'a' && c <= u'f'); });
}

} // namespace

QString shortKey(const std::string &key) {
    const QJsonArray parts = QJsonDocument::fromJson(QByteArray::fromStdString(key)).array();
    if (parts.isEmpty()) return qt(key);
    constexpr qsizetype kShown = 8; // digits that tell hashes apart
    QString name = parts.first().toString();
    if (isHash(name)) name = name.left(kShown);
    QStringList arguments;
    for (qsizetype i = 1; i < parts.size(); ++i) arguments << argumentText(parts[i]);
    if (arguments.isEmpty()) return name;
    return QStringLiteral("%1 (%2)").arg(name, arguments.join(QStringLiteral(", ")));
}

QString resultWord(TrialError error) {
    if (error == TrialError::None) return QStringLiteral("ok");
    return qt(trialErrorName(error)).replace(u'-', u' ');
}

QString whenText(int64_t timestamp) {
    if (timestamp <= 0) return QStringLiteral("\u2013");
    return QDateTime::fromSecsSinceEpoch(timestamp).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

} // namespace loopscope
