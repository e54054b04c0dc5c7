#include "measure/fleet/fleet.h"

#include "base/check.h"
#include "measure/fleet/hand_out.h"
#include "measure/fleet/node_slot.h"
#include "measure/messages.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

} // namespace

struct Fleet::Node : NodeSlot {
    std::unique_ptr<FleetNode> link;
};

Fleet::Fleet(std::vector<FleetNodeSpec> nodes, FleetOptions options) : m_options(std::move(options)) {
    for (const FleetNodeSpec &spec : nodes) {
        m_nodes.push_back(std::make_unique<Node>());
        m_nodes.back()->status.name = spec.name;
    }
    // Their threads look at all of them.
    const std::lock_guard lock(m_mutex);
    for (size_t i = 0; i < nodes.size(); ++i)
        m_nodes[i]->link = std::make_unique<FleetNode>(i, std::move(nodes[i]), m_options.times, m_spawner,
                                                       static_cast<FleetNodeOwner &>(*this));
}

Fleet::~Fleet() {
    std::vector<std::unique_ptr<FleetNode>> links; // joined without the mutex, which their threads take
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &node : m_nodes) links.push_back(std::move(node->link));
    }
    for (const auto &link : links) link->stop();
    links.clear();
    std::unique_lock lock(m_mutex);
    tellSaid(lock);
}

std::vector<NodeStatus> Fleet::nodes() const {
    const std::lock_guard lock(m_mutex);
    std::vector<NodeStatus> all;
    for (const auto &node : m_nodes) {
        all.push_back(node->status);
        all.back().prepared = m_tasks.readyTasks(all.size() - 1);
        if (node->since) all.back().minutes = secondsSince(*node->since) / 60;
    }
    return all;
}

void Fleet::drain(const std::string &name, bool drained) {
    const std::lock_guard lock(m_mutex);
    for (const auto &node : m_nodes) {
        if (node->status.name != name) continue;
        node->drained = drained;
        if (!drained) { // whatever kept it out may be over
            node->problems = 0;
            node->wantsReference = node->wantsReference || node->apart;
        }
        node->updateState();
    }
    if (drained) sayIfNoneMeasures();
    wakeAll();
}

int Fleet::add(const Task &task, std::string name) {
    const std::lock_guard lock(m_mutex);
    const int number = m_tasks.add(task, std::move(name), m_options.measure);
    wakeAll();
    return number;
}

// --- What the threads of nodes call

std::string Fleet::welcome(size_t number, const NodeHello &hello) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    if (hello.build != fleetBuild())
        return fmt::format("its worker is of another build of Loopscope ({}, here {}); install the same one there, or "
                           "let it be sent",
                           hello.build, fleetBuild());
    if (m_options.target)
        if (std::string problem = differenceFrom(hello, *m_options.target); !problem.empty()) return problem;
    node.status.hello = hello;
    node.known = true;
    if (!node.since) node.since = Clock::now();
    node.status.why.clear();
    node.status.state = NodeState::Idle;
    node.wantsReference = true;
    node.updateState();
    m_news.notify_all();
    return {};
}

void Fleet::received(size_t number, const std::string &message) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    const auto batchOf = [&](uint64_t batch) { return std::ranges::find(node.batches, batch, &Node::Batch::number); };
    switch (fleetMessageOf(message)) {
    case FleetMessage::Ready:
        m_tasks.answered(number, decodeFleet<FleetReady>(message));
        node.preparing = false;
        wakeAll(); // what it could not set up others may
        break;
    case FleetMessage::Stage: {
        const auto stage = decodeFleet<FleetStage>(message);
        const auto batch = batchOf(stage.batch);
        if (batch == node.batches.end()) return;
        if (stage.index >= batch->candidates.size() || stage.stage > TrialStage::Ran) throw WireError();
        batch->round->addStage(batch->candidates[stage.index], stage.stage);
        if (stage.stage != TrialStage::Running) break;
        node.status.current = static_cast<int>(batch->candidates[stage.index]);
        node.status.task = m_tasks.name(batch->round->task());
        break;
    }
    case FleetMessage::Trial:
        takeTrial(node, decodeFleet<FleetTrial>(message));
        break;
    case FleetMessage::MeasureEnd: {
        const auto end = decodeFleet<FleetMeasureEnd>(message);
        const auto batch = batchOf(end.batch);
        if (batch == node.batches.end()) return; // cancelled meanwhile
        const Node::Batch ended = std::move(*batch);
        node.batches.erase(batch);
        ended.round->giveBack(ended.candidates, 0, end.problem);
        node.problems = end.problem.empty() ? 0 : node.problems + 1;
        if (end.waited >= 0) node.addWait(end.waited);
        if (end.problem.empty()) break;
        node.status.why = "it cannot measure: " + end.problem;
        say(fmt::format("{}{}: {}", node.status.name, node.broken() ? " is left out" : "", node.status.why));
        if (!node.broken()) break;
        giveBack(node, node.status.why);
        sayIfNoneMeasures();
        break;
    }
    case FleetMessage::Samples: {
        auto samples = decodeFleet<FleetSamples>(message);
        const auto batch = batchOf(samples.batch);
        if (batch == node.batches.end()) return;
        FleetRound &round = *batch->round;
        node.batches.erase(batch);
        if (samples.samples.size() != samples.least.size()) throw WireError();
        if (round.inTurn()) round.samples = std::move(samples);
        break;
    }
    case FleetMessage::Reference:
        takeReference(node, decodeFleet<FleetReference>(message).seconds);
        break;
    default:
        throw WireError();
    }
    node.updateState();
    m_news.notify_all();
}

