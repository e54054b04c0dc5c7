// The memory plan of a network as a picture: no two rectangles overlap but where one took the place of another; clicks
// select, and the selection is marked.

#include "small_network.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/graph/view_overlays.h"
#include "views/network_memory/network_memory_view.h"

#include <QTest>

namespace loopscope {

namespace {

const std::atomic<bool> kGoOn{false};

struct Bench : ViewBench {
    NetworkMemoryView view{context};
    OpenNetworks &networks = session.networks();

    Bench() {
        view.resize(1100, 700);
        view.show();
        (void)QTest::qWaitForWindowActive(&view);
    }
    [[nodiscard]] bool open() {
        networks.show(QStringLiteral("small.net"), smallNetwork());
        return QTest::qWaitFor([this] { return networks.current()->kernels != nullptr; }, 20000);
    }
};

} // namespace

class NetworkMemoryTest : public QObject {
    Q_OBJECT

  private slots:
    void blocks() {
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(4), {}, kGoOn);
        QVERIFY(kernels->memory.has_value());
        const MemoryBlocks picture = memoryBlocks(*kernels);
        QVERIFY(!picture.blocks.empty());
        for (size_t i = 0; i < picture.blocks.size(); ++i) {
            const MemoryBlock &block = picture.blocks[i];
            QVERIFY(picture.arena.adjusted(-1, -1, 1, 1).contains(block.rect));
            QVERIFY2(block.tip.contains(block.name), qPrintable(block.tip));
            QVERIFY(!block.sources.empty());
            for (size_t k = i + 1; k < picture.blocks.size(); ++k) {
                const QRectF both = block.rect.intersected(picture.blocks[k].rect);
                if (!block.taken && !picture.blocks[k].taken)
                    QVERIFY2(both.width() < 0.01 || both.height() < 0.01,
                             qPrintable(block.name + u' ' + picture.blocks[k].name));
            }
        }
        QVERIFY2(picture.sentence.startsWith(QStringLiteral("arena ")), qPrintable(picture.sentence));
        QCOMPARE(picture.levels.size(), picture.levelTexts.size());
        QVERIFY(picture.levels.size() >= 3 && picture.levels.size() <= 8);
    }

    void nothingOpen() {
        Bench bench;
        QVERIFY(bench.view.graph().notices().emptyText().startsWith(QStringLiteral("Open a network")));
        QVERIFY(bench.view.exportTo(QStringLiteral("/tmp/none.svg")).contains(QStringLiteral("no graph")));
    }

    void clicksSelectAndTheSelectionIsMarked() {
        Bench bench;
        QVERIFY(bench.open());
        QTRY_VERIFY(!bench.view.picture().blocks.empty());
        const MemoryBlock &block = bench.view.picture().blocks.front();
        QTest::mouseClick(bench.view.graph().viewport(), Qt::LeftButton, {},
                          bench.view.graph().mapFromScene(block.rect.center()));
        const std::set<std::string> selected = bench.networks.current()->selected;
        QVERIFY(!selected.empty());
        size_t marked = 0;
        for (size_t i = 0; i < bench.view.picture().blocks.size(); ++i) {
            QCOMPARE(bench.view.item(i)->selected(), meet(bench.view.picture().blocks[i].sources, selected));
            marked += bench.view.item(i)->selected() ? 1 : 0;
        }
        QVERIFY(marked > 0);
        bench.networks.select(bench.networks.current()->id, {});
        QVERIFY(!bench.view.item(0)->selected());
        bench.networks.close(bench.networks.current()->id);
        QVERIFY(bench.view.picture().blocks.empty());
        QVERIFY(bench.view.sentence().isEmpty());
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkMemoryTest)
} // namespace loopscope

#include "network_memory_test.moc"
