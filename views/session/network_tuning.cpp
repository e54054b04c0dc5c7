#include "views/session/network_tuning.h"

#include "measure/timing/machine_peaks.h"
#include "search/search_observer.h"
#include "views/session/hand_measuring.h"
#include "views/session/measured_peaks.h"
#include "views/session/network_timing.h"
#include "views/session/open_networks.h"
#include "views/session/text.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kTunedAtOnce = 64;                           // events between two looks at the clock
constexpr int kTuningDrainEvery = 33;                         // ms
constexpr int kTuningDrainBudget = 6;                         // ms of the UI thread
const QString kTuningKind = QStringLiteral("network search"); // of messages
const QString kTimingKind = QStringLiteral("time a network"); // likewise
const QString kTuningTrials = QStringLiteral("network_search/trials");
const QString kTuningTimeLimit = QStringLiteral("network_search/time_limit");
const QString kTuningOrder = QStringLiteral("network_search/order");
const QString kTuningOnNodes = QStringLiteral("network_search/on_nodes");
const QString kTuningNodes = QStringLiteral("network_search/nodes");

/// What a search of all forms has found out, as a choice: the network takes those that are the fastest in its log.
KernelChoice fastestForms(KernelChoice choice, const QString &log) {
    choice.rule = ImplementationRule::Measured;
    choice.logs.clear();
    if (QFileInfo::exists(log)) choice.logs.push_back(std8(log));
    return choice;
}

/// "conv1 and 3 more like it: winograd4 is the fastest of 3", a line for each node with several forms.
QString formsFound(const NetworkProgress &progress) {
    QStringList lines;
    for (size_t group = 0; group < progress.groups.size(); ++group)
        if (const auto arm = progress.leading(group))
            lines << NetworkTuning::tr("%1: %2 is the fastest of %3")
                         .arg(groupText(progress.groups[group]), qt(progress.groups[group].arms[*arm].name))
                         .arg(progress.groups[group].arms.size());
    return lines.join(u'\n');
}

/// Adds where the whole stands now. A course of equal times is kept as its two ends.
void extendCourse(NetworkProgress &progress, const std::map<std::string, TaskSteering> &steered) {
    if (!progress.complete(steered)) return;
    auto &course = progress.estimated;
    const NetworkTimePoint now{progress.trials, progress.elapsed, progress.seconds()};
    const size_t count = course.size();
    if (count >= 2 && course[count - 1].seconds == now.seconds && course[count - 2].seconds == now.seconds)
        course.back() = now;
    else
        course.push_back(now);
}

} // namespace

NetworkTuning::NetworkTuning(Parts parts) : m_parts(std::move(parts)) {
    m_drain.setInterval(kTuningDrainEvery);
    connect(&m_drain, &QTimer::timeout, this, &NetworkTuning::drain);
    connect(&m_parts.networks, &OpenNetworks::listChanged, this, &NetworkTuning::forgetClosed);
    connect(&m_parts.networks, &OpenNetworks::networkChanged, this, [this](int network) {
        const auto found = m_tuned.find(network);
        const OpenNetwork *open = m_parts.networks.find(network);
        if (found != m_tuned.end() && found->second.unread && open != nullptr && open->kernels && searched() != network)
            lookIntoLog(network);
    });
    connect(&m_parts.jobs, &Jobs::cancelled, this, [this](int job) {
        if (job != m_measuring) return;
        m_measuring = 0;
        Q_EMIT machineUseChanged();
    });
}

NetworkTuning::~NetworkTuning() = default;

NetworkTuningSetup NetworkTuning::setup() const {
    NetworkTuningSetup setup;
    setup.trials = std::clamp(m_parts.settings.value(kTuningTrials, setup.trials).toInt(), 1, 1'000'000);
    setup.timeLimitSeconds = std::max(0, m_parts.settings.value(kTuningTimeLimit, 0).toInt());
    setup.order = m_parts.settings.value(kTuningOrder, setup.order).toString();
    setup.onNodes = m_parts.settings.value(kTuningOnNodes, false).toBool();
    setup.nodes = m_parts.settings.value(kTuningNodes).toString();
    return setup;
}

