// The whole pipeline: networks drawn by chance and small ones by hand, compared with the reference evaluation after
// every pass.

#include "base/random.h"
#include "bisect.h"
#include "expression_text.h"
#include "networks/graph/function_builder.h"
#include "networks/op/infer_types.h"
#include "networks/passes/function_edit.h"
#include "networks/passes/pipeline.h"
#include "networks/passes/well_formed.h"
#include "story.h"
#include "test_program.h"

#include <QTest>

#include <fmt/format.h>
#include <set>

using namespace loopscope;
using namespace loopscope::test;

namespace {

/// A network of such operators as meet each other in rules and foldings, over images of 4 channels.
class RandomNetwork {
  public:
    explicit RandomNetwork(uint64_t seed) : m_random(seed, 7), m_builder("main") {
        m_values.push_back(m_builder.addParameter("x", imageType()));
        m_values.push_back(m_builder.addParameter("y", imageType()));
        for (int i = 0; i < 24; ++i) step(fmt::format("n{}", i));
        for (int i = 0; i < 3; ++i) m_builder.addResult(m_values[m_values.size() - 1 - m_random.index(4)]);
    }
    Module finish() && {
        auto typed = inferTypes(std::move(m_builder).finish());
        if (!typed) throw Error(typed.why());
        return {"random", "", {*typed}};
    }

  private:
    static TensorType imageType() { return {DType::Float32, {Dim(1), Dim(4), Dim(3), Dim(5)}}; }
    HostTensor tensor(std::vector<int64_t> dims, double low = 0.5) {
        return seededTensor({DType::Float32, asDims(dims)}, m_random.next(), low, 1.5);
    }
    ValueId constant(const std::string &name, std::vector<int64_t> dims, double low = 0.5) {
        return m_builder.addConstant(name, m_random.below(4) == 0 ? HostTensor::splat(DType::Float32, dims, 0.75)
                                                                  : tensor(dims, low));
    }
    ValueId shape(const std::string &name, const std::vector<int64_t> &dims) {
        return m_builder.addConstant(name, integerTensor({static_cast<int64_t>(dims.size())}, dims));
    }
    ValueId some() { return m_values[m_values.size() - 1 - m_random.index(std::min<size_t>(5, m_values.size()))]; }
    ValueId node(const std::string &name, const std::string &op, std::vector<ValueId> inputs,
                 Attributes attributes = {}) {
        return m_builder.add(op, name, std::move(inputs), std::move(attributes), {name});
    }
    std::vector<int64_t> channelDims() {
        switch (m_random.below(4)) {
        case 0:
            return {};
        case 1:
            return {4, 1, 1};
        case 2:
            return {1, 4, 1, 1};
        default:
            return {5}; // along the last axis
        }
    }

