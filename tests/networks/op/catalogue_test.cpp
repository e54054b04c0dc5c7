// The catalogue as a whole, and nodes that do not say what it wants.

#include "net_lines.h"
#include "networks/op/operator.h"
#include "test_program.h"

#include <QTest>
#include <set>

using namespace loopscope;

namespace {

QString problems(const std::string &parameters, const std::string &lines) {
    QString all;
    for (const OpProblem &problem : checkAgainstCatalogue(*netFunction(parameters, lines, "y")))
        all += QString("%1: %2\n").arg(problem.node.value).arg(QString::fromStdString(problem.sentence));
    return all;
}

PatternKind patternOfLast(const std::string &parameters, const std::string &lines) {
    const auto typed = inferTypes(*netFunction(parameters, lines, "y"));
    const GraphFunction &function = **typed;
    return patternOf(function, function.node(NodeId(function.nodeCount() - 1)));
}

} // namespace

class CatalogueTest : public QObject {
    Q_OBJECT
  private slots:
    void everyEntryIsComplete() {
        const std::vector<const Operator *> all = allOperators();
        QVERIFY(all.size() > 80);
        for (size_t i = 0; i < all.size(); ++i) {
            const Operator &of = *all[i];
            if (i > 0) QVERIFY2(all[i - 1]->name < of.name, of.name.c_str());
            QCOMPARE(findOperator(of.name), &of);
            QVERIFY2(of.infer && of.evaluate, of.name.c_str());
            QVERIFY2(!of.doc.empty() && of.doc.back() == '.' && of.doc.find('\n') == std::string::npos,
                     of.name.c_str());
            QVERIFY2(!of.inputs.empty(), of.name.c_str());
            QVERIFY2(of.minOutputs >= 1 && of.minOutputs <= of.maxOutputs, of.name.c_str());
            std::set<std::string> names;
            for (const AttributeSpec &spec : of.attributes) {
                QVERIFY2(names.insert(spec.name).second, of.name.c_str());
                QVERIFY2(!spec.doc.empty(), (of.name + "." + spec.name).c_str());
            }
            bool optional = false; // nothing needed behind it
            for (const InputSpec &spec : of.inputs) {
                QVERIFY2(names.insert(spec.name).second, of.name.c_str());
                QVERIFY2(spec.optional || !optional, of.name.c_str());
                optional = spec.optional;
            }
        }
        QCOMPARE(findOperator("Conv"), nullptr);
    }

    void problems_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *lines, const char *expected) {
            QTest::newRow(name) << lines << expected;
        };
        row("nothing wrong", "y = leaky_relu(x, alpha = 0.5)", "");
        row("an integer is a number", "y = leaky_relu(x, alpha = 1)", "");
        row("an empty list is a list of anything", "y = resize(x, sizes = numbers [], scales = ints [])", "");
        row("unknown operator", "y = rleu(x)", "0: rleu 'y': there is no operator 'rleu' (did you mean `relu`?)\n");
        row("unknown attribute", "y = softmax(x, axes = 1)",
            "0: softmax 'y' has no attribute 'axes' (did you mean `axis`?)\n");
        row("attribute of another type", "y = softmax(x, axis = 1.0)",
            "0: softmax 'y': attribute axis has to be an integer\n");
        row("text instead of a number", "y = elu(x, alpha = \"1\")",
            "0: elu 'y': attribute alpha has to be a number\n");
        row("number instead of a text", "y = cast(x, to = 1)", "0: cast 'y': attribute to has to be a text\n");
        row("integer instead of a list", "y = reduce_sum(x, axes = 1)",
            "0: reduce_sum 'y': attribute axes has to be a list of integers\n");
        row("texts instead of numbers", "y = resize(x, scales = [\"a\"])",
            "0: resize 'y': attribute scales has to be a list of numbers\n");
        row("number instead of a tensor", "y = constant_of_shape([1], value = 0.5)",
            "0: constant_of_shape 'y': attribute value has to be a tensor\n");
        row("missing attribute", "y = max_pool(x)",
            "0: max_pool 'y': attribute kernel is missing, it is a list of integers\n");
        row("too many inputs", "y = relu(x, x)", "0: relu 'y' has 2 inputs, it takes 1 input\n");
        row("too few inputs", "y = conv(x)", "0: conv 'y' has 1 input, it takes 2 to 3 inputs\n");
        row("no input", "y = concat(axis = 0)", "0: concat 'y' has 0 inputs, it takes at least 1 input\n");
        row("an input left out", "y = add(x, _)", "0: add 'y': input b is left out, it is needed\n");
        row("an optional input left out", "y = gemm(x, x, _)", "");
        row("too many outputs", "y, z = relu(x)", "0: relu 'y' has 2 outputs, it has to have 1 output\n");
        row("outputs of dropout", "y, z, u = dropout(x)",
            "0: dropout 'y' has 3 outputs, it has to have 1 to 2 outputs\n");
        row("all of them", "a = rleu(x)\ny = softmax(a, axes = 1, axis = 1.0)",
            "0: rleu 'a': there is no operator 'rleu' (did you mean `relu`?)\n"
            "1: softmax 'y' has no attribute 'axes' (did you mean `axis`?)\n"
            "1: softmax 'y': attribute axis has to be an integer\n");
    }
    void problems() {
        QFETCH(QString, lines);
        QFETCH(QString, expected);
        QCOMPARE(::problems("x: float32[2, 2]", lines.toStdString()), expected);
    }

    void inferenceRefusesWhatTheCatalogueDoes() {
        QCOMPARE(inferredType("x: float32[2]", "y = rleu(x)"),
                 std::string("rleu 'y': there is no operator 'rleu' (did you mean `relu`?)"));
        QCOMPARE(computed("x = constant float32[2] 0.0\ny = rleu(x)"),
                 std::string("rleu 'y': there is no operator 'rleu' (did you mean `relu`?)"));
    }

    void aBroadcastOfEqualShapesIsElementwise() {
        QCOMPARE(patternOfLast("a: float32[n, 3], b: float32[n, 3]", "y = add(a, b)"), PatternKind::Elementwise);
        QCOMPARE(patternOfLast("a: float32[n, 3], b: float32[3]", "y = add(a, b)"), PatternKind::Broadcast);
        QCOMPARE(patternOfLast("a: float32[n, 3], b: float32[3]", "y = bias_add(a, b)"), PatternKind::Broadcast);
        QCOMPARE(patternOfLast("a: float32[n, 3]", "y = unsqueeze(a, axes = [0])"), PatternKind::Broadcast);
        QCOMPARE(patternOfLast("a: float32[n, 3]", "y = transpose(a)"), PatternKind::Injective);
        QCOMPARE(patternOfLast("a: float32[n, 3]", "y = reduce_sum(a)"), PatternKind::Reduction);
        QCOMPARE(patternOfLast("a: float32[n, 3, 8]", "y = max_pool(a, kernel = [2])"), PatternKind::OutputFusable);
        QCOMPARE(patternOfLast("a: float32[n, 3, 8]", "y = lrn(a, size = 2)"), PatternKind::Opaque);
    }
};

LOOPSCOPE_TEST(CatalogueTest)
#include "catalogue_test.moc"
