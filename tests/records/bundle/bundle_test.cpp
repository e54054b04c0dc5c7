// A round of candidates in C: built and run as on another machine, its results read as trials. Wrong answers, crashes
// and interruptions are told; changed and foreign files are refused.

#include "bundle_run.h"

#include "base/outcome.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace loopscope;

namespace {

const std::string kTarget = "llvm -mcpu=x86-64-v2 -num-cores=2";

/// The loops as written; rows in parallel; tiles.
const std::vector<std::string> kSchedules = {
    "[]", R"([["AN", 2, 0, 3]])",
    R"([["SP", 2, 0, 24, [4], 1], ["SP", 2, 3, 20, [4], 1], ["RE", 2, [0, 2, 4, 1, 3]], ["AN", 2, 0, 3]])"};

std::string whyRefused(const BundleRound &round) {
    try {
        (void)readResults(readBundle(round.path + "/bundle.json"), round.resultsPath());
    } catch (const Error &error) {
        return error.sentence();
    }
    return {};
}

} // namespace

class BundleTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_folders = 0;

    QString newFolder() { return m_dir.filePath(QString::number(++m_folders)); }
    static QString fileOf(const BundleRound &round, const char *name) {
        return QString::fromStdString(round.path) + QLatin1Char('/') + QLatin1String(name);
    }

  private slots:
    void everyCandidateIsTimed();
    void wrongAnswersAndCrashesAreTold();
    void whatCannotBeLoweredIsKnownAtOnce();
    void anInterruptedRunGoesOn();
    void candidatesInTurn();
    void theSameRoundIsWrittenOnce();
    void changedAndForeignFiles();
    void everyTypeOfInput_data();
    void everyTypeOfInput();
    void scansAndScatters();
};