void NetworkTuning::setSetup(const NetworkTuningSetup &setup) {
    m_parts.settings.setValue(kTuningTrials, setup.trials);
    m_parts.settings.setValue(kTuningTimeLimit, static_cast<int>(setup.timeLimitSeconds));
    m_parts.settings.setValue(kTuningOrder, setup.order);
    m_parts.settings.setValue(kTuningOnNodes, setup.onNodes);
    m_parts.settings.setValue(kTuningNodes, setup.nodes);
}

const NetworkProgress &NetworkTuning::progress(int network) const {
    static const NetworkProgress nothing;
    const auto found = m_tuned.find(network);
    return found == m_tuned.end() ? nothing : found->second.progress;
}

const std::map<std::string, TaskSteering> &NetworkTuning::steered(int network) const {
    static const std::map<std::string, TaskSteering> nothing;
    const auto found = m_tuned.find(network);
    return found == m_tuned.end() ? nothing : found->second.steered;
}

TaskSteering NetworkTuning::steering(int network, const std::string &key) const {
    const auto &all = steered(network);
    const auto found = all.find(key);
    return found == all.end() ? TaskSteering() : found->second;
}

void NetworkTuning::steer(int network, const std::string &key, const TaskSteering &steering) {
    if (key.empty() || m_parts.networks.find(network) == nullptr || this->steering(network, key) == steering) return;
    m_tuned[network].steered[key] = steering;
    if (searched() == network) m_search->steer(key, steering);
    Q_EMIT changed(network);
}

/// Of what is closed nothing stays; a search ends in a job, as it may take a measurement to.
void NetworkTuning::forgetClosed() {
    std::erase_if(m_tuned, [&](const auto &tuned) { return m_parts.networks.find(tuned.first) == nullptr; });
    if (!m_search || m_tuned.contains(m_network)) return;
    m_search->control().cancel();
    m_drain.stop();
    m_nodes.giveBack(m_parts.jobs, this);
    m_network = 0;
    m_parts.jobs.start(
        tr("Ending the search"), this,
        [search = std::shared_ptr<NetworkSearchThread>(std::move(m_search))](JobControl &) mutable {
            search.reset();
            return 0;
        },
        [](int) {});
    Q_EMIT machineUseChanged();
}

// --- The log
// ----------------------------------------------------------------------------------------------------------

void NetworkTuning::setLog(int network, const QString &path) {
    const OpenNetwork *open = m_parts.networks.find(network);
    if (open == nullptr || searched() == network || progress(network).logPath == path) return;
    Tuned &tuned = m_tuned[network];
    tuned.progress = {};
    tuned.progress.logPath = path;
    lookIntoLog(network);
    Q_EMIT changed(network);
}

void NetworkTuning::restore(int network, NetworkProgress kept, std::map<std::string, TaskSteering> steered) {
    if (m_parts.networks.find(network) == nullptr || searched() == network) return;
    Tuned &tuned = m_tuned[network];
    tuned.progress = std::move(kept);
    tuned.steered = std::move(steered);
    lookIntoLog(network);
    Q_EMIT changed(network);
}

/// Now, or when the kernels are known, which say what tasks there are.
void NetworkTuning::lookIntoLog(int network) {
    const OpenNetwork *open = m_parts.networks.find(network);
    Tuned &tuned = m_tuned[network];
    m_parts.jobs.cancel(std::exchange(tuned.reading, 0));
    const QString path = tuned.progress.logPath;
    tuned.unread = !path.isEmpty() && open->kernels == nullptr;
    if (path.isEmpty() || tuned.unread || !QFileInfo::exists(path)) return;
    struct Looked {
        std::vector<NetworkTaskProgress> tasks;
        std::vector<TaskChoiceGroup> groups;
        std::vector<std::string> notes;
    };
    std::optional<MachinePeaks> peaks;
    if (const MachinePeaks *known = m_parts.peaks.of(parseTarget("llvm"))) peaks = *known;
    tuned.reading = m_parts.jobs.start(
        tr("Looking for the tasks of %1 in %2").arg(open->name(), QFileInfo(path).fileName()), this,
        [kernels = open->kernels, peaks, path](JobControl &) {
            Looked looked;
            NetworkSearch search = searchOfTasks(*kernels, peaks, path, looked.notes);
            looked.tasks = tunedTasks(search, path);
            looked.groups = std::move(search.groups);
            return looked;
        },
        [this, network, name = open->name()](const Looked &looked) {
            const auto found = m_tuned.find(network);
            if (found == m_tuned.end() || searched() == network) return;
            found->second.reading = 0;
            found->second.progress.tasks = looked.tasks;
            found->second.progress.groups = looked.groups;
            for (const std::string &note : looked.notes) m_parts.messages.warn(asSentence(qt(note)), {}, kTuningKind);
            extendCourse(found->second.progress, found->second.steered);
            tellMissing(found->second.progress, name);
            Q_EMIT changed(network);
        },
        [this, path](const QString &problem) {
            m_parts.messages.fail(tr("%1 cannot be read").arg(path), problem, kTuningKind);
        });
}

