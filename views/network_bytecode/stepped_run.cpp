#include "views/network_bytecode/stepped_run.h"

#include "deploy/network/weights.h"
#include "deploy/vm/compile.h"
#include "views/session/jobs.h"
#include "views/session/text.h"

#include <utility>

namespace loopscope {

struct SteppedRun::Held {
    Program program;
    ReferenceKernels kernels;
    std::unique_ptr<VirtualMachine> machine;
    std::optional<Stepper> stepper;
    std::atomic<bool> halt{false};
};

SteppedRun::SteppedRun(Jobs &jobs, QObject *parent) : QObject(parent), m_jobs(jobs) {
    // A move that was cancelled may still be under way: what it works on is left to it.
    connect(&jobs, &Jobs::cancelled, this, [this](int job) {
        if (m_job == 0 || job != m_job) return;
        m_job = 0;
        if (m_held) m_held->halt = true;
        m_held.reset();
        setPhase(Phase::Nothing, tr("The run was cancelled. Begin again to go through the program once more."));
        Q_EMIT programChanged();
    });
}

SteppedRun::~SteppedRun() { giveUp(); }

void SteppedRun::setPhase(Phase phase, const QString &problem) {
    m_phase = phase;
    m_problem = problem;
    Q_EMIT changed();
}

void SteppedRun::giveUp() {
    if (m_held) m_held->halt = true;
    m_held.reset();
    m_jobs.cancel(std::exchange(m_job, 0));
    m_phase = Phase::Nothing;
    m_problem.clear();
}

void SteppedRun::begin(const NetworkContentsPtr &network, const QString &name, uint64_t seed) {
    giveUp();
    if (network != m_network && !m_stops.empty()) removeStops();
    m_network = network;
    m_name = name;
    setPhase(Phase::Preparing);
    Q_EMIT programChanged();
    m_job = m_jobs.start(
        tr("Making bytecode of %1").arg(name), this,
        [network, seed](JobControl &) {
            auto held = std::make_shared<Held>();
            auto program = compileNetwork(network->module);
            if (!program) throw Error(program.why());
            held->program = *std::move(program);
            auto machine = VirtualMachine::make(held->program, held->kernels);
            if (!machine) throw Error(machine.why());
            held->machine = std::move(machine).value();
            held->machine->start(seededInputs(network->module.main(), InputKind::Uniform, seed));
            held->stepper.emplace(*held->machine);
            return held;
        },
        [this](std::shared_ptr<Held> held) {
            m_job = 0;
            m_held = std::move(held);
            Q_EMIT programChanged();
            moved();
        },
        [this](const QString &sentence) {
            m_job = 0;
            setPhase(Phase::Refused, sentence);
        },
        Jobs::Lane::WaitedFor);
}

void SteppedRun::run(const QString &title, std::function<void(Stepper &, const std::atomic<bool> &)> work) {
    if (m_phase != Phase::Waiting) return;
    m_held->halt = false;
    m_held->stepper->setStops(m_stops);
    m_movesFrom = m_held->stepper->here();
    m_job = m_jobs.start(
        title, this,
        [held = m_held, work = std::move(work)](JobControl &) {
            work(*held->stepper, held->halt);
            return held;
        },
        [this](const std::shared_ptr<Held> &held) {
            if (held != m_held) return;
            m_job = 0;
            moved();
        },
        [this](const QString &sentence) { // a bug of ours: the machine fails by itself, without throwing
            m_job = 0;
            m_held.reset();
            setPhase(Phase::Refused, sentence);
            Q_EMIT programChanged();
        });
    setPhase(Phase::Moving);
}

void SteppedRun::moved() {
    switch (m_held->machine->state()) {
    case VirtualMachine::State::Running:
    case VirtualMachine::State::Ready:
        return setPhase(Phase::Waiting);
    case VirtualMachine::State::Finished:
        return setPhase(Phase::Finished);
    case VirtualMachine::State::Failed:
        return setPhase(Phase::Failed, qt(m_held->machine->why()));
    }
}

void SteppedRun::move(StepSize size) {
    run(tr("Running %1 step by step").arg(m_name),
        [size](Stepper &stepper, const std::atomic<bool> &halt) { stepper.move(size, &halt); });
}

void SteppedRun::moveTo(CodePlace place) {
    run(tr("Running %1 step by step").arg(m_name),
        [place](Stepper &stepper, const std::atomic<bool> &halt) { stepper.moveTo(place, &halt); });
}

void SteppedRun::halt() {
    if (m_phase == Phase::Moving) m_held->halt = true;
}

void SteppedRun::toggleStop(CodePlace place) {
    if (m_stops.erase(place) == 0) m_stops.insert(place);
    Q_EMIT stopsChanged();
}

void SteppedRun::removeStops() {
    m_stops.clear();
    Q_EMIT stopsChanged();
}

std::shared_ptr<const Program> SteppedRun::program() const {
    return m_held ? std::shared_ptr<const Program>(m_held, &m_held->program) : nullptr;
}

const Stepper *SteppedRun::stepper() const {
    return m_held && m_phase != Phase::Moving && m_phase != Phase::Preparing ? &*m_held->stepper : nullptr;
}

} // namespace loopscope
