// What the picture of tiles shows, as text: panels of a GPU schedule and of a processor's, what is gone into, strips of
// the reduction, the numbers beside it.

#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"
#include "views/tiles/tile_facts.h"
#include "views/tiles/tile_picture.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace loopscope {

namespace {

/// A line a panel.
QString pictureText(const TilePicture &picture) {
    QString text;
    for (const TilePanel &panel : picture.panels)
        text += QStringLiteral("%1 | %2 | %3 parts%4 of %5,%6 %7x%8, marked %9")
                    .arg(panel.title, QString(panel.subtitle).replace(u'\n', QStringLiteral("; ")))
                    .arg(panel.parts.parts.size())
                    .arg(panel.parts.complete ? QString() : QStringLiteral(" (not all)"))
                    .arg(panel.window.row)
                    .arg(panel.window.column)
                    .arg(panel.window.height)
                    .arg(panel.window.width)
                    .arg(panel.marked) +
                (panel.entered ? QStringLiteral(", entered\n") : QStringLiteral("\n"));
    for (const TileStrip &strip : picture.strips)
        text +=
            strip.subtitle.isEmpty() ? strip.text + u'\n' : strip.text + QStringLiteral(" | ") + strip.subtitle + u'\n';
    return text;
}

constexpr const char *kTiledProduct = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

std::vector<KernelTiles> tiles(const DagPtr &dag, const char *steps) {
    const Outcome<BoundedState> bounded = inferBounds(stateOf(dag, steps), std::make_shared<ExprArena>());
    if (!bounded) throw std::runtime_error(bounded.why());
    return tilesOf(*bounded);
}

QString factsText(const std::vector<TileFact> &facts) {
    QString text;
    for (const TileFact &fact : facts)
        text += QStringList{fact.what, fact.count, fact.tile, fact.note}.join(QStringLiteral(" | ")) +
                (fact.warning ? QStringLiteral(" !\n") : QStringLiteral("\n"));
    return text;
}

} // namespace

class TilePictureTest : public QObject {
    Q_OBJECT
  private slots:
    void panelsOfAGpuKernel() {
        const KernelTiles kernel = tiles(matmulDag(16, 24, 12), kTiledProduct).front();
        QCOMPARE(
            pictureText(tilePicture(kernel, {})),
            QStringLiteral("C  16 × 24 | 6 blocks of 8 × 8 | 6 parts of 0,0 16x24, marked 0, entered\n"
                           "A block of C  8 × 8 | 2 virtual threads (colours) of 8 threads | 16 parts of 0,0 8x8, "
                           "marked 0\n"
                           "C.local  2 × 2 | in local memory of each thread; 2 times: for each virtual thread "
                           "| 4 parts of 0,0 2x2, marked -1\n"
                           "A.shared  8 × 6 | in shared memory; 6 elements a thread, in vectors of 2 | 24 parts of "
                           "0,0 8x6, marked 0\n"
                           "B.shared  6 × 8 | in shared memory; 6 elements a thread | 8 parts of 0,0 6x8, marked 0\n"
                           "k.0: 2 steps of 6 | each fetches A.shared and B.shared\n"
                           "k.1: 2 steps of 3\n"
                           "k.2: 3 steps of 1\n"));
    }

    void anotherElementIsGoneInto() {
        const KernelTiles kernel = tiles(matmulDag(16, 24, 12), kTiledProduct).front();
        TileFocus focus;
        focus.elements[kResultStage] = {9, 22};
        const TilePicture picture = tilePicture(kernel, focus);
        QCOMPARE(picture.panels[0].marked, 5);
        QCOMPARE(picture.panels[1].window, (TileWindow{8, 16, 8, 8}));
        // Column 22 is the seventh of the block: second virtual thread, second column of threads.
        QCOMPARE(picture.panels[1].marked, 8 + 1);
        QCOMPARE(placeText(kernel.output, {9, 22}),
                 QStringLiteral("blockIdx.x i.0@j.0@ = 5 of 6\nvthread i.1@j.1@ = 1 of 2\n"
                                "threadIdx.x i.2@j.2@ = 1 of 8\ni.3 = 1 of 2\nj.3 = 0 of 2"));
    }

