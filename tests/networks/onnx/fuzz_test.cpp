// Damaged models: whatever a file holds, import ends with a network or with sentences. Runs with few of them among the
// other tests; LOOPSCOPE_FUZZ_FILES says how many.

#include "base/random.h"
#include "model_maker.h"
#include "networks/graph/verify.h"
#include "networks/onnx/readable.h"
#include "test_program.h"

#include <QTest>
#include <cstdlib>

using namespace loopscope;

namespace {

/// Some of everything: windows, shapes that are computed, attributes of each kind.
std::string classifier() {
    ModelMaker maker(17);
    maker.input("x", {-2, 3, 8, 8}).input("scale", {1});
    maker.initialiser("w", HostTensor::splat(DType::Float32, {4, 3, 3, 3}, 0.5).dense());
    maker.initialiser("c", HostTensor::splat(DType::Float32, {4}, 1).dense());
    maker.initialiser("zero", integerTensor({1}, std::vector<int64_t>{0}));
    maker.initialiser("one", integerTensor({1}, std::vector<int64_t>{1}));
    maker.initialiser("rest", integerTensor({1}, std::vector<int64_t>{-1}));
    maker.initialiser("dims", integerTensor({2}, std::vector<int64_t>{64, 10}));
    maker.node("Conv", {"x", "w", "c"}, {"conv"},
               {{"auto_pad", std::string("SAME_UPPER")}, {"strides", std::vector<int64_t>{1, 1}}});
    maker.node("BatchNormalization", {"conv", "c", "c", "c", "c"}, {"norm"}, {{"epsilon", 1e-3F}});
    maker.node("LeakyRelu", {"norm"}, {"bent"}, {{"alpha", 0.1F}});
    maker.node("AveragePool", {"bent"}, {"pool"},
               {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
    maker.node("Shape", {"pool"}, {"shape"});
    maker.node("Slice", {"shape", "zero", "one"}, {"batch"});
    maker.node("Concat", {"batch", "rest"}, {"wanted"}, {{"axis", int64_t{0}}});
    maker.node("Reshape", {"pool", "wanted"}, {"flat"});
    maker.node("ConstantOfShape", {"dims"}, {"weights"}, {{"value", HostTensor::splat(DType::Float32, {1}, 0.02)}});
    maker.node("Gemm", {"flat", "weights"}, {"dense"}, {{"alpha", 0.5F}});
    maker.node("Split", {"dense"}, {"left", "right"}, {{"axis", int64_t{1}}});
    maker.node("Mul", {"left", "scale"}, {"scaled"});
    maker.node("Softmax", {"scaled"}, {"y"}, {{"axis", int64_t{-1}}});
    maker.node("ReduceMean", {"right"}, {"z"}, {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}});
    maker.output("y").output("z");
    return maker.bytes();
}

std::string resizer() {
    ModelMaker maker(13);
    maker.input("x", {1, 4, 6, 6});
    maker.initialiser("w", HostTensor::splat(DType::Float32, {4, 2, 3, 3}, 0.5).dense());
    maker.initialiser("scales", floatTensor({4}, std::vector<float>{1, 1, 2, 2}));
    maker.initialiser("pads", integerTensor({8}, std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1}));
    maker.initialiser("index", integerTensor({2}, std::vector<int64_t>{1, 0}));
    maker.initialiser("wide", integerTensor({5}, std::vector<int64_t>{2, 1, 4, 1, 1}));
    maker.initialiser("axes", integerTensor({1}, std::vector<int64_t>{0}));
    maker.node("ConvTranspose", {"x", "w"}, {"up"},
               {{"strides", std::vector<int64_t>{2, 2}}, {"output_shape", std::vector<int64_t>{12, 12}}});
    maker.node("Resize", {"up", "", "scales"}, {"large"}, {{"mode", std::string("linear")}});
    maker.node("Pad", {"large", "pads"}, {"padded"}, {{"mode", std::string("reflect")}});
    maker.node("Gather", {"padded", "index"}, {"picked"}, {{"axis", int64_t{1}}});
    maker.node("Transpose", {"picked"}, {"turned"}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
    maker.node("MaxPool", {"padded"}, {"most"},
               {{"kernel_shape", std::vector<int64_t>{3, 3}}, {"ceil_mode", int64_t{1}}});
    maker.node("Squeeze", {"turned", "axes"}, {"y"});
    maker.node("ArgMax", {"most"}, {"z"}, {{"axis", int64_t{1}}});
    maker.node("Tile", {"index", "axes"}, {"t"});
    maker.node("Expand", {"x", "wide"}, {"e"});
    maker.node("DepthToSpace", {"x"}, {"d"}, {{"blocksize", int64_t{2}}});
    maker.output("y").output("z").output("d");
    return maker.bytes();
}

/// A branch inside of a loop, with a size that grows.
std::string loops() {
    const auto add = [](onnx::NodeProto &node, const std::string &name, ModelMaker &graph) {
        auto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto_AttributeType_GRAPH);
        *attribute.mutable_g() = graph.graph();
    };
    ModelMaker yes;
    yes.node("Concat", {"v", "x"}, {"w"}, {{"axis", int64_t{0}}});
    yes.output("w");
    ModelMaker no;
    no.node("Relu", {"v"}, {"w"});
    no.output("w");
    ModelMaker body;
    body.input("i", {}, DType::Int64).input("go", {}, DType::Bool).input("v", {-1});
    body.initialiser("two", HostTensor::splat(DType::Int64, {}, 2));
    body.node("Less", {"i", "two"}, {"early"});
    auto &branch = body.node("If", {"early"}, {"next"});
    add(branch, "then_branch", yes);
    add(branch, "else_branch", no);
    body.output("early").output("next").output("i");
    ModelMaker maker(13);
    maker.input("t", {}, DType::Int64).input("x", {-2});
    add(maker.node("Loop", {"t", "", "x"}, {"y", "trips"}), "body", body);
    maker.node("Neg", {"y"}, {"z"});
    maker.output("z").output("trips");
    return maker.bytes();
}

std::string damaged(const std::string &whole, Random &random) {
    std::string bytes = whole;
    const auto place = [&] { return static_cast<size_t>(random.below(bytes.size())); };
    const int times = 1 + static_cast<int>(random.below(3));
    for (int i = 0; i < times && !bytes.empty(); ++i) {
        switch (random.below(16)) {
        case 1: // a byte that means much
            bytes[place()] = "\x00\x01\x7f\x80\xff\x08\x0a\x12"[random.below(8)];
            break;
        case 2: // cut off, or a piece out of the middle
            if (random.below(4) == 0)
                bytes.resize(place());
            else
                bytes.erase(place(), 1 + random.below(8));
            break;
        case 3: // a piece again elsewhere
            bytes.insert(place(), bytes.substr(place(), 1 + random.below(40)));
            break;
        case 4: { // two pieces in each other's places
            const size_t size = 1 + random.below(16);
            const size_t a = place();
            const size_t b = place();
            if (a + size <= bytes.size() && b + size <= bytes.size())
                for (size_t at = 0; at < size; ++at) std::swap(bytes[a + at], bytes[b + at]);
            break;
        }
        case 5: { // a long number
            const size_t at = place();
            for (size_t byte = 0; byte < 9 && at + byte < bytes.size(); ++byte) bytes[at + byte] = '\xff';
            break;
        }
        default: // a bit, which most often leaves a message that can be read
            bytes[place()] ^= static_cast<char>(1 << random.below(8));
            break;
        }
    }
    return bytes;
}

} // namespace

