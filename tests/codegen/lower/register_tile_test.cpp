// Register tiles of reductions: where their rows lie in memory, and in which order they are computed.

#include "codegen/lower/lower.h"
#include "harness/program_interpreter.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QTest>

#include <map>

using namespace loopscope;

namespace register_tile_test {

namespace {

struct Lowered {
    std::map<std::string, QString> after; // pass -> program
    std::string wrong;                    // empty: it computes what the workload says
};

Lowered lowered(const DagPtr &dag, const QString &steps) {
    Lowered result;
    LowerOptions options;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        result.after[std::string(pass)] = QString::fromStdString(printProgram(program));
    };
    const auto program = lower(stateOf(dag, steps.toUtf8().constData()), vectorTarget(), options);
    if (!program) {
        result.wrong = program.why();
        return result;
    }
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const ProgramRun run = runProgram(*program, inputs);
    result.wrong = run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
    return result;
}

} // namespace

class RegisterTileTest : public QObject {
    Q_OBJECT
  private slots:
    /// Vectors of the target have eight lanes.
    void rowsReadAsOneVectorBeginAtWholeVectors_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("layout");
        QTest::newRow("7 of 8 lanes") << 7 << "float32[8, 7] stack, rows 8 apart";
        QTest::newRow("two vectors, the second of 4") << 12 << "float32[8, 12] stack, rows 16 apart";
        QTest::newRow("whole vectors") << 8 << "float32[8, 8] stack\n";
        QTest::newRow("too much would lie idle") << 5 << "float32[8, 5] stack\n";
        QTest::newRow("half a vector crosses nothing") << 4 << "float32[8, 4] stack\n";
    }
    void rowsReadAsOneVectorBeginAtWholeVectors() {
        QFETCH(const int, width);
        QFETCH(const QString, layout);
        const DagPtr dag = matmulBiasReluDag(16, 3L * width, 8);
        const Lowered tile = lowered(dag, QStringLiteral(R"([["SP",2,0,16,[8],1],["SP",2,2,%1,[%2],1],
            ["RE",2,[0,2,4,1,3]],["AN",2,3,0],["AN",2,4,2],["CI",4],["FSP",5,0,0,1],["FSP",5,2,1,1],
            ["RE",5,[0,2,1,3]],["CA",2,5,1]])")
                                              .arg(3 * width)
                                              .arg(width));
        const QString text = tile.after.at("transpose buffers");
        QVERIFY2((text + '\n').contains(layout), qPrintable(text));
        QCOMPARE(tile.wrong, std::string());
    }

    /// Vectors that are parts of a row begin wherever they may.
    void partsOfRowsStayWhereTheyAre() {
        const Lowered halves = lowered(matmulBiasReluDag(16, 28, 8), R"([["SP",2,0,16,[8],1],["SP",2,2,28,[2,7],1],
            ["RE",2,[0,2,3,5,1,4]],["AN",2,5,2],["CI",4],["FSP",5,0,0,1],["FSP",5,2,1,1],["RE",5,[0,2,1,3]],
            ["CA",2,5,1]])");
        const QString text = halves.after.at("transpose buffers");
        QVERIFY2(text.contains("float32[8, 14] stack"), qPrintable(text));
        QVERIFY2(!text.contains("apart"), qPrintable(text));
        QCOMPARE(halves.wrong, std::string());
    }

    /// Of 42 columns the last of six vectors has two, of 43 three; their sums are in registers like the others.
    void tailsOfVectorsHaveSoManyLanes() {
        for (const int lanes : {2, 3}) {
            const Lowered tails =
                lowered(matmulDag(4, 40 + lanes, 19), R"([["SP",2,1,0,[8],1],["RE",2,[0,1,3,2]],["AN",2,3,2]])");
            const QString text = tails.after.at("promote scalars");
            QVERIFY2(!text.contains("if "), qPrintable(text));
            QVERIFY2(text.contains(QStringLiteral("vectorized j.1 in 0 .. %1:").arg(lanes)), qPrintable(text));
            QVERIFY2(text.contains(QStringLiteral("allocate C.acc: float32[%1] register").arg(lanes)),
                     qPrintable(text));
            QCOMPARE(tails.wrong, std::string());
        }
    }

    /// Sixteen registers: 2 x 6 sums and, row by row, six values of B that wait for the second row.
    void fewerValuesWaitForOthers() {
        const DagPtr dag = matmulDag(8, 24, 8);
        const auto tiled = [&](int rows, int columns) {
            return lowered(dag, QStringLiteral(R"([["SP",2,0,8,[%1],1],["SP",2,2,24,[%2],1],["RE",2,[0,2,4,1,3]]])")
                                    .arg(rows)
                                    .arg(columns));
        };
        const auto order = [](const Lowered &tile) {
            const QString text = tile.after.at("promote scalars");
            const qsizetype sum = text.indexOf(" for k ");
            const qsizetype i = text.indexOf("unrolled i.1", sum);
            const qsizetype j = text.indexOf("unrolled j.1", sum);
            return sum < 0 || i < 0 || j < 0 ? text : QString::fromLatin1(i < j ? "rows outside" : "columns outside");
        };
        const Lowered wide = tiled(2, 6);
        QCOMPARE(order(wide), QStringLiteral("columns outside"));
        QCOMPARE(wide.wrong, std::string());
        const Lowered fits = tiled(2, 4);
        QCOMPARE(order(fits), QStringLiteral("rows outside"));
        QCOMPARE(fits.wrong, std::string());
        const Lowered tall = tiled(4, 3); // 12 sums, three values wait and one comes: the fewest there can be
        QCOMPARE(order(tall), QStringLiteral("rows outside"));
        QCOMPARE(tall.wrong, std::string());
    }
};

LOOPSCOPE_TEST(RegisterTileTest)

} // namespace register_tile_test
#include "register_tile_test.moc"
