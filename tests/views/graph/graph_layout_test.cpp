// Layouts by dot: every node and edge has a place, nothing lies on anything else, cancelling is quick, and a machine
// without dot is told what to install.

#include "views/graph/graph_layout.h"

#include "base/outcome.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <sys/resource.h>
#include <thread>

namespace loopscope {

namespace {

const std::atomic<bool> kGoOn{false};

LayoutNode box(double width, double height) {
    LayoutNode node;
    node.size = {width, height};
    return node;
}

LayoutEdge edge(int from, int to, QSizeF label = {}) {
    LayoutEdge result;
    result.from = from;
    result.to = to;
    result.label = label;
    return result;
}

/// 0 -> 1 -> 3, 0 -> 2 -> 3, 0 -> 3.
GraphInput diamond() {
    GraphInput input;
    for (int i = 0; i < 4; ++i) input.nodes.push_back(box(120 + 40 * i, 60));
    input.edges = {edge(0, 1, {80, 16}), edge(1, 3), edge(0, 2), edge(2, 3), edge(0, 3, {60, 16})};
    return input;
}

/// Every node reads two of the twelve before it, always the same ones.
GraphInput tangled(int nodes) {
    GraphInput input;
    unsigned state = 1;
    const auto random = [&state](int below) {
        state = state * 1664525U + 1013904223U;
        return static_cast<int>((state >> 16) % static_cast<unsigned>(below));
    };
    for (int i = 0; i < nodes; ++i) {
        input.nodes.push_back(box(240, 90));
        for (int k = 0; i > 0 && k < 2; ++k) input.edges.push_back(edge(std::max(0, i - 1 - random(12)), i, {90, 16}));
    }
    return input;
}

/// What is said about a layout that fails, with dot looked for along `path`.
QString sentenceWithPath(const QByteArray &path) {
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", path);
    QString sentence;
    try {
        layoutGraph(diamond(), kGoOn);
    } catch (const Error &error) {
        sentence = QString::fromUtf8(error.what());
    }
    qputenv("PATH", before);
    return sentence;
}

/// Of a processor, by all that dot has done so far: it does not depend on what else the machine does.
double dotSeconds() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

QRectF rectOf(const GraphInput &input, const GraphLayout &layout, size_t i) {
    const QSizeF size = input.nodes[i].size;
    return {layout.nodes[i] - QPointF(size.width() / 2, size.height() / 2), size};
}

double distanceToBorder(const QRectF &rect, QPointF point) {
    const double dx = std::max({rect.left() - point.x(), 0.0, point.x() - rect.right()});
    const double dy = std::max({rect.top() - point.y(), 0.0, point.y() - rect.bottom()});
    if (dx > 0 || dy > 0) return std::hypot(dx, dy);
    return std::min(
        {point.x() - rect.left(), rect.right() - point.x(), point.y() - rect.top(), rect.bottom() - point.y()});
}

void checkPlaces(const GraphInput &input, const GraphLayout &layout) {
    QCOMPARE(layout.nodes.size(), input.nodes.size());
    QCOMPARE(layout.edges.size(), input.edges.size());
    QCOMPARE(layout.labels.size(), input.edges.size());
    const QRectF room = layout.bounds.adjusted(-0.5, -0.5, 0.5, 0.5);
    for (size_t i = 0; i < input.nodes.size(); ++i) {
        QVERIFY(room.contains(rectOf(input, layout, i)));
        for (size_t k = 0; k < i; ++k)
            QVERIFY2(!rectOf(input, layout, i).intersects(rectOf(input, layout, k)),
                     qPrintable(QStringLiteral("nodes %1 and %2 overlap").arg(k).arg(i)));
    }
    for (size_t i = 0; i < input.edges.size(); ++i) {
        const QPainterPath &path = layout.edges[i];
        QVERIFY(!path.isEmpty());
        QVERIFY(room.contains(layout.labels[i]));
        const QRectF from = rectOf(input, layout, static_cast<size_t>(input.edges[i].from));
        const QRectF to = rectOf(input, layout, static_cast<size_t>(input.edges[i].to));
        QVERIFY2(distanceToBorder(from, path.elementAt(0)) < 2, qPrintable(QString::number(i)));
        QVERIFY2(distanceToBorder(to, path.currentPosition()) < 2, qPrintable(QString::number(i)));
    }
}

void checkSoonLaidOut(const GraphInput &input) {
    const double before = dotSeconds();
    const GraphLayout layout = layoutGraph(input, kGoOn);
    const double seconds = dotSeconds() - before;
    QVERIFY2(seconds > 0 && seconds < 60, qPrintable(QString::number(seconds)));
    qInfo("%zu nodes laid out in %.2f s of a processor", input.nodes.size(), seconds);
    checkPlaces(input, layout);
}

} // namespace

class GraphLayoutTest : public QObject {
    Q_OBJECT

