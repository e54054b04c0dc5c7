// Networks as text: what is printed is read again as the same graph, with all names, types and bits.

#include "base/outcome.h"
#include "base/random.h"
#include "harness/same_structure.h"
#include "networks/graph/function_builder.h"
#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

using namespace loopscope;

namespace {

Module moduleOf(FunctionBuilder builder) {
    Module module;
    module.name = "test";
    module.functions.push_back(std::move(builder).finish());
    return module;
}

/// Everything that the text has to keep, beyond what structural equality sees.
std::string namesOf(const Module &module) {
    std::string text = module.name;
    for (const FunctionPtr &function : module.functions) {
        text += "\n" + function->name();
        for (size_t i = 0; i < function->valueCount(); ++i) {
            const Value &value = function->value(ValueId(i));
            text += "\n" + value.name + " " + (value.type ? typeText(*value.type) : "?");
            if (value.constant)
                text += value.constant->isSplat() ? " splat" : value.constant->recipe() ? " recipe" : " dense";
        }
        for (size_t i = 0; i < function->nodeCount(); ++i) {
            text += "\n" + function->node(NodeId(i)).name;
            for (const std::string &source : function->node(NodeId(i)).sources) text += " < " + source;
        }
    }
    return text;
}

/// Empty when the module survives; otherwise what became of it.
std::string lossOf(const Module &module) {
    const std::string text = netText(module);
    try {
        const Module again = parseNet(text, "test.net").module;
        if (namesOf(again) != namesOf(module)) return "other names:\n" + namesOf(again) + "\n\n" + text;
        if (!sameStructure(module, again)) return "another structure:\n" + text;
        if (netText(again) != text) return "another text:\n" + netText(again) + "\n\n" + text;
        const auto problems = graphProblems(again);
        return problems.empty() ? "" : problems[0];
    } catch (const Error &error) {
        return std::string(error.what()) + "\n" + error.excerpt() + "\n" + text;
    }
}

#define VERIFY_KEPT(module)                                                                                            \
    do {                                                                                                               \
        const std::string loss = lossOf(module);                                                                       \
        QVERIFY2(loss.empty(), loss.c_str());                                                                          \
    } while (false)

HostTensor ofBits(DType type, uint64_t bits) {
    HostTensor tensor = HostTensor::zeros(type, {1});
    std::memcpy(tensor.mutableBytes(), &bits, static_cast<size_t>(dtypeBytes(type)));
    return tensor;
}

constexpr DType kAllTypes[] = {DType::Bool,    DType::Int8,     DType::UInt8,   DType::Int16,
                               DType::UInt16,  DType::Int32,    DType::UInt32,  DType::Int64,
                               DType::Float16, DType::BFloat16, DType::Float32, DType::Float64};

} // namespace

class NetTextTest : public QObject {
    Q_OBJECT

