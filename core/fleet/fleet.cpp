#include "fleet/fleet.h"

#include "check.h"
#include "measure/messages.h"
#include "schedule/steps_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace loopscope {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

std::string counted(size_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// In what a node is not what the search is for; empty: in nothing.
std::string difference(const NodeHello &hello, const Target &target) {
    if (hello.cpu != target.cpu)
        return fmt::format("its processor is {} ({}), and the search is for {}", hello.cpu, hello.model, target.cpu);
    if (hello.vectorBytes != target.vectorBytes)
        return fmt::format("its vectors have {} bytes, and those of the target {}", hello.vectorBytes,
                           target.vectorBytes);
    if (hello.cores < target.hardware.numCores)
        return fmt::format("it has {} for us, and the target has {}: take whole nodes",
                           counted(static_cast<size_t>(hello.cores), "core"), target.hardware.numCores);
    return {};
}

} // namespace

std::string_view nodeStateName(NodeState state) {
    switch (state) {
    case NodeState::Starting:
        return "starting";
    case NodeState::Idle:
        return "idle";
    case NodeState::Measuring:
        return "measuring";
    case NodeState::Lost:
        return "lost";
    case NodeState::Apart:
        return "apart";
    case NodeState::Drained:
        return "drained";
    case NodeState::Refused:
        return "refused";
    case NodeState::Gone:
        return "gone";
    }
    return {};
}

struct Fleet::KnownTask {
    FleetTask message;
    std::optional<FleetReady> ready; // of the first node that was
};

struct Fleet::Node {
    struct Batch {
        uint64_t number = 0;
        std::vector<size_t> candidates; // of the round
    };
    NodeStatus status;
    bool known = false; // since it was started
    bool apart = false;
    bool drained = false;
    std::set<int> sent;                 // tasks
    std::map<int, FleetReady> answered; // by task
    std::vector<Batch> batches;         // in hand
    bool wantsReference = false;
    bool timesReference = false;
    Clock::time_point referenceAt;
    uint64_t cancel = 0; // to be sent
    std::unique_ptr<FleetNode> link;

    [[nodiscard]] bool isReady(int task) const {
        const auto found = answered.find(task);
        return found != answered.end() && found->second.problem.empty();
    }
    void forget() {
        known = timesReference = false;
        sent.clear();
        answered.clear();
        batches.clear();
        cancel = 0;
    }
    /// From what it is and has in hand; states that end it stay.
    void updateState() {
        status.inHand = 0;
        for (const Batch &batch : batches) status.inHand += batch.candidates.size();
        if (status.state == NodeState::Refused || status.state == NodeState::Gone || !known) return;
        status.state = apart                ? NodeState::Apart
                       : !batches.empty()   ? NodeState::Measuring
                       : drained            ? NodeState::Drained
                                            : NodeState::Idle;
    }
};

struct Fleet::Round {
    int task = 0;
    const std::vector<Steps> &candidates;
    const MeasureWatch &watch;
    int rounds = 0; // > 0: all candidates in turn, on one node
    std::deque<size_t> waiting = {};
    std::vector<std::optional<Trial>> done = {};
    std::vector<std::string> by = {}; // node that measured it
    std::vector<int> losses = {};     // nodes that were lost with it
    size_t told = 0;
    std::deque<std::pair<size_t, TrialStage>> stages = {};
    std::optional<FleetSamples> samples = {};
    bool handedOut = false; // all of it, to one node
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
    for (const auto &node : m_nodes) all.push_back(node->status);
    return all;
}

void Fleet::drain(const std::string &name, bool drained) {
    const std::lock_guard lock(m_mutex);
    for (const auto &node : m_nodes) {
        if (node->status.name != name) continue;
        node->drained = drained;
        node->updateState();
    }
    wakeAll();
}

