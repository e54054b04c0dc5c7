// The model of what a layout costs: misses at each level within 5 % of those simulated for the worked examples, and of
// what a simulation of the same loops counts for small random nests.

#include "cache_simulator.h"
#include "example_nests.h"
#include "test_program.h"

#include <QTest>
#include <cmath>

using namespace loopscope;

namespace {

constexpr double kWithin = 0.05;

QString missesText(const std::vector<double> &misses) {
    QString text;
    for (const double count : misses) text += QString("%1 ").arg(count / 1000, 0, 'f', 1);
    return text.trimmed();
}

/// In thousands; -1: not given. What is below a tenth of a percent of the nest's accesses may be off by as much.
bool within(double found, double expected, double slack) {
    return expected < 0 || std::abs(found - expected) <= kWithin * expected + slack;
}

/// Caches, and pages, as small beside a matrix of 128 x 128 as those of the model are beside the examples.
MemoryModel smallMachine() {
    MemoryModel model;
    model.levels = {{"L1", 1024, 8, 14, 64}, {"L2", 16384, 16, 50, 64}, {"pages", 16 * 512, 16, 30, 512}};
    return model;
}

/// All accesses of the tensor see it in this layout.
void layOut(NestCost &cost, const AccessNest &nest, const std::string &tensor, const std::string &layout) {
    const std::vector<int> accesses = accessesOf(nest, tensor);
    const NestAccess &first = nest.accesses[static_cast<size_t>(accesses.at(0))];
    cost.place(accesses, exampleLayout(layout, nest.tensors[static_cast<size_t>(first.tensor)].shape), true);
}

} // namespace

class LayoutCostTest : public QObject {
    Q_OBJECT

  private slots:
    void examples_data() {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QList<double>>("expected"); // L1, L2, pages, in thousands
        const auto row = [](const char *name, const std::string &workload, const std::string &script,
                            const char *tensor, const char *layout, const QList<double> &expected) {
            QTest::newRow(name) << QString::fromStdString(workload) << QString::fromStdString(script) << QString(tensor)
                                << QString(layout) << expected;
        };
        row("E1 as it is", kExampleMatmul, "", "B", "", {16797, 16796, 16794});
        row("E1 transposed", kExampleMatmul, "", "B", "[d1][d0]", {1051, 1051, 16});
        row("E1 panels of 16", kExampleMatmul, "", "B", "[d1/16][d0][16]", {17842, 1051, 16});
        row("E1 panels of 8", kExampleMatmul, "", "B", "[d1/8][d0][8]", {9341, 1051, 16});
        row("E2 as it is", kExampleMatmul, kLoopsOfE2, "B", "", {1051, 1051, 16});
        row("E2 panels of 16", kExampleMatmul, kLoopsOfE2, "B", "[d1/16][d0][16]", {1080, 1052, 1065});
        row("E2 transposed", kExampleMatmul, kLoopsOfE2, "B", "[d1][d0]", {16813, 16796, 16826});
        row("E3 as it is", kExampleMatmul, kLoopsOfE3, "B", "", {328, 265, 263});
        row("E3 panels of 16", kExampleMatmul, kLoopsOfE3, "B", "[d1/16][d0][16]", {328, 67, 1.0});
        row("E3 as it is, rows outermost", kExampleMatmul, kLoopsOfE3Rows, "B", "", {265, 265, 262});
        row("E3 panels of 16, rows outermost", kExampleMatmul, kLoopsOfE3Rows, "B", "[d1/16][d0][16]", {328, 263, 4.1});
        row("E4 as it is", kExampleConv, kLoopsOfE4, "w", "", {2052, -1, -1});
        row("E4 blocks of 8", kExampleConv, kLoopsOfE4, "w", "[d0/8][d1][d2][d3][8]", {2073, -1, -1});
        row("E4 channels innermost", kExampleConv, kLoopsOfE4, "w", "[d1][d2][d3][d0]", {3973, -1, 585});
        row("E5 as it is", exampleTranspose(2048), "", "in", "", {4456, 4456, 4198});
        row("E5 in blocks", exampleTranspose(2048),
            "split out i into 16\nsplit out j into 16\nreorder out i.0, j.0, i.1, j.1\n", "in", "", {4456, 524, 268});
        row("E5 copied", exampleTransposeCopied(2048), "", "in", "", {4981, 4981, 4207});
        row("E6 as it is", kExampleE6, "", "in", "", {17826, 17826, 16794});
        row("E6 copied", kExampleE6Copied, "", "in", "", {3211, 3211, 1082});
        row("E7 as it is", kExampleE7, "", "in", "", {2097, 2097, 1065});
        row("E7 copied", kExampleE7Copied, "", "in", "", {2228, 2228, 1067});
        row("E8 one layout", kExampleE8, kLoopsOfE8, "B", "", {17864, 17847, 16843});
        row("E8 copied for one", kExampleE8Copied, kLoopsOfE8Copied, "B", "", {3215, 2232, 99});
        row("E9 padded", kExampleMatmul, "", "B", "[d0][d1+16]", {17842, 1051, 16794});
    }