void NetworkTuning::tellMissing(const NetworkProgress &progress, const QString &name) {
    QStringList without;
    for (const NetworkTaskProgress &task : progress.tasks)
        if (task.best <= 0) without << tr("%1: %2").arg(task.name, task.whyNone);
    const size_t known = progress.timed();
    if (progress.tasks.empty() || (known == 0 && !QFileInfo::exists(progress.logPath))) return;
    m_parts.messages.add({Message::Severity::Note,
                          tr("%1 has times of %2 of the %3 of %4")
                              .arg(progress.logPath)
                              .arg(known)
                              .arg(countedText(progress.tasks.size(), "task"), name),
                          without.join(u'\n'), progress.logPath});
}

// --- The search
// -------------------------------------------------------------------------------------------------------

QString NetworkTuning::machineUse() const {
    if (m_search) {
        const OpenNetwork *open = m_parts.networks.find(m_network);
        return open != nullptr ? tr("%1 is being searched").arg(open->name()) : tr("a network is being searched");
    }
    return m_measuring != 0 ? tr("a network is being timed") : QString();
}

QString NetworkTuning::whyNotStart(int network) const {
    const OpenNetwork *open = m_parts.networks.find(network);
    if (open == nullptr) return tr("open a network first");
    if (const QString use = machineUse(); !use.isEmpty()) return use;
    if (const QString use = m_parts.machineUse(); !use.isEmpty()) return use;
    if (!open->kernels)
        return open->working()                   ? tr("its kernels are being looked for")
               : !open->kernelsProblem.isEmpty() ? open->kernelsProblem
                                                 : tr("the network cannot be used");
    if (open->kernels->searchable() == 0) return tr("there is nothing to tune in this network");
    return {};
}

void NetworkTuning::start(int network) {
    if (const QString why = whyNotStart(network); !why.isEmpty()) {
        m_parts.messages.warn(tr("The search of the network cannot start: %1").arg(why), {}, kTuningKind);
        return;
    }
    const OpenNetwork &open = *m_parts.networks.find(network);
    Tuned &tuned = m_tuned[network];
    m_parts.jobs.cancel(std::exchange(tuned.reading, 0));
    QString log = tuned.progress.logPath;
    if (log.isEmpty()) log = newLogPath(m_parts.settings, QFileInfo(open.path).completeBaseName());
    auto measured = std::exchange(tuned.progress.measured, {});
    for (NetworkTimePoint &point : measured) point.trials = 0;
    tuned.progress = {};
    tuned.progress.measured = std::move(measured);
    tuned.progress.logPath = log;
    tuned.progress.state = SearchState::Running;
    tuned.progress.phase = tr("starting");
    NetworkSearchOrder order;
    order.name = open.name();
    order.kernels = open.kernels;
    order.setup = setup();
    order.logPath = log;
    order.steering = tuned.steered;
    if (const MachinePeaks *known = m_parts.peaks.of(parseTarget("llvm"))) order.peaks = *known;
    order.measurePeaks = m_parts.peaks.measurer();
    order.makeMeasurer = m_makeMeasurer;
    m_network = network;
    m_since.start();
    m_search = std::make_unique<NetworkSearchThread>(std::move(order));
    m_drain.start();
    m_parts.messages.succeeded(kTuningKind);
    Q_EMIT changed(network);
    Q_EMIT machineUseChanged();
}

void NetworkTuning::pause() {
    if (!m_search || m_tuned[m_network].progress.state != SearchState::Running) return;
    m_search->control().pause();
    m_tuned[m_network].progress.state = SearchState::Paused;
    Q_EMIT changed(m_network);
}

