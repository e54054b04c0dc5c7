// Layouts in layers: nothing lies on anything else, arrows go down from border to border, chains are straight, and it
// takes a fraction of what dot takes.

#include "views/graph/layered_layout.h"

#include "test_program.h"
#include "views/graph/layers.h"

#include <QElapsedTimer>
#include <QTest>

#include <ctime>

namespace loopscope::layered_layout_test {

namespace {

const std::atomic<bool> kGoOn{false};

LayoutEdge edge(int from, int to) {
    LayoutEdge result;
    result.from = from;
    result.to = to;
    return result;
}

GraphInput boxes(int count) {
    GraphInput input;
    for (int i = 0; i < count; ++i) {
        LayoutNode node;
        node.size = {120.0 + 40 * (i % 4), 50.0 + 10 * (i % 3)};
        input.nodes.push_back(node);
    }
    return input;
}

/// As DenseNet has it: a chain in which every ninth node also reads the one nine before.
GraphInput dense(int nodes) {
    GraphInput input = boxes(nodes);
    for (int i = 1; i < nodes; ++i) {
        input.edges.push_back(edge(i - 1, i));
        if (i % 9 == 0) input.edges.push_back(edge(i - 9, i));
    }
    return input;
}

GraphInput tangled(int nodes) {
    GraphInput input = boxes(nodes);
    unsigned state = 1;
    for (int i = 1; i < nodes; ++i)
        for (int k = 0; k < 2; ++k) {
            state = state * 1664525U + 1013904223U;
            input.edges.push_back(edge(std::max(0, i - 1 - static_cast<int>((state >> 16) % 12)), i));
        }
    return input;
}

QRectF rectOf(const GraphInput &input, const GraphLayout &layout, size_t i) {
    const QSizeF size = input.nodes[i].size;
    return {layout.nodes[i] - QPointF(size.width() / 2, size.height() / 2), size};
}

void checkLayout(const GraphInput &input, const GraphLayout &layout) {
    QCOMPARE(layout.nodes.size(), input.nodes.size());
    QCOMPARE(layout.edges.size(), input.edges.size());
    for (size_t i = 0; i < input.nodes.size(); ++i) {
        const QRectF rect = rectOf(input, layout, i);
        QVERIFY(layout.bounds.adjusted(-1, -1, 1, 1).contains(rect));
        for (size_t k = i + 1; k < input.nodes.size(); ++k)
            QVERIFY2(!rect.intersects(rectOf(input, layout, k)), qPrintable(QStringLiteral("%1 on %2").arg(i).arg(k)));
    }
    for (size_t e = 0; e < input.edges.size(); ++e) {
        const QRectF from = rectOf(input, layout, static_cast<size_t>(input.edges[e].from));
        const QRectF to = rectOf(input, layout, static_cast<size_t>(input.edges[e].to));
        const QPainterPath &path = layout.edges[e];
        QVERIFY(std::abs(path.elementAt(0).y - from.bottom()) < 1e-6);
        QVERIFY(std::abs(path.currentPosition().y() - to.top()) < 1e-6);
        QVERIFY(path.elementAt(0).x > from.left() && path.elementAt(0).x < from.right());
        QVERIFY(path.currentPosition().x() > to.left() && path.currentPosition().x() < to.right());
        QVERIFY(layout.bounds.adjusted(-1, -1, 1, 1).contains(layout.labels[e]));
    }
}

double threadSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

class LayeredLayoutTest : public QObject {
    Q_OBJECT

  private slots:
    void nothingOverlaps_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("dense") << 0;
        QTest::newRow("tangled") << 1;
        QTest::newRow("alone") << 2;
        QTest::newRow("fan") << 3;
    }
    void nothingOverlaps() {
        QFETCH(const int, kind);
        GraphInput input = kind == 0 ? dense(120) : kind == 1 ? tangled(150) : boxes(kind == 2 ? 3 : 40);
        if (kind == 3)
            for (int i = 1; i < 39; ++i) {
                input.edges.push_back(edge(0, i));
                input.edges.push_back(edge(i, 39));
            }
        checkLayout(input, layoutInLayers(input, kGoOn));
    }

    void chainsAreStraight() {
        GraphInput input = dense(46);
        const GraphLayout layout = layoutInLayers(input, kGoOn);
        int straight = 0;
        for (int i = 1; i < 46; ++i)
            straight +=
                std::abs(layout.nodes[static_cast<size_t>(i)].x() - layout.nodes[static_cast<size_t>(i) - 1].x()) < 1
                    ? 1
                    : 0;
        QVERIFY2(straight >= 32, qPrintable(QString::number(straight)));
    }

    void ordersWithFewCrossings() {
        // Two rows of which one stands the other way round: no edge needs to cross.
        GraphInput input = boxes(20);
        for (int i = 0; i < 10; ++i) input.edges.push_back(edge(i, 19 - i));
        Layers layers = layersOf(input);
        orderLayers(layers, kGoOn);
        QCOMPARE(crossings(layers), int64_t{0});
    }

    void cyclesAreDrawn() {
        GraphInput input = boxes(3);
        input.edges = {edge(0, 1), edge(1, 2), edge(2, 1), edge(1, 1)};
        const GraphLayout layout = layoutInLayers(input, kGoOn);
        QCOMPARE(layout.nodes.size(), size_t{3});
        for (const QPainterPath &path : layout.edges) QVERIFY(path.elementCount() > 1);
    }

    void nothingAndCancelled() {
        QVERIFY(layoutInLayers({}, kGoOn).nodes.empty());
        const std::atomic<bool> cancelled{true};
        QVERIFY(layoutInLayers(dense(10), cancelled).nodes.empty());
    }

    void oneThatAllReadStaysCheap() {
        GraphInput input = dense(1500);
        for (int i = 2; i < 1500; ++i) input.edges.push_back(edge(0, i));
        const double before = threadSeconds();
        const GraphLayout layout = layoutInLayers(input, kGoOn);
        QCOMPARE(layout.nodes.size(), size_t{1500});
        QVERIFY2(threadSeconds() - before < 20, qPrintable(QString::number(threadSeconds() - before)));
    }

    void fasterThanDot() {
        const GraphInput input = dense(400);
        QElapsedTimer clock;
        clock.start();
        try {
            layoutGraph(input, kGoOn);
        } catch (const std::exception &error) {
            QSKIP(qPrintable(QStringLiteral("dot is needed to compare with: %1").arg(QLatin1String(error.what()))));
        }
        const double dot = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        const double before = threadSeconds();
        layoutInLayers(input, kGoOn);
        const double ours = threadSeconds() - before;
        qInfo("dot %.3f s, ours %.4f s", dot, ours);
        QVERIFY(ours * 4 < dot);
    }
};

LOOPSCOPE_TEST(LayeredLayoutTest)
} // namespace loopscope::layered_layout_test

#include "layered_layout_test.moc"
