// Schedules exported to TensorIR build there, run, and give the interpreter's answer.

#include "harness/ordered_dags.h"
#include "harness/sample_dags.h"
#include "language/te/workload.h"
#include "schedule/script/schedule_script.h"
#include "schedule/translate/peer_answers.h"
#include "schedule/translate/tir_python.h"
#include "schedule/translate/translated_samples.h"
#include "test_program.h"

#include <QProcess>
#include <QTest>

#include <iostream>
#include <map>

using namespace loopscope;

namespace tir_python_test {

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

/// out(i) = y[at[i]] where at[i] is the place of an element, else a half; y = 2*x.
DagPtr chosenByRead() {
    DagBuilder b;
    const Tensor &at = b.placeholder("at", {8}, DType::Int32);
    const Tensor &x = b.placeholder("x", {4});
    const auto i = axes({"i"}, {8}), j = axes({"i"}, {4});
    const Tensor &y = b.compute("y", j, load(x, {j[0].var}) * 2);
    const Expr place = load(at, {i[0].var});
    const Expr within = logicalAnd(fold(ExprKind::Ge, place, makeInt(0)), fold(ExprKind::Le, place, makeInt(3)));
    const Expr operands[] = {within, load(y, {place}), makeFloat(0.5)};
    return b.build({&b.compute("out", i, makeCall(Intrinsic::IfThenElse, DType::Float32, operands))});
}

std::string refusalOf(const DagPtr &dag, const Steps &steps) {
    const auto text = tirPython(dag, steps);
    return text.ok() ? std::string() : text.why();
}

void runAll(const PeerFolder &folder) {
    QProcess python;
    python.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    python.start(tvmPython(), {QStringLiteral(LOOPSCOPE_SOURCE_DIR "/tests/schedule/translate/run_tir.py")});
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
        const DagPtr brain = ComputeDag::fromWorkload(
            parseWorkload("workload w(M = 4, N = 8)\nx = placeholder [M, N] bfloat16\n"
                          "best(i < M) = reduce(k < N; (i1, v1), (i2, v2) -> (select(v1 > v2, i1, i2), "
                          "select(v1 > v2, v1, v2)); from (-1, -inf(bfloat16)); (k, x[i, k]))\n",
                          "w.te"));
        QCOMPARE(
            refusalOf(brain, {}),
            std::string("best cannot be exported to TensorIR: TVM 0.27 takes the bits of bfloat16 for numbers in a "
                        "reduction with several outputs; convert them to float32 in a stage of its own in front"));
        const DagPtr chosen = chosenByRead();
        QCOMPARE(refusalOf(chosen, stepsOf(chosen, "split out i into 4\ncompute_at y out i.0\n")),
                 std::string("step 1 (CA) cannot be exported: out reads y at indices that it reads and a condition "
                             "limits, of which TensorIR finds no region; compute y at the root"));
        QVERIFY(refusalOf(chosen, stepsOf(chosen, "split out i into 4\n")).empty());
        QVERIFY(!refusalOf(dag, stepsOf(dag, "split C i into ?\n")).empty());
        QVERIFY(!refusalOf(dag, Steps{ComputeInlineStep{StageId(9)}}).empty());
    }

    void whatOnlyCostsTimeIsLeftOutAndSaid() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto text = tirPython(dag, stepsOf(dag, "parallel C i\nparallel C j\n"));
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        QVERIFY(text->find("# parallel of C_j is left out: the loop stands inside a parallel one\n") !=
                std::string::npos);
        const auto nested = tirPython(dag, stepsOf(dag, "vectorize C i\nvectorize C j\n"));
        QVERIFY2(nested.ok(), nested.ok() ? "" : nested.why().c_str());
        QVERIFY(nested->find("# vectorize of C_i is left out: the loop holds one that is made vectors\n") !=
                std::string::npos);
        QVERIFY(nested->find("sch.vectorize(C_j)\n") != std::string::npos);
        DagBuilder b;
        const Tensor &a = b.placeholder("A", {8}, DType::BFloat16);
        const auto i = axes({"i"}, {8});
        const DagPtr brain = b.build({&b.compute("B", i, load(a, {i[0].var}) + load(a, {i[0].var}))});
        const auto narrow = tirPython(brain, stepsOf(brain, "vectorize B i\n"));
        QVERIFY2(narrow.ok(), narrow.ok() ? "" : narrow.why().c_str());
        QVERIFY(narrow->find("# vectorize of B_i is left out: TVM 0.27 makes no vectors of bfloat16\n") !=
                std::string::npos);
    }

    /// What a condition keeps from being read has no bounds as TensorIR counts; functions in half precision are coarse.
    void indicesAndFunctionsAreSaidAsTvmTakesThem() {
        DagBuilder b;
        const Tensor &at = b.placeholder("at", {6}, DType::Int64);
        const Tensor &a = b.placeholder("A", {9}, DType::Float16);
        const auto i = axes({"i"}, {6});
        const Expr read = load(at, {i[0].var});
        const Expr within = logicalAnd(fold(ExprKind::Ge, read, makeInt(0, DType::Int64)),
                                       fold(ExprKind::Le, read, makeInt(8, DType::Int64)));
        const Expr operands[] = {within, callMath(Intrinsic::Tanh, load(a, {read})), makeFloat(0.5, DType::Float16)};
        const DagPtr dag = b.build({&b.compute("B", i, makeCall(Intrinsic::IfThenElse, DType::Float16, operands))});
        const auto text = tirPython(dag, {});
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        const char *expected = "tirx.tanh(A[tirx.min(tirx.max(tirx.min(tirx.max(at[i], tirx.const(0, \"int64\")), "
                               "tirx.const(8, \"int64\")).astype(\"int32\"), tirx.const(0, \"int32\")), "
                               "tirx.const(8, \"int32\"))].astype(\"float32\")).astype(\"float16\")";
        QVERIFY2(text->find(expected) != std::string::npos, text->c_str());
    }

    void scansAndScattersAreRefused() {
        for (const DagPtr &dag : orderedDags()) {
            const std::string refused = refusalOf(dag, {});
            QVERIFY2(refused.find(" cannot be exported to TVM: ") != std::string::npos &&
                         refused.ends_with("; export C or Halide"),
                     (dag->name() + ": " + refused).c_str());
        }
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
        for (uint64_t n = 0; n < (longTests() ? 400 : 20); ++n) {
            const RandomCase drawn = randomCase(n);
            ++asked;
            const auto text = tirPython(drawn.dag, drawn.steps);
            if (text)
                folder.add(drawn.name, drawn.dag, *text, "schedule.py", 5);
            else
                ++refused[drawn.name + ": " + text.why()];
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

LOOPSCOPE_TEST(TirPythonTest)

} // namespace tir_python_test
#include "tir_python_test.moc"