int Fleet::add(const Task &task) {
    const std::lock_guard lock(m_mutex);
    FleetTask message;
    message.task = static_cast<int>(m_tasks.size());
    message.setup = encode(makeSetup(task));
    const MeasureOptions &measure = m_options.measure;
    message.buildTimeout = measure.buildTimeout;
    message.runTimeout = measure.runTimeout;
    message.referenceTimeout = measure.referenceTimeout;
    message.memoryLimitMiB = measure.memoryLimitMiB;
    message.seed = measure.seed;
    message.kernelThreads =
        measure.kernelThreads > 0 ? measure.kernelThreads : std::max(1, task.target.hardware.numCores);
    message.sampling = measure.sampling;
    m_tasks.push_back({std::move(message), std::nullopt});
    wakeAll();
    return static_cast<int>(m_tasks.size()) - 1;
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
        if (std::string problem = difference(hello, *m_options.target); !problem.empty()) return problem;
    node.status.hello = hello;
    node.known = true;
    node.status.why.clear();
    node.status.state = NodeState::Idle;
    node.wantsReference = true;
    node.updateState();
    m_news.notify_all();
    return {};
}

void Fleet::received(size_t number, const std::string &bytes) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    const auto batchOf = [&](uint64_t batch) {
        return std::ranges::find(node.batches, batch, &Node::Batch::number);
    };
    switch (fleetMessageOf(bytes)) {
    case FleetMessage::Ready: {
        auto ready = decodeFleet<FleetReady>(bytes);
        if (ready.task < 0 || static_cast<size_t>(ready.task) >= m_tasks.size()) throw WireError();
        KnownTask &task = m_tasks[static_cast<size_t>(ready.task)];
        if (ready.problem.empty() && !task.ready) task.ready = ready;
        node.answered[ready.task] = std::move(ready);
        break;
    }
    case FleetMessage::Stage: {
        const auto stage = decodeFleet<FleetStage>(bytes);
        const auto batch = batchOf(stage.batch);
        if (!m_round || batch == node.batches.end()) return;
        if (stage.index >= batch->candidates.size() || stage.stage > TrialStage::Running) throw WireError();
        m_round->stages.emplace_back(batch->candidates[stage.index], stage.stage);
        break;
    }
    case FleetMessage::Trial:
        takeTrial(node, decodeFleet<FleetTrial>(bytes));
        break;
    case FleetMessage::MeasureEnd: {
        const auto end = decodeFleet<FleetMeasureEnd>(bytes);
        const auto batch = batchOf(end.batch);
        if (batch == node.batches.end()) return; // cancelled meanwhile
        const Node::Batch ended = std::move(*batch);
        node.batches.erase(batch);
        if (m_round)
            for (const size_t candidate : ended.candidates)
                if (!m_round->done[candidate]) {
                    ++m_round->losses[candidate];
                    m_round->waiting.push_front(candidate);
                }
        if (!end.problem.empty()) say(fmt::format("{}: {}", node.status.name, end.problem));
        break;
    }
    case FleetMessage::Samples: {
        auto samples = decodeFleet<FleetSamples>(bytes);
        const auto batch = batchOf(samples.batch);
        if (batch == node.batches.end()) return;
        node.batches.erase(batch);
        if (m_round && m_round->rounds > 0) {
            if (samples.samples.size() != samples.least.size()) throw WireError();
            m_round->samples = std::move(samples);
        }
        break;
    }
    case FleetMessage::Reference:
        takeReference(node, decodeFleet<FleetReference>(bytes).seconds);
        break;
    default:
        throw WireError();
    }
    node.updateState();
    m_news.notify_all();
}