void NetworkTuning::resume() {
    if (!m_search || m_tuned[m_network].progress.state != SearchState::Paused) return;
    m_search->control().resume();
    m_tuned[m_network].progress.state = SearchState::Running;
    Q_EMIT changed(m_network);
}

void NetworkTuning::stop() {
    if (!m_search) return;
    m_search->control().cancel();
    m_tuned[m_network].progress.state = SearchState::Stopping;
    Q_EMIT changed(m_network);
}

void NetworkTuning::drain() {
    if (!m_search) {
        m_drain.stop();
        return;
    }
    NetworkProgress &progress = m_tuned[m_network].progress;
    const double before = progress.elapsed;
    progress.elapsed = static_cast<double>(m_since.elapsed()) / 1000 - m_search->control().pausedSeconds();
    QElapsedTimer clock;
    clock.start();
    std::optional<SearchEnded> ended;
    bool any = std::floor(progress.elapsed) != std::floor(before);
    do {
        const std::vector<NetworkEvent> events = m_search->take(kTunedAtOnce);
        if (events.empty()) break;
        any = true;
        for (const NetworkEvent &event : events) {
            if (const auto *end = std::get_if<SearchEnded>(&event)) ended = *end;
            take(progress, event);
        }
    } while (clock.elapsed() < kTuningDrainBudget && !ended);
    if (ended) {
        end(progress, *ended);
    } else if (any) {
        Q_EMIT changed(m_network);
    }
}

void NetworkTuning::take(NetworkProgress &progress, const NetworkEvent &event) {
    if (const auto *search = std::get_if<SearchEvent>(&event)) return take(progress, *search);
    if (const auto *known = std::get_if<TasksKnown>(&event)) {
        progress.tasks = known->tasks;
        progress.groups = known->groups;
        progress.phase = tr("deriving sketches");
        if (progress.tasks.size() == 1) {
            progress.picked = 0;
            progress.why = tr("there is no other");
        }
        extendCourse(progress, steered(m_network));
        if (const OpenNetwork *open = m_parts.networks.find(m_network)) tellMissing(progress, open->name());
    } else if (const auto *opened = std::get_if<FleetOpened>(&event)) {
        m_nodes.take(*opened);
    } else if (const auto *said = std::get_if<FleetTold>(&event)) {
        m_nodes.take(*said, progress.phase, m_parts.messages);
    } else if (std::holds_alternative<PeaksBegun>(event)) {
        progress.phase = tr("measuring this machine's peaks");
    } else if (const auto *peaks = std::get_if<PeaksMeasured>(&event)) {
        m_parts.peaks.take(peaks->peaks, peaks->reason);
    } else if (const auto *mended = std::get_if<LogRewritten>(&event)) {
        m_parts.messages.warn(asSentence(qt(mended->sentence)));
    } else if (const auto *note = std::get_if<SearchNote>(&event)) {
        m_parts.messages.note(asSentence(qt(note->sentence)));
    }
}

void NetworkTuning::take(NetworkProgress &progress, const SearchEvent &event) {
    const auto taskOf = [&](int number) -> NetworkTaskProgress & {
        return progress.tasks[static_cast<size_t>(number)];
    };
    if (const auto *phase = std::get_if<PhaseStarted>(&event)) {
        progress.phase = qt(searchPhaseText(phase->phase));
        if (phase->phase == SearchPhase::Done) taskOf(phase->task).rounds = 0;
    } else if (const auto *round = std::get_if<RoundFinished>(&event)) {
        NetworkTaskProgress &task = taskOf(round->task);
        task.rounds = std::max(0, task.rounds - 1);
    } else if (const auto *picked = std::get_if<TaskPicked>(&event)) {
        progress.picked = picked->task;
        progress.why = qt(picked->why);
        ++taskOf(picked->task).rounds;
        for (size_t i = 0; i < std::min(progress.tasks.size(), picked->gains.size()); ++i)
            progress.tasks[i].gain = picked->gains[i];
    } else if (const auto *finished = std::get_if<TrialFinished>(&event)) {
        NetworkTaskProgress &task = taskOf(finished->task);
        ++task.trials;
        ++progress.trials;
        if (!finished->trial.valid()) {
            ++task.failed;
            ++progress.failed;
        }
        if (std::isfinite(finished->bestSeconds)) task.best = finished->bestSeconds;
        progress.elapsed = std::max(progress.elapsed, finished->elapsed);
        extendCourse(progress, steered(m_network));
    } else if (const auto *compared = std::get_if<FinalistsCompared>(&event)) {
        const TimeInterval &time = compared->entries[compared->winner].time;
        if (time.known()) taskOf(compared->task).best = time.seconds;
        extendCourse(progress, steered(m_network));
    } else if (const auto *note = std::get_if<loopscope::SearchNote>(&event)) {
        m_parts.messages.note(tr("%1: %2").arg(taskOf(note->task).name, qt(note->sentence)));
    }
}

