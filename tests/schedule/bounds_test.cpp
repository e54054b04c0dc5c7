// Regions of stages computed at a loop of a reader whose indices divide: as many elements as are read, not as many as
// the stage has.

#include "harness/sample_dags.h"
#include "harness/state_interpreter.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

/// P(i) = exp(A[i]); C(h) = sum over r of P[(stride*h + r + shift) // divisor]
DagPtr upsampledDag(int64_t extent, int64_t stride, int64_t window, int64_t shift, int64_t divisor) {
    DagBuilder builder;
    const int64_t size = (stride * (extent - 1) + window - 1 + shift) / divisor + 1;
    const Tensor &a = builder.placeholder("A", {size});
    const Axis i = axis("i", size), h = axis("h", extent), r = axis("r", window);
    const Tensor &p = builder.compute("P", {i}, callMath(Intrinsic::Exp, load(a, {i.var})));
    const Expr at = floorDiv(h.var * stride + r.var + shift, divisor);
    const Tensor &c = builder.reduce("C", {h}, ReduceKind::Sum, {r}, load(p, {at}));
    return builder.build({&c}, "upsampled");
}

} // namespace

class BoundsTest : public QObject {
    Q_OBJECT
  private slots:
    void quotientsAreBoundedTightly_data();
    void quotientsAreBoundedTightly();
};

void BoundsTest::quotientsAreBoundedTightly_data() {
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("window");
    QTest::addColumn<int>("shift");
    QTest::addColumn<int>("divisor");
    QTest::addColumn<QString>("steps");
    QTest::addColumn<int>("elements");
    QTest::newRow("two of 33") << 1 << 2 << 0 << 2 << R"([["CA",1,2,0]])" << 2;
    QTest::newRow("of a tile") << 1 << 2 << 0 << 2 << R"([["SP",2,0,64,[8],1],["CA",1,2,0]])" << 5;
    QTest::newRow("of an odd tile") << 1 << 3 << 0 << 4 << R"([["SP",2,0,64,[6],1],["CA",1,2,0]])" << 3;
    QTest::newRow("strided") << 6 << 4 << 1 << 4 << R"([["CA",1,2,0]])" << 2;
    QTest::newRow("of a fused loop") << 1 << 2 << 0 << 2 << R"([["SP",2,0,64,[4,4],1],["FU",2,[0,1]],["CA",1,2,0]])"
                                     << 3;
}

void BoundsTest::quotientsAreBoundedTightly() {
    QFETCH(int, stride);
    QFETCH(int, window);
    QFETCH(int, shift);
    QFETCH(int, divisor);
    QFETCH(QString, steps);
    QFETCH(int, elements);
    const DagPtr dag = upsampledDag(64, stride, window, shift, divisor);
    const Outcome<LoopState> state = replay(dag, stepsFromJson(nlohmann::json::parse(steps.toStdString())));
    QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
    const Outcome<BoundedState> bounded = inferBounds(*state, std::make_shared<ExprArena>());
    QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
    QCOMPARE(bounded->stages[1].axes[0].extent, elements);
    // And they are the ones that are read.
    const std::vector<TensorValue> inputs = randomInputs(*dag, 3);
    const StateRun run = runState(*bounded, inputs);
    QVERIFY2(run.failure.empty(), run.failure.c_str());
    const std::vector<TensorValue> expected = interpret(*dag, inputs);
    for (size_t e = 0; e < expected[0].floats.size(); ++e)
        QVERIFY(std::abs(run.outputs[0].floats[e] - expected[0].floats[e]) < 1e-5);
}

LOOPSCOPE_TEST(BoundsTest)
#include "bounds_test.moc"
