#pragma once
// A network run by the virtual machine under somebody's eyes. Whatever moves it is a job; between two moves everything
// the machine holds can be looked at.

#include "deploy/vm/stepper.h"
#include "views/session/network_contents.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>

namespace loopscope {

class Jobs;

class SteppedRun : public QObject {
    Q_OBJECT

  public:
    enum class Phase : uint8_t {
        Nothing,   // no network, or the run was given up
        Preparing, // bytecode and inputs are made
        Refused,   // there is no program: problem()
        Waiting,   // before an instruction
        Moving,
        Finished,
        Failed, // in an instruction: problem()
    };

    explicit SteppedRun(Jobs &jobs, QObject *parent = nullptr);
    ~SteppedRun() override;

    /// From its first instruction, on inputs drawn with the seed. Places to stop stay where it is the same network.
    void begin(const NetworkContentsPtr &network, const QString &name, uint64_t seed);
    void giveUp();
    /// Of Waiting, as moveTo.
    void move(StepSize size);
    void moveTo(CodePlace place);
    /// Of Moving: behind the instruction that runs.
    void halt();

    [[nodiscard]] const std::set<CodePlace> &stops() const { return m_stops; }
    void toggleStop(CodePlace place);
    void removeStops();

    [[nodiscard]] Phase phase() const { return m_phase; }
    [[nodiscard]] const QString &problem() const { return m_problem; }
    /// Null while there is none.
    [[nodiscard]] std::shared_ptr<const Program> program() const;
    /// Null while it moves or is not there.
    [[nodiscard]] const Stepper *stepper() const;
    /// The instruction that was next when it began to move.
    [[nodiscard]] CodePlace movesFrom() const { return m_movesFrom; }

  signals:
    void programChanged();
    void changed(); // phase, or what the machine holds
    void stopsChanged();

  private:
    struct Held;
    void setPhase(Phase phase, const QString &problem = {});
    void run(const QString &title, std::function<void(Stepper &, const std::atomic<bool> &)> work);
    void moved();

    Jobs &m_jobs;
    NetworkContentsPtr m_network;
    QString m_name;
    std::shared_ptr<Held> m_held; // the job's alone while it moves
    std::set<CodePlace> m_stops;
    CodePlace m_movesFrom;
    Phase m_phase = Phase::Nothing;
    QString m_problem;
    int m_job = 0;
};

} // namespace loopscope