  private slots:
    void diamondTopToBottom() {
        const GraphInput input = diamond();
        const GraphLayout layout = layoutGraph(input, kGoOn);
        checkPlaces(input, layout);
        QVERIFY(layout.nodes[0].y() < layout.nodes[1].y());
        QVERIFY(layout.nodes[1].y() < layout.nodes[3].y());
        QCOMPARE(layout.nodes[1].y(), layout.nodes[2].y());
        QCOMPARE(layout.bounds.topLeft(), QPointF(0, 0));
    }

    void leftToRight() {
        GraphInput input = diamond();
        input.leftToRight = true;
        const GraphLayout layout = layoutGraph(input, kGoOn);
        checkPlaces(input, layout);
        QVERIFY(layout.nodes[0].x() < layout.nodes[1].x());
        QVERIFY(layout.nodes[1].x() < layout.nodes[3].x());
    }

    void labelsHaveRoomOfTheirOwn() {
        const GraphInput input = diamond();
        const GraphLayout layout = layoutGraph(input, kGoOn);
        for (const size_t i : {size_t(0), size_t(4)}) {
            const QSizeF size = input.edges[i].label;
            const QRectF label(layout.labels[i] - QPointF(size.width() / 2, size.height() / 2), size);
            for (size_t k = 0; k < input.nodes.size(); ++k) QVERIFY(!label.intersects(rectOf(input, layout, k)));
        }
    }

    void ranksAndGroups() {
        GraphInput input;
        for (int i = 0; i < 5; ++i) input.nodes.push_back(box(80, 40));
        input.edges = {edge(0, 1), edge(1, 2), edge(3, 4)};
        input.nodes[2].rank = input.nodes[4].rank = 0; // 4 sinks to the level of 2
        const GraphLayout ranked = layoutGraph(input, kGoOn);
        QCOMPARE(ranked.nodes[2].y(), ranked.nodes[4].y());

        for (LayoutNode &node : input.nodes) node.rank = -1;
        input.nodes[0].group = input.nodes[1].group = input.nodes[2].group = 7;
        const GraphLayout grouped = layoutGraph(input, kGoOn);
        checkPlaces(input, grouped);
        QRectF group;
        for (const size_t i : {0, 1, 2}) group |= rectOf(input, grouped, i);
        for (const size_t i : {3, 4}) QVERIFY(!group.intersects(rectOf(input, grouped, i)));
    }

    void coordinatesOfLongGraphsAreExact() {
        GraphInput input;
        for (int i = 0; i < 400; ++i) {
            input.nodes.push_back(box(200, 301));
            if (i > 0) input.edges.push_back(edge(i - 1, i));
        }
        const GraphLayout layout = layoutGraph(input, kGoOn);
        checkPlaces(input, layout);
        QVERIFY(layout.bounds.height() > 100000);
        const double step = layout.nodes[1].y() - layout.nodes[0].y();
        for (size_t i = 1; i < layout.nodes.size(); ++i)
            QVERIFY(std::abs(layout.nodes[i].y() - layout.nodes[i - 1].y() - step) < 1.5);
    }

    void aThousandNodesInSeconds() { checkSoonLaidOut(tangled(1000)); }

    void oneInputOfAThousandStages() {
        GraphInput input;
        for (int i = 0; i < 1000; ++i) {
            input.nodes.push_back(box(200, 80));
            if (i > 0) input.edges.push_back(edge(i - 1, i));
            if (i > 1) input.edges.push_back(edge(0, i));
        }
        checkSoonLaidOut(input);
    }

    void nothingIsLaidOutWithoutNodes() {
        const GraphLayout layout = layoutGraph({}, kGoOn);
        QVERIFY(layout.nodes.empty());
        QVERIFY(layout.bounds.isEmpty());
    }

    void cancelsAtOnce() {
        const GraphInput input = tangled(4000); // takes minutes, after which there would be nodes
        std::atomic<bool> cancelled{false};
        std::jthread canceller([&cancelled] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            cancelled = true;
        });
        const GraphLayout layout = layoutGraph(input, cancelled);
        QVERIFY(layout.nodes.empty());
    }

    void missingDotNamesItsPackage() {
        const QTemporaryDir empty;
        QCOMPARE(sentenceWithPath(empty.path().toLocal8Bit()),
                 QStringLiteral("The program `dot` that lays graphs out is not installed; it is in the "
                                "package graphviz."));
    }

    void failureOfDotIsASentence() {
        QTemporaryDir folder;
        QFile script(folder.filePath(QStringLiteral("dot")));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\ncat > /dev/null\necho 'Error: out of memory' >&2\nexit 3\n");
        script.close();
        script.setPermissions(script.permissions() | QFile::ExeOwner);
        QCOMPARE(sentenceWithPath(folder.path().toLocal8Bit() + ":" + qgetenv("PATH")),
                 QStringLiteral("`dot` failed to lay the graph out: Error: out of memory."));
    }
};

LOOPSCOPE_TEST(GraphLayoutTest)
} // namespace loopscope

#include "graph_layout_test.moc"
