// Schedules exported to TensorIR build there, run, and give the interpreter's answer.

#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "translate/peer_answers.h"
#include "translate/tir_python.h"
#include "translate/translated_samples.h"

#include <QProcess>
#include <QTest>

#include <iostream>
#include <map>

using namespace loopscope;

namespace {

bool longTests() { return qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS"); }

void runAll(const PeerFolder &folder) {
    QProcess python;
    python.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    python.start(tvmPython(), {QStringLiteral(LOOPSCOPE_SOURCE_DIR "/tests/translate/run_tir.py")});
    for (size_t n = 0; n < folder.size(); ++n) python.write(folder.path(n).toUtf8() + "\n");
    python.closeWriteChannel();
    QVERIFY(python.waitForFinished(-1));
    QCOMPARE(python.exitStatus(), QProcess::NormalExit);
    QCOMPARE(python.exitCode(), 0);
}

} // namespace

class TirPythonTest : public QObject {
    Q_OBJECT
  private slots:
    void drawnSchedulesGiveTheAnswer() {
        if (tvmPython().isEmpty()) QSKIP(kNoTvm);
        PeerFolder folder;
        int asked = 0;
        std::map<std::string, int> refused;
        for (const TranslatedSample &sample : translatedSamples())
            for (const Steps &steps : drawnSchedules(sample.dag, 3, longTests() ? 40 : 3)) {
                ++asked;
                const auto text = tirPython(sample.dag, steps);
                if (text)
                    folder.add(sample.name, sample.dag, *text, "schedule.py", 5);
                else
                    ++refused[sample.name + ": " + text.why()];
            }
        runAll(folder);
        int wrong = 0;
        for (size_t n = 0; n < folder.size(); ++n) {
            const std::string problem = folder.problem(n);
            if (problem.empty()) continue;
            std::cout << folder.name(n) << " " << folder.path(n).toStdString() << ": " << problem << "\n";
            ++wrong;
        }
        if (wrong > 0) folder.keep();
        for (const auto &[why, count] : refused) std::cout << count << " refused: " << why << "\n";
        std::cout << asked << " schedules, " << folder.size() << " translated, " << wrong << " wrong\n";
        QCOMPARE(wrong, 0);
    }

    void randomStepsGiveTheAnswerOrAreRefused() {
        if (tvmPython().isEmpty()) QSKIP(kNoTvm);
        PeerFolder folder;
        int asked = 0;
        std::map<std::string, int> refused;
        Random random(11, 0);
        for (int n = 0; n < (longTests() ? 400 : 40); ++n) {
            const DagPtr dag = n % 2 == 0 ? smallDags()[static_cast<size_t>(n / 2) % smallDags().size()]
                                          : randomDag(random, {.maxWork = 5000});
            const LoopState state = randomSchedule(dag, random, {.attempts = 20, .maxIterations = 100000});
            ++asked;
            const auto text = tirPython(dag, state.steps());
            if (text)
                folder.add(dag->name(), dag, *text, "schedule.py", 5);
            else
                ++refused[text.why()];
        }
        runAll(folder);
        int wrong = 0;
        for (size_t n = 0; n < folder.size(); ++n) {
            const std::string problem = folder.problem(n);
            if (problem.empty()) continue;
            std::cout << folder.name(n) << " " << folder.path(n).toStdString() << ": " << problem << "\n";
            ++wrong;
        }
        if (wrong > 0) folder.keep();
        for (const auto &[why, count] : refused) std::cout << count << " refused: " << why << "\n";
        std::cout << asked << " schedules, " << folder.size() << " translated, " << wrong << " wrong\n";
        QCOMPARE(wrong, 0);
    }
};

QTEST_GUILESS_MAIN(TirPythonTest)
#include "tir_python_test.moc"
