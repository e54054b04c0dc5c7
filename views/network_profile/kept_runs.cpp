#include "views/network_profile/kept_runs.h"

#include "views/session/open_networks.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <optional>

namespace loopscope {

namespace {

const QString kKeptNetwork = QStringLiteral("path");
const QString kKeptName = QStringLiteral("name");
const QString kKeptKernels = QStringLiteral("kernels");
const QString kKernelName = QStringLiteral("name");
const QString kKernelOp = QStringLiteral("op");
const QString kKernelOutputs = QStringLiteral("outputs");
const QString kKernelTime = QStringLiteral("time");

QJsonObject kernelJson(const TracedKernel &kernel) {
    QJsonArray outputs;
    for (const auto &dims : kernel.outputs) {
        QJsonArray extents;
        for (const int64_t extent : dims) extents.append(static_cast<qint64>(extent));
        outputs.append(extents);
    }
    const TimeSummary &time = kernel.time;
    return {
        {kKernelName, QString::fromStdString(kernel.name)},
        {kKernelOp, QString::fromStdString(kernel.op)},
        {kKernelOutputs, outputs},
        {kKernelTime, QJsonArray{time.least, time.lower, time.median, time.upper, static_cast<qint64>(time.samples)}}};
}

std::optional<TracedKernel> kernelOf(const QJsonObject &value) {
    TracedKernel kernel{value[kKernelName].toString().toStdString(), value[kKernelOp].toString().toStdString(), {}, {}};
    for (const auto &output : value[kKernelOutputs].toArray()) {
        std::vector<int64_t> &dims = kernel.outputs.emplace_back();
        for (const auto &extent : output.toArray()) dims.push_back(extent.toInteger());
    }
    const QJsonArray time = value[kKernelTime].toArray();
    const auto seconds = [&](int at) { return time.at(at).toDouble(-1); };
    kernel.time = {seconds(0), seconds(2), seconds(1), seconds(3), static_cast<size_t>(time.at(4).toInteger())};
    for (int i = 0; i < 4; ++i)
        if (!(seconds(i) >= 0) || !std::isfinite(seconds(i))) return std::nullopt;
    return kernel.name.empty() ? std::nullopt : std::optional(std::move(kernel));
}

} // namespace

KeptRuns::KeptRuns(OpenNetworks &networks, QObject *file) : SessionExtra(file), m_networks(networks) {}

const KeptRun *KeptRuns::find(int network) const {
    const auto found = m_runs.find(network);
    return found == m_runs.end() ? nullptr : &found->second;
}

void KeptRuns::keep(int network, KeptRun run) {
    m_runs[network] = std::move(run);
    Q_EMIT changed();
}

void KeptRuns::forget(int network) {
    if (m_runs.erase(network) > 0) Q_EMIT changed();
}

void KeptRuns::forgetClosed() {
    std::erase_if(m_runs, [this](const auto &kept) { return m_networks.find(kept.first) == nullptr; });
}

QString KeptRuns::key() const { return QStringLiteral("network_kept_runs"); }

QJsonValue KeptRuns::save() const {
    QJsonArray all;
    for (const auto &[id, run] : m_runs) {
        const OpenNetwork *network = m_networks.find(id);
        if (network == nullptr || !QFileInfo(network->path).isAbsolute()) continue;
        QJsonArray kernels;
        for (const TracedKernel &kernel : *run.kernels) kernels.append(kernelJson(kernel));
        all.append(QJsonObject{{kKeptNetwork, network->path}, {kKeptName, run.name}, {kKeptKernels, kernels}});
    }
    return all.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(all);
}

void KeptRuns::load(const QJsonValue &value, const QString & /*session*/) {
    for (const auto &entry : value.toArray()) {
        const QJsonObject kept = entry.toObject();
        const QString path = kept[kKeptNetwork].toString();
        const auto &all = m_networks.all();
        const auto found = std::ranges::find(all, path, [](const auto &network) { return network->path; });
        if (path.isEmpty() || found == all.end()) continue; // told where networks are opened
        auto kernels = std::make_shared<std::vector<TracedKernel>>();
        for (const auto &one : kept[kKeptKernels].toArray())
            if (auto kernel = kernelOf(one.toObject())) kernels->push_back(*std::move(kernel));
        if (!kernels->empty()) keep((*found)->id, {kept[kKeptName].toString(), std::move(kernels)});
    }
}

} // namespace loopscope
