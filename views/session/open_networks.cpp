#include "views/session/open_networks.h"

#include "views/session/jobs.h"
#include "views/session/messages.h"
#include "views/session/text.h"
#include "views/settings/settings.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kMaxTold = 50; // problems of one file that become messages

} // namespace

QString OpenNetwork::name() const { return QFileInfo(path).fileName(); }

FunctionPtr OpenNetwork::function() const {
    if (kernels && form > 0 && static_cast<size_t>(form) < kernels->forms.size())
        return kernels->forms[static_cast<size_t>(form)].function;
    return contents ? contents->main : nullptr;
}

OpenNetworks::OpenNetworks(Settings &settings, Messages &messages, Jobs &jobs)
    : m_settings(settings), m_messages(messages), m_jobs(jobs) {
    connect(&m_jobs, &Jobs::cancelled, this, &OpenNetworks::jobCancelled);
}

OpenNetworks::~OpenNetworks() = default;

const OpenNetwork *OpenNetworks::find(int id) const {
    const auto found = std::ranges::find(m_networks, id, [](const auto &network) { return network->id; });
    return found == m_networks.end() ? nullptr : found->get();
}

OpenNetwork *OpenNetworks::opened(int id) { return const_cast<OpenNetwork *>(std::as_const(*this).find(id)); }

void OpenNetworks::open(const QString &path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const auto found = std::ranges::find(m_networks, absolute, [](const auto &network) { return network->path; });
    int id = 0;
    if (found != m_networks.end()) {
        id = (*found)->id;
        reopen(id);
    } else {
        OpenNetwork &network = add(absolute);
        m_settings.addRecentFile(absolute);
        start(network);
        id = network.id;
        Q_EMIT listChanged();
    }
    setCurrent(id);
    Q_EMIT openedByUser(id);
}

int OpenNetworks::restore(const QString &path, NetworkDims dims, KernelChoice choice) {
    const auto found = std::ranges::find(m_networks, path, [](const auto &network) { return network->path; });
    if (found != m_networks.end()) return (*found)->id; // somebody is there already
    OpenNetwork &network = add(path);
    network.dims = std::move(dims);
    network.choice = std::move(choice);
    start(network);
    const int id = network.id;
    Q_EMIT listChanged();
    if (m_current == 0) setCurrent(id);
    return id;
}

void OpenNetworks::show(const QString &name, NetworkContentsPtr contents) {
    OpenNetwork &network = add(name);
    const int id = network.id;
    Q_EMIT listChanged();
    taken(network, std::move(contents));
    setCurrent(id);
    Q_EMIT openedByUser(id);
}

OpenNetwork &OpenNetworks::add(const QString &path) {
    m_networks.push_back(std::make_unique<OpenNetwork>());
    OpenNetwork &network = *m_networks.back();
    network.id = m_nextId++;
    network.path = path;
    return network;
}

void OpenNetworks::reopen(int id) {
    OpenNetwork *network = opened(id);
    if (network == nullptr) return;
    m_jobs.cancel(std::exchange(network->job, 0));
    start(*network);
    Q_EMIT networkChanged(id);
}

void OpenNetworks::setDims(int id, NetworkDims dims) {
    OpenNetwork *network = opened(id);
    if (network == nullptr || network->dims == dims) return;
    network->dims = std::move(dims);
    reopen(id);
}

void OpenNetworks::cancel(int id) {
    if (const OpenNetwork *network = find(id)) m_jobs.cancel(network->job);
}

/// What was known stays to be seen until the file is read.
void OpenNetworks::start(OpenNetwork &network) {
    network.state = OpenNetwork::State::Reading;
    network.problem.clear();
    const int id = network.id;
    network.job = m_jobs.start(
        tr("Reading %1").arg(network.name()), this,
        [path = network.path, dims = network.dims](JobControl &) { return readNetwork(path, dims); },
        [this, id](NetworkContentsPtr contents) {
            if (OpenNetwork *done = opened(id)) taken(*done, std::move(contents));
        },
        [this, id](const QString &problem) {
            OpenNetwork *failed = opened(id);
            if (failed == nullptr) return;
            failed->job = 0;
            failed->state = OpenNetwork::State::Failed;
            failed->problem = problem;
            m_messages.add(
                {Message::Severity::Failure, problem, {}, failed->path, 0, 0, -1, {}, QStringLiteral("open")});
            Q_EMIT networkChanged(id);
        });
}

