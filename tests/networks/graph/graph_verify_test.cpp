// A graph that breaks a rule is told so, in a sentence that names function, node and value; one test per rule.

#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "test_program.h"

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

    void rulesOfStatements_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *lines, const char *sentence) {
            QTest::newRow(lines) << QString(lines) << QString(sentence);
        };
        row("effect { y = call(x, function = \"f\") } yield y", "");
        row("y = call(x, function = \"f\")",
            "call 'y': stands in a dataflow block, which is pure; its place is `effect { ... }`");
        row("effect { y = call(x) } yield y", "call 'y': attribute function has to be the name of a function");
        row("effect { y = call(x, function = 3) } yield y",
            "call 'y': attribute function has to be the name of a function");
        row("effect { y = call(x, function = \"f\", functions = 3) } yield y",
            "call 'y': has no attribute 'functions' (did you mean `function`?)");
        row("effect { y = call(x, function = \"ff\") } yield y",
            "call 'y': function is `ff`, and the network has no function of that name (did you mean `f`?)");
        row("effect { y = call(x, x, function = \"f\") } yield y",
            "call 'y': hands 2 values to function `f`, which takes 1 value");
        row("effect { y, z = call(x, function = \"f\") } yield y",
            "call 'y': needs 2 values from function `f`, which gives 1 value");
        row("effect { y = call(_, function = \"f\") } yield y", "call 'y': input 0 is left out, it is needed");
        row("effect { y = if(then = \"f\", else = \"f\") } yield y", "if 'y': has no condition");
        row("effect { y = if(c, x, then = \"f\") } yield y", "if 'y': attribute else has to be the name of a function");
        row("effect { y = if(c, x, then = \"f\", else = \"two\") } yield y",
            "if 'y': needs 1 value from function `two`, which gives 2 values");
        row("effect { y = loop(_, _, x, body = \"b\") } yield y",
            "loop 'y': attribute carried has to say how many of its 3 inputs are carried");
        row("effect { y = loop(_, _, x, body = \"b\", carried = 4) } yield y",
            "loop 'y': attribute carried has to say how many of its 3 inputs are carried");
        row("effect { y = loop(_, _, x, body = \"b\", carried = 2) } yield y",
            "loop 'y': has 3 inputs; trips, a condition and 2 values that are carried are at least 4");
        row("effect { y = loop(_, _, x, x, body = \"b\", carried = 2) } yield y",
            "loop 'y': gives 1 value, and 2 are carried");
        row("effect { y = loop(_, _, _, body = \"b\", carried = 1) } yield y",
            "loop 'y': input 2 is left out, it is needed");
        row("effect { y, z = loop(_, _, x, body = \"b\", carried = 1) } yield y",
            "loop 'y': needs 3 values from function `b`, which gives 2 values");
        row("effect { y = match(x) } yield y", "match 'y': says no pattern: the type of `y` is it");
        row("effect { y: float32[n] = match(x, x) } yield y",
            "match 'y': takes one value and gives one; it has 2 inputs and 1 output");
        row("effect { y: float32[a, b] = match(m) z: float32[a*b, a*d] = match(m) } yield y",
            "match 'z': dim 1 of the pattern, a*d, cannot be solved: no more than one symbol of it may be new, with a "
            "number as its factor");
        row("effect { y: float32[i + k, 2*k - j] = match(m) } yield y",
            "match 'y': dim 0 of the pattern, i + k, cannot be solved: no more than one symbol of it may be new, "
            "with a number as its factor");
        row("effect { y = cut(x, x) } yield y", "cut 'y': takes a value, starts, ends, axes and steps, and gives one "
                                                "value; it has 2 inputs and 1 output");
        row("effect { y = non_max_suppression(x) } yield y",
            "non_max_suppression 'y': takes boxes, scores, how many at most, a share of overlap and a least score, and "
            "gives one value; it has 1 input and 1 output");
        row("effect { y = non_max_suppression(_, x) } yield y",
            "non_max_suppression 'y': input 0 is left out, it is needed");
        row("effect { y = non_max_suppression(x, x, _, _, x) } yield y", "");
        row("effect { u, y = unique(x) } yield y",
            "unique 'u': takes one value and gives one; it has 1 input and 2 outputs");
    }

    void rulesOfStatements() {
        QFETCH(QString, lines);
        QFETCH(QString, sentence);
        const Module module =
            parseNet("network t\nfunc main(x: float32[n], c: bool[], m: float32[4, 4]) {\n" + lines.toStdString() +
                         "\nreturn y\n}\nfunc f(x: float32[n]) { return x }\nfunc two(x: float32[n]) { return x, x }\n"
                         "func b(i: int64[], go: bool[], v: float32[n]) { return go, v }\n",
                     "t.net")
                .module;
        QStringList all;
        for (const std::string &problem : graphProblems(module)) all << QString::fromStdString(problem);
        if (sentence.isEmpty())
            QVERIFY2(all.isEmpty(), qPrintable(all.join("\n")));
        else
            QCOMPARE(all, QStringList{"function `main`: " + sentence});
    }

    void noRecursion() {
        const auto problems = [](const std::string &functions) {
            std::vector<std::string> all = graphProblems(parseNet("network t\n" + functions, "t.net").module);
            return all.empty() ? std::string() : all[0];
        };
        const auto calling = [](const std::string &name, const std::string &callee) {
            return "func " + name + "(x: float32[n]) { effect { y = call(x, function = \"" + callee +
                   "\") z = call(x, function = \"" + callee + "\") } yield y return y }\n";
        };
        QCOMPARE(problems(calling("main", "main")),
                 std::string("function `main`: calls itself (main -> main); networks have no recursion"));
        QCOMPARE(problems(calling("main", "f") + calling("f", "g") + calling("g", "f")),
                 std::string("function `f`: calls itself (f -> g -> f); networks have no recursion"));
        const auto chain = [&](int length, bool down) {
            std::string text = "func f0(x: float32[n]) { return x }\n";
            for (int i = 1; i < length; ++i) {
                const std::string one =
                    calling(i + 1 == length ? "main" : "f" + std::to_string(i), "f" + std::to_string(i - 1));
                text = down ? one + text : text + one;
            }
            return text;
        };
        QCOMPARE(problems(chain(64, true)), std::string());
        QCOMPARE(problems(chain(64, false)), std::string());
        QCOMPARE(problems(chain(65, true)), std::string("function `f0`: is one of 65 functions of which each calls the "
                                                        "next; 64 is the most"));
        QCOMPARE(problems(chain(65, false)), std::string("function `f63`: is one of 65 functions of which each calls "
                                                         "the next; 64 is the most"));
    }

    void noMoreThanAskedFor() {
        FunctionParts parts = wellFormed();
        for (int i = 0; i < 1000; ++i) parts.values.push_back({"", std::nullopt, {}, std::nullopt});
        QCOMPARE(graphProblems(*GraphFunction::fromParts(std::move(parts)), 7).size(), size_t{7});
    }
};

LOOPSCOPE_TEST(GraphVerifyTest)
#include "graph_verify_test.moc"