void Fleet::takeTrial(Node &node, const FleetTrial &message) {
    const auto batch = std::ranges::find(node.batches, message.batch, &Node::Batch::number);
    if (batch == node.batches.end()) return; // of a round that is over
    if (message.index >= batch->candidates.size()) throw WireError();
    const size_t candidate = batch->candidates[message.index];
    FleetRound &round = *batch->round;
    if (round.isMeasured(candidate)) return; // it counts once
    round.take(candidate, trialOf(message, round.candidates()[candidate]), node.status.name);
    ++node.status.trials;
    if (message.unstable) ++node.status.unstable;
}

void Fleet::takeReference(Node &node, double seconds) {
    node.timesReference = false;
    node.referenceAt = Clock::now();
    if (seconds <= 0) return;
    node.status.reference = seconds;
    if (node.status.firstReference == 0) node.status.firstReference = seconds;
    if (std::abs(node.status.drift()) > m_options.tolerance)
        say(fmt::format("{} has drifted: its reference kernel takes {:.1f} % {} than at first", node.status.name,
                        100 * std::abs(node.status.drift()), node.status.drift() > 0 ? "longer" : "less"));
    judge();
}

/// Against the median of all whose reference is known and that are not gone, of two the faster one.
void Fleet::judge() {
    std::vector<double> all;
    for (const auto &node : m_nodes)
        if (node->status.reference > 0 && !node->isOut()) all.push_back(node->status.reference);
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    const double median = all[(all.size() - 1) / 2];
    for (const auto &each : m_nodes) {
        Node &node = *each;
        if (!node.known || node.status.reference <= 0) continue;
        const double off = node.status.reference / median - 1;
        const bool apart = std::abs(off) > m_options.tolerance;
        if (apart == node.apart) continue;
        node.apart = apart;
        node.status.why = apart ? apartText(off) : "";
        say(apart ? fmt::format("{} is left out: {}", node.status.name, node.status.why)
                  : fmt::format("{} compares with the nodes that are left, and measures", node.status.name));
        // What it has measured and nobody was told of is measured elsewhere.
        if (apart)
            for (FleetRound *round : m_rounds) node.status.trials -= round->forgetTrialsOf(node.status.name);
        if (apart) giveBack(node, node.status.why);
        node.updateState();
    }
    sayIfNoneMeasures();
    wakeAll();
}

size_t Fleet::usableNodes() const {
    return static_cast<size_t>(std::ranges::count_if(m_nodes, [&](const auto &node) { return node->isUsable(); }));
}

std::string Fleet::next(size_t number) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    if (!node.cancel.empty()) return encodeFleet(FleetCancel{std::exchange(node.cancel, {})});
    if (const auto task = m_tasks.urgent(number); task && node.isUsable()) return sendSetup(number, *task);
    // Before it has anything more in flight, or with enough to do it would never come to that.
    const bool due = node.status.reference > 0 && secondsSince(node.referenceAt) > m_options.referenceEvery;
    if (!node.timesReference && (node.wantsReference || due)) {
        if (!node.batches.empty()) return {};
        node.wantsReference = false;
        node.timesReference = true;
        return encodeFleet(FleetReference{});
    }
    if (node.timesReference || node.preparing || !node.isUsable()) return {};
    std::string message = nextBatch(number);
    if (message.empty() && node.batches.empty() && !m_finishing)
        if (const auto task = nextSetup(number)) message = sendSetup(number, *task);
    node.updateState();
    return message;
}