void BundleTest::everyCandidateIsTimed() {
    BundleRound round = writtenRound(newFolder(), smallProduct(kTarget), stepsOf(kSchedules));
    QCOMPARE(QString::fromStdString(round.name()), QStringLiteral("round-001"));
    QCOMPARE(round.open(), size_t{3});
    const BundleRun ran = run(round);
    QVERIFY2(ran.exitCode == 0, ran.output.constData());
    round.readAgain();
    QCOMPARE(round.open(), size_t{0});
    for (size_t i = 0; i < round.trials.size(); ++i) {
        const BundleTrial &one = *round.trials[i];
        QVERIFY2(one.trial.valid(), one.trial.reason.c_str());
        QVERIFY(one.trial.seconds.size() >= 3);
        QVERIFY(one.trial.cost() > 1e-8 && one.trial.cost() < 10);
        QVERIFY(one.trial.maxError > 0 && one.trial.maxError <= 1);
        QVERIFY(one.trial.buildSeconds > 0 && one.trial.runSeconds > 0 && one.trial.timestamp > 1'600'000'000);
        QVERIFY2(one.machine.find(": ") != std::string::npos && one.machine.find("; ") != std::string::npos,
                 one.machine.c_str());
        QVERIFY(one.trial.steps.unpack() == stepsOf(kSchedules)[i]);
    }
}

void BundleTest::wrongAnswersAndCrashesAreTold() {
    BundleRound round = writtenRound(newFolder(), smallProduct(kTarget), stepsOf({"[]", "[]", "[]", "[]", "[]"}));
    const auto plant = [&](int candidate, const QByteArray &before) {
        const QByteArray name = "candidate_00" + QByteArray::number(candidate);
        replaceIn(fileOf(round, ("candidate-00" + QByteArray::number(candidate) + ".c").constData()),
                  "void " + name + "_call(void *const *arguments) {",
                  "void " + name + "_call(void *const *arguments) {" + before);
    };
    plant(0, "float *late = arguments[2]; late[0] = 1; if (late[7] == 0.5f) return; ");
    plant(1, "*(volatile int *)0 = 1; ");
    plant(2, "((float *)arguments[2])[24 * 20] = 1; ");
    replaceIn(fileOf(round, "candidate-003.c"), "void candidate_003_call", "this is no C; void candidate_003_call");
    // All elements but the sampled ones could be wrong; here there are few enough that all are sampled.
    replaceIn(fileOf(round, "candidate-004.c"), "arguments[2]); }",
              "arguments[2]); ((float *)arguments[2])[77] += 0.01f; }");
    const BundleRun ran = run(round);
    QVERIFY2(ran.exitCode == 0, ran.output.constData());
    const QByteArray results = textOf(fileOf(round, "results.json"));
    QVERIFY2(results.contains("\"error\":4,\"reason\":\"its process died: Segmentation fault\""), results.constData());
    QVERIFY2(results.contains("\"error\":4,\"reason\":\"the kernel wrote outside of C\""), results.constData());
    QVERIFY2(results.contains("\"error\":3,\"reason\":\"candidate-003 is not compiled: candidate-003.c:"),
             results.constData());
    QVERIFY2(results.contains("\"error\":5,\"reason\":\"output `C` is ") &&
                 results.contains(" at element 77 instead of "),
             results.constData());
    QVERIFY2(ran.output.contains("1 of 5: candidate 0: ") && ran.output.contains(" ms\n"), ran.output.constData());
    QCOMPARE(whyRefused(round), std::string("candidate 0: its source was changed before it was run; take the bundle "
                                            "again and run it as it is"));
}

void BundleTest::whatCannotBeLoweredIsKnownAtOnce() {
    const BundleRound round =
        writtenRound(newFolder(), smallProduct(kTarget), stepsOf({"[]", R"([["SP", 7, 0, 24, [4], 1]])"}));
    QCOMPARE(round.open(), size_t{1});
    QVERIFY(round.trials[1]->trial.error == TrialError::Instantiation);
    QVERIFY(!round.trials[1]->trial.reason.empty());
    QVERIFY(!QFile::exists(fileOf(round, "candidate-001.c")));
}

void BundleTest::anInterruptedRunGoesOn() {
    BundleRound round = writtenRound(newFolder(), smallProduct(kTarget), stepsOf(kSchedules));
    QVERIFY(run(round).exitCode == 0);
    // As it was after the second candidate: its line ends the list.
    QByteArray results = textOf(fileOf(round, "results.json"));
    const auto third = results.indexOf(",\n{\"candidate\":2,");
    QVERIFY(third > 0);
    const QByteArray first = results.mid(results.indexOf("{\"candidate\":0,"), 300);
    writeText(fileOf(round, "results.json"), results.left(third) + "\n]}\n");
    round.readAgain();
    QCOMPARE(round.open(), size_t{1});
    const BundleRun again = run(round);
    QVERIFY2(again.exitCode == 0 && again.output.contains("1 of 1: candidate 2: "), again.output.constData());
    round.readAgain();
    QCOMPARE(round.open(), size_t{0});
    results = textOf(fileOf(round, "results.json"));
    QVERIFY(results.contains(first)); // what was there stays
    QVERIFY(run(round).output.contains("every candidate has its result already"));
}

void BundleTest::candidatesInTurn() {
    BundleOptions options;
    options.turns = 11;
    BundleRound round = writtenRound(newFolder(), smallProduct(kTarget), stepsOf(kSchedules), options);
    const BundleRun ran = run(round);
    QVERIFY2(ran.exitCode == 0 && ran.output.contains("timed in turn: 3 candidates"), ran.output.constData());
    round.readAgain();
    for (const auto &one : round.trials) QCOMPARE(one->trial.seconds.size(), size_t{11});
}

void BundleTest::theSameRoundIsWrittenOnce() {
    const QString folder = newFolder();
    const Task task = smallProduct(kTarget);
    QCOMPARE(writtenRound(folder, task, stepsOf({"[]"})).name(), std::string("round-001"));
    QCOMPARE(writtenRound(folder, task, stepsOf({kSchedules[1]})).name(), std::string("round-002"));
    QCOMPARE(writtenRound(folder, task, stepsOf({"[]"})).name(), std::string("round-001"));
    QCOMPARE(bundleRounds(folder.toStdString()).size(), size_t{2});
    QVERIFY(bundleRounds(folder.toStdString())[1].bundle.isOf(task));
    QVERIFY(!bundleRounds(folder.toStdString())[1].bundle.isOf(smallProduct("llvm -mcpu=x86-64-v3 -num-cores=2")));
}

void BundleTest::changedAndForeignFiles() {
    const QString folder = newFolder();
    const Task task = smallProduct(kTarget);
    BundleRound round = writtenRound(folder, task, stepsOf({"[]"}));
    const BundleRound other = writtenRound(folder, task, stepsOf({kSchedules[1]}));
    QVERIFY(run(round).exitCode == 0);
    const QString results = fileOf(round, "results.json");
    const QByteArray right = textOf(results);
    const auto refused = [&](const QByteArray &what, const QByteArray &by) {
        writeText(results, right);
        replaceIn(results, what, by);
        return QString::fromStdString(whyRefused(round));
    };
    QCOMPARE(refused("\"version\":1", "\"version\":2"),
             QStringLiteral("the results are of version 2; this program reads version 1"));
    QCOMPARE(refused(QByteArray::fromStdString(round.bundle.id), QByteArray::fromStdString(other.bundle.id)),
             QString::fromStdString("the results are of another bundle (" + other.bundle.id +
                                    ") than the one beside them (" + round.bundle.id + ")"));
    QCOMPARE(refused("{\"candidate\":0,", "{\"candidate\":4,"),
             QStringLiteral("there is no candidate 4; the bundle has 1, numbered from 0"));
    QCOMPARE(refused("\"seconds\":[", "\"seconds\":[-"),
             QStringLiteral("candidate 0: its times are no times; they are more than 0 s"));
    QCOMPARE(refused("\"error\":0", "\"error\":17"),
             QStringLiteral("candidate 0: there is no error 17; 0 to 8 are legal"));
    QCOMPARE(refused("\"seconds\":[", "\"others\":["),
             QStringLiteral("the results are damaged; `make run` in a copy of the bundle makes them again"));
    QCOMPARE(refused("{\"format\"", "[\"format\""),
             QStringLiteral("the results are damaged; `make run` in a copy of the bundle makes them again"));
    QCOMPARE(refused("bundle results", "other results"), QStringLiteral("these are no results of a bundle"));
    writeText(results, right);
    QCOMPARE(whyRefused(round), std::string());

    const QString bundle = fileOf(round, "bundle.json");
    const QByteArray whole = textOf(bundle);
    replaceIn(bundle, "\"threads\":2", "\"threads\":3");
    QCOMPARE(whyRefused(round), std::string("the bundle was changed after it was written; write it again"));
    QVERIFY(run(round).output.contains("bundle.json was changed after it was written"));
    writeText(bundle, whole);
    replaceIn(bundle, "\"version\":1", "\"version\":3");
    QCOMPARE(whyRefused(round), std::string("the bundle is of version 3; this program reads version 1"));
    writeText(bundle, "{}");
    QCOMPARE(whyRefused(round), std::string("this is no bundle of candidates"));
    writeText(bundle, whole);
    // The results of the other round, put here by mistake, are not gone on with either.
    writeText(results, right);
    replaceIn(results, QByteArray::fromStdString(round.bundle.id), QByteArray::fromStdString(other.bundle.id));
    const BundleRun mixed = run(round);
    QVERIFY2(mixed.exitCode != 0 && mixed.output.contains("results.json is of another bundle; remove it"),
             mixed.output.constData());
}

void BundleTest::everyTypeOfInput_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("contains"); // bundle.json does
    QTest::newRow("float16") << QByteArray(R"(workload halves(M = 70, N = 40, K = 64)

A = placeholder [M, K] float16
B = placeholder [K, N] float16
C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])
D(i < M, j < N) = C[i, j] + 1
)") << QByteArray("\"kind\":\"uniform\"");
    QTest::newRow("long float16 sums") << QByteArray(R"(workload sums(M = 40, K = 4096)

A = placeholder [M, K] float16
C(i < M) = sum(k < K; A[i, k])
)") << QByteArray("\"kind\":\"exact\"");
    QTest::newRow("bfloat16") << QByteArray(R"(workload wide(M = 300)

A = placeholder [M, M] bfloat16
C(i < M, j < M) = A[j, i] * A[i, j]
)") << QByteArray("\"sum\":[");
    QTest::newRow("int8") << QByteArray(R"(workload bytes(M = 20, N = 24, K = 300)

A = placeholder [M, K] int8
B = placeholder [K, N] int8
C = matmul(A, B, out_dtype = "int32", style = "benchmark")
)") << QByteArray("\"kind\":\"integer\"");
    QTest::newRow("samples") << QByteArray(R"(workload samples(M = 20, N = 24)

A = placeholder [M, N] int16
B = placeholder [M, N] uint16
U = placeholder [M, N] uint32
C(i < M, j < N) = uint32(B[i, j]) * U[i, j] + uint32(A[i, j])
)") << QByteArray("\"count\":65536");
    QTest::newRow("indices") << QByteArray(R"(workload lookup(N = 40, V = 50, D = 8)

table  = placeholder [V, D] float32
tokens = placeholder [N] int32
out(i < N, d < D) = table[min(max(tokens[i], 0), V - 1), d]
)") << QByteArray("\"kind\":\"index\"");
    QTest::newRow("packed weights") << QByteArray(R"(workload layer(M = 24, N = 20, K = 18)

A = placeholder [M, K] float32
B = placeholder [K, N] float32
C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])
    @layout_free_placeholders[B]
)") << QByteArray("\"packing\":[[],[[");
}

