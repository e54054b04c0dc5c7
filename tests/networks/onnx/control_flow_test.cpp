// If and Loop of ONNX: what their graphs read of those around them, sizes that change from trip to trip, and what is
// refused. Answers are those of the reference.

#include "model_maker.h"
#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "networks/op/reference.h"
#include "test_program.h"

#include <QTest>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace loopscope;

namespace {

HostTensor floats(std::vector<float> values) {
    const auto count = static_cast<int64_t>(values.size());
    return floatTensor({count}, values);
}
HostTensor whole(int64_t value) { return HostTensor::splat(DType::Int64, {}, static_cast<double>(value)); }
HostTensor flag(bool value) { return HostTensor::splat(DType::Bool, {}, value ? 1 : 0); }

void addGraph(onnx::NodeProto &node, const std::string &name, ModelMaker &graph) {
    auto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto_AttributeType_GRAPH);
    *attribute.mutable_g() = graph.graph();
}

QString problems(const ModelMaker &maker) { return QString::fromStdString(problemsText(maker.import())); }

/// All results; or what is wrong, of the import, the module, its text, the run.
QString ran(const ModelMaker &maker, const std::vector<HostTensor> &inputs) {
    const ImportResult result = maker.import();
    if (!result.module) return QString::fromStdString(problemsText(result));
    const std::string text = netText(*result.module);
    const Module module = parseNet(text, "a.net").module;
    if (netText(module) != text) return "is read as something else: " + QString::fromStdString(text);
    const auto values = runReference(module, inputs, {});
    if (!values) return QString::fromStdString(values.why());
    std::vector<std::string> texts;
    for (const ValueId id : module.main().results()) {
        const WideTensor &tensor = values->at(id);
        texts.push_back(fmt::format("{} {}{}", dimsText(asDims(tensor.dims)), fmt::join(tensor.floats, " "),
                                    fmt::join(tensor.integers, " ")));
    }
    return QString::fromStdString(fmt::format("{}", fmt::join(texts, "; ")));
}

/// y = if c then x + w else relu(x), with w an initialiser of the graph around.
ModelMaker branching() {
    ModelMaker yes;
    yes.node("Add", {"x", "w"}, {"inside"});
    yes.output("inside");
    ModelMaker no;
    no.node("Relu", {"x"}, {"inside"});
    no.output("inside");
    ModelMaker maker;
    maker.input("c", {}, DType::Bool).input("x", {-2}).initialiser("w", HostTensor::splat(DType::Float32, {1}, 10));
    auto &node = maker.node("If", {"c"}, {"y"});
    addGraph(node, "then_branch", yes);
    addGraph(node, "else_branch", no);
    maker.node("Neg", {"y"}, {"z"});
    maker.output("z");
    return maker;
}

/// A body that takes `i`, `go` and `v`.
ModelMaker body() {
    ModelMaker maker;
    maker.input("i", {}, DType::Int64).input("go", {}, DType::Bool).input("v", {-1});
    return maker;
}

ModelMaker looping(ModelMaker &inner, const std::vector<std::string> &outputs) {
    ModelMaker maker;
    maker.input("t", {}, DType::Int64).input("x", {3});
    addGraph(maker.node("Loop", {"t", "", "x"}, outputs), "body", inner);
    for (const std::string &output : outputs) maker.output(output);
    return maker;
}

} // namespace

using GraphChange = std::function<void(onnx::GraphProto &)>;
Q_DECLARE_METATYPE(GraphChange)

class OnnxControlFlowTest : public QObject {
    Q_OBJECT
  private slots:
    void branches() {
        const ModelMaker maker = branching();
        const ImportResult result = maker.import();
        QVERIFY2(result.module.has_value(), problemsText(result).c_str());
        QCOMPARE(QString::fromStdString(netText(*result.module)).split('\n'),
                 QString("network made\n\n"
                         "func main(c: bool[], x: float32[a]) {\n"
                         "  effect {\n"
                         "    w = constant float32[1] [10.0]\n"
                         "    y: float32[a] = if(c, x, else = \"y.else\", then = \"y.then\") from [\"y\"]\n"
                         "  } yield y\n"
                         "  dataflow {\n"
                         "    z: float32[a] = neg(y) from [\"z\"]\n"
                         "  } yield z\n"
                         "  return z\n"
                         "}\n\n"
                         "func y.then(x: float32[a]) {\n"
                         "  w = constant float32[1] [10.0]\n"
                         "  inside: float32[a] = add(x, w) from [\"inside\"]\n"
                         "  return inside\n"
                         "}\n\n"
                         "func y.else(x: float32[a]) {\n"
                         "  inside: float32[a] = relu(x) from [\"inside\"]\n"
                         "  return inside\n"
                         "}\n")
                     .split('\n'));
        QVERIFY(graphProblems(*result.module).empty());
        QCOMPARE(ran(maker, {flag(true), floats({-1, 2})}), QString("[2] -9 -12"));
        QCOMPARE(ran(maker, {flag(false), floats({-1, 2})}), QString("[2] -0 -2"));
    }

