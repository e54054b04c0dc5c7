#pragma once
// What is known of the search of each open network, in session files: its log, how tasks were steered, and how the time
// of the whole fell. Times of the tasks stand in the log, which is looked into when the network's kernels are known.

#include "views/session/session_extra.h"

namespace loopscope {

class NetworkTuning;
class OpenNetworks;

class NetworkSearchesInSession : public SessionExtra {
    Q_OBJECT

  public:
    /// Made behind what opens the networks again.
    NetworkSearchesInSession(OpenNetworks &networks, NetworkTuning &tuning, QObject *file);

    [[nodiscard]] QString key() const override;
    [[nodiscard]] QJsonValue save() const override;
    void load(const QJsonValue &value, const QString &session) override;

  private:
    OpenNetworks &m_networks;
    NetworkTuning &m_tuning;
};

} // namespace loopscope
