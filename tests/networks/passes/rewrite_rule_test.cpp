// Each rule's own texts: before becomes after, both compute the same, and nothing else is touched.

#include "bisect.h"
#include "expression_text.h"
#include "networks/op/reference.h"
#include "networks/passes/pass_context.h"
#include "networks/passes/pipeline.h"
#include "networks/passes/rewrite_rule.h"
#include "test_program.h"

#include <QTest>

#include <fmt/format.h>
#include <set>

using namespace loopscope;
using namespace loopscope::test;

class RewriteRuleTest : public QObject {
    Q_OBJECT

    static RewriteRule ruleOf(const std::string &name) {
        for (RewriteRule &rule : algebraRules())
            if (rule.name == name) return rule;
        throw Error("there is no rule " + name);
    }
    /// The text after one rule alone.
    static std::string rewritten(const std::string &name, const std::string &given, const std::string &text) {
        GraphPassContext context;
        PassReport report;
        FunctionEdit edit(parseExpression(given, text), "simplifyAlgebra", report);
        const std::vector<RewriteRule> rules = {ruleOf(name)};
        const auto steps = applyRules(edit, rules, 100, ConstantEvaluation(context));
        if (!steps) return steps.why();
        return expressionText(*edit.finish());
    }

  private slots:
    void becomesWhatItSays_data() {
        QTest::addColumn<QString>("name");
        for (const RewriteRule &rule : algebraRules())
            QTest::newRow(rule.name.c_str()) << QString::fromStdString(rule.name);
    }
    void becomesWhatItSays() {
        QFETCH(QString, name);
        const RewriteRule rule = ruleOf(name.toStdString());
        QVERIFY(!rule.roots.empty());
        // A result cannot be called as a parameter is, so something stands behind what may become one.
        const FunctionPtr before = parseExpression(rule.given, "tanh(" + rule.before + ")");
        QCOMPARE(expressionText(*before), "tanh(" + rule.before + ")");
        GraphPassContext context;
        PassReport report;
        FunctionEdit edit(before, "simplifyAlgebra", report);
        const auto steps = applyRules(edit, std::vector<RewriteRule>{rule}, 100, ConstantEvaluation(context));
        QVERIFY2(steps.ok(), steps.ok() ? "" : steps.why().c_str());
        const FunctionPtr after = edit.finish();
        QCOMPARE(expressionText(*after), "tanh(" + rule.after + ")");
        const auto inputs = seededInputs(*before);
        const auto expected = runReference(*before, inputs);
        const auto found = runReference(*after, inputs);
        QVERIFY2(expected.ok(), expected.ok() ? "" : expected.why().c_str());
        QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
        for (size_t i = 0; i < before->results().size(); ++i)
            QVERIFY(relativeDifference(found->at(after->results()[i]), expected->at(before->results()[i])) < 1e-6);
    }

    void leavesWhatHasOtherReaders() {
        const std::string given = "x: float32[2, 3]";
        const std::string products = "a = mul(x, 2.0) | mul(a, 3.0) | neg(a)";
        QCOMPARE(rewritten("composeMul", given, products), "mul(mul(x, 2.0), 3.0) | neg(mul(x, 2.0))");
        QCOMPARE(rewritten("logOfSoftmax", given, "a = softmax(x; axis = 1) | log(a) | a"),
                 "log(softmax(x; axis = 1)) | softmax(x; axis = 1)");
    }

    void leavesWhatIsNotEqual() {
        const std::string given = "x: float32[2, 3, 4]";
        // A vector along each of two axes is not one constant.
        QCOMPARE(rewritten("composeAdd", "x: float32[2, 3], c: const float32[2, 1]", "add(add(x, c), {1.0, 2.0, 3.0})"),
                 "add(add(x, c), {1.0, 2.0, 3.0})");
        QCOMPARE(rewritten("addZero", "x: float32[3], z: const float32[2, 3]", "add(x, z)"), "add(x, z)");
        QCOMPARE(rewritten("divConstant", given, "div(x, 0.0)"), "div(x, 0.0)");
        // Constants that would leave their type.
        for (const char *products : {"mul(mul(x, 1e-25), 1e-25)", "mul(mul(x, 1e+20), 1e+20)"})
            QCOMPARE(rewritten("composeMul", given, products), products);
        QCOMPARE(rewritten("composeMul", given, "mul(mul(x, 0.0), 1e-25)"), "mul(x, 0.0)");
        QCOMPARE(rewritten("composeAdd", given, "add(add(x, 3e+38), 3e+38)"), "add(add(x, 3e+38), 3e+38)");
        QCOMPARE(rewritten("divConstant", given, "div(x, 1e-39)"), "div(x, 1e-39)");
        QCOMPARE(rewritten("reshapeOfReshape", given, "reshape(reshape(x, [4, 6]), [0, 2, 3])"),
                 "reshape(reshape(x, [4, 6]), [0, 2, 3])");
        QCOMPARE(rewritten("geluOfErf", given, "mul(mul(x, add(erf(div(x, 1.5)), 1.0)), 0.5)"),
                 "mul(mul(x, add(erf(div(x, 1.5)), 1.0)), 0.5)");
        QCOMPARE(rewritten("layerNormCore", given,
                           "m = reduce_mean(x; axes = [1]) | d = sub(x, m) | "
                           "div(d, sqrt(add(reduce_mean(mul(d, d); axes = [1]), 0.5)))")
                     .find("layer_norm"),
                 std::string::npos);
    }

    void chainsEnd() {
        QCOMPARE(rewritten("idempotent", "x: float32[2]", "relu(relu(relu(relu(x))))"), "relu(x)");
        QCOMPARE(rewritten("composeMul", "x: float32[2]", "mul(mul(mul(x, 2.0), 3.0), 4.0)"), "mul(x, 24.0)");
    }

    void goingInCyclesIsRefused() {
        GraphPassContext context;
        PassReport report;
        FunctionEdit edit(parseExpression("x: float32[2]", "abs(neg(x))"), "simplifyAlgebra", report);
        RewriteRule turn;
        turn.name = "turn";
        turn.roots = {"neg"};
        turn.apply = [](FunctionEdit &function, NodeId root, const ConstantEvaluation &) {
            return function.replace(function.output(root), function.add(root, "neg", {function.input(root, 0)}), "");
        };
        const auto steps = applyRules(edit, std::vector<RewriteRule>{turn}, 20, ConstantEvaluation(context));
        QVERIFY(!steps.ok());
        QCOMPARE(steps.why(),
                 "after 20 rewrites there is still something to rewrite, turn at 'neg1' the last: the rules "
                 "form a cycle");
    }

    void namesAreUnique() {
        std::set<std::string> names;
        for (const std::string &name : ruleNames()) QVERIFY(names.insert(name).second);
    }
};

LOOPSCOPE_TEST(RewriteRuleTest)
#include "rewrite_rule_test.moc"