void OpenNetworks::taken(OpenNetwork &network, NetworkContentsPtr contents) {
    const int id = network.id;
    network.job = 0;
    network.contents = std::move(contents);
    network.kernels.reset();
    network.form = 0;
    network.kernelsProblem.clear();
    network.state = network.contents->main ? OpenNetwork::State::Ready : OpenNetwork::State::Failed;
    if (network.contents->main) {
        m_messages.succeeded(QStringLiteral("open"));
        readPinsOf(network);
        findKernels(network);
    } else {
        network.problem = tr("%1 cannot be used: it has %2")
                              .arg(network.name(), countedText(network.contents->problems.size(), "problem"));
    }
    tellProblems(network);
    Q_EMIT networkChanged(id);
}

void OpenNetworks::tellProblems(const OpenNetwork &network) {
    const auto &problems = network.contents->problems;
    const auto severity = network.contents->main ? Message::Severity::Warning : Message::Severity::Failure;
    if (!network.contents->main && problems.size() > 1)
        m_messages.add({severity, network.problem, {}, network.path, 0, 0, -1, {}, QStringLiteral("open")});
    for (size_t i = 0; i < std::min(problems.size(), kMaxTold); ++i)
        m_messages.add({severity, tr("%1: %2").arg(network.name(), problems[i].sentence()), {}, network.path});
    if (problems.size() > kMaxTold)
        m_messages.add({severity,
                        tr("%1: there are %2 more like these").arg(network.name()).arg(problems.size() - kMaxTold),
                        {},
                        network.path});
}

void OpenNetworks::findKernels(OpenNetwork &network) {
    const int id = network.id;
    network.job = m_jobs.start(
        tr("Looking for the kernels of %1").arg(network.name()), this,
        [contents = network.contents, choice = network.choice](JobControl &control) {
            return kernelsOf(*contents, choice, control.cancelFlag());
        },
        [this, id](NetworkKernelsPtr kernels) {
            OpenNetwork *done = opened(id);
            if (done == nullptr) return;
            done->job = 0;
            done->kernels = std::move(kernels);
            if (done->kernels && static_cast<size_t>(done->form) >= done->kernels->forms.size()) done->form = 0;
            Q_EMIT networkChanged(id);
        },
        [this, id](const QString &problem) {
            OpenNetwork *failed = opened(id);
            if (failed == nullptr) return;
            failed->job = 0;
            failed->kernelsProblem = problem;
            m_messages.add({Message::Severity::Warning, tr("%1 does not become kernels").arg(failed->name()), problem,
                            failed->path});
            Q_EMIT networkChanged(id);
        });
}

void OpenNetworks::jobCancelled(int job) {
    for (const auto &network : m_networks) {
        if (network->job == 0 || network->job != job) continue;
        network->job = 0;
        if (network->state == OpenNetwork::State::Reading) {
            network->state = OpenNetwork::State::Cancelled;
            network->problem = tr("Reading %1 was cancelled").arg(network->name());
        } else {
            network->kernelsProblem = tr("Looking for the kernels was cancelled");
        }
        const int id = network->id;
        Q_EMIT networkChanged(id);
        return;
    }
}

void OpenNetworks::close(int id) {
    const auto found = std::ranges::find(m_networks, id, [](const auto &network) { return network->id; });
    if (found == m_networks.end()) return;
    const auto gone = std::move(*found); // lives until the views have let go of it
    const auto next = m_networks.erase(found);
    m_jobs.cancel(std::exchange(gone->job, 0));
    if (m_current == id) {
        m_current = m_networks.empty() ? 0 : next == m_networks.end() ? m_networks.back()->id : (*next)->id;
        Q_EMIT currentChanged();
    }
    Q_EMIT listChanged();
}

