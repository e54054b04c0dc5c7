// A graph that breaks a rule is told so, in a sentence that names function, node and value; one test per rule.

#include "graph/net_text.h"
#include "graph/verify.h"

#include <QTest>
#include <functional>

using namespace loopscope;

namespace {

const TensorType kType = {DType::Float32, {Dim(2)}};

/// x -> relu -> a; w a constant; a -> add w -> b; b returned.
FunctionParts wellFormed() {
    FunctionParts parts;
    parts.name = "main";
    parts.values = {{"x", kType, {}, std::nullopt},
                    {"w", kType, {}, HostTensor::splat(DType::Float32, {2}, 1)},
                    {"a", kType, NodeId(0), std::nullopt},
                    {"b", std::nullopt, NodeId(1), std::nullopt}};
    parts.parameters = {ValueId(0)};
    parts.blocks = {{BlockKind::Dataflow, {{"a", "relu", {ValueId(0)}, {ValueId(2)}, {}, {}}}},
                    {BlockKind::Dataflow, {{"b", "add", {ValueId(2), ValueId(1)}, {ValueId(3)}, {}, {}}}}};
    parts.results = {ValueId(3)};
    return parts;
}

using Change = std::function<void(FunctionParts &)>;

} // namespace
Q_DECLARE_METATYPE(Change)

class GraphVerifyTest : public QObject {
    Q_OBJECT

  private slots:
    void wellFormedIsNoProblem() {
        Module module;
        module.functions = {GraphFunction::fromParts(wellFormed())};
        QVERIFY(graphProblems(module).empty());
        FunctionParts parts = wellFormed();
        parts.blocks[1].nodes[0].inputs.push_back(ValueId()); // left out
        QVERIFY(graphProblems(*GraphFunction::fromParts(std::move(parts))).empty());
    }

    void brokenRules_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *sentence, const Change &change) {
            QTest::newRow(sentence) << change << QString(sentence);
        };
        row("function `main`: value number 2 has no name", [](auto &parts) { parts.values[2].name = ""; });
        row("function `main`: values number 1 and 2 have the same name `w`",
            [](auto &parts) { parts.values[2].name = "w"; });
        row("function `main`: value `a` has a negative dim in its type float32[-1]",
            [](auto &parts) { parts.values[2].type = TensorType{DType::Float32, {Dim(-1)}}; });
        row("function `main`: parameter number 9 does not exist",
            [](auto &parts) { parts.parameters.push_back(ValueId(9)); });
        row("function `main`: value `x` is a parameter twice",
            [](auto &parts) { parts.parameters.push_back(ValueId(0)); });
        row("function `main`: parameter `w` is a constant, too",
            [](auto &parts) { parts.parameters.push_back(ValueId(1)); });
        row("function `main`: parameter `x` has a producer", [](auto &parts) { parts.values[0].producer = NodeId(0); });
        row("function `main`: parameter `x` has no type", [](auto &parts) { parts.values[0].type.reset(); });
        row("function `main`: constant `w` has a producer", [](auto &parts) { parts.values[1].producer = NodeId(0); });
        row("function `main`: constant `w` has no type", [](auto &parts) { parts.values[1].type.reset(); });
        row("function `main`: constant `w` has the type float32[2] and holds float32[3]",
            [](auto &parts) { parts.values[1].constant = HostTensor::splat(DType::Float32, {3}, 1); });
        row("function `main`: node number 0 (relu) has no name",
            [](auto &parts) { parts.blocks[0].nodes[0].name = ""; });
        row("function `main`: node 'a' has no operator", [](auto &parts) { parts.blocks[0].nodes[0].op = ""; });
        row("function `main`: add 'b' reads value number -2, which does not exist",
            [](auto &parts) { parts.blocks[1].nodes[0].inputs[1] = ValueId(-2); });
        row("function `main`: add 'b' reads value number 4, which does not exist",
            [](auto &parts) { parts.blocks[1].nodes[0].inputs[1] = ValueId(4); });
        row("function `main`: relu 'a' reads value `b` before it is made",
            [](auto &parts) { parts.blocks[0].nodes[0].inputs[0] = ValueId(3); });
        row("function `main`: relu 'a' reads value `a` before it is made",
            [](auto &parts) { parts.blocks[0].nodes[0].inputs[0] = ValueId(2); });
        row("function `main`: sink 'c' makes no value",
            [](auto &parts) { parts.blocks[1].nodes.push_back({"c", "sink", {}, {}, {}, {}}); });
        row("function `main`: add 'b' has an attribute without a name",
            [](auto &parts) { parts.blocks[1].nodes[0].attributes[""] = int64_t{1}; });
        row("function `main`: add 'b' makes value number -1, which does not exist",
            [](auto &parts) { parts.blocks[1].nodes[0].outputs.push_back(ValueId()); });
        row("function `main`: add 'b' makes value `x`, which has a value already",
            [](auto &parts) { parts.blocks[1].nodes[0].outputs.push_back(ValueId(0)); });
        row("function `main`: add 'b' makes value `b`, whose producer is said to be node number 0",
            [](auto &parts) { parts.values[3].producer = NodeId(0); });
        row("function `main`: it has no result", [](auto &parts) { parts.results.clear(); });
        row("function `main`: result number -1 does not exist",
            [](auto &parts) { parts.results.push_back(ValueId()); });
        row("function `main`: its result value `c` is never made", [](auto &parts) {
            parts.values.push_back({"c", kType, NodeId(1), std::nullopt});
            parts.results.push_back(ValueId(4));
        });
        row("function `main`: value `c` is neither a parameter nor a constant nor made by a node",
            [](auto &parts) { parts.values.push_back({"c", kType, {}, std::nullopt}); });
        row("function ``: it has no name", [](auto &parts) { parts.name = ""; });
    }

    void brokenRules() {
        QFETCH(Change, change);
        QFETCH(QString, sentence);
        FunctionParts parts = wellFormed();
        change(parts);
        const auto problems = graphProblems(*GraphFunction::fromParts(std::move(parts)));
        QStringList all;
        for (const std::string &problem : problems) all << QString::fromStdString(problem);
        QVERIFY2(all.contains(sentence), qPrintable(all.join("\n")));
    }

    void modulesHaveOneMain() {
        Module module;
        QCOMPARE(graphProblems(module), std::vector<std::string>{"the network has no function `main`"});
        const FunctionPtr main = GraphFunction::fromParts(wellFormed());
        module.functions = {main, main};
        QCOMPARE(graphProblems(module), std::vector<std::string>{"the network has two functions of the name `main`"});
        module.functions = {main, nullptr};
        QCOMPARE(graphProblems(module), std::vector<std::string>{"the network has a function that is not there"});
    }

    void noMoreThanAskedFor() {
        FunctionParts parts = wellFormed();
        for (int i = 0; i < 1000; ++i) parts.values.push_back({"", std::nullopt, {}, std::nullopt});
        QCOMPARE(graphProblems(*GraphFunction::fromParts(std::move(parts)), 7).size(), size_t{7});
    }
};

QTEST_APPLESS_MAIN(GraphVerifyTest)
#include "graph_verify_test.moc"