void Fleet::takeTrial(Node &node, const FleetTrial &message) {
    const auto batch = std::ranges::find(node.batches, message.batch, &Node::Batch::number);
    if (!m_round || batch == node.batches.end()) return; // of a round that is over
    if (message.index >= batch->candidates.size()) throw WireError();
    const size_t candidate = batch->candidates[message.index];
    if (m_round->done[candidate]) return; // it counts once
    Trial trial = trialOf(message, m_round->candidates[candidate]);
    trial.machine = node.status.name;
    m_round->done[candidate] = std::move(trial);
    m_round->by[candidate] = node.status.name;
    ++node.status.trials;
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

/// Against the median of all whose reference is known, of two the faster one.
void Fleet::judge() {
    std::vector<double> all;
    for (const auto &node : m_nodes)
        if (node->known && node->status.reference > 0) all.push_back(node->status.reference);
    if (all.size() < 2) return;
    std::sort(all.begin(), all.end());
    const double median = all[(all.size() - 1) / 2];
    for (const auto &each : m_nodes) {
        Node &node = *each;
        if (!node.known || node.status.reference <= 0) continue;
        const double off = node.status.reference / median - 1;
        const bool apart = std::abs(off) > m_options.tolerance;
        if (apart == node.apart) continue;
        node.apart = apart;
        node.status.why = apart ? fmt::format("its reference kernel takes {:.1f} % {} than that of the others",
                                              100 * std::abs(off), off > 0 ? "longer" : "less")
                                : "";
        say(apart ? fmt::format("{} is left out: {}", node.status.name, node.status.why)
                  : fmt::format("{} is as fast as the others again, and measures", node.status.name));
        // What it has measured and nobody was told of is measured elsewhere.
        if (apart && m_round)
            for (size_t i = m_round->told; i < m_round->done.size(); ++i)
                if (m_round->done[i] && m_round->by[i] == node.status.name) {
                    m_round->done[i].reset();
                    m_round->waiting.push_front(i);
                    --node.status.trials;
                }
        if (apart) giveBack(node, node.status.why);
        node.updateState();
    }
    wakeAll();
}

bool Fleet::usable(const Node &node) const { return node.known && !node.apart && !node.drained; }

size_t Fleet::usableNodes() const {
    return static_cast<size_t>(std::ranges::count_if(m_nodes, [&](const auto &node) { return usable(*node); }));
}

std::string Fleet::next(size_t number) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    if (node.cancel > 0) return encodeFleet(FleetCancel{std::exchange(node.cancel, 0)});
    for (const KnownTask &task : m_tasks)
        if (node.sent.insert(task.message.task).second) return encodeFleet(task.message);
    const bool due = node.status.reference > 0 && secondsSince(node.referenceAt) > m_options.referenceEvery;
    if (!node.timesReference && node.batches.empty() && (node.wantsReference || due)) {
        node.wantsReference = false;
        node.timesReference = true;
        return encodeFleet(FleetReference{});
    }
    if (node.timesReference || !usable(node)) return {};
    std::string message = nextBatch(node);
    node.updateState();
    return message;
}

std::string Fleet::nextBatch(Node &node) {
    if (!m_round || m_round->watch.paused() || m_round->watch.cancelled() || !node.isReady(m_round->task)) return {};
    Round &round = *m_round;
    Node::Batch batch{m_batches + 1, {}};
    if (round.rounds > 0) {
        if (round.handedOut) return {};
        // On the node that the most trials are from, of those that can.
        for (const auto &other : m_nodes)
            if (usable(*other) && other->isReady(round.task) && other->status.trials > node.status.trials) return {};
        round.handedOut = true;
        FleetInterleave message{batch.number, round.task, round.rounds, {}};
        for (size_t i = 0; i < round.candidates.size(); ++i) {
            message.steps.push_back(stepsText(round.candidates[i]));
            batch.candidates.push_back(i);
        }
        ++m_batches;
        node.batches.push_back(std::move(batch));
        return encodeFleet(message);
    }
    if (round.waiting.empty()) return {};
    // As many as it builds at a time, and fewer towards the end of a round, so that all end together. A second batch
    // waits on the node while the first is measured, or the node would wait for its next one.
    const auto cores = static_cast<size_t>(std::max(1, node.status.hello.cores));
    const size_t nodes = std::max<size_t>(1, usableNodes());
    if (node.batches.size() >= 2 || (node.batches.size() == 1 && round.waiting.size() < nodes)) return {};
    const size_t count = std::clamp<size_t>(round.waiting.size() / (2 * nodes), 1, cores);
    FleetMeasure message{batch.number, round.task, {}};
    for (size_t i = 0; i < count; ++i) {
        batch.candidates.push_back(round.waiting.front());
        message.steps.push_back(stepsText(round.candidates[round.waiting.front()]));
        round.waiting.pop_front();
    }
    ++m_batches;
    node.batches.push_back(std::move(batch));
    return encodeFleet(message);
}