/// The runner draws the inputs that Loopscope draws, lays them out as the kernel reads them, and reads every output.
void BundleTest::everyTypeOfInput() {
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, contains);
    std::optional<Task> task;
    try {
        task = makeTask(ComputeDag::fromWorkload(parseWorkload(text.toStdString(), "it.te")), parseTarget(kTarget));
    } catch (const Error &error) {
        QFAIL(error.what());
    }
    task->layoutRewrite = LayoutRewrite::Pretransformed;
    const bool tiled = contains.contains("packing");
    BundleRound round = writtenRound(
        newFolder(), *task,
        stepsOf({tiled ? R"([["SP", 2, 0, 24, [4], 1], ["SP", 2, 2, 20, [8], 1], ["RE", 2, [0, 2, 4, 1, 3]],
                                         ["AN", 2, 0, 3], ["AN", 2, 4, 2]])"
                       : "[]"}));
    const BundleRun ran = run(round);
    QVERIFY2(ran.exitCode == 0, ran.output.constData());
    round.readAgain();
    QVERIFY2(round.trials[0]->trial.valid(), round.trials[0]->trial.reason.c_str());
    const QByteArray bundle = textOf(fileOf(round, "bundle.json"));
    QVERIFY2(bundle.contains(contains), bundle.right(2000).constData());
}

