// Keys of the time when shapes were in the hashed text, and nothing but the hash in the key.

#include "language/dag/compute_dag.h"
#include "language/te/workload.h"
#include "records/resolve/oldest_text.h"
#include "records/resolve/resolver.h"
#include "records/resolve/step_shapes.h"
#include "test_program.h"

#include <QTest>

#include <string>

using namespace loopscope;

namespace oldest_keys_test {

namespace {

DagPtr dagOf(const std::string &te) { return ComputeDag::fromWorkload(parseWorkload("workload task()\n" + te, {})); }

/// Every loop of the stage split once, as tiling begins.
Steps tiled(int stage, const std::vector<int64_t> &extents) {
    Steps steps;
    for (size_t i = 0; i < extents.size(); ++i)
        steps.emplace_back(
            SplitStep{StageId{stage}, IterId{static_cast<int>(2 * i)}, extents[i], {1}, /*innerToOuter=*/true});
    return steps;
}

} // namespace

class OldestKeysTest : public QObject {
    Q_OBJECT

  private slots:
    void textOfAnOp() {
        const DagPtr dag =
            dagOf("a \"placeholder\" = placeholder [1, 768]\nb \"placeholder\" = placeholder [768, 768]\n"
                  "c \"T_dense\" = dense(a, b)\n");
        QCOMPARE(hashedLine(dag->op(0), HashForm::Oldest), std::string("placeholder,(1, 768),float32;"));
        QCOMPARE(
            hashedLine(dag->op(2), HashForm::OldestUint1),
            std::string("[reduce(combiner=comm_reducer(result=[(x + y)], lhs=[x], rhs=[y], identity_element=[0f]), "
                        "source=[(placeholder[i, k]*placeholder[j, k])], init=[], axis=[iter_var(k, range(min=0, "
                        "ext=768))], where=(uint1)1, value_index=0)],(1, 768),float32;"));
        QCOMPARE(hashedLine(dag->op(2), HashForm::Simple),
                 std::string("T_dense(i, j) += (placeholder[i, k]*placeholder[j, k])\n"));
        const DagPtr most = dagOf("a = placeholder [5]\nr(z < 1) = max(k < 5; a[k])\n");
        QVERIFY(QString::fromStdString(hashedLine(most->op(1), HashForm::Oldest)).contains("[-3.40282e+38f]"));
        QCOMPARE(hashedLine(most->op(0), HashForm::Oldest), std::string("placeholder,(5,),float32;"));
    }

    /// As it stands in somebody's report of December 2020.
    void publishedKey() {
        const std::string key = "[\"ec4f7d9b3c9680b55f74f8646223586b\"]";
        const Resolver resolver;
        const auto alone = resolver.resolve(key);
        QVERIFY(!alone.ok());
        QCOMPARE(alone.why(),
                 std::string("the key is a hash alone, of the time when the shapes were in the hashed text, "
                             "and none of the 0 .te files has it, nor what the steps of the record tell of "
                             "its shapes"));
        const auto other = resolver.resolve(key, tiled(2, {1, 768, 512}));
        QVERIFY(!other.ok());
        const auto found = resolver.resolve(key, tiled(2, {1, 768, 768}));
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        QCOMPARE((*found)->name, std::string("dense 1x768, 768 outputs"));
        QVERIFY((*found)->source == Resolution::Source::Pattern);
        QVERIFY(resolver.resolve(key).ok()); // known now
    }

