// A function in Graphviz's language.

#include "networks/graph/dot.h"
#include "networks/graph/net_text.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

const char *const kText = R"(network a
func main(x: float32[n, 3]) {
  w = constant float32[3] 1.0
  a: float32[n, 3] = mul(x, w)
  b: float32[n, 3] = relu(a) @ "layer/relu"
  c = add(b, a)
  return c
}
)";

const char *const kDot = R"(digraph "main" {
  node [shape=box];
  p0 [label="x", style=rounded];
  n0 [label="mul a"];
  n2 [label="add c"];
  subgraph cluster_0 {
    label="kernel 1";
    n1 [label="relu layer/relu"];
  }
  p0 -> n0 [label="float32[n, 3]"];
  c1 [label="w", style=dashed];
  c1 -> n0 [label="float32[3]"];
  n0 -> n1 [label="float32[n, 3]"];
  n1 -> n2 [label="float32[n, 3]"];
  n0 -> n2 [label="float32[n, 3]"];
  r0 [label="c", style=rounded];
  n2 -> r0;
}
)";

} // namespace

class GraphDotTest : public QObject {
    Q_OBJECT

  private slots:
    void shapesAndFrames() {
        const Module module = parseNet(kText, "a.net").module;
        const std::string text = dotText(module.main(), {{"", "kernel 1"}, true});
        QCOMPARE(QString::fromStdString(text), QString(kDot));
        const std::string quoted = dotText(module.main(), {{"a \"b\" \\ c"}, false});
        QVERIFY(quoted.find("label=\"a \\\"b\\\" \\\\ c\"") != std::string::npos);
        QVERIFY(dotText(module.main()).find("c1") == std::string::npos);
    }
};

LOOPSCOPE_TEST(GraphDotTest)
#include "graph_dot_test.moc"