void NetworkTuning::end(NetworkProgress &progress, const SearchEnded &end) {
    m_search.reset();
    m_drain.stop();
    m_nodes.giveBack(m_parts.jobs, this);
    const int network = std::exchange(m_network, 0);
    const OpenNetwork *open = m_parts.networks.find(network);
    const QString name = open != nullptr ? open->name() : QString();
    const QString trials = trialCountText(static_cast<size_t>(progress.trials));
    progress.phase.clear();
    progress.picked = -1;
    for (NetworkTaskProgress &task : progress.tasks) task.rounds = 0;
    progress.state = end.problem.empty() ? SearchState::Finished : SearchState::Failed;
    if (!end.problem.empty()) {
        progress.ended = qt(end.problem);
        m_parts.messages.fail(tr("The search of %1 failed").arg(name), progress.ended, kTuningKind);
    } else {
        progress.ended = end.cancelled ? tr("Stopped after %1").arg(trials) : tr("Ended after %1").arg(trials);
        QStringList without;
        for (const NetworkTaskProgress &task : progress.tasks)
            if (task.best <= 0) without << task.name;
        m_parts.messages.add(
            {Message::Severity::Note,
             tr("The search of %1 has ended after %2: its kernels take %3%4; the log is %5")
                 .arg(name, trials, timeText(progress.seconds()),
                      without.isEmpty() ? QString() : tr(" without %1").arg(without.join(QStringLiteral(", "))),
                      progress.logPath),
             formsFound(progress), progress.logPath});
    }
    Q_EMIT changed(network);
    Q_EMIT machineUseChanged();
}

// --- The whole
// --------------------------------------------------------------------------------------------------------

void NetworkTuning::measure(int network) {
    if (const QString why = whyNotStart(network); !why.isEmpty()) {
        m_parts.messages.warn(tr("The network is not timed: %1").arg(why), {}, kTimingKind);
        return;
    }
    const OpenNetwork &open = *m_parts.networks.find(network);
    const QString log = progress(network).logPath;
    m_measuring = m_parts.jobs.start(
        tr("Timing %1").arg(open.name()), this,
        [kernels = open.kernels, contents = open.contents, choice = open.choice, log](JobControl &control) {
            const NetworkKernelsPtr timed = choice.rule == ImplementationRule::Tried
                                                ? kernelsOf(*contents, fastestForms(choice, log), control.cancelFlag())
                                                : kernels;
            return timed ? timeNetwork(*timed, log, control.cancelFlag()) : NetworkTiming();
        },
        [this, network, name = open.name()](const NetworkTiming &timing) {
            m_measuring = 0;
            m_parts.messages.succeeded(kTimingKind);
            m_parts.messages.note(tr("A run of %1 takes %2, with %3 of its %4 from the log")
                                      .arg(name, timeText(timing.seconds))
                                      .arg(timing.recorded)
                                      .arg(countedText(timing.kernels, "kernel")));
            if (m_parts.networks.find(network) != nullptr) {
                NetworkProgress &progress = m_tuned[network].progress;
                progress.measured.push_back({progress.trials, progress.elapsed, timing.seconds});
            }
            Q_EMIT changed(network);
            Q_EMIT machineUseChanged();
        },
        [this, network, name = open.name()](const QString &problem) {
            m_measuring = 0;
            m_parts.messages.fail(tr("%1 cannot be timed").arg(name), problem, kTimingKind);
            Q_EMIT changed(network);
            Q_EMIT machineUseChanged();
        });
    Q_EMIT changed(network);
    Q_EMIT machineUseChanged();
}

} // namespace loopscope