    void tileLevelsOfAProcessor() {
        const KernelTiles kernel = tiles(matmulDag(512, 512, 512),
                                         R"([["CHW",2,"local"],["SP",2,0,512,[4,4,8],1],["SP",2,4,512,[2,8,16],1],
            ["SP",2,8,512,[16],1],["RE",2,[0,4,1,5,8,2,6,9,3,7]],["FSP",3,0,1,1],["FSP",3,2,2,1],["RE",3,[0,2,1,3]],
            ["CA",2,3,1],["FU",3,[0,1]],["AN",3,0,3],["AN",2,9,2]])")
                                       .front();
        QVERIFY(hasTiles(kernel));
        QCOMPARE(
            pictureText(tilePicture(kernel, {})),
            QStringLiteral("C  512 × 512 | 8 parallel tiles of 128 × 256 | 8 parts of 0,0 512x512, marked 0\n"
                           "C.local  128 × 256 | 8 tiles of 32 × 128 | 8 parts of 0,0 128x256, marked 0, entered\n"
                           "A tile of C.local  32 × 128 | 32 tiles of 8 × 16 | 32 parts of 0,0 32x128, marked 0, "
                           "entered\n"
                           "A tile of C.local  8 × 16 | 8 tiles of 1 × 16 | 8 parts of 0,0 8x16, marked 0, entered\n"
                           "A tile of C.local  1 × 16 | 16 lanes of 1 × 1 | 16 parts of 0,0 1x16, marked 0\n"
                           "k.0: 32 steps of 16\nk.1: 16 steps of 1\n"));
    }

    void naiveLoopsHaveNoTiles() { QVERIFY(!hasTiles(tiles(matmulDag(8, 8, 8), "[]").front())); }

    void theKernelWithMostWork() {
        const std::vector<KernelTiles> kernels = tiles(matmulBiasReluDag(8, 8, 64), "[]");
        QVERIFY(kernels.size() > 1);
        QVERIFY(!kernels[static_cast<size_t>(mainKernel(kernels))].output.reductions.empty());
    }

    void numbers() {
        const KernelTiles kernel = tiles(matmulDag(16, 24, 12), kTiledProduct).front();
        QCOMPARE(tileSummary(kernel), QStringLiteral("6 blocks of 8 threads, 8 elements each, 384 B shared"));
        Target target = gpuTarget();
        target.hardware.maxSharedMemoryPerBlock = 256;
        const QString wanted = QStringLiteral(
            "Blocks | 6 | 8 × 8 | i.0@j.0@ of 6\n"
            "Virtual threads | 2 | 8 × 4 | i.1@j.1@ of 2\n"
            "Threads | 8 | 2 × 2 | i.2@j.2@ of 8\n"
            "Elements | 4 | 1 × 1 | i.3 of 2, j.3 of 2\n"
            "Elements a thread | 8 |  | grid 6, block 8\n"
            "Reduction | 2 | one after the other | k.0 of 2\n"
            "Reduction | 2 | one after the other | k.1 of 2\n"
            "Reduction | 3 | one after the other | k.2 of 3\n"
            "Warps a block | 1 |  | the last has 8 of 32 threads !\n"
            "A.shared | 192 B | 8 × 6 | shared, 6 elements a thread, 3 loads of 2, at k.0 of C.local, computed 2 "
            "times, "
            "each element read 8 times\n"
            "B.shared | 192 B | 6 × 8 | shared, 6 elements a thread, at k.0 of C.local, computed 2 times, each element "
            "read 8 times\n"
            "C.local | 32 B | 2 × 2, 2 times | local, of each thread, at i.2@j.2@ of C, each element read once\n"
            "Shared memory | 384 B |  | of 256 B that a block may use !\n");
        QCOMPARE(factsText(tileFacts(kernel, target)), wanted);
    }

    void theTableOfNumbers() {
        Theme theme;
        TileFactModel model(theme);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFacts(tileFacts(tiles(matmulDag(16, 24, 12), kTiledProduct).front(), gpuTarget()));
        QCOMPARE(model.rowOf({QStringLiteral("C"), QStringLiteral("i.2@j.2@")}), 2);
        QCOMPARE(model.rowOf({QStringLiteral("C"), QStringLiteral("i")}), -1);
        QCOMPARE(model.index(2, TileFactModel::WhatColumn).data(Qt::ForegroundRole).value<QColor>(),
                 theme.color(Role::ThreadBound));
        model.setFacts({});
        QCOMPARE(model.rowCount(), 0);
    }
};

LOOPSCOPE_WINDOW_TEST(TilePictureTest)
} // namespace loopscope

#include "tile_picture_test.moc"