/// For a node that has nothing else to do: what the oldest round needs, or what may be needed later.
std::optional<int> Fleet::nextSetup(size_t number) const {
    for (const FleetRound *round : m_rounds)
        if (!round->held() && round->waiting() > 0 && !m_tasks.hasHeard(number, round->task())) return round->task();
    return m_tasks.unheard(number);
}

std::string Fleet::sendSetup(size_t number, int task) {
    Node &node = *m_nodes[number];
    node.preparing = true;
    node.updateState();
    if (node.batches.empty()) node.status.task = m_tasks.name(task);
    return m_tasks.sendSetup(number, task);
}

/// Of the oldest round that has some waiting, of a task that the node knows.
std::string Fleet::nextBatch(size_t number) {
    Node &node = *m_nodes[number];
    size_t waiting = 0;
    for (const FleetRound *round : m_rounds)
        if (!round->held() && !round->inTurn()) waiting += round->waiting();
    const size_t count = handedOut(waiting, usableNodes(), static_cast<size_t>(std::max(1, node.status.hello.cores)),
                                   node.batches.size());
    for (FleetRound *round : m_rounds) {
        if (round->held() || !m_tasks.isReady(number, round->task())) continue;
        if (round->inTurn() ? round->handedOut || !hasMostTrials(number, round->task())
                            : count == 0 || round->waiting() == 0)
            continue;
        Node::Batch batch{m_batches + 1, round, {}};
        batch.candidates = round->handOut(round->inTurn() ? round->candidates().size() : count);
        round->handedOut = true;
        std::string message = round->message(batch.number, batch.candidates);
        ++m_batches;
        node.batches.push_back(std::move(batch));
        return message;
    }
    return {};
}

/// Of those that can measure the task now: what is compared is compared where most of it was measured.
bool Fleet::hasMostTrials(size_t number, int task) const {
    for (size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i]->isUsable() && m_tasks.isReady(i, task) &&
            m_nodes[i]->status.trials > m_nodes[number]->status.trials)
            return false;
    return true;
}

/// What it has in flight goes to others.
void Fleet::giveBack(Node &node, const std::string &why, int maxLost) {
    for (auto batch = node.batches.rbegin(); batch != node.batches.rend(); ++batch) {
        batch->round->handedOut = false;
        batch->round->giveBack(batch->candidates, maxLost, why);
    }
    node.cancelBatches();
}

bool Fleet::lost(size_t number, const std::string &why) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    const size_t inFlight = node.status.inFlight;
    giveBack(node, why, m_options.maxLost);
    node.forget();
    m_tasks.forget(number);
    node.status.why = why;
    const bool again = ++node.status.lost <= m_options.restarts;
    node.status.state = again ? NodeState::Lost : NodeState::Gone;
    node.updateState();
    say(lossText(node.status, inFlight));
    if (!again) judge(); // those that were compared with it
    sayIfNoneMeasures();
    m_news.notify_all();
    wakeAll();
    return again;
}

void Fleet::refused(size_t number, const std::string &why) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    giveBack(node, why);
    node.forget();
    m_tasks.forget(number);
    node.status.state = NodeState::Refused;
    node.status.why = why;
    say(fmt::format("{} is refused: {}", node.status.name, why));
    m_news.notify_all();
}

// --- What the search calls

void Fleet::wakeAll() {
    for (const auto &node : m_nodes)
        if (node->link) node->link->wake();
}

void Fleet::say(std::string sentence) {
    m_said.push_back(std::move(sentence));
    m_news.notify_all();
}

void Fleet::tellSaid(std::unique_lock<std::mutex> &lock) {
    if (m_telling) return; // another thread does
    m_telling = true;
    while (!m_said.empty()) {
        const std::string sentence = std::move(m_said.front());
        m_said.pop_front();
        lock.unlock();
        if (m_options.tell) m_options.tell(sentence);
        lock.lock();
    }
    m_telling = false;
}

/// Told once, until one does again.
void Fleet::sayIfNoneMeasures() {
    const bool starting =
        std::ranges::any_of(m_nodes, [](const auto &node) { return node->status.state == NodeState::Starting; });
    const bool none = usableNodes() == 0 && !starting && !hopeless();
    if (none && !m_saidNone) say("no node is left for now; the search waits");
    m_saidNone = none;
}

bool Fleet::hopeless() const {
    return std::ranges::all_of(m_nodes, [](const auto &node) { return node->isOut(); });
}

std::string Fleet::reasons() const {
    std::vector<std::string> reasons;
    for (const auto &node : m_nodes)
        if (!node->status.why.empty()) reasons.push_back(node->status.name + ": " + node->status.why);
    return fmt::format("{}", fmt::join(reasons, "; "));
}

