// How ops read each other, and what a workload must compute and move at least: numbers checked by hand.

#include "harness/sample_dags.h"
#include "language/dag/edge_access.h"
#include "language/dag/traffic.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

DagPtr parse(const std::string &text) { return ComputeDag::fromWorkload(parseWorkload(text, "test")); }

/// All edges, by consumer, then as OpAccess::producers.
std::vector<EdgeAccess> edgeAccesses(const ComputeDag &dag) {
    std::vector<EdgeAccess> edges;
    for (size_t i = 0; i < dag.size(); ++i)
        for (const int producer : dag.access(i).producers)
            edges.push_back(edgeAccess(dag, producer, static_cast<int>(i)));
    return edges;
}

EdgeAccess edge(const ComputeDag &dag, const std::string &producer, const std::string &consumer) {
    for (const EdgeAccess &one : edgeAccesses(dag))
        if (dag.op(static_cast<size_t>(one.producer)).name == producer &&
            dag.op(static_cast<size_t>(one.consumer)).name == consumer)
            return one;
    return {};
}

} // namespace

class EdgeAccessTest : public QObject {
    Q_OBJECT
  private slots:
    void matmulReusesBothInputs() {
        const DagPtr dag = parse("workload m(M = 8, N = 16, K = 32)\n"
                                 "A = placeholder [M, K] float32\n"
                                 "B = placeholder [K, N] float32\n"
                                 "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n");
        const EdgeAccess a = edge(*dag, "A", "C");
        QCOMPARE(a.reads, (std::vector<std::string>{"A[i, k]"}));
        QCOMPARE(a.reuse, 16.0);
        QVERIFY(a.reduces && a.broadcast && !a.elementwise && !a.gathers);
        QVERIFY(a.dims[0].moves && !a.dims[1].moves);
        QCOMPARE(a.dims[1].taps, int64_t(32));
        QCOMPARE(a.text(), "each element 16 times, reduced, broadcast");
        QCOMPARE(edge(*dag, "B", "C").reuse, 8.0);
        QCOMPARE(edgeAccesses(*dag).size(), size_t(2));
    }

    void convolutionsReadWindows() {
        const DagPtr dag = conv2dNhwcDag(1, 56, 56, 64, 32, 3, 2, 1);
        const EdgeAccess window = edge(*dag, "PadInput", "conv2d_nhwc");
        QVERIFY2(window.producer >= 0, dag->text(DagTextMode::Normal).c_str());
        QCOMPARE(window.dims.size(), size_t(4));
        QVERIFY(!window.dims[0].slides() && window.dims[1].slides() && window.dims[2].slides() &&
                !window.dims[3].slides());
        QCOMPARE(window.dims[1].taps, int64_t(3));
        QCOMPARE(window.dims[1].span, int64_t(3));
        QCOMPARE(window.dims[1].stride, int64_t(2));
        QVERIFY(window.text().starts_with("3 x 3 window, each element "));
        QCOMPARE(window.reuse, 28.0 * 28 * 32 * 3 * 3 * 64 / (58 * 58 * 64));
    }

    void otherPatterns_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("text");
        QTest::newRow("same place") << "B(i < 8, j < 8) = A[i, j] + 1" << "element by element";
        QTest::newRow("transposed") << "B(i < 8, j < 8) = A[j, i]" << "each element once, at another place";
        QTest::newRow("shifted") << "B(i < 8, j < 7) = A[i, j + 1]" << "each element once, at another place";
        QTest::newRow("twice the same") << "B(i < 8, j < 8) = A[i, j] * A[i, j]" << "element by element";
        QTest::newRow("row") << "B(i < 8, j < 8) = A[0, j]" << "each element once, broadcast";
        QTest::newRow("stencil") << "B(i < 8, j < 6) = A[i, j] + A[i, j + 1] + A[i, j + 2]"
                                 << "3 window, each element 2.2 times";
        QTest::newRow("dilated") << "B(i < 8, j < 4) = sum(r < 3; A[i, j + 2*r])"
                                 << "3 window, each element 1.5 times, reduced";
        QTest::newRow("corner") << "B(i < 2, j < 2) = A[i, j]" << "element by element";
        QTest::newRow("every other") << "B(i < 4, j < 8) = A[2*i, j]" << "a part of the elements";
        QTest::newRow("row sum") << "B(i < 8) = sum(k < 8; A[i, k])" << "each element once, reduced";
        QTest::newRow("folded") << "B(i < 64) = A[i / 8, i % 8]" << "at computed places, each element once";
    }
    void otherPatterns() {
        QFETCH(QString, body);
        QFETCH(QString, text);
        const DagPtr dag = parse("workload w()\nA = placeholder [8, 8] float32\n" + body.toStdString() + "\n");
        QCOMPARE(QString::fromStdString(edge(*dag, "A", "B").text()), text);
    }

    void everyEdgeOfEverySampleDagHasAText() {
        for (const DagPtr &dag :
             {convBnReluNhwcDag(), softmaxDag(), argmaxDag(), depthwiseNhwcDag(), matmulChainDag()}) {
            const auto edges = edgeAccesses(*dag);
            QVERIFY(!edges.empty());
            for (const EdgeAccess &one : edges) {
                QVERIFY(!one.reads.empty());
                QVERIFY(one.reuse > 0);
                QVERIFY(!one.text().empty());
            }
        }
    }

    void trafficOfAMatmul() {
        const DagTraffic traffic = trafficOf(*matmulDag(64, 32, 16));
        QCOMPARE(traffic.flops, 2.0 * 64 * 32 * 16);
        QCOMPARE(traffic.inputBytes, int64_t(4 * (64 * 16 + 16 * 32)));
        QCOMPARE(traffic.outputBytes, int64_t(4 * 64 * 32));
        QCOMPARE(traffic.intermediateBytes, int64_t(0));
        QCOMPARE(traffic.intensity(), 2.0 * 64 * 32 * 16 / (4 * (64 * 16 + 16 * 32 + 64 * 32)));
    }

    void intermediatesAreNotCompulsory() {
        const DagTraffic traffic = trafficOf(*softmaxDag(8, 16));
        QCOMPARE(traffic.inputBytes, int64_t(4 * 8 * 16));
        QCOMPARE(traffic.outputBytes, int64_t(4 * 8 * 16));
        QVERIFY(traffic.intermediateBytes >= 4 * 8 * 16);
        QCOMPARE(traffic.compulsoryBytes(), int64_t(8 * 8 * 16));
    }

    void bytesFollowTheType() {
        const DagPtr dag = parse("workload w()\nA = placeholder [8, 8] int8\nB(i < 8, j < 8) = A[i, j]\n");
        QCOMPARE(trafficOf(*dag).inputBytes, int64_t(64));
        QCOMPARE(trafficOf(*dag).intensity(), 0.0);
    }
};

LOOPSCOPE_TEST(EdgeAccessTest)
#include "edge_access_test.moc"