    void shapesFollowFromSteps_data() {
        QTest::addColumn<QString>("te");
        QTest::addColumn<int>("stage");
        QTest::addColumn<QList<qint64>>("extents");
        QTest::addColumn<QString>("operators");
        QTest::newRow("conv2d") << "p0 \"placeholder\" = placeholder [1, 56, 56, 64]\n"
                                   "p1 \"placeholder\" = placeholder [3, 3, 64, 128]\nc = conv2d_nhwc(p0, p1, 2, 1)\n"
                                   "p2 \"placeholder\" = placeholder [1, 1, 1, 128]\nr = relu(add(c, p2))\n"
                                << 3 << QList<qint64>{1, 28, 28, 128, 3, 3, 64} << "conv2d_nhwc + bias + relu";
        QTest::newRow("depthwise") << "p0 \"placeholder\" = placeholder [1, 14, 14, 512]\n"
                                      "p1 \"placeholder\" = placeholder [3, 3, 512, 1]\n"
                                      "c = depthwise_conv2d_nhwc(p0, p1, 1, 1)\n"
                                      "p2 \"placeholder\" = placeholder [1, 1, 1, 512]\nr = relu(add(c, p2))\n"
                                   << 3 << QList<qint64>{1, 14, 14, 512, 3, 3} << "depthwise_conv2d_nhwc + bias + relu";
        QTest::newRow("channels first") << "p0 \"placeholder\" = placeholder [1, 16, 30, 30]\n"
                                           "p1 \"placeholder\" = placeholder [32, 16, 1, 1]\n"
                                           "r = conv2d_nchw(p0, p1, 2)\n"
                                        << 3 << QList<qint64>{1, 32, 15, 15, 16, 1, 1} << "conv2d_nchw";
        QTest::newRow("residual") << "p0 \"placeholder\" = placeholder [1, 14, 14, 64]\n"
                                     "p1 \"placeholder\" = placeholder [1, 1, 64, 256]\nc = conv2d_nhwc(p0, p1)\n"
                                     "p2 \"placeholder\" = placeholder [1, 14, 14, 256]\n"
                                     "p3 \"placeholder\" = placeholder [1, 1, 1, 256]\nr = relu(add(add(c, p2), p3))\n"
                                  << 3 << QList<qint64>{1, 14, 14, 256, 1, 1, 64} << "conv2d_nhwc + add + bias + relu";
        QTest::newRow("softmax") << "p0 \"placeholder\" = placeholder [1, 1000]\nr = softmax(p0)\n"
                                 << 1 << QList<qint64>{1000} << "softmax";
        QTest::newRow("batches") << "p0 \"placeholder\" = placeholder [12, 128, 64]\n"
                                    "p1 \"placeholder\" = placeholder [12, 128, 64]\nr = batch_matmul(p0, p1, 0, 1)\n"
                                 << 2 << QList<qint64>{12, 128, 128, 64} << "batch_matmul";
    }
    void shapesFollowFromSteps() {
        QFETCH(QString, te);
        QFETCH(int, stage);
        QFETCH(QList<qint64>, extents);
        QFETCH(QString, operators);
        const DagPtr dag = dagOf(te.toStdString());
        Steps steps = tiled(stage, {extents.begin(), extents.end()});
        if (extents.size() > 1) {
            steps.insert(steps.begin(), CacheWriteStep{StageId{stage}, "local"});
        } else {
            std::get<SplitStep>(steps[0]).iter = IterId{1}; // what is reduced
        }
        for (const HashForm form : {HashForm::Oldest, HashForm::OldestUint1}) {
            if (form == HashForm::OldestUint1 && operators != "depthwise_conv2d_nhwc + bias + relu") continue;
            const Resolver resolver;
            const auto found = resolver.resolve("[\"" + hashOf(*dag, form) + "\"]", steps);
            QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
            QCOMPARE(QString::fromStdString((*found)->operators), operators);
            QCOMPARE((*found)->dag->key(), dag->key());
        }
    }

    void stepsThatTileNothingTellNoShapes() {
        QVERIFY(keysFromSteps("00000000000000000000000000000000", {}).empty());
        QVERIFY(keysFromSteps("00000000000000000000000000000000", tiled(1, {8, 8})).empty());
        QVERIFY(keysFromSteps("00000000000000000000000000000000", tiled(1, {0, 8, 8})).empty());
    }
};

LOOPSCOPE_TEST(OldestKeysTest)

} // namespace oldest_keys_test
#include "oldest_keys_test.moc"
