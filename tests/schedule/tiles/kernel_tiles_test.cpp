// Tiles of schedules written by hand, as text: which loops cut the result, what is kept in which memory, how often an
// element that was fetched is read, for GPUs and for processors.

#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "schedule/tiles/kernel_tiles.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

// As the search makes them: a tile for each block, virtual thread and thread in local memory, both inputs fetched into
// shared memory by all threads of a block, the first in vectors, in tiles of the reduction.
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

QString text(const DagPtr &dag, const char *steps) {
    QStringList kernels;
    for (const KernelTiles &kernel : tiles(dag, steps)) kernels << QString::fromStdString(tilesText(kernel));
    return kernels.join(QStringLiteral("--\n"));
}

} // namespace

class KernelTilesTest : public QObject {
    Q_OBJECT
  private slots:
    void blocksVirtualThreadsAndThreads();
    void processorsHaveParallelLoopsAndTileLevels();
    void threadsMayShareAReduction();
    void rowsApartInSharedMemory();
    void eachStageAtRootIsAKernel();
    void everyElementHasItsThread();
};

void KernelTilesTest::blocksVirtualThreadsAndThreads() {
    QCOMPARE(text(matmulDag(16, 24, 12), kTiledProduct),
             QStringLiteral(
                 R"(grid 6, block 8, 2 virtual threads; 384 bytes shared, 32 bytes local
C: 16 x 24 of float32
  6 block: i.0@j.0@ of 6 (blockIdx.x); tile 8 x 8
  2 virtual thread: i.1@j.1@ of 2 (vthread); tile 8 x 4
  8 thread: i.2@j.2@ of 8 (threadIdx.x); tile 2 x 2
  4 inner: i.3 of 2, j.3 of 2; tile 1 x 1
A.shared: 8 x 6 of float32, at k.0 of C.local, shared memory, 192 bytes, 2 times, each element read 8 times, 6 elements a thread
  3 inner: ax0@ax1@.0.0 of 3; tile 3 x 6, not whole
  8 thread: ax0@ax1@.0.1 of 8 (threadIdx.x); tile 1 x 2
  2 vector: ax0@ax1@.1 of 2 (vectorize); tile 1 x 1
B.shared: 6 x 8 of float32, at k.0 of C.local, shared memory, 192 bytes, 2 times, each element read 8 times, 6 elements a thread
  6 inner: ax0@ax1@.0 of 6; tile 1 x 8
  8 thread: ax0@ax1@.1 of 8 (threadIdx.x); tile 1 x 1
C.local: 2 x 2 of float32, at i.2@j.2@ of C, local memory, 32 bytes, 1 times, 2 copies, each element read 1 times
  4 inner: i_c.4 of 2, j_c.4 of 2; tile 1 x 1
  reduction: k.0 of 2, k.1 of 2, k.2 of 3
)"));
}

void KernelTilesTest::processorsHaveParallelLoopsAndTileLevels() {
    QCOMPARE(text(matmulDag(512, 512, 512), R"([["CHW",2,"local"],["SP",2,0,512,[4,4,8],1],["SP",2,4,512,[2,8,16],1],
        ["SP",2,8,512,[16],1],["RE",2,[0,4,1,5,8,2,6,9,3,7]],["FSP",3,0,1,1],["FSP",3,2,2,1],["RE",3,[0,2,1,3]],
        ["CA",2,3,1],["FU",3,[0,1]],["AN",3,0,3],["AN",2,9,2]])"),
             QStringLiteral(
                 R"(C: 512 x 512 of float32
  8 parallel: i.0@j.0@ of 8 (parallel); tile 128 x 256
  32768 inner: i.1 of 128, j.1 of 256; tile 1 x 1
C.local: 128 x 256 of float32, at i.0@j.0@ of C, 131072 bytes, 1 times, each element read 1 times
  8 inner: i_c.1 of 4, j_c.1 of 2; tile 32 x 128
  32 inner: i_c.2 of 4, j_c.2 of 8; tile 8 x 16
  8 inner: i_c.3 of 8; tile 1 x 16
  16 vector: j_c.3 of 16 (vectorize); tile 1 x 1
  reduction: k.0 of 32, k.1 of 16
)"));
}

void KernelTilesTest::threadsMayShareAReduction() {
    QCOMPARE(text(rowMinDag(10, 1024), R"([["SP",1,1,1024,[32],1],["AN",1,2,6],["AN",1,0,5]])"),
             QStringLiteral(
                 R"(grid 10, block 32, 1 virtual threads; 0 bytes shared, 0 bytes local
B: 10 of float32
  10 block: i of 10 (blockIdx.x); tile 1
  reduction: k.0 of 32, k.1 of 32 (threadIdx.x)
)"));
}

void KernelTilesTest::rowsApartInSharedMemory() {
    std::string steps = kTiledProduct;
    steps.insert(steps.rfind("[\"FU\",1,[0,1]]"), R"(["SA",1,0,8,1],)");
    const std::vector<KernelTiles> kernels = tiles(matmulDag(16, 24, 12), steps.c_str());
    const TiledStage &fetched = kernels.front().inside.front();
    QCOMPARE(fetched.name, std::string("A.shared"));
    QCOMPARE(fetched.elements(), 48);
    QCOMPARE(fetched.allocated, 7 * 9 + 6); // rows of 6, apart by 9: one more than a multiple of 8
    QCOMPARE(kernels.front().sharedBytes(), 4 * (69 + 48));
}

void KernelTilesTest::eachStageAtRootIsAKernel() {
    const std::vector<KernelTiles> kernels = tiles(matmulBiasReluDag(8, 8, 8), "[]");
    QStringList names;
    for (const KernelTiles &kernel : kernels) names << QString::fromStdString(kernel.output.name);
    QCOMPARE(names.size(), 3);
    QVERIFY(!kernels.front().gpu);
}

/// All elements of the result, block by block and thread by thread: as many for each, and each element one place.
void KernelTilesTest::everyElementHasItsThread() {
    const std::vector<KernelTiles> kernels = tiles(matmulDag(16, 24, 12), kTiledProduct);
    const KernelTiles &kernel = kernels.front();
    std::map<std::array<int64_t, 3>, int> count;
    std::vector<int64_t> nodes;
    for (int64_t i = 0; i < 16; ++i)
        for (int64_t j = 0; j < 24; ++j) {
            kernel.output.map.nodesOf(std::array{i, j}, nodes);
            ++count[{kernel.output.block.of(nodes), kernel.output.virtualThread.of(nodes),
                     kernel.output.thread.of(nodes)}];
        }
    QCOMPARE(count.size(), size_t(6 * 2 * 8));
    for (const auto &[place, elements] : count) QCOMPARE(elements, 4);
    // The second thread computes the two columns beside those of the first, the second virtual thread lies 4 further.
    kernel.output.map.nodesOf(std::array<int64_t, 2>{0, 2}, nodes);
    QCOMPARE(kernel.output.thread.of(nodes), 1);
    kernel.output.map.nodesOf(std::array<int64_t, 2>{0, 4}, nodes);
    QCOMPARE(kernel.output.virtualThread.of(nodes), 1);
    QCOMPARE(kernel.output.thread.of(nodes), 0);
}

LOOPSCOPE_TEST(KernelTilesTest)
#include "kernel_tiles_test.moc"
