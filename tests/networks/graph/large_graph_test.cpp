// A million nodes, one behind the other: printed, read, verified and compared without recursion, in seconds.

#include "harness/same_structure.h"
#include "networks/graph/dot.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "test_program.h"

#include <QTest>
#include <ctime>
#include <utility>

using namespace loopscope;

namespace {

/// Milliseconds of this process since the last call, whatever else the machine does.
long long spent() {
    static std::clock_t last = 0;
    const std::clock_t now = std::clock();
    return (now - std::exchange(last, now)) * 1000LL / CLOCKS_PER_SEC;
}

} // namespace

class LargeGraphTest : public QObject {
    Q_OBJECT

  private slots:
    void aMillionNodes() {
        constexpr int nodes = 1000000;
        const TensorType type = {DType::Float32, {Dim(1), Dim(64)}};
        FunctionBuilder builder("main");
        ValueId last = builder.addParameter("x", type);
        for (int i = 0; i < nodes; ++i) {
            last = builder.add("leaky_relu", "v" + std::to_string(i), {last}, {{"alpha", 0.25}}, {"source"});
            builder.setType(last, type);
        }
        builder.addResult(last);
        Module module;
        module.name = "large";
        module.functions.push_back(std::move(builder).finish());

        spent();
        QVERIFY(graphProblems(module).empty());
        const long long verified = spent();
        const std::string text = netText(module);
        const long long printed = spent();
        const ParsedNet again = parseNet(text, "large.net");
        const long long parsed = spent();
        QVERIFY(sameStructure(module, again.module));
        const long long compared = spent();
        QVERIFY(dotText(module.main()).size() > size_t{nodes});
        qInfo("verify %lld ms, print %lld ms (%zu MB), parse %lld ms, compare %lld ms", verified, printed,
              text.size() / 1000000, parsed, compared);
        // Ten times what it takes: only what grows with the square is found here.
        QVERIFY(verified + printed + parsed + compared < 40000);
    }

    /// Three million characters in one line: the place of a mistake in it is found all the same.
    void oneLongLine() {
        std::string text = "network a func main(x: float32[]) { v0 = f(x) ";
        for (int i = 1; i < 100000; ++i) text += "v" + std::to_string(i) + " = f(v" + std::to_string(i - 1) + ") ";
        QCOMPARE(parseNet(text + "return v9 }", "a.net").module.main().nodeCount(), size_t{100000});
        QVERIFY_THROWS_EXCEPTION(Error, parseNet(text + "return w }", "a.net"));
    }
};

LOOPSCOPE_TEST(LargeGraphTest)
#include "large_graph_test.moc"