void OpenNetworks::setCurrent(int id) {
    if (id == m_current || find(id) == nullptr) return;
    m_current = id;
    Q_EMIT currentChanged();
}

void OpenNetworks::setFusion(int id, FusionMode fusion, bool confirmed) {
    OpenNetwork *network = opened(id);
    if (network == nullptr || (network->choice.fusion == fusion && network->choice.confirmed == confirmed)) return;
    network->choice.fusion = fusion;
    network->choice.confirmed = confirmed;
    findKernelsAnew(*network);
}

void OpenNetworks::findKernelsAnew(OpenNetwork &network) {
    if (network.state != OpenNetwork::State::Ready) return;
    m_jobs.cancel(std::exchange(network.job, 0));
    network.kernelsProblem.clear();
    const int id = network.id;
    findKernels(network);
    Q_EMIT networkChanged(id);
}

void OpenNetworks::setImplementations(int id, const KernelChoice &wanted, bool again) {
    OpenNetwork *network = opened(id);
    if (network == nullptr) return;
    KernelChoice &choice = network->choice;
    KernelChoice next = wanted;
    next.fusion = choice.fusion;
    next.confirmed = choice.confirmed;
    next.pins = choice.pins;
    if (!again && next == choice) return;
    choice = std::move(next);
    findKernelsAnew(*network);
}

/// What cannot be read is told, and is not written over: nothing is pinned then.
void OpenNetworks::readPinsOf(OpenNetwork &network) {
    network.choice.pins.clear();
    if (!QFileInfo(network.path).isAbsolute()) return;
    try {
        network.choice.pins = readPins(pinsPath(std8(network.path)));
    } catch (const Error &error) {
        m_messages.add({Message::Severity::Warning, tr("The pins of %1 do not count").arg(network.name()),
                        QString::fromUtf8(error.what()), network.path});
    }
}

void OpenNetworks::pin(int id, const std::string &node, const std::string &implementation) {
    changePins(id, [&](Pins &pins) {
        if (implementation.empty())
            pins.erase(node);
        else
            pins[node] = implementation;
    });
}

void OpenNetworks::unpinAll(int id) {
    changePins(id, [](Pins &pins) { pins.clear(); });
}

void OpenNetworks::changePins(int id, const std::function<void(Pins &)> &change) {
    OpenNetwork *network = opened(id);
    if (network == nullptr) return;
    const bool hasFile = QFileInfo(network->path).isAbsolute();
    try {
        // Others may have written to it since.
        Pins pins = hasFile ? readPins(pinsPath(std8(network->path))) : network->choice.pins;
        change(pins);
        if (hasFile) writePins(pinsPath(std8(network->path)), pins);
        if (network->choice.pins == pins) return;
        network->choice.pins = std::move(pins);
    } catch (const Error &error) {
        m_messages.fail(tr("The pin cannot be kept"), QString::fromUtf8(error.what()));
        return;
    }
    findKernelsAnew(*network);
}

void OpenNetworks::showForm(int id, int form) {
    OpenNetwork *network = opened(id);
    if (network == nullptr || network->form == form || !network->kernels || form < 0 ||
        static_cast<size_t>(form) >= network->kernels->forms.size())
        return;
    network->form = form;
    Q_EMIT formChanged(id);
}

void OpenNetworks::setProfile(int id, NetworkProfilePtr profile) {
    OpenNetwork *network = opened(id);
    if (network == nullptr || network->profile == profile) return;
    network->profile = std::move(profile);
    Q_EMIT profileChanged(id);
}

void OpenNetworks::select(int id, std::set<std::string> sources) {
    OpenNetwork *network = opened(id);
    if (network == nullptr || network->selected == sources) return;
    network->selected = std::move(sources);
    Q_EMIT selectionChanged(id);
}

} // namespace loopscope