/// What it has in hand goes to others.
void Fleet::giveBack(Node &node, const std::string &why) {
    if (m_round)
        for (const Node::Batch &batch : node.batches) {
            if (m_round->rounds > 0) {
                m_round->handedOut = false;
                continue;
            }
            for (const size_t candidate : batch.candidates) {
                if (m_round->done[candidate]) continue;
                if (++m_round->losses[candidate] < m_options.mostLost) {
                    m_round->waiting.push_front(candidate);
                    continue;
                }
                Trial trial;
                trial.steps = m_round->candidates[candidate];
                trial.error = TrialError::Unknown;
                trial.reason = fmt::format("{} were lost while it was in hand, the last: {}",
                                           counted(static_cast<size_t>(m_options.mostLost), "node"), why);
                m_round->done[candidate] = std::move(trial);
            }
        }
    if (!node.batches.empty()) node.cancel = m_batches;
    node.batches.clear();
}

bool Fleet::lost(size_t number, const std::string &why) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    const size_t inHand = node.status.inHand;
    giveBack(node, why);
    node.forget();
    node.status.why = why;
    const bool again = ++node.status.lost <= m_options.restarts;
    node.status.state = again ? NodeState::Lost : NodeState::Gone;
    node.updateState();
    say(fmt::format("{} is {}: {}{}{}", node.status.name, again ? "lost" : "gone", why,
                    inHand > 0 ? fmt::format("; {} it had in hand are measured elsewhere", counted(inHand, "candidate"))
                               : "",
                    again ? "; it is started again" : ""));
    if (again && usableNodes() == 0) say("no node is left for now; the search waits");
    m_news.notify_all();
    wakeAll();
    return again;
}

void Fleet::refused(size_t number, const std::string &why) {
    const std::lock_guard lock(m_mutex);
    Node &node = *m_nodes[number];
    giveBack(node, why);
    node.forget();
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
    while (!m_said.empty()) {
        const std::string sentence = std::move(m_said.front());
        m_said.pop_front();
        lock.unlock();
        if (m_options.tell) m_options.tell(sentence);
        lock.lock();
    }
}

bool Fleet::hopeless() const {
    return std::ranges::all_of(m_nodes, [](const auto &node) {
        return node->status.state == NodeState::Refused || node->status.state == NodeState::Gone;
    });
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
        if (m_tasks[static_cast<size_t>(task)].ready) return true;
        if (hopeless()) throw Error("no node can be used: " + reasons());
        size_t open = 0;
        const FleetReady *problem = nullptr;
        for (const auto &node : m_nodes) {
            const auto answered = node->answered.find(task);
            if (answered != node->answered.end()) problem = &answered->second;
            const bool out = node->status.state == NodeState::Refused || node->status.state == NodeState::Gone;
            if (!out && answered == node->answered.end()) ++open;
        }
        if (open == 0 && problem != nullptr) {
            if (problem->tooLong) throw ReferenceTimeout(problem->problem);
            throw Error(problem->problem);
        }
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
}

std::vector<std::string> Fleet::notes(int task) const {
    const std::lock_guard lock(m_mutex);
    const auto &ready = m_tasks[static_cast<size_t>(task)].ready;
    return ready ? ready->notes : std::vector<std::string>();
}

