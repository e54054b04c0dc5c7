#pragma once
// What a part of the session keeps in session files beside documents, tasks and the selection. It is made as a child of
// the SessionFile, which asks each of them.

#include <QJsonValue>
#include <QObject>

namespace loopscope {

class SessionExtra : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    /// Of the value in the file.
    [[nodiscard]] virtual QString key() const = 0;
    /// Null: nothing is to be kept.
    [[nodiscard]] virtual QJsonValue save() const = 0;
    /// Undefined in files of older programs. `session`: path of the file, for what has to be told.
    virtual void load(const QJsonValue &value, const QString &session) = 0;
};

} // namespace loopscope