    void sizesThatGrow() {
        ModelMaker inner = body();
        inner.node("Concat", {"v", "x"}, {"next"}, {{"axis", int64_t{0}}});
        inner.node("ReduceSum", {"next"}, {"sum"}, {{"keepdims", int64_t{0}}});
        inner.output("go").output("next").output("sum");
        const ModelMaker maker = looping(inner, {"y", "sums"});
        QCOMPARE(ran(maker, {whole(2), floats({1, 2, 3})}), QString("[9] 1 2 3 1 2 3 1 2 3; [2] 12 18"));
        QCOMPARE(ran(maker, {whole(0), floats({1, 2, 3})}), QString("[3] 1 2 3; [0] "));
    }

    /// What starts and ends hold is known in a run alone; what the file declares for the result is checked there.
    void partsOfWhatIsAround() {
        ModelMaker inner = body();
        inner.initialiser("one", integerTensor({1}, std::vector<int64_t>{1}));
        inner.initialiser("vector", integerTensor({1}, std::vector<int64_t>{1}));
        inner.node("Reshape", {"i", "vector"}, {"start"});
        inner.node("Add", {"start", "one"}, {"end"});
        inner.node("Slice", {"x", "start", "end"}, {"piece"});
        inner.node("Add", {"v", "piece"}, {"next"});
        inner.output("go").output("next", {1});
        ModelMaker maker;
        maker.input("t", {}, DType::Int64).input("x", {3}).input("z", {1});
        addGraph(maker.node("Loop", {"t", "", "z"}, {"y"}), "body", inner);
        maker.output("y");
        QCOMPARE(ran(maker, {whole(2), floats({1, 2, 3}), floats({10})}), QString("[1] 13"));
        QCOMPARE(
            ran(maker, {whole(4), floats({1, 2, 3}), floats({10})}),
            QString("loop 'y': in trip 3 of `y.body`: match 'next/match': `next` is float32[0]: dim 0 has to be 1, "
                    "it is 0"));
        // Two more dims than there are.
        maker.graph()
            .mutable_node(0)
            ->mutable_attribute(0)
            ->mutable_g()
            ->mutable_output(1)
            ->mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->add_dim()
            ->set_dim_value(2);
        QVERIFY2(problems(maker).contains("\"v.0\" and \"piece.0\" are not known to be equal"),
                 qPrintable(problems(maker)));
    }

    /// A branch inside of a loop that reads of all graphs around it, and decides how long the loop runs.
    void graphsInOneAnother() {
        ModelMaker yes;
        yes.node("Add", {"v", "x"}, {"w"});
        yes.output("w");
        ModelMaker no;
        no.node("Identity", {"v"}, {"w"});
        no.output("w");
        ModelMaker inner = body();
        inner.initialiser("two", whole(2));
        inner.node("Less", {"i", "two"}, {"early"});
        auto &branch = inner.node("If", {"early"}, {"next"});
        addGraph(branch, "then_branch", yes);
        addGraph(branch, "else_branch", no);
        inner.output("early").output("next").output("i");
        const ModelMaker maker = looping(inner, {"y", "trips"});
        QCOMPARE(ran(maker, {whole(9), floats({1, 2, 3})}), QString("[3] 3 6 9; [3] 0 1 2"));
        QCOMPARE(ran(maker, {whole(1), floats({1, 2, 3})}), QString("[3] 2 4 6; [1] 0"));
    }

