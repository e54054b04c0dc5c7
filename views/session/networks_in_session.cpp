#include "views/session/networks_in_session.h"

#include "views/session/messages.h"
#include "views/session/open_networks.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <array>

namespace loopscope {

namespace {
const QString kCurrentNetwork = QStringLiteral("current");
const QString kOpenNetworks = QStringLiteral("open");
const QString kModelPath = QStringLiteral("path");
const QString kDims = QStringLiteral("dims");
const QString kFusion = QStringLiteral("fusion");
const QString kRule = QStringLiteral("implementations");
const QString kWorst = QStringLiteral("accuracy");
const QString kLayouts = QStringLiteral("layouts");
const QString kLogs = QStringLiteral("logs");

const std::array kRuleNames{QStringLiteral("level"), QStringLiteral("measured"), QStringLiteral("compatible"),
                            QStringLiteral("tried")};
const std::array kLayoutNames{QStringLiteral("keep"), QStringLiteral("nhwc"), QStringLiteral("choose"),
                              QStringLiteral("measure")}; // as on the command line

/// The path alone, or with the numbers of its dims, and how it becomes kernels.
QJsonValue entryOf(const OpenNetwork &network) {
    QJsonObject entry{{kModelPath, network.path}};
    QJsonObject dims;
    for (const auto &[name, number] : network.dims) dims[QString::fromStdString(name)] = static_cast<qint64>(number);
    if (!dims.isEmpty()) entry[kDims] = dims;
    const KernelChoice &choice = network.choice;
    if (choice.fusion != KernelChoice().fusion) entry[kFusion] = qt(std::string(fusionModeName(choice.fusion)));
    if (choice.rule != ImplementationRule::Level) entry[kRule] = kRuleNames[static_cast<size_t>(choice.rule)];
    if (choice.worst != KernelChoice().worst) entry[kWorst] = qt(accuracyName(choice.worst));
    if (choice.layouts != DataLayoutRule::Keep) entry[kLayouts] = kLayoutNames[static_cast<size_t>(choice.layouts)];
    QJsonArray logs;
    for (const std::string &log : choice.logs) logs.append(qt(log));
    if (!logs.isEmpty()) entry[kLogs] = logs;
    return entry.size() == 1 ? QJsonValue(network.path) : QJsonValue(entry);
}

/// What is damaged counts as not said. Pins stand in a file of their own.
KernelChoice choiceOf(const QJsonValue &entry) {
    KernelChoice choice;
    const QJsonObject given = entry.toObject();
    choice.fusion = fusionModeFromName(std8(given[kFusion].toString())).value_or(choice.fusion);
    const auto rule = std::ranges::find(kRuleNames, given[kRule].toString());
    if (rule != kRuleNames.end()) choice.rule = static_cast<ImplementationRule>(rule - kRuleNames.begin());
    const auto layouts = std::ranges::find(kLayoutNames, given[kLayouts].toString());
    if (layouts != kLayoutNames.end()) choice.layouts = static_cast<DataLayoutRule>(layouts - kLayoutNames.begin());
    choice.worst = accuracyFromName(std8(given[kWorst].toString())).value_or(choice.worst);
    for (const auto &log : given[kLogs].toArray())
        if (log.isString()) choice.logs.push_back(std8(log.toString()));
    return choice;
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
        const QString path = entry.isObject() ? entry.toObject()[kModelPath].toString() : entry.toString();
        const bool wasShown = index++ == current;
        if (path.isEmpty()) continue; // of a damaged file
        if (!QFileInfo::exists(path)) {
            m_messages.add({Message::Severity::Failure, tr("%1 is not there any more").arg(path),
                            tr("The session %1 names it as an open network.").arg(session), path});
            continue;
        }
        const int id = m_networks.restore(path, dimsOf(entry), choiceOf(entry));
        if (wasShown) shown = id;
    }
    if (shown != 0) m_networks.setCurrent(shown);
}

} // namespace loopscope
