#pragma once
// The tuning logs that are open as documents, in session files: their paths, which one is shown, and in each the task
// and the record that were chosen. What the logs say stands in the logs.

#include "views/session/session_extra.h"

namespace loopscope {

class Messages;
class OpenLogs;

class LogsInSession : public SessionExtra {
    Q_OBJECT

  public:
    LogsInSession(OpenLogs &logs, Messages &messages, QObject *file);

    [[nodiscard]] QString key() const override;
    [[nodiscard]] QJsonValue save() const override;
    /// A log that is gone is told, the others open.
    void load(const QJsonValue &value, const QString &session) override;

  private:
    OpenLogs &m_logs;
    Messages &m_messages;
};

} // namespace loopscope