class OnnxFuzzTest : public QObject {
    Q_OBJECT

  private slots:
    void damagedModelsEndInSentences() {
        const char *wanted = std::getenv("LOOPSCOPE_FUZZ_FILES");
        const int files = wanted ? std::atoi(wanted) : LOOPSCOPE_FUZZ_FILES;
        const std::string wholes[] = {classifier(), resizer(), loops()};
        for (const std::string &whole : wholes) {
            const ImportResult result = importText(whole);
            QVERIFY2(result.module, problemsText(result).c_str());
        }
        int imported = 0;
        size_t problems = 0;
        for (int i = 0; i < files; ++i) {
            Random random(17, static_cast<uint64_t>(i));
            const std::string bytes = damaged(wholes[i % 3], random);
            try {
                const ImportResult result = importText(bytes);
                QVERIFY(result.module.has_value() == result.problems.empty());
                if (result.module) {
                    const auto wrong = graphProblems(*result.module);
                    QVERIFY2(wrong.empty(), wrong.empty() ? "" : wrong[0].c_str());
                    ++imported;
                }
                problems += result.problems.size();
                for (const OnnxProblem &problem : result.problems)
                    QVERIFY(!problem.reason.empty() && problem.reason.size() < 3000 && isUtf8(problem.reason) &&
                            isUtf8(problem.node) && isUtf8(problem.op));
            } catch (const std::exception &error) {
                QFAIL(qPrintable(QString("file %1: %2").arg(i).arg(error.what())));
            }
        }
        qInfo("%d of %d files are still networks; %zu problems in the others", imported, files, problems);
        QVERIFY(problems > 0);
        QVERIFY(imported > 0);
    }
};

LOOPSCOPE_TEST(OnnxFuzzTest)
#include "fuzz_test.moc"
