#pragma once
// A session whose searches measure nothing: times come from the steps alone, so that a search ends in a moment, the
// same on every machine and beside any other work.

#include "session_fixture.h"

#include "harness/scripted_measurer.h"

#include <chrono>
#include <thread>

namespace loopscope {

class ScriptedSession : public SessionFixture {
  public:
    /// `wait` milliseconds a candidate, so that a search can be met on its way.
    explicit ScriptedSession(int wait = 0) : m_wait(wait) { script(); }
    void restart() {
        SessionFixture::restart();
        script();
    }
    /// Opens a matmul and sets a small search up.
    void openMatmul(int trials) const {
        session->files().open({write(QStringLiteral("m.te"), matmul(64))});
        QVERIFY(settled());
        setUp(trials);
    }
    void setUp(int trials) const {
        SearchSetup setup = session->document()->setup;
        setup.options.trials = trials;
        setup.options.trialsPerRound = 4;
        setup.options.population = 64;
        setup.options.seed = 7;
        session->search().setSetup(setup);
    }
    [[nodiscard]] bool ended() const {
        return QTest::qWaitFor([this] { return !session->search().underWay(); }, 60000);
    }

  private:
    void script() const {
        session->search().setMeasurerFactory([wait = m_wait](const Task &, const MeasureOptions &) {
            auto measurer = std::make_unique<ScriptedMeasurer>();
            measurer->before = [wait](size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(wait)); };
            return measurer;
        });
    }
    int m_wait;
};

} // namespace loopscope
