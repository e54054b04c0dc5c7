// Graphs are the same up to names, and different when anything else is.

#include "harness/same_structure.h"
#include "networks/graph/net_text.h"
#include "test_program.h"

#include <QTest>

using namespace loopscope;

namespace {

Module read(const std::string &body, const std::string &parameters = "x: float32[n, m, 4]") {
    return parseNet("network a\nfunc main(" + parameters + ") {\n" + body + "\n}", "a.net").module;
}

const char *const kBody = R"(
  w = constant float32[4] [1.0, 2.0, 3.0, 4.0]
  a: float32[n, m, 4] = mul(x, w) @ "first"
  b: float32[n*m, 4] = op(a, _, alpha = 0.5, axes = [1, 2], mode = "up") from ["old"]
  c, d = split(b, value = tensor float32[1] 2.0)
  return c, d)";

std::string replaced(std::string text, const std::string &what, const std::string &by) {
    size_t at = 0;
    while ((at = text.find(what, at)) != std::string::npos) {
        text.replace(at, what.size(), by);
        at += by.size();
    }
    return text;
}

} // namespace

class SameStructureTest : public QObject {
    Q_OBJECT

  private slots:
    void namesDoNotCount_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("parameters");
        const QString parameters = "x: float32[n, m, 4]";
        const std::string body = kBody;
        QTest::newRow("node") << QString::fromStdString(replaced(body, "\"first\"", "\"second\"")) << parameters;
        QTest::newRow("sources") << QString::fromStdString(replaced(body, " from [\"old\"]", "")) << parameters;
        QTest::newRow("values") << QString::fromStdString(replaced(replaced(body, "a: ", "q: "), "op(a", "op(q"))
                                << parameters;
        QTest::newRow("symbols") << QString::fromStdString(replaced(replaced(body, "[n, m", "[z, k"), "n*m", "k*z"))
                                 << "x: float32[z, k, 4]";
        QTest::newRow("dense") << QString::fromStdString(
                                      replaced(body, "tensor float32[1] 2.0", "tensor float32[1] [2.0]"))
                               << parameters;
        QTest::newRow("place of constant")
            << QString::fromStdString(replaced(body, "  c, d", "  unused = constant float32[] 1.0\n  c, d"))
            << parameters;
    }

    void namesDoNotCount() {
        QFETCH(QString, body);
        QFETCH(QString, parameters);
        const Module one = read(kBody);
        const Module other = read(body.toStdString(), parameters.toStdString());
        QVERIFY(sameStructure(one, other));
    }

    void allElseCounts_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("by");
        QTest::newRow("operator") << "mul(" << "add(";
        QTest::newRow("constant") << "3.0, 4.0" << "3.0, 4.5";
        QTest::newRow("type of constant") << "float32[4] [" << "float64[4] [";
        QTest::newRow("type") << "b: float32[n*m" << "b: float32[n*n";
        QTest::newRow("no type") << "b: float32[n*m, 4]" << "b";
        QTest::newRow("input") << "op(a, _" << "op(x, _";
        QTest::newRow("input left out") << "op(a, _" << "op(a, a";
        QTest::newRow("one input less") << "op(a, _, " << "op(a, ";
        QTest::newRow("attribute") << "alpha = 0.5" << "alpha = 0.25";
        QTest::newRow("name of attribute") << "alpha" << "beta";
        QTest::newRow("kind of attribute") << "axes = [1, 2]" << "axes = [1.0, 2.0]";
        QTest::newRow("border of lists") << "axes = [1, 2]" << "axes = [1]";
        QTest::newRow("text") << "\"up\"" << "\"down\"";
        QTest::newRow("tensor") << "float32[1] 2.0" << "float32[1] 3.0";
        QTest::newRow("results") << "return c, d" << "return d, c";
        QTest::newRow("fewer results") << "return c, d" << "return c";
        QTest::newRow("outputs") << "c, d = split" << "c, d, e = split";
    }

    void allElseCounts() {
        QFETCH(QString, what);
        QFETCH(QString, by);
        const std::string changed = replaced(kBody, what.toStdString(), by.toStdString());
        QVERIFY(changed != kBody);
        const Module one = read(kBody);
        const Module other = read(changed);
        QVERIFY(!sameStructure(one, other));
    }

    void symbolsThatAreOneAreNotTwo() {
        const Module two = read("return x", "x: float32[n, m]");
        const Module one = read("return x", "x: float32[n, n]");
        QVERIFY(!sameStructure(one, two));
    }

    void blocksCount() {
        const Module one = read("dataflow { a = f(x) b = f(a) } yield b return b");
        const Module two = read("dataflow { a = f(x) } yield a dataflow { b = f(a) } yield b return b");
        QVERIFY(!sameStructure(one, two));
    }
};

LOOPSCOPE_TEST(SameStructureTest)
#include "same_structure_test.moc"
