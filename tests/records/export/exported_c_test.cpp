// Exported C is compiled by whoever is there, without a warning, computes what the interpreter computes, and tells when
// it does not.

#include "command_run.h"
#include "exported_tasks.h"

#include "harness/random_dag.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"

#include <QFile>
#include <QTemporaryDir>

using namespace loopscope;

namespace {

const QString kFlags = "-march=native -ffp-contract=fast -fopenmp -Wall -Wextra -Werror";

} // namespace

class ExportedCTest : public QObject {
    Q_OBJECT
  private slots:
    void rightWithEveryCompiler_data();
    void rightWithEveryCompiler();
    void randomCandidatesAreRight();
    void packedWeightsArePackedByTheHeader();
    void aWrongKernelIsToldSo();
    void otherInputsAreToldSo();
    void strictC11();
    void timesAreComparedWithTheExpectedOne();
};

void ExportedCTest::rightWithEveryCompiler_data() {
    QTest::addColumn<QString>("compiler");
    QTest::addColumn<int>("workload");
    for (const char *compiler : {"gcc", "clang"})
        for (size_t i = 0; i < smallWorkloads().size(); ++i)
            QTest::addRow("%s, %s", compiler, smallWorkloads()[i].name) << QString(compiler) << static_cast<int>(i);
}