void Fleet::measure(int task, const std::vector<Steps> &candidates,
                    const std::function<void(size_t index, const Trial &trial)> &onTrial, const MeasureWatch &watch) {
    if (candidates.empty()) return;
    std::unique_lock lock(m_mutex);
    LOOPSCOPE_CHECK(!m_round, "one measurement at a time");
    m_round = std::make_unique<Round>(Round{task, candidates, watch});
    m_round->done.resize(candidates.size());
    m_round->by.resize(candidates.size());
    m_round->losses.resize(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) m_round->waiting.push_back(i);
    /// However it ends: what is in hand is of nobody's interest.
    struct Ending {
        Fleet &fleet;
        std::unique_lock<std::mutex> &lock;
        ~Ending() {
            if (!lock.owns_lock()) lock.lock();
            for (const auto &node : fleet.m_nodes) {
                if (!node->batches.empty()) node->cancel = fleet.m_batches;
                node->batches.clear();
                node->updateState();
            }
            fleet.m_round.reset();
            fleet.wakeAll();
        }
    } ending{*this, lock};
    wakeAll();
    Round &round = *m_round;
    bool paused = watch.paused();
    while (round.told < candidates.size()) {
        tellSaid(lock);
        while (!round.stages.empty()) {
            const auto [index, stage] = round.stages.front();
            round.stages.pop_front();
            if (!watch.onStage || index < round.told) continue;
            lock.unlock();
            watch.onStage(index, stage);
            lock.lock();
        }
        if (watch.cancelled()) return;
        if (round.done[round.told]) {
            const size_t index = round.told++;
            const Trial trial = *round.done[index];
            lock.unlock();
            onTrial(index, trial);
            lock.lock();
            continue;
        }
        if (hopeless()) throw Error("no node is left: " + reasons());
        if (paused && !watch.paused()) wakeAll();
        paused = watch.paused();
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
}

std::vector<TurnSamples> Fleet::interleave(int task, const std::vector<Steps> &candidates, int rounds,
                                           const MeasureWatch &watch) {
    std::vector<TurnSamples> turns(candidates.size());
    if (candidates.empty()) return turns;
    std::unique_lock lock(m_mutex);
    LOOPSCOPE_CHECK(!m_round, "one measurement at a time");
    m_round = std::make_unique<Round>(Round{task, candidates, watch, std::max(1, rounds)});
    wakeAll();
    while (!m_round->samples && !watch.cancelled() && !hopeless()) {
        tellSaid(lock);
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
    if (m_round->samples) {
        FleetSamples &samples = *m_round->samples;
        if (!samples.problem.empty()) say(samples.problem);
        for (size_t i = 0; i < std::min(turns.size(), samples.samples.size()); ++i)
            turns[i] = {std::move(samples.samples[i]), samples.least[i]};
    }
    for (const auto &node : m_nodes) {
        if (!node->batches.empty()) node->cancel = m_batches;
        node->batches.clear();
        node->updateState();
    }
    m_round.reset();
    wakeAll();
    tellSaid(lock);
    return turns;
}

void Fleet::finish() {
    constexpr double kPatience = 5; // seconds
    std::unique_lock lock(m_mutex);
    const auto begin = Clock::now();
    for (const auto &node : m_nodes) node->wantsReference = node->known;
    wakeAll();
    const auto timing = [&] {
        return std::ranges::any_of(m_nodes, [](const auto &node) {
            return node->known && (node->wantsReference || node->timesReference);
        });
    };
    while (timing() && secondsSince(begin) < kPatience)
        m_news.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    tellSaid(lock);
}

namespace {

class FleetMeasurer final : public Measurer {
  public:
    FleetMeasurer(std::shared_ptr<Fleet> fleet, const Task &task) : m_fleet(std::move(fleet)), m_task(m_fleet->add(task)) {}
    bool prepare(const std::atomic<bool> *cancel) override { return m_fleet->prepare(m_task, cancel); }
    [[nodiscard]] std::vector<std::string> notes() const override { return m_fleet->notes(m_task); }
    void measure(const std::vector<Steps> &candidates,
                 const std::function<void(size_t index, const Trial &trial)> &onTrial,
                 const MeasureWatch &watch) override {
        m_fleet->measure(m_task, candidates, onTrial, watch);
    }
    std::vector<TurnSamples> measureInterleaved(const std::vector<Steps> &candidates, int rounds,
                                                const MeasureWatch &watch) override {
        return m_fleet->interleave(m_task, candidates, rounds, watch);
    }

  private:
    std::shared_ptr<Fleet> m_fleet;
    int m_task;
};

} // namespace

std::unique_ptr<Measurer> makeFleetMeasurer(std::shared_ptr<Fleet> fleet, const Task &task) {
    return std::make_unique<FleetMeasurer>(std::move(fleet), task);
}

} // namespace loopscope
