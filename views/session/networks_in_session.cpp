#include "views/session/networks_in_session.h"

#include "views/session/messages.h"
#include "views/session/open_networks.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

namespace loopscope {

namespace {
const QString kCurrentNetwork = QStringLiteral("current");
const QString kOpenNetworks = QStringLiteral("open");
} // namespace

NetworksInSession::NetworksInSession(OpenNetworks &networks, Messages &messages, QObject *file)
    : SessionExtra(file), m_networks(networks), m_messages(messages) {}

QString NetworksInSession::key() const { return QStringLiteral("networks"); }

QJsonValue NetworksInSession::save() const {
    QJsonArray open;
    int current = -1;
    for (const auto &network : m_networks.all()) {
        if (!QFileInfo(network->path).isAbsolute()) continue;
        if (network.get() == m_networks.current()) current = static_cast<int>(open.size());
        open.append(network->path);
    }
    if (open.isEmpty()) return QJsonValue::Null;
    return QJsonObject{{kCurrentNetwork, current}, {kOpenNetworks, open}};
}

void NetworksInSession::load(const QJsonValue &value, const QString &session) {
    const QJsonObject root = value.toObject();
    const int current = root[kCurrentNetwork].toInt(-1);
    int shown = 0, index = 0;
    for (const auto &entry : root[kOpenNetworks].toArray()) {
        const QString path = entry.toString();
        const bool wasShown = index++ == current;
        if (path.isEmpty()) continue; // of a damaged file
        if (!QFileInfo::exists(path)) {
            m_messages.add({Message::Severity::Failure, tr("%1 is not there any more").arg(path),
                            tr("The session %1 names it as an open network.").arg(session), path});
            continue;
        }
        const int id = m_networks.restore(path);
        if (wasShown) shown = id;
    }
    if (shown != 0) m_networks.setCurrent(shown);
}

} // namespace loopscope