    void whatIsWrong_data() {
        QTest::addColumn<GraphChange>("change");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *sentence, const GraphChange &change) {
            QTest::newRow(sentence) << change << QString(sentence);
        };
        const auto branch = [](onnx::GraphProto &graph) {
            return graph.mutable_node(0)->mutable_attribute(0)->mutable_g();
        };
        row("attribute 'then_branch' is missing; it has to be a graph",
            [](auto &graph) { graph.mutable_node(0)->mutable_attribute()->DeleteSubrange(0, 1); });
        row("attribute 'then' is unknown; those of If are then_branch, else_branch", [](auto &graph) {
            auto &attribute = *graph.mutable_node(0)->add_attribute();
            attribute.set_name("then");
            attribute.set_i(1);
        });
        row("has 0 inputs; it takes one, the condition",
            [](auto &graph) { graph.mutable_node(0)->mutable_input()->Clear(); });
        row("has no output", [](auto &graph) { graph.mutable_node(0)->mutable_output()->Clear(); });
        row("its graphs read 'nowhere', which is no value of the graphs around them",
            [branch](auto &graph) { branch(graph)->mutable_node(0)->set_input(0, "nowhere"); });
        row("the graph of 'then_branch' has inputs; branches have none",
            [branch](auto &graph) { branch(graph)->add_input()->set_name("u"); });
        row("the graph of 'then_branch' gives 2 values; the node gives 1",
            [branch](auto &graph) { *branch(graph)->add_output() = branch(graph)->output(0); });
        row("the condition is float32[a], it has to be one bool",
            [](auto &graph) { graph.mutable_node(0)->set_input(0, "x"); });
    }
    void whatIsWrong() {
        QFETCH(GraphChange, change);
        QFETCH(QString, sentence);
        ModelMaker maker = branching();
        change(maker.graph());
        QVERIFY2(problems(maker).contains("(opset 17): " + sentence), qPrintable(problems(maker)));
    }

    void whatIsWrongInsideIsTold() {
        ModelMaker maker = branching();
        maker.graph().mutable_node(0)->mutable_attribute(1)->mutable_g()->mutable_node(0)->set_op_type("Multinomial");
        QVERIFY(problems(maker).startsWith("Multinomial 'inside' (opset 17): the operator is not supported"));
    }

    void wrongLoops() {
        ModelMaker two = body();
        two.output("go").output("v");
        ModelMaker more = looping(two, {"y", "z"});
        QCOMPARE(problems(more), QString("Loop 'y' (opset 17): the body gives 2 values and the node 2; 1 are carried, "
                                         "and the body gives the condition, too\n"));
        ModelMaker fewer = looping(two, {"y"});
        fewer.graph().mutable_node(0)->add_input("x");
        QCOMPARE(problems(fewer), QString("Loop 'y' (opset 17): the body takes 3 values; trip number, condition and 2 "
                                          "carried are 4\n"));
        ModelMaker left = looping(two, {"y"});
        left.graph().mutable_node(0)->set_input(2, "");
        left.graph().mutable_node(0)->add_input("x");
        left.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->add_input()->set_name("u");
        left.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->add_output()->set_name("u");
        left.graph().mutable_node(0)->add_output("z");
        QCOMPARE(problems(left), QString("Loop 'y' (opset 17): input 2 is left out\n"));
        ModelMaker ranks = body();
        ranks.node("ReduceSum", {"v"}, {"sum"}, {{"keepdims", int64_t{0}}});
        ranks.output("go").output("sum");
        ModelMaker changing = looping(ranks, {"y"});
        QCOMPARE(problems(changing), QString("Loop 'y' (opset 17): the body `y.body` takes float32[3] as `v` and gives "
                                             "float32[] for the next trip\n"));
    }

    void graphsAreNotEndless() {
        ModelMaker inside;
        inside.node("Relu", {"x"}, {"r"});
        inside.output("r");
        for (int i = 0; i < 20; ++i) {
            ModelMaker around;
            const std::string result = "r" + std::to_string(i);
            auto &node = around.node("If", {"c"}, {result});
            addGraph(node, "then_branch", inside);
            addGraph(node, "else_branch", inside);
            around.output(result);
            // Twice the size each time would not end either.
            node.mutable_attribute(1)->mutable_g()->mutable_node()->Clear();
            inside = around;
        }
        inside.input("c", {}, DType::Bool).input("x", {2});
        QCOMPARE(problems(inside), QString("If 'r19' (opset 17): its graphs stand in one another more than 16 deep\n"));
    }
};

LOOPSCOPE_TEST(OnnxControlFlowTest)
#include "control_flow_test.moc"
