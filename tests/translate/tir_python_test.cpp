// Schedules exported to TensorIR build there, run, and give the interpreter's answer.

#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "script/schedule_script.h"
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

Steps stepsOf(const DagPtr &dag, const std::string &script) {
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied.state.steps();
}

/// Without loops.
DagPtr scalarDag() {
    DagBuilder b;
    const Tensor &a = b.placeholder("A", {});
    return b.build({&b.compute("B", {}, load(a, {}) + makeFloat(1))});
}

std::string refusalOf(const DagPtr &dag, const Steps &steps) {
    const auto text = tirPython(dag, steps);
    return text.ok() ? std::string() : text.why();
}

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
    void copiesAreMadeByPrimitives() {
        const DagPtr dag = matmulBiasReluDag(64, 64, 64);
        const auto text = tirPython(dag, stepsOf(dag, "cache_write C global\n"
                                                      "cache_read A local C.global\n"
                                                      "split C i into 8\n"
                                                      "compute_at C.global C i.0\n"
                                                      "compute_at A.local C.global i_c\n"
                                                      "storage_align A.local ax0 8 4\n"
                                                      "compute_inline D\n"));
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        for (const char *expected :
             {"C = sch.cache_write(C_global, 0, \"global\")\n",
              "A_local = sch.cache_read(C_global, \"A\", \"local\", consumer_blocks=[C_global])\n",
              "sch.compute_inline(\"D\")\n", "C_i_0, C_i_1 = sch.split(C_i, [None, 8])\n",
              "sch.compute_at(C_global, C_i_0, preserve_unit_loops=True)\n",
              "sch.storage_align(A_local, 0, axis=0, factor=8, offset=4)\n"})
            QVERIFY2(text->find(expected) != std::string::npos, (expected + *text).c_str());
    }

    void whatTensorIrCannotSayIsRefused() {
        const DagPtr dag = matmulDag(64, 64, 64);
        QCOMPARE(refusalOf(dag, stepsOf(dag, "split C i into 8\nbind C i.0 blockIdx.x\n")),
                 std::string("step 1 (AN) cannot be exported: it binds loop i.0 of C to blockIdx.x, and what is "
                             "exported runs on processors"));
        QCOMPARE(refusalOf(argmaxDag(), stepsOf(argmaxDag(), "cache_write argmax global\n")),
                 std::string("step 0 (CHW) cannot be exported: argmax has 2 outputs and reduces nothing, for which "
                             "TensorIR has a block each; leave the step out"));
        QCOMPARE(
            refusalOf(scalarDag(), Steps{FuseStep{StageId(1), {}}}),
            std::string("step 0 (FU) cannot be exported: it makes a loop of none around B, which TensorIR does not "
                        "know; leave it out"));
        const DagPtr gather = translatedSample("gather");
        QCOMPARE(
            refusalOf(gather, stepsOf(gather, "cache_read tokens global out\n")),
            std::string("step 0 (CHR) cannot be exported: tokens.global is read in an index of out, which TensorIR "
                        "does not count as reading; leave the step out"));
        QVERIFY(!refusalOf(dag, stepsOf(dag, "split C i into ?\n")).empty());
        QVERIFY(!refusalOf(dag, Steps{ComputeInlineStep{StageId(9)}}).empty());
    }

    void whatOnlyCostsTimeIsLeftOutAndSaid() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto text = tirPython(dag, stepsOf(dag, "parallel C i\nparallel C j\n"));
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        QVERIFY(text->find("# parallel of C_j is left out: the loop stands inside a parallel one\n") !=
                std::string::npos);
    }

    void drawnSchedulesGiveTheAnswer() {
        if (tvmPython().isEmpty()) QSKIP(kNoTvm);
        PeerFolder folder;
        int asked = 0;
        std::map<std::string, int> refused;
        for (const TranslatedSample &sample : translatedSamples())
            for (const Steps &steps : drawnSchedules(sample.dag, 3, longTests() ? 40 : 1)) {
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
        for (int n = 0; n < (longTests() ? 400 : 20); ++n) {
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
