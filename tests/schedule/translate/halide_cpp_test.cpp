// Schedules exported to Halide compile, run, and give the interpreter's answer.

#include "base/random.h"
#include "harness/ordered_dags.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "language/te/workload.h"
#include "schedule/script/schedule_script.h"
#include "schedule/translate/halide_cpp.h"
#include "schedule/translate/peer_answers.h"
#include "schedule/translate/translated_samples.h"
#include "test_program.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSysInfo>
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

/// The place and value of the largest element of a matrix, for each of a few; ties to the first.
DagPtr largestOfMatrices() {
    return ComputeDag::fromWorkload(
        parseWorkload("workload largest(M = 6, N = 10, L = 7)\n"
                      "x = placeholder [M, N, L] float32\n"
                      "best(i < M) = reduce(a < N, b < L;\n"
                      "    (i1, v1), (i2, v2) -> (select(v1 > v2 || v1 == v2 && i1 < i2, i1, i2), "
                      "select(v1 > v2, v1, v2));\n"
                      "    from (2147483647, -inf(float32));\n"
                      "    (a*L + b, x[i, a, b]))\n",
                      "largest.te"));
}

/// One number of two axes, in a type and by a combiner of its own.
DagPtr reductionOf(const std::string &type, const std::string &reduction) {
    return ComputeDag::fromWorkload(parseWorkload("workload r(M = 4, N = 5, L = 6)\nx = placeholder [M, N, L] " + type +
                                                      "\nout(i < M) = " + reduction + "\n",
                                                  "r.te"));
}

std::string refusalOf(const DagPtr &dag, const Steps &steps) {
    const auto text = halideCpp(dag, steps);
    return text.ok() ? std::string() : text.why();
}

/// Compiles and runs all programs, two at a time; what goes wrong stands in error.txt of the folder.
void runAll(const PeerFolder &folder) {
    const QStringList compiler = halideCompiler();
    // Halide's header takes most of the time to read: it is read once.
    QProcess precompile;
    precompile.start(compiler[0], compiler.mid(1) + QStringList{"-x", "c++-header", "/usr/include/halide14/Halide.h",
                                                                "-o", folder.root() + "/Halide.h.gch"});
    QVERIFY(precompile.waitForFinished(-1));
    QCOMPARE(precompile.exitCode(), 0);
    QStringList folders;
    for (size_t n = 0; n < folder.size(); ++n) folders << folder.path(n);
    QProcess shell;
    if (QSysInfo::buildCpuArchitecture() == "x86_64") { // Halide 14 takes newer processors for others
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("HL_JIT_TARGET", "x86-64-linux-sse41");
        shell.setProcessEnvironment(environment);
    }
    shell.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    shell.start("xargs",
                {"-P", "2", "-n", "1", "sh", "-c",
                 "cd \"$1\" && mkdir -p out && { " + compiler.join(' ') +
                     " -include ../Halide.h program.cpp -lHalide14 -o program && timeout 120 ./program --inputs . "
                     "--outputs out;"
                     " } > said.txt 2>&1 || { cp said.txt error.txt; echo failed >> error.txt; }; rm -f program",
                 "run"});
    shell.write(folders.join('\n').toUtf8());
    shell.closeWriteChannel();
    QVERIFY(shell.waitForFinished(-1));
}

struct Tally {
    PeerFolder folder;
    int asked = 0;
    std::map<std::string, int> refused;

    void add(const std::string &name, const DagPtr &dag, const Steps &steps) {
        ++asked;
        const auto text = halideCpp(dag, steps);
        if (text)
            folder.add(name, dag, *text, "program.cpp", 5);
        else
            ++refused[name + ": " + text.why()];
    }
    int wrong() {
        int count = 0;
        for (size_t n = 0; n < folder.size(); ++n) {
            const std::string problem = folder.problem(n);
            if (problem.empty()) continue;
            std::cout << folder.name(n) << " " << folder.path(n).toStdString() << ": " << problem << "\n";
            ++count;
        }
        if (count > 0) folder.keep();
        for (const auto &[why, times] : refused) std::cout << times << " refused: " << why << "\n";
        std::cout << asked << " schedules, " << folder.size() << " translated, " << count << " wrong\n";
        return count;
    }
};

} // namespace

