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
const QString kPath = QStringLiteral("path");
const QString kDims = QStringLiteral("dims");

/// The path alone, or with the numbers of its dims.
QJsonValue entryOf(const OpenNetwork &network) {
    if (network.dims.empty()) return network.path;
    QJsonObject dims;
    for (const auto &[name, number] : network.dims) dims[QString::fromStdString(name)] = static_cast<qint64>(number);
    return QJsonObject{{kPath, network.path}, {kDims, dims}};
}

NetworkDims dimsOf(const QJsonValue &entry) {
    NetworkDims dims;
    const QJsonObject given = entry.toObject()[kDims].toObject();
    for (auto dim = given.begin(); dim != given.end(); ++dim)
        if (const qint64 number = dim.value().toInteger(); number > 0) dims[dim.key().toStdString()] = number;
    return dims;
}
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
        open.append(entryOf(*network));
    }
    if (open.isEmpty()) return QJsonValue::Null;
    return QJsonObject{{kCurrentNetwork, current}, {kOpenNetworks, open}};
}

void NetworksInSession::load(const QJsonValue &value, const QString &session) {
    const QJsonObject root = value.toObject();
    const int current = root[kCurrentNetwork].toInt(-1);
    int shown = 0, index = 0;
    for (const auto &entry : root[kOpenNetworks].toArray()) {
        const QString path = entry.isObject() ? entry.toObject()[kPath].toString() : entry.toString();
        const bool wasShown = index++ == current;
        if (path.isEmpty()) continue; // of a damaged file
        if (!QFileInfo::exists(path)) {
            m_messages.add({Message::Severity::Failure, tr("%1 is not there any more").arg(path),
                            tr("The session %1 names it as an open network.").arg(session), path});
            continue;
        }
        const int id = m_networks.restore(path, dimsOf(entry));
        if (wasShown) shown = id;
    }
    if (shown != 0) m_networks.setCurrent(shown);
}

} // namespace loopscope