  private slots:
    void readsLikeMathematics() {
        const char *text = R"(network tiny

func main(x: float32[n, 3, 224, 224]) {
  w = constant float32[64, 3, 7, 7] random normal(mean = 0.0, deviation = 0.05, seed = 7)
  a: float32[n, 64, 112, 112] = conv(x, w, _, pads = [3, 3, 3, 3], strides = [2, 2]) @ "stem" from ["Conv_0", "Bn_0"]
  b = relu(a)
  c, d = split(b, axis = 1, sizes = [32, 32])
  return c, d
}
)";
        const ParsedNet parsed = parseNet(text, "tiny.net");
        QCOMPARE(netText(parsed.module), std::string(text));
        const GraphFunction &main = parsed.module.main();
        QCOMPARE(main.nodeCount(), size_t{3});
        QCOMPARE(nodeText(main.node(NodeId(0))), std::string("conv 'stem'"));
        QCOMPARE(main.node(NodeId(0)).inputs.size(), size_t{3});
        QCOMPARE(main.node(NodeId(0)).inputs[2], ValueId());
        QCOMPARE(main.node(NodeId(0)).sources, (std::vector<std::string>{"Conv_0", "Bn_0"}));
        QCOMPARE(typeText(main.type(*main.find("a"))), std::string("float32[n, 64, 112, 112]"));
        QVERIFY(!main.value(*main.find("b")).type);
        VERIFY_KEPT(parsed.module);
    }

    void blocksAreKept() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {Dim(2)}});
        builder.beginBlock(BlockKind::Dataflow);
        const ValueId c = builder.addConstant("c", HostTensor::scalar(DType::Float32, 2));
        const ValueId a = builder.add("mul", "a", {x, c});
        const ValueId b = builder.add("relu", "b", {a});
        builder.beginBlock(BlockKind::Dataflow);
        builder.beginBlock(BlockKind::Dataflow);
        const ValueId d = builder.add("add", "d", {b, c});
        builder.addResult(d);
        builder.addResult(d);
        const Module module = moduleOf(std::move(builder));
        QCOMPARE(netText(module), std::string(R"(network test

func main(x: float32[2]) {
  dataflow {
    c = constant float32[] 2.0
    a = mul(x, c)
    b = relu(a)
  } yield b
  dataflow {
  }
  dataflow {
    d = add(b, c)
  } yield d
  return d, d
}
)"));
        VERIFY_KEPT(module);
    }

    void functionsWithoutNodesAreKept() {
        FunctionBuilder none("main");
        none.addResult(none.addParameter("x", {DType::Int8, {}}));
        VERIFY_KEPT(moduleOf(std::move(none)));
        FunctionBuilder emptyBlock("main");
        emptyBlock.addResult(emptyBlock.addConstant("x", HostTensor::zeros(DType::Int8, {0})));
        emptyBlock.beginBlock(BlockKind::Dataflow);
        Module module = moduleOf(std::move(emptyBlock));
        FunctionBuilder second("helper of main");
        second.addResult(second.addParameter("x", {DType::Int8, {}}));
        module.functions.push_back(std::move(second).finish());
        module.name.clear();
        VERIFY_KEPT(module);
    }

    void everyNameIsKept() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter(
            "a/b:0", {DType::Float32, {Dim::symbol("batch size"), Dim::symbol("from"), Dim::symbol("a*b") * 2 + 1}});
        ValueId last = x;
        for (const char *name : {"return", "_", "with \"quotes\" and \\", "{i}", "two\nlines\t\x01", "\xC3\xA4\xFF",
                                 "1st", "conv1.weight", "x..y", "let", "inf"}) {
            last =
                builder.addNode({name, name, {last, last}, {}, {{name, int64_t{1}}}, {name, name}}, {name}).value == -1
                    ? last
                    : *builder.soFar().find(name);
        }
        builder.addNode({"node", "op", {last}, {}, {}, {}}, {"other name"});
        builder.addResult(last);
        VERIFY_KEPT(moduleOf(std::move(builder)));
    }

    void everyAttributeIsKept() {
        constexpr double inf = std::numeric_limits<double>::infinity();
        const double strange = std::bit_cast<double>(uint64_t{0x7FF0000000000001});
        const double nan = std::numeric_limits<double>::quiet_NaN();
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {}});
        const std::vector<Attribute> attributes = {int64_t{0},
                                                   INT64_MAX,
                                                   INT64_MIN + 1,
                                                   0.0,
                                                   -0.0,
                                                   1.0,
                                                   1e-5,
                                                   1e300,
                                                   5e-324,
                                                   inf,
                                                   -inf,
                                                   nan,
                                                   -nan,
                                                   strange,
                                                   std::string(),
                                                   std::string("a \"b\" {c}\n"),
                                                   std::vector<int64_t>(),
                                                   std::vector<int64_t>{1, -2},
                                                   std::vector<double>(),
                                                   std::vector<double>{1, 2.5, nan, -inf, strange},
                                                   std::vector<std::string>(),
                                                   std::vector<std::string>{"", "x"},
                                                   HostTensor::splat(DType::Float32, {1}, 0.5),
                                                   integerTensor({2}, std::vector<int64_t>{3, 4})};
        for (size_t i = 0; i < attributes.size(); ++i)
            builder.add("op", "v" + std::to_string(i), {x}, {{"attribute", attributes[i]}, {"b", int64_t{1}}});
        builder.addResult(x);
        VERIFY_KEPT(moduleOf(std::move(builder)));
    }

    void everyConstantIsKept() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {}});
        const auto add = [&](const HostTensor &tensor) { builder.addConstant("c", tensor); };
        for (const DType type : kAllTypes) {
            add(HostTensor::splat(type, {1 << 20, 1 << 20}, 1));
            add(HostTensor::splat(type, {}, 0));
            add(HostTensor::splat(type, {0, 5}, 0));
            add(HostTensor::zeros(type, {3, 0}));
            add(HostTensor::generated(type, {2, 3}, FillRecipe::integers(3, -90, 90)).reshaped({6}));
            HostTensor listed = HostTensor::zeros(type, {2, 5});
            for (int64_t i = 0; i < 10; ++i) listed.setNumber(i, std::sin(static_cast<double>(i)) * 100);
            add(listed);
            HostTensor many = HostTensor::zeros(type, {77});
            for (int64_t i = 0; i < 77; ++i) many.setNumber(i, std::cos(static_cast<double>(i)) * 100);
            add(many);
        }
        for (const double value : {-0.0, 0.1, 1e-45, 3.4e38, 16777217.0, HUGE_VAL, -HUGE_VAL, std::nan("")})
            for (const DType type : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
                add(HostTensor::splat(type, {2}, value));
                add(HostTensor::splat(type, {2}, value).dense());
            }
        for (const uint64_t bits : {0x7f800001ULL, 0xffc00000ULL, 0x7fc12345ULL}) add(ofBits(DType::Float32, bits));
        add(ofBits(DType::Float16, 0x7c01));
        add(ofBits(DType::Float64, 0xfff0000000000001));
        add(ofBits(DType::Bool, 2));
        add(integerSplat(DType::Int64, {2}, INT64_MIN + 1));
        add(HostTensor::generated(DType::Float32, {3}, FillRecipe::ramp()));
        add(HostTensor::generated(DType::Float32, {3}, FillRecipe::uniform(UINT64_MAX, -0.25, 1e-30, 5)));
        add(HostTensor::generated(DType::Int64, {3}, FillRecipe::integers(1, INT64_MIN + 1, INT64_MAX, UINT64_MAX)));
        builder.addResult(x);
        VERIFY_KEPT(moduleOf(std::move(builder)));
    }

    void smallestIntegerIsKept() {
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {}});
        builder.addConstant("c", integerSplat(DType::Int64, {2}, INT64_MIN));
        builder.addResult(builder.add("op", "a", {x}, {{"n", INT64_MIN}, {"l", std::vector<int64_t>{INT64_MIN}}}));
        VERIFY_KEPT(moduleOf(std::move(builder)));
    }

    /// Floats of all sizes: the shortest text is read as the same bits.
    void randomBitsAreKept() {
        Random random(1);
        FunctionBuilder builder("main");
        const ValueId x = builder.addParameter("x", {DType::Float32, {}});
        for (const DType type : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
            for (int i = 0; i < 500; ++i) builder.addConstant("c", ofBits(type, random.next()));
        builder.addResult(x);
        VERIFY_KEPT(moduleOf(std::move(builder)));
    }

    void largeConstantsGoToAFile() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("large.net").toStdString();
        FunctionBuilder builder("main");
        HostTensor large = HostTensor::zeros(DType::Float32, {5, 1000});
        HostTensor bytes = HostTensor::zeros(DType::Int8, {5001});
        for (int64_t i = 0; i < 5000; ++i) large.setNumber(i, std::sin(static_cast<double>(i)));
        for (int64_t i = 0; i < 5001; ++i) bytes.setInteger(i, i * 7);
        builder.addConstant("b", bytes);
        builder.addConstant("a", large);
        builder.addResult(builder.addParameter("x", {DType::Float32, {}}));
        const Module module = moduleOf(std::move(builder));
        writeNet(module, path);
        QCOMPARE(QFileInfo(folder.filePath("large.net.weights")).size(), qint64{5056 + 20000});
        ParsedNet parsed = loadNet(path);
        QVERIFY(sameStructure(module, parsed.module));
        // Over the file it still reads from.
        writeNet(parsed.module, path);
        QVERIFY(sameStructure(module, parsed.module));
        QVERIFY(sameStructure(module, loadNet(path).module));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
        QVERIFY_THROWS_EXCEPTION(Error, writeNet(module, folder.filePath("none/large.net").toStdString()));
    }

    void placesOfOperators() {
        const ParsedNet parsed = parseNet("network a\nfunc main(x: float32[]) {\n  y = relu(x)\n  z, u =   splitt(y)\n"
                                          "  return z\n}\n",
                                          "a.net");
        const Error error = parsed.places.error("main", NodeId(1), "no operator is called `splitt`");
        QCOMPARE(std::string(error.what()), std::string("a.net:4:12: no operator is called `splitt`"));
        QCOMPARE(error.excerpt(), std::string("  z, u =   splitt(y)\n           ^^^^^^"));
        QCOMPARE(std::string(parsed.places.error("other", NodeId(1), "a").what()), std::string("a.net: a"));
    }
};

LOOPSCOPE_TEST(NetTextTest)
#include "net_text_test.moc"