    void examples() {
        QFETCH(QString, workload);
        QFETCH(QString, script);
        QFETCH(QString, tensor);
        QFETCH(QString, layout);
        QFETCH(QList<double>, expected);
        const AccessNest nest = exampleNest(workload.toStdString(), script.toStdString());
        const MemoryModel model;
        NestCost cost(nest, model);
        if (!layout.isEmpty()) layOut(cost, nest, tensor.toStdString(), layout.toStdString());
        const LayoutCost total = cost.total();
        const double slack = 0.0005 * total.accesses;
        const QString found = missesText(total.misses);
        for (qsizetype level = 0; level < expected.size(); ++level)
            QVERIFY2(within(total.misses[static_cast<size_t>(level)], expected[level] < 0 ? -1 : expected[level] * 1000,
                            slack),
                     qPrintable(QString("level %1 of %2").arg(level).arg(found)));
    }

    void copies() {
        const MemoryModel model;
        const Layout swap = exampleLayout("[d1][d0]", {1024, 1024});
        const auto total = [&](const Layout &layout, bool blocked) {
            const AccessNest nest = copyNestOf(layout, 4, blocked);
            return NestCost(nest, model).total();
        };
        const auto close = [](const LayoutCost &cost, std::vector<double> expected) {
            for (size_t i = 0; i < expected.size(); ++i)
                if (!within(cost.misses[i], expected[i] * 1000, 2000)) return false;
            return true;
        };
        QVERIFY2(close(total(swap, false), {1114, 1114, 1050}), qPrintable(missesText(total(swap, false).misses)));
        QVERIFY2(close(total(swap, true), {1114, 131, 67}), qPrintable(missesText(total(swap, true).misses)));
        const Layout panel = exampleLayout("[d1/16][d0][16]", {1024, 1024});
        QVERIFY2(close(total(panel, false), {131, 131, 67}), qPrintable(missesText(total(panel, false).misses)));
    }

    /// Other sizes and another machine: what a simulation of the same loops counts.
    void miniatures_data() {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("layout"); // of the tensor that is read across; empty: as it is
        const auto rows = [](const char *name, const std::string &workload, const std::string &script,
                             const QStringList &layouts) {
            const QString small = QString::fromStdString(workload).replace("1024", "128");
            for (const QString &layout : layouts)
                QTest::addRow("%s %s", name, qPrintable(layout)) << small << QString::fromStdString(script) << layout;
        };
        const QStringList turned = {"", "[d1][d0]"};
        rows("E1", kExampleMatmul, "", {"", "[d1][d0]", "[d0][d1+16]"});
        rows("E2", kExampleMatmul, kLoopsOfE2, turned);
        rows("E5", exampleTranspose(1024), "", turned);
        rows("E5 copied", exampleTransposeCopied(1024), "", {""});
        rows("E6", kExampleE6, "", {""});
        rows("E6 copied", kExampleE6Copied, "", {""});
        rows("E7", kExampleE7, "", {""});
        rows("E7 copied", kExampleE7Copied, "", {""});
        rows("E8", kExampleE8, kLoopsOfE8, {""});
        rows("E8 copied", kExampleE8Copied, kLoopsOfE8Copied, {""});
    }

    void miniatures() {
        QFETCH(QString, workload);
        QFETCH(QString, script);
        QFETCH(QString, layout);
        const AccessNest nest = exampleNest(workload.toStdString(), script.toStdString());
        const MemoryModel model = smallMachine();
        NestCost cost(nest, model);
        if (!layout.isEmpty()) layOut(cost, nest, workload.contains("B =") ? "B" : "in", layout.toStdString());
        const LayoutCost total = cost.total();
        const SimulatedMisses counted = simulate(nest, cost, model);
        for (size_t level = 0; level < model.levels.size(); ++level)
            QVERIFY2(within(total.misses[level], counted.misses[level], 0.0005 * total.accesses),
                     qPrintable(QString("%1 of %2 simulated, %3 accesses")
                                    .arg(missesText(total.misses), missesText(counted.misses))
                                    .arg(total.accesses)));
    }

    /// The simulation itself: of the blocked transpose as it is stated.
    void simulationOfAnExample() {
        const AccessNest nest = copyNestOf(exampleLayout("[d1][d0]", {1024, 1024}), 4, true);
        const MemoryModel model;
        const SimulatedMisses counted = simulate(nest, NestCost(nest, model), model);
        QVERIFY2(within(counted.misses[0], 1114e3, 2000) && within(counted.misses[1], 131e3, 2000),
                 qPrintable(missesText(counted.misses)));
    }
};

LOOPSCOPE_TEST(LayoutCostTest)
#include "layout_cost_test.moc"