class HalideCppTest : public QObject {
    Q_OBJECT
  private slots:
    void aMatmulReadsAsWritten() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto text = halideCpp(dag, stepsOf(dag, "split C i into 2, 8\n"
                                                      "split C k into 4\n"
                                                      "reorder C i.0, j, k.0, i.1, k.1, i.2\n"
                                                      "parallel C i.0\n"
                                                      "pragma C i.0 auto_unroll_max_step$64\n"
                                                      "vectorize C i.2\n"));
        QVERIFY2(text.ok(), text.ok() ? "" : text.why().c_str());
        const char *splits = "    C.update().split(C_i, C_i_0, C_i_2, 8, TailStrategy::GuardWithIf)"
                             ".split(C_i_0, C_i_0, C_i_1, 2, TailStrategy::GuardWithIf);\n";
        for (const char *expected :
             {splits, "    C(C_j, C_i) += A(C_k, C_i) * B(C_j, C_k);\n",
              "    C.update().reorder(C_i_2, C_k_1, C_i_1, C_k_0, C_j, C_i_0);\n", "    C.update().parallel(C_i_0);\n",
              "    C.update().vectorize(C_i_2);\n",
              "    // auto_unroll_max_step 64 of C is left out: Halide unrolls named loops only\n"})
            QVERIFY2(text->find(expected) != std::string::npos, (expected + *text).c_str());
    }

    /// Halide proves of few reductions that the order of the terms does not matter.
    void termsOfOtherReductionsHaveTheOrderAskedFor() {
        const DagPtr dag = largestOfMatrices();
        const auto naive = halideCpp(dag, {});
        QVERIFY2(naive.ok(), naive.ok() ? "" : naive.why().c_str());
        for (const char *expected : {"    RDom best_r(std::vector<Range>{{0, 7}, {0, 10}}, \"best_r\");\n",
                                     "    RVar best_a = best_r[1];\n    RVar best_b = best_r[0];\n",
                                     "    best.update().reorder(best_b, best_a, best_i);\n"})
            QVERIFY2(naive->find(expected) != std::string::npos, (expected + *naive).c_str());
        const auto tiled = halideCpp(dag, stepsOf(dag, "split best a into 4\nsplit best b into 7\n"
                                                       "reorder best a.0, b.0, i, b.1, a.1\nunroll best a.1\n"));
        QVERIFY2(tiled.ok(), tiled.ok() ? "" : tiled.why().c_str());
        for (const char *expected :
             {"    RDom best_r(std::vector<Range>{{0, 4}, {0, 7}, {0, 1}, {0, 3}}, \"best_r\");\n",
              "    RVar best_a_1 = best_r[0];\n    RVar best_b_1 = best_r[1];\n",
              "    Expr best_a = min((best_a_0 * 4 + best_a_1), 9);\n",
              "    best_r.where((best_a_0 * 4 + best_a_1) < 10);\n",
              "    best.update().reorder(best_a_1, best_b_1, best_i, best_b_0, best_a_0);\n",
              "    best.update().unroll(best_a_1);\n"})
            QVERIFY2(tiled->find(expected) != std::string::npos, (expected + *tiled).c_str());
        QVERIFY(tiled->find("best.update().split") == std::string::npos);
    }

    void termsInAnotherOrderGiveTheAnswer() {
        if (halideCompiler().isEmpty()) QSKIP(kNoHalide);
        Tally tally;
        const DagPtr largest = largestOfMatrices();
        const char *other = "reduce(a < N, b < L; p, q -> select(p > q, p, q); from -100; x[i, a, b])";
        for (const auto &[dag, name] : {std::pair(largest, "best"), std::pair(reductionOf("int32", other), "out"),
                                        std::pair(reductionOf("bfloat16", "sum(a < N, b < L; x[i, a, b])"), "out"),
                                        std::pair(reductionOf("float32", "sum(a < N, b < L; x[i, a, b])"), "out")})
            for (const char *script :
                 {"", "reorder STAGE b, i, a\n", "reorder STAGE i, b, a\nfuse STAGE b, a\nsplit STAGE b@a@ into 3\n",
                  "split STAGE a into 4\nsplit STAGE b into 4, 3\n"
                  "reorder STAGE b.1, a.1, i, b.0, a.0, b.2\nunroll STAGE a.0\nvectorize STAGE i\n",
                  "fuse STAGE a, b\nsplit STAGE a@b@ into 4\nreorder STAGE a@b@.1, a@b@.0, i\nparallel STAGE i\n"}) {
                QString text(script);
                tally.add(dag->name(), dag, stepsOf(dag, text.replace("STAGE", name).toStdString()));
            }
        runAll(tally.folder);
        QCOMPARE(tally.wrong(), 0);
        QCOMPARE(static_cast<int>(tally.folder.size()), 20);
    }

    /// Halide computes more of a Func than a guarded tile needs, and stops where that would read beside an input.
    void inputsAreClampedInsideGuardedTiles() {
        const DagPtr dag = matmulBiasReluDag(64, 64, 64);
        const auto whole = halideCpp(dag, stepsOf(dag, "split D i into 8\ncompute_at C D i.0\n"));
        QVERIFY(whole.ok());
        QVERIFY(whole->find("A(C_k, C_i)") != std::string::npos);
        const auto guarded = halideCpp(dag, stepsOf(dag, "split D i into 7\ncompute_at C D i.0\n"));
        QVERIFY(guarded.ok());
        QVERIFY(guarded->find("A(clamp(C_k, 0, 63), clamp(C_i, 0, 63))") != std::string::npos);
    }

    void whatHalideCannotSayIsRefused() {
        const DagPtr dag = matmulDag(64, 64, 64);
        QCOMPARE(refusalOf(dag, stepsOf(dag, "split C i into 8\nbind C i.0 blockIdx.x\n")),
                 std::string("step 1 (AN) cannot be exported: it binds loop i.0 of C to blockIdx.x, and what is "
                             "exported runs on processors"));
        QCOMPARE(refusalOf(scalarDag(), Steps{FuseStep{StageId(1), {}}}),
                 std::string("step 0 (FU) cannot be exported: it makes a loop of none around B, which Halide does not "
                             "know; leave it out"));
        DagBuilder b;
        const Tensor &a = b.placeholder("A", {8});
        const auto i = axes({"i"}, {8});
        const Expr operands[] = {load(a, {i[0].var}), makeFloat(3)};
        const DagPtr remainder = b.build({&b.compute("B", i, makeCall(Intrinsic::Fmod, DType::Float32, operands))});
        QCOMPARE(refusalOf(remainder, {}),
                 std::string("B cannot be exported to Halide: it uses fmod, which Halide does "
                             "not have; its modulo has the sign of the divisor"));
        QVERIFY(!refusalOf(dag, Steps{ComputeInlineStep{StageId(9)}}).empty());
    }

    /// The elements that are given, then one after the other; a term goes where its place is.
    void scansAndScattersReadAsWritten() {
        const auto textOf = [](const DagPtr &dag, const char *script) {
            const auto text = halideCpp(dag, stepsOf(dag, script));
            return text.ok() ? *text : text.why();
        };
        const std::string blur = textOf(orderedDags()[0], "split up x_ into 4\nreorder up c, x_.0, y, x_.1\n"
                                                          "vectorize up x_.1\nparallel up c\n");
        for (const char *expected :
             {"    up(up_x, up_y, up_c) = undef<float>();\n", "    RDom up_from(0, 1, \"up_from\");\n",
              "    up(up_x, (6 - up_from_y), up_c) = down(up_x, (6 - up_from_y), up_c);\n",
              "    RDom up_r(1, 6, \"up_r\");\n", "    up.update(0).unscheduled();\n",
              "    up.update(1).reorder(up_x_1, up_r_y, up_x_0, up_c);\n", "    up.update(1).parallel(up_c);\n"})
            QVERIFY2(blur.find(expected) != std::string::npos, (expected + blur).c_str());
        const std::string counts = textOf(orderedDags()[4], "split rows r into 4\nreorder rows r.1, y, r.0\n");
        for (const char *expected :
             {"    rows(rows_b, rows_y) = Expr(int32_t(0));\n",
              "    RDom rows_r(std::vector<Range>{{0, 4}, {0, 4}}, \"rows_r\");\n",
              "    rows_r.where((rows_r_0 * 4 + rows_r_1) < 13);\n",
              "    rows(min(max(k(rows_r_2, rows_y), Expr(int32_t(0))), Expr(int32_t(7))), rows_y) += "
              "Expr(int32_t(1));\n",
              "    rows.update().reorder(rows_r_0, rows_y, rows_r_1);\n"})
            QVERIFY2(counts.find(expected) != std::string::npos, (expected + counts).c_str());
    }

    /// An update that a schedule says nothing of says that it is meant so: Halide warns where its Func has a schedule.
    void updatesWithoutAScheduleSaySo() {
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload("workload sum(N = 40, M = 3)\n"
                                                                  "x = placeholder [N, M] float32\n"
                                                                  "y() = sum(n < N; x[n, 0])\n"
                                                                  "z(m < M) = sum(n < N; x[n, m])\n",
                                                                  "sum.te"));
        const auto textOf = [&](const char *script) {
            const auto text = halideCpp(dag, stepsOf(dag, script));
            return text.ok() ? *text : text.why();
        };
        const std::string plain = textOf("");
        QVERIFY2(plain.find("    y.update().unscheduled();\n") != std::string::npos, plain.c_str());
        QVERIFY2(plain.find("    z.update().reorder(") != std::string::npos, plain.c_str());
        QVERIFY2(plain.find("z.update().unscheduled()") == std::string::npos, plain.c_str());
        const std::string cut = textOf("split y n into 8\n");
        QVERIFY2(cut.find("y.update().unscheduled()") == std::string::npos, cut.c_str());
        if (halideCompiler().isEmpty()) QSKIP(kNoHalide);
        Tally tally;
        tally.add("sum", dag, {});
        runAll(tally.folder);
        QCOMPARE(tally.wrong(), 0);
    }

    /// The first elements have loops of their own, in front of those of the steps.
    void whatAScanReadsAtItsLoops() {
        const DagPtr dag = orderedDags()[0];
        QCOMPARE(refusalOf(dag, stepsOf(dag, "compute_at down up y\n")),
                 std::string("step 0 (CA) cannot be exported to Halide: down is computed at loop y of the scan up, "
                             "whose first elements read it outside of that loop; compute it at root"));
        QCOMPARE(refusalOf(dag, stepsOf(dag, "compute_at down up c\n")), std::string());
    }

    void scansAndScattersGiveTheAnswer() {
        if (halideCompiler().isEmpty()) QSKIP(kNoHalide);
        Tally tally;
        uint64_t stream = 0;
        for (const DagPtr &dag : orderedDags())
            for (int round = 0; round < (longTests() ? 20 : 1); ++round) {
                Random random(33, stream++);
                const LoopState state = randomSchedule(dag, random, {.attempts = 25, .maxIterations = 100000});
                tally.add(dag->name() + " " + std::to_string(round), dag, state.steps());
            }
        tally.add("at a loop of a scan", orderedDags()[0], stepsOf(orderedDags()[0], "compute_at down up c\n"));
        runAll(tally.folder);
        QCOMPARE(tally.wrong(), 0);
        QVERIFY(tally.folder.size() * 4 > static_cast<size_t>(tally.asked) * 3); // a loop of none is refused
    }

    void drawnSchedulesGiveTheAnswer() {
        if (halideCompiler().isEmpty()) QSKIP(kNoHalide);
        Tally tally;
        const std::vector<TranslatedSample> &samples = translatedSamples();
        // A program takes a second to compile.
        for (size_t n = 0; n < samples.size(); n += longTests() ? 1 : 3)
            for (const Steps &steps : drawnSchedules(samples[n].dag, 3, longTests() ? 20 : 1))
                tally.add(samples[n].name, samples[n].dag, steps);
        runAll(tally.folder);
        QCOMPARE(tally.wrong(), 0);
    }

    void randomStepsGiveTheAnswerOrAreRefused() {
        if (halideCompiler().isEmpty()) QSKIP(kNoHalide);
        Tally tally;
        for (uint64_t n = 0; n < (longTests() ? 400 : 4); ++n) {
            const RandomCase drawn = randomCase(n);
            tally.add(drawn.name, drawn.dag, drawn.steps);
        }
        runAll(tally.folder);
        QCOMPARE(tally.wrong(), 0);
    }
};

LOOPSCOPE_TEST(HalideCppTest)
#include "halide_cpp_test.moc"
