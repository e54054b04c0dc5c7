// What is written by hand in `.net` comes to a flat graph: macros, repetitions, integers, inputs that are lists.

#include "base/outcome.h"
#include "networks/graph/net_text.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

const char *const kMacros = R"(network a
macro twice(x, by = 2.0) {
  y = mul(x, by)
  z = relu(y) @ "second"
  return z
}
macro four(x) {
  a = twice(x)
  b = twice(a, by = 3.0) @ "other"
  return b
}
func main(x: float32[4]) {
  y = four(x)
  z = add(y, x)
  return z
})";

const char *const kMacrosFlat = R"(func main(x: float32[4]) {
  y.a.y.1 = constant float32[] 2.0
  y.a.y = mul(x, y.a.y.1)
  y.a.z = relu(y.a.y) @ "y.a.second"
  y.other.y.1 = constant float32[] 3.0
  y.other.y = mul(y.a.z, y.other.y.1)
  y.other.z = relu(y.other.y) @ "y.other.second"
  z = add(y.other.z, x)
  return z
}
)";

const char *const kRepetitions = R"(network a(count = 2)
func main(x: float32[4]) {
  var h = x
  repeat i < count {
    let twice = 2*i + 1
    h = op(h, n = twice) @ "layer{i}]"
    repeat j < i {
      h = inner(h)
    }
  }
  repeat i < 0 { never(x) }
  return h
})";

const char *const kRepetitionsFlat = R"(func main(x: float32[4]) {
  h = op(x, n = 1) @ "layer0]"
  h_1 = op(h, n = 3) @ "layer1]"
  h_2 = inner(h_1)
  return h_2
}
)";

const char *const kResults = R"(network a
macro halves(x, bias, axis = 1) {
  a, b = split(x, axis = axis)
  c = op(a, bias, b)
  return c, b
}
func main(x: float32[4]) {
  p, q = halves(x, _)
  return q, p
})";

const char *const kResultsFlat = R"(func main(x: float32[4]) {
  p.a, p.b = split(x, axis = 1)
  p.c = op(p.a, _, p.b)
  return p.b, p.c
}
)";

const char *const kIntegers = R"(network a(c = 3)
let k = 2*(c + 1) - 7 // 2
func main(x: float32[n*2 + n, k, floordiv(n + 3, 2), "a b", 4*n // 2]) {
  y = op(x, l = [k, -k, k*k], e = ints [], f = numbers [], t = texts [], s = "a", m = [1, 2.5], q = -inf)
  return y
})";

const char *const kIntegersFlat = R"(func main(x: float32[3*n, 5, floordiv(n + 1, 2) + 1, "a b", 2*n]) {
  y = op(x, e = ints [], f = numbers [], l = [5, -5, 25], m = [1.0, 2.5], q = -inf, s = "a", t = texts [])
  return y
}
)";

const char *const kInputs = R"(network a
func main(x: float32[4]) {
  y = reshape(x, [1, -1])
  z = op(y, 0.5, [0.5, 1], tensor int32[2] 7)
  return z
})";

const char *const kInputsFlat = R"(func main(x: float32[4]) {
  y.1 = constant int64[2] [1, -1]
  y = reshape(x, y.1)
  z.1 = constant float32[] 0.5
  z.2 = constant float32[2] [0.5, 1.0]
  z.3 = constant int32[2] 7
  z = op(y, z.1, z.2, z.3)
  return z
}
)";

const char *const kRules = R"(network a
func main(x: float32[4]) {
  a = constant float32[2] random he(fan_in = 8, scale = 0.5, seed = 3)
  b = constant float32[2] random uniform(low = -2, seed = 3, stream = 2)
  c = constant int32[2] random integers(most = 3, seed = 3)
  d = constant float16[2, 2] ramp
  e = constant float32[2] random normal()
  return x
})";

const char *const kRulesFlat = R"(func main(x: float32[4]) {
  a = constant float32[2] random normal(mean = 0.0, deviation = 0.25, seed = 3)
  b = constant float32[2] random uniform(low = -2.0, high = 1.0, seed = 3, stream = bits(0x2))
  c = constant int32[2] random integers(least = 0, most = 3, seed = 3)
  d = constant float16[2, 2] ramp
  e = constant float32[2] random normal(mean = 0.0, deviation = 1.0, seed = 694304140)
  return x
}
)";

const char *const kBlocks = R"(network a
func main(x: float32[4]) {
  a = f(x)
  dataflow { b = f(a)  w = constant float32[] 1.0 } yield b
  c = f(b, w)
  d = f(c)
  return d
})";

/// The flat text, without its first two lines.
QString flat(const std::string &text, const NetParameters &parameters = {}) {
    try {
        const std::string printed = netText(parseNet(text, "test.net", parameters).module);
        return QString::fromStdString(printed.substr(printed.find("func")));
    } catch (const Error &error) {
        return QString::fromStdString(std::string(error.what()) + "\n" + error.excerpt());
    }
}

} // namespace

class NetMacrosTest : public QObject {
    Q_OBJECT

  private slots:
    void macrosNameTheirValues() { QCOMPARE(flat(kMacros), QString(kMacrosFlat)); }

    void repetitionsAndVariables() {
        QCOMPARE(flat(kRepetitions), QString(kRepetitionsFlat));
        QCOMPARE(flat("network a(count = 2)\nfunc main(x: float32[count]) { var h = x repeat i < count { h = f(h) } "
                      "return h }",
                      {{"count", 1}}),
                 QString("func main(x: float32[1]) {\n  h = f(x)\n  return h\n}\n"));
    }

    void severalResultsAndOptionalInputs() { QCOMPARE(flat(kResults), QString(kResultsFlat)); }

    void integersAndDims() { QCOMPARE(flat(kIntegers), QString(kIntegersFlat)); }

    void inputsThatAreWritten() { QCOMPARE(flat(kInputs), QString(kInputsFlat)); }

    void rulesOfWeights() { QCOMPARE(flat(kRules), QString(kRulesFlat)); }

    void statementsOutsideBlocksMakeBlocks() {
        const Module module = parseNet(kBlocks, "a.net").module;
        QCOMPARE(module.main().blocks().size(), size_t{3});
        QCOMPARE(module.main().blocks()[2].nodes.size(), size_t{2});
    }

    /// A mistake in a macro is shown there, and says from where it was called.
    void mistakesInMacros() {
        QCOMPARE(flat("network a\nmacro f(x) {\n  y = relu(z)\n  return y\n}\nfunc main(x: float32[]) {\n  a = f(x)\n  "
                      "return "
                      "a\n}"),
                 QString("test.net:3:12: no value is called `z` (expanded from line 7)\n  y = relu(z)\n           ^"));
    }
};

LOOPSCOPE_TEST(NetMacrosTest)
#include "net_macros_test.moc"