    void step(const std::string &name) {
        static const char *const unary[] = {"relu", "neg", "abs", "sigmoid", "identity", "dropout", "tanh"};
        static const char *const binary[] = {"add", "mul", "sub", "div"};
        const ValueId x = some();
        ValueId made;
        switch (m_random.below(14)) {
        case 0:
        case 1:
            made = node(name, unary[m_random.index(std::size(unary))], {x});
            break;
        case 2:
        case 3: {
            const ValueId c = constant(name + ".c", channelDims());
            const size_t op = m_random.index(4);
            const bool swap = op < 3 && m_random.below(3) == 0;
            made = node(name, binary[op], swap ? std::vector{c, x} : std::vector{x, c});
            break;
        }
        case 4:
            made = node(name, binary[m_random.index(3)], {x, some()});
            break;
        case 5:
        case 6: {
            std::vector<ValueId> inputs = {x, constant(name + ".w", {4, 4, 1, 1}, -1.5)};
            if (m_random.below(2) == 0) inputs.push_back(constant(name + ".b", {4}));
            made = node(name, "conv", inputs);
            break;
        }
        case 7: {
            const int64_t group = m_random.below(2) == 0 ? 2 : 4;
            made = node(name, "conv", {x, constant(name + ".w", {4, 4 / group, 3, 3}, -1.5)},
                        {{"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"group", group}});
            break;
        }
        case 8:
        case 9:
            made = node(name, "batch_norm",
                        {x, constant(name + ".s", {4}), constant(name + ".b", {4}), constant(name + ".m", {4}),
                         constant(name + ".v", {4})});
            break;
        case 10: {
            const ValueId turned =
                node(name + ".t", "transpose", {x}, {{"permutation", std::vector<int64_t>{0, 2, 3, 1}}});
            const ValueId between = m_random.below(2) == 0 ? node(name + ".u", "relu", {turned}) : turned;
            made = node(name, "transpose", {between}, {{"permutation", std::vector<int64_t>{0, 3, 1, 2}}});
            break;
        }
        case 11: {
            const ValueId flat = node(name + ".f", "flatten", {x});
            made = node(name, "reshape", {flat, shape(name + ".s", {1, 4, 3, -1})});
            break;
        }
        case 12:
            made = node(name, "add_n", {x, some(), some()});
            break;
        default: {
            const ValueId both =
                node(name + ".c", "concat", {node(name + ".p", "relu", {x}), node(name + ".q", "relu", {some()})},
                     {{"axis", int64_t{-3}}});
            made = node(name, "slice",
                        {both, shape(name + ".from", {2}), shape(name + ".to", {6}), shape(name + ".axis", {1})});
            break;
        }
        }
        m_values.push_back(made);
    }

    Random m_random;
    FunctionBuilder m_builder;
    std::vector<ValueId> m_values;
};

} // namespace

class OptimiseTest : public QObject {
    Q_OBJECT

  private slots:
    void computesTheSame_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 60; ++seed) QTest::addRow("seed %d", seed) << seed;
    }
    void computesTheSame() {
        QFETCH(int, seed);
        const Module module = RandomNetwork(static_cast<uint64_t>(seed)).finish();
        Bisect bisect(module, seededInputs(module.main(), static_cast<uint64_t>(seed)),
                      {.tolerance = 2e-5, .threads = 1});
        GraphPassContext context{.level = 3, .watch = bisect.watch()};
        const PassResult result = optimise(module, context);
        QVERIFY2(result.ok(), result.ok() ? "" : result.refusal->sentence.c_str());
        QVERIFY(bisect.runs() > 0);
        // A second time there is nothing left to do.
        GraphPassContext again{.level = 3};
        const PassResult second = optimise(result.module, again);
        QVERIFY2(second.module.functions == result.module.functions, again.report.text().c_str());
        // Where every node of the first network went is known, and none is said to stand for it that is not there.
        const GraphFunction &after = result.module.main();
        std::set<std::string> nodes;
        for (size_t i = 0; i < after.nodeCount(); ++i) nodes.insert(after.node(NodeId(i)).name);
        for (size_t i = 0; i < module.main().nodeCount(); ++i) {
            const std::string &name = module.main().node(NodeId(i)).name;
            const auto story = storyOf(context.report, name);
            const std::string &last = story.empty() ? name : story.back().into;
            QVERIFY2(last.empty() || nodes.contains(last), storyText(context.report, name).c_str());
        }
        QCOMPARE(after.parameters().size(), module.main().parameters().size());
        for (size_t i = 0; i < after.results().size(); ++i)
            QCOMPARE(after.value(after.results()[i]).name, module.main().value(module.main().results()[i]).name);
    }

    void plantedMistakesAreFound() {
        // Each pass is given a wrong twin behind it; bisect names that one.
        size_t found = 0;
        for (uint64_t seed = 1; seed <= 10; ++seed) {
            const Module module = RandomNetwork(seed).finish();
            Bisect bisect(module, seededInputs(module.main(), seed), {.tolerance = 2e-5, .threads = 1});
            PassSequence all("all");
            all.add(defaultPipeline());
            all.add({{.name = "mistake", .level = 0},
                     FunctionRun([](const FunctionPtr &function, GraphPassContext &context) -> Outcome<FunctionPtr> {
                         FunctionEdit edit(function, "mistake", context.report);
                         for (NodeId at = edit.first(); at.value >= 0; at = edit.next(at))
                             if (edit.node(at).op == "conv" && edit.constant(edit.input(at, 1))) {
                                 auto inputs = edit.inputs(at);
                                 const HostTensor &w = *edit.constant(inputs[1]);
                                 HostTensor wrong = HostTensor::zeros(w.dtype(), w.dims());
                                 for (int64_t i = 0; i < w.elements(); ++i) wrong.setNumber(i, w.number(i));
                                 wrong.setNumber(0, w.number(0) + 0.1);
                                 inputs[1] = edit.addConstant("wrong", wrong);
                                 edit.replace(edit.output(at), edit.add(at, "conv", inputs, edit.node(at).attributes),
                                              "");
                                 break;
                             }
                         return edit.finish();
                     })});
            GraphPassContext context{.watch = bisect.watch()};
            const PassResult result = runPasses(all, module, context);
            if (!bisect.finding()) continue; // it had no convolution that counts
            QCOMPARE(bisect.finding()->pass, std::string("mistake"));
            QVERIFY(!result.ok());
            ++found;
        }
        QVERIFY(found >= 5);
    }
};

LOOPSCOPE_TEST(OptimiseTest)
#include "optimise_test.moc"
