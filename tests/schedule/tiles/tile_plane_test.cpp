// Planes cut into tiles: straight cuts of large results without looking at each element, parts where rows run on into
// the next, and bounds on the work.

#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "schedule/tiles/tile_plane.h"
#include "test_program.h"

#include <QElapsedTimer>
#include <QTest>

using namespace loopscope;

namespace tile_plane_test {

namespace {

constexpr const char *kLargeProduct = R"([["CHW",2,"local"],["SP",2,0,4096,[2,16,1,4],1],["SP",2,5,4096,[4,16,1,2],1],
    ["SP",2,10,4096,[8,2],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[4],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

KernelTiles kernelOf(const DagPtr &dag, const char *steps) {
    const Outcome<BoundedState> bounded = inferBounds(stateOf(dag, steps), std::make_shared<ExprArena>());
    if (!bounded) throw std::runtime_error(bounded.why());
    return tilesOf(*bounded).front();
}

QString text(const TileParts &parts, size_t most = 100) {
    QStringList lines;
    for (size_t i = 0; i < std::min(parts.parts.size(), most); ++i) {
        const TilePart &part = parts.parts[i];
        lines << QStringLiteral("%1,%2 %3x%4 #%5")
                     .arg(part.place.row)
                     .arg(part.place.column)
                     .arg(part.place.height)
                     .arg(part.place.width)
                     .arg(part.number);
    }
    return lines.join(QStringLiteral("; "));
}

/// Each element of the window lies in one part, which has its number.
void checkCovered(const TiledStage &stage, const TileNumber &number, const TilePlane &plane, const TileWindow &window,
                  const TileParts &parts) {
    std::vector<int> covered(static_cast<size_t>(window.height * window.width));
    std::vector<int64_t> nodes;
    for (const TilePart &part : parts.parts)
        for (int64_t r = part.place.row; r < part.place.row + part.place.height; ++r)
            for (int64_t c = part.place.column; c < part.place.column + part.place.width; ++c) {
                ++covered.at(static_cast<size_t>((r - window.row) * window.width + c - window.column));
                stage.map.nodesOf(elementAt(plane, r, c), nodes);
                QCOMPARE(number.of(nodes), part.number);
            }
    for (const int times : covered) QCOMPARE(times, 1);
}

} // namespace

class TilePlaneTest : public QObject {
    Q_OBJECT
  private slots:
    void largeResultsAreCutQuickly();
    void blockOfAnElement();
    void fetchedVectorsBelongToThreads();
    void rowsThatRunOn();
    void tooManyParts();
    void theAxesShown();
};

void TilePlaneTest::largeResultsAreCutQuickly() {
    const KernelTiles kernel = kernelOf(matmulDag(4096, 4096, 4096), kLargeProduct);
    const TilePlane plane = planeOf(kernel.output);
    QElapsedTimer timer;
    timer.start();
    const TileCuts cuts = cutsOf(kernel.output, kernel.output.block, plane, wholePlane(kernel.output, plane));
    QVERIFY2(timer.elapsed() < 100, qPrintable(QStringLiteral("%1 ms").arg(timer.elapsed())));
    QVERIFY(cuts.straight);
    QCOMPARE(cuts.rows.size(), 32U);
    QCOMPARE(cuts.columns.size(), 32U);
    QCOMPARE(cuts.columns.at(5), 5 * 128);
    const TileParts blocks =
        partsOf(kernel.output, kernel.output.block, plane, wholePlane(kernel.output, plane), 100000);
    QVERIFY(blocks.complete);
    QCOMPARE(blocks.parts.size(), 1024U);
    QCOMPARE(text(blocks, 3), QStringLiteral("0,0 128x128 #0; 0,128 128x128 #1; 0,256 128x128 #2"));
    const TileWindow block{128, 256, 128, 128};
    checkCovered(kernel.output, kernel.output.thread, plane, block,
                 partsOf(kernel.output, kernel.output.thread, plane, block, 100000));
}

void TilePlaneTest::blockOfAnElement() {
    const KernelTiles kernel = kernelOf(matmulDag(4096, 4096, 4096), kLargeProduct);
    TilePlane plane = planeOf(kernel.output);
    plane.through = {1000, 3000};
    const TileWindow window = windowOf(kernel.output, kernel.output.block, plane, kernel.output.levels.front().shape);
    QCOMPARE(window.row, 896);
    QCOMPARE(window.column, 2944);
    QCOMPARE(window.height, 128);
    QCOMPARE(window.width, 128);
}

void TilePlaneTest::fetchedVectorsBelongToThreads() {
    const KernelTiles kernel = kernelOf(matmulDag(4096, 4096, 4096), kLargeProduct);
    const TiledStage &fetched = kernel.inside.front();
    const TilePlane plane = planeOf(fetched);
    const TileWindow whole = wholePlane(fetched, plane);
    const TileParts parts = partsOf(fetched, fetched.thread, plane, whole, 100000);
    QCOMPARE(parts.parts.size(), 512U); // 256 threads bring 4 elements each, twice
    QCOMPARE(text(parts, 5), QStringLiteral("0,0 1x4 #0; 0,4 1x4 #1; 0,8 1x4 #2; 0,12 1x4 #3; 1,0 1x4 #4"));
    checkCovered(fetched, fetched.thread, plane, whole, parts);
}

void TilePlaneTest::rowsThatRunOn() {
    // Blocks of 16 of the elements in their order, of rows of 10.
    const KernelTiles kernel = kernelOf(
        elementwiseDag(8, 10), R"([["CI",1],["CI",2],["FU",3,[0,1]],["SP",3,0,80,[16],1],["AN",3,0,5],["AN",3,1,6]])");
    const TilePlane plane = planeOf(kernel.output);
    const TileWindow whole = wholePlane(kernel.output, plane);
    QVERIFY(!cutsOf(kernel.output, kernel.output.block, plane, whole).straight);
    const TileParts parts = partsOf(kernel.output, kernel.output.block, plane, whole, 1000);
    QVERIFY(parts.complete);
    QCOMPARE(text(parts, 4), QStringLiteral("0,0 1x10 #0; 1,0 1x6 #0; 1,6 1x4 #1; 2,0 1x10 #1"));
    checkCovered(kernel.output, kernel.output.block, plane, whole, parts);
}

void TilePlaneTest::tooManyParts() {
    const KernelTiles kernel = kernelOf(matmulDag(4096, 4096, 4096), kLargeProduct);
    const TilePlane plane = planeOf(kernel.output);
    const TileParts parts = partsOf(kernel.output, kernel.output.block, plane, wholePlane(kernel.output, plane), 1023);
    QVERIFY(!parts.complete);
    QVERIFY(parts.parts.empty());
}

void TilePlaneTest::theAxesShown() {
    TiledStage stage;
    const auto shown = [&stage](std::vector<int64_t> shape) {
        stage.shape = std::move(shape);
        const TilePlane plane = planeOf(stage);
        return QStringLiteral("%1 %2").arg(plane.rows).arg(plane.columns);
    };
    QCOMPARE(shown({1, 56, 56, 64}), QStringLiteral("2 3"));
    QCOMPARE(shown({4, 512, 1, 1}), QStringLiteral("0 1"));
    QCOMPARE(shown({1, 1000}), QStringLiteral("0 1"));
    QCOMPARE(shown({1000, 1}), QStringLiteral("0 1"));
    QCOMPARE(shown({7}), QStringLiteral("-1 0"));
    QCOMPARE(shown({}), QStringLiteral("-1 0"));
}

LOOPSCOPE_TEST(TilePlaneTest)

} // namespace tile_plane_test
#include "tile_plane_test.moc"
