#pragma once
// The networks that are open, in session files: their paths, and which one is shown. What they hold stands in their
// files; one that was made rather than read is not kept.

#include "views/session/session_extra.h"

namespace loopscope {

class Messages;
class OpenNetworks;

class NetworksInSession : public SessionExtra {
    Q_OBJECT

  public:
    NetworksInSession(OpenNetworks &networks, Messages &messages, QObject *file);

    [[nodiscard]] QString key() const override;
    [[nodiscard]] QJsonValue save() const override;
    /// A network that is gone is told, the others open.
    void load(const QJsonValue &value, const QString &session) override;

  private:
    OpenNetworks &m_networks;
    Messages &m_messages;
};

} // namespace loopscope
