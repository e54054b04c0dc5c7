#include "views/session/network_searches_in_session.h"

#include "views/session/network_tuning.h"
#include "views/session/open_networks.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

const QString kNetworkPath = QStringLiteral("path");
const QString kNetworkFusion = QStringLiteral("fusion");
const QString kSearchLog = QStringLiteral("log");
const QString kSearchTrials = QStringLiteral("trials");
const QString kSearchFailed = QStringLiteral("failed");
const QString kSearchElapsed = QStringLiteral("elapsed");
const QString kSearchEnded = QStringLiteral("ended");
const QString kSearchEstimated = QStringLiteral("estimated");
const QString kSearchMeasured = QStringLiteral("measured");
const QString kSteered = QStringLiteral("steered");

QJsonArray courseJson(const std::vector<NetworkTimePoint> &course) {
    QJsonArray points;
    for (const NetworkTimePoint &point : course) points.append(QJsonArray{point.trials, point.elapsed, point.seconds});
    return points;
}

/// What is damaged is left out.
std::vector<NetworkTimePoint> courseOf(const QJsonValue &value) {
    std::vector<NetworkTimePoint> course;
    for (const auto &entry : value.toArray()) {
        const QJsonArray point = entry.toArray();
        const NetworkTimePoint read{point.at(0).toInt(-1), point.at(1).toDouble(-1), point.at(2).toDouble()};
        if (read.trials >= 0 && read.elapsed >= 0 && read.seconds > 0 && std::isfinite(read.seconds))
            course.push_back(read);
    }
    return course;
}

QJsonObject steeredJson(const std::map<std::string, TaskSteering> &steered) {
    QJsonObject all;
    for (const auto &[key, steering] : steered) {
        QJsonObject one;
        if (steering.paused) one[QStringLiteral("paused")] = true;
        if (steering.pinned) one[QStringLiteral("pinned")] = true;
        if (steering.excluded) one[QStringLiteral("excluded")] = true;
        if (steering.boost != 1) one[QStringLiteral("boost")] = steering.boost;
        if (!one.isEmpty()) all[QString::fromStdString(key)] = one;
    }
    return all;
}

std::map<std::string, TaskSteering> steeredOf(const QJsonValue &value) {
    std::map<std::string, TaskSteering> steered;
    const QJsonObject all = value.toObject();
    for (auto at = all.begin(); at != all.end(); ++at) {
        const QJsonObject one = at.value().toObject();
        TaskSteering steering;
        steering.paused = one[QStringLiteral("paused")].toBool();
        steering.pinned = one[QStringLiteral("pinned")].toBool();
        steering.excluded = one[QStringLiteral("excluded")].toBool();
        if (const double boost = one[QStringLiteral("boost")].toDouble(1); boost > 0 && std::isfinite(boost))
            steering.boost = boost;
        steered[at.key().toStdString()] = steering;
    }
    return steered;
}

} // namespace

NetworkSearchesInSession::NetworkSearchesInSession(OpenNetworks &networks, NetworkTuning &tuning, QObject *file)
    : SessionExtra(file), m_networks(networks), m_tuning(tuning) {}

QString NetworkSearchesInSession::key() const { return QStringLiteral("network_searches"); }

QJsonValue NetworkSearchesInSession::save() const {
    QJsonArray searches;
    for (const auto &network : m_networks.all()) {
        if (!QFileInfo(network->path).isAbsolute()) continue;
        QJsonObject search{{kNetworkPath, network->path}};
        if (network->choice.fusion != FusionMode::Compatible)
            search[kNetworkFusion] = QLatin1String(network->choice.confirmed ? "measured" : "better");
        const NetworkProgress &progress = m_tuning.progress(network->id);
        if (!progress.logPath.isEmpty()) {
            search[kSearchLog] = progress.logPath;
            search[kSearchTrials] = progress.trials;
            search[kSearchFailed] = progress.failed;
            search[kSearchElapsed] = progress.elapsed;
            if (!progress.ended.isEmpty()) search[kSearchEnded] = progress.ended;
            search[kSearchEstimated] = courseJson(progress.estimated);
            search[kSearchMeasured] = courseJson(progress.measured);
        }
        if (const QJsonObject steered = steeredJson(m_tuning.steered(network->id)); !steered.isEmpty())
            search[kSteered] = steered;
        if (search.size() > 1) searches.append(search);
    }
    return searches.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(searches);
}

void NetworkSearchesInSession::load(const QJsonValue &value, const QString & /*session*/) {
    for (const auto &entry : value.toArray()) {
        const QJsonObject search = entry.toObject();
        const QString path = search[kNetworkPath].toString();
        const auto &all = m_networks.all();
        const auto found = std::ranges::find(all, path, [](const auto &network) { return network->path; });
        if (path.isEmpty() || found == all.end()) continue; // told where networks are opened
        const int id = (*found)->id;
        const QString fusion = search[kNetworkFusion].toString();
        const bool confirmed = fusion == QLatin1String("measured");
        if (confirmed || fusion == QLatin1String("better")) m_networks.setFusion(id, FusionMode::Better, confirmed);
        NetworkProgress kept;
        kept.logPath = search[kSearchLog].toString();
        kept.trials = std::max(0, search[kSearchTrials].toInt());
        kept.failed = std::max(0, search[kSearchFailed].toInt());
        kept.elapsed = std::max(0.0, search[kSearchElapsed].toDouble());
        kept.ended = search[kSearchEnded].toString();
        kept.estimated = courseOf(search[kSearchEstimated]);
        kept.measured = courseOf(search[kSearchMeasured]);
        if (!kept.ended.isEmpty()) kept.state = SearchState::Finished;
        m_tuning.restore(id, std::move(kept), steeredOf(search[kSteered]));
    }
}

} // namespace loopscope