/// Schedules of a scatter and of scans, checked by the runner against the answer that goes with them.
void BundleTest::scansAndScatters() {
    const auto task = [](const char *name) {
        return makeTask(
            ComputeDag::fromWorkload(loadWorkload(
                std::string(LOOPSCOPE_SOURCE_DIR "/samples/pipelines/") + name + ".te", {{"W", 40}, {"H", 24}})),
            parseTarget(kTarget));
    };
    // Rows of counts in parallel, their terms split; then columns of both scans in strips.
    BundleRound histogram = writtenRound(newFolder(), task("histogram_equalize"),
                                         stepsOf({"[]", R"([["SP", 2, 1, 40, [8], 1], ["AN", 2, 0, 3]])"}));
    BundleRound blur = writtenRound(
        newFolder(), task("iir_blur"),
        stepsOf({"[]", R"([["SP", 1, 2, 40, [8], 1], ["RE", 1, [0, 2, 1, 3]], ["AN", 1, 3, 2], ["AN", 1, 0, 3],
                           ["SP", 2, 2, 40, [8], 1], ["RE", 2, [0, 2, 1, 3]], ["AN", 2, 3, 2], ["AN", 2, 0, 3]])"}));
    for (BundleRound *round : {&histogram, &blur}) {
        const BundleRun ran = run(*round);
        QVERIFY2(ran.exitCode == 0, ran.output.constData());
        round->readAgain();
        for (const auto &one : round->trials) QVERIFY2(one->trial.valid(), one->trial.reason.c_str());
    }
}

LOOPSCOPE_TEST(BundleTest)
#include "bundle_test.moc"