bool Fleet::prepare(int task, const std::atomic<bool> *cancel) {
    std::unique_lock lock(m_mutex);
    while (true) {
        tellSaid(lock);
        if (cancel != nullptr && *cancel) return false;
        if (m_tasks.ready(task) != nullptr) return true;
        if (hopeless()) throw Error("no node can be used: " + reasons());
        throwIfNoneCan(task);
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
}

/// When all nodes that are left have said so.
void Fleet::throwIfNoneCan(int task) const {
    const FleetReady *problem = m_tasks.problem(task);
    if (problem == nullptr) return;
    for (size_t i = 0; i < m_nodes.size(); ++i)
        if (!m_nodes[i]->isOut() && !m_tasks.cannot(i, task)) return;
    if (problem->tooLong) throw ReferenceTimeout(problem->problem);
    throw Error(problem->problem);
}

std::vector<std::string> Fleet::notes(int task) const {
    const std::lock_guard lock(m_mutex);
    const FleetReady *ready = m_tasks.ready(task);
    return ready != nullptr ? ready->notes : std::vector<std::string>();
}

/// Lets nodes have a round; however it ends, what is in flight of it then is of nobody's interest.
class Fleet::Turn {
  public:
    Turn(Fleet &fleet, FleetRound &round, std::unique_lock<std::mutex> &lock)
        : m_fleet(fleet), m_round(round), m_lock(lock) {
        m_fleet.m_rounds.push_back(&m_round);
        m_fleet.wakeAll();
    }
    ~Turn() {
        if (!m_lock.owns_lock()) m_lock.lock();
        for (const auto &node : m_fleet.m_nodes) node->cancelBatches(&m_round);
        std::erase(m_fleet.m_rounds, &m_round);
        m_fleet.wakeAll();
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    Fleet &m_fleet;
    FleetRound &m_round;
    std::unique_lock<std::mutex> &m_lock;
};

void Fleet::measure(int task, const std::vector<Steps> &candidates,
                    const std::function<void(size_t index, const Trial &trial)> &onTrial, const MeasureWatch &watch) {
    if (candidates.empty()) return;
    FleetRound round(task, candidates, watch);
    std::unique_lock lock(m_mutex);
    const Turn turn(*this, round, lock);
    bool paused = watch.paused();
    while (!round.over()) {
        tellSaid(lock);
        while (const auto stage = round.nextStage()) {
            if (!watch.onStage) continue;
            lock.unlock();
            watch.onStage(stage->first, stage->second);
            lock.lock();
        }
        if (watch.cancelled()) return;
        if (const auto next = round.nextTrial()) {
            lock.unlock();
            onTrial(next->first, next->second);
            lock.lock();
            continue;
        }
        if (hopeless()) throw Error("no node is left: " + reasons());
        if (round.waiting() > 0) throwIfNoneCan(task);
        if (paused && !watch.paused()) wakeAll();
        paused = watch.paused();
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
}

std::vector<TurnSamples> Fleet::interleave(int task, const std::vector<Steps> &candidates, int rounds,
                                           const MeasureWatch &watch) {
    std::vector<TurnSamples> turns(candidates.size());
    if (candidates.empty()) return turns;
    FleetRound round(task, candidates, watch, std::max(1, rounds));
    std::unique_lock lock(m_mutex);
    const Turn turn(*this, round, lock);
    while (!round.samples && !watch.cancelled() && !hopeless()) {
        tellSaid(lock);
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
    if (round.samples) {
        FleetSamples &samples = *round.samples;
        if (!samples.problem.empty()) say(samples.problem);
        for (size_t i = 0; i < std::min(turns.size(), samples.samples.size()); ++i)
            turns[i] = {std::move(samples.samples[i]), samples.least[i]};
    }
    tellSaid(lock);
    return turns;
}

void Fleet::endTelling() {
    const std::lock_guard lock(m_mutex);
    m_options.tell = nullptr;
}

void Fleet::finish() {
    constexpr double kPatience = 5; // seconds
    std::unique_lock lock(m_mutex);
    const auto begin = Clock::now();
    m_finishing = true;
    for (const auto &node : m_nodes) node->wantsReference = node->known;
    wakeAll();
    const auto timing = [&] {
        return std::ranges::any_of(
            m_nodes, [](const auto &node) { return node->known && (node->wantsReference || node->timesReference); });
    };
    while (timing() && secondsSince(begin) < kPatience)
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    tellSaid(lock);
}

} // namespace loopscope