void ExportedCTest::rightWithEveryCompiler() {
    QFETCH(QString, compiler);
    QFETCH(int, workload);
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler(compiler, folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    const SmallWorkload &small = smallWorkloads()[static_cast<size_t>(workload)];
    if (QByteArray(small.name) == "float16" &&
        runIn(folder.path(), "echo '_Float16 x;' > h.c && " + compiler + " -c h.c").exitCode != 0)
        QSKIP(qPrintable(compiler + " has no _Float16"));
    exportInto(folder.filePath("k.c"), drawnSchedule(small, 7), ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    const CommandRun run = runIn(folder.path(), compiler + " -O3 " + kFlags + " k.c k_main.c -lm -o k && ./k 1");
    QVERIFY2(run.exitCode == 0, run.said.constData());
    QVERIFY2(run.said.contains("inputs: right") && run.said.contains("ms a call"), run.said.constData());
}

void ExportedCTest::randomCandidatesAreRight() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    Target target = parseTarget("llvm -num-cores=2");
    target.minParallelStores = 0;
    int candidates = 0;
    for (uint64_t stream = 0; candidates < 20; ++stream) {
        Random random(31, stream);
        const DagPtr dag = randomDag(random, {.maxWork = 4000, .ordered = stream % 4 == 1});
        const LoopState state = randomSchedule(dag, random, {.maxIterations = 20000});
        const ExportRequest request{makeTask(dag, target), state.steps(), 2, std::nullopt, {}, {}};
        const auto files = exportSchedule(request, ExportFormat::C);
        if (!files.ok()) { // nothing could tell a wrong answer of it
            QVERIFY2(QByteArray(files.why().c_str()).contains("cannot be checked"), files.why().c_str());
            continue;
        }
        exportInto(folder.filePath(QString("k%1.c").arg(candidates++)), request, ExportFormat::C);
        if (QTest::currentTestFailed()) return;
    }
    const CommandRun run =
        runIn(folder.path(), "for i in $(seq 0 19); do gcc -O1 " + kFlags +
                                 " k$i.c k${i}_main.c -lm -o k$i && ./k$i 0 || { echo candidate $i; exit 1; }; done");
    QVERIFY2(run.exitCode == 0, run.said.right(3000).constData());
    QVERIFY(run.said.count(": right") >= 20);
}

void ExportedCTest::packedWeightsArePackedByTheHeader() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    ExportRequest request{smallTask(smallWorkloads()[1]), {}, 2, std::nullopt, {}, {}};
    // Tiles that do not divide: what lies outside of the weights is zero.
    const AppliedScript applied =
        applyScript(request.task.dag, "split conv2d_nchw ff into 5\n"
                                      "split conv2d_nchw rc into 3\n"
                                      "reorder conv2d_nchw nn, ff.0, yy, xx, rc.0, ry, rx, rc.1, ff.1\n");
    QVERIFY2(!applied.problem, applied.problem ? applied.problem->reason.c_str() : "");
    request.steps = applied.state.steps();
    exportInto(folder.filePath("k.c"), request, ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    QFile header(folder.filePath("k.h"));
    QVERIFY(header.open(QIODevice::ReadOnly));
    const QByteArray text = header.readAll();
    QVERIFY2(text.contains("conv2d_bias_relu_pack_kernel(const float *plain, float *packed)"), text.constData());
    QVERIFY2(text.contains("? plain["), text.constData());
    const CommandRun run =
        runIn(folder.path(), "gcc -O2 " + kFlags +
                                 " k.c k_main.c -lm -o k && ./k 0 && "
                                 "echo '#include \"k.h\"' > all.cpp && g++ -Wall -Wextra -Werror -c all.cpp");
    QVERIFY2(run.exitCode == 0, run.said.constData());
    // As the workload has them, when that is asked for.
    request.layoutRewrite = 0;
    const auto plain = exportSchedule(request, ExportFormat::C);
    QVERIFY(plain.ok());
    QVERIFY(plain->at(1).bytes.find("_pack_") == std::string::npos);
}

/// A check that cannot fail would be none.
void ExportedCTest::aWrongKernelIsToldSo() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    const ExportRequest request{smallTask(smallWorkloads()[0]), {}, 0, std::nullopt, {}, {}};
    exportInto(folder.filePath("k.c"), request, ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    QFile file(folder.filePath("k.c"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    file.close();
    QVERIFY2(text.contains("k < 29"), text.constData());
    text.replace("k < 29", "k < 28"); // the last term of every sum is missing
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    const CommandRun run = runIn(folder.path(), "gcc -O1 " + kFlags + " k.c k_main.c -lm -o k && ./k");
    QCOMPARE(run.exitCode, 1);
    QVERIFY2(run.said.contains("C, random inputs: WRONG: 1517 of 1517 elements") || run.said.contains("WRONG: 15"),
             run.said.constData());
    QVERIFY2(!run.said.contains("ms a call"), run.said.constData()); // no time of a wrong kernel
}

void ExportedCTest::otherInputsAreToldSo() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    exportInto(folder.filePath("k.c"), drawnSchedule(smallWorkloads()[3], 1), ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    const CommandRun run =
        runIn(folder.path(), "sed -i 's/check_seeded(0, 0u)/check_seeded(1, 0u)/' k_main.c && gcc -O1 " + kFlags +
                                 " k.c k_main.c -lm -o k && ./k 0");
    QCOMPARE(run.exitCode, 1);
    QVERIFY2(run.said.contains("not those of Loopscope"), run.said.constData());
}

void ExportedCTest::strictC11() {
    const QTemporaryDir folder;
    if (const QString why = whyNoCompiler("gcc", folder.path()); !why.isEmpty()) QSKIP(qPrintable(why));
    exportInto(folder.filePath("k.c"), drawnSchedule(smallWorkloads()[1], 3), ExportFormat::C);
    if (QTest::currentTestFailed()) return;
    const CommandRun run =
        runIn(folder.path(), "gcc -std=c11 -O1 " + kFlags + " k.c k_main.c -lm -o k && OMP_NUM_THREADS=3 ./k 0");
    QVERIFY2(run.exitCode == 0, run.said.constData());
}

void ExportedCTest::timesAreComparedWithTheExpectedOne() {
    ExportRequest request{smallTask(smallWorkloads()[0]), {}, 0, std::nullopt, {}, {}};
    const auto unmeasured = exportSchedule(request, ExportFormat::C);
    QVERIFY(unmeasured.ok());
    QVERIFY(unmeasured->back().bytes.find("expected:") == std::string::npos);
    request.measured = Trial{};
    request.measured->seconds = {0.25, 0.25, 0.25};
    const auto measured = exportSchedule(request, ExportFormat::C);
    QVERIFY(measured.ok());
    for (const char *part : {"1e3 * 0.25, ", ", time / 0.25)"})
        QVERIFY2(measured->back().bytes.find(part) != std::string::npos, part);
}

LOOPSCOPE_TEST(ExportedCTest)
#include "exported_c_test.moc"
