// Texts and task keys that Ansor itself wrote: every one the operator library can express is reproduced.

#include "harness/shared_data.h"
#include "language/dag/compute_dag.h"
#include "language/te/operators/operator_library.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QFile>
#include <QtTest>
#include <nlohmann/json.hpp>

using namespace loopscope;
using nlohmann::json;

namespace {

/// Sample and parameter names of one workload class, in the order of its arguments.
struct ClassForm {
    std::string sample;
    std::vector<std::string> params;
};
const std::map<std::string, ClassForm> kClasses = {
    {"C1D", {"conv1d_nlc", {"N", "L", "CI", "CO", "K", "stride", "pad", "dilation", "groups"}}},
    {"C2D", {"conv2d_nhwc", {"N", "H", "W", "CI", "CO", "K", "stride", "pad", "dilation", "groups"}}},
    {"GRP", {"conv2d_nhwc", {"N", "H", "W", "CI", "CO", "K", "stride", "pad", "dilation", "groups"}}},
    {"DIL", {"conv2d_nhwc", {"N", "H", "W", "CI", "CO", "K", "stride", "pad", "dilation", "groups"}}},
    {"C3D", {"conv3d_ndhwc", {"N", "D", "H", "W", "CI", "CO", "K", "stride", "pad", "dilation", "groups"}}},
    {"GMM", {"batch_matmul", {"B", "N", "M", "K"}}},
    {"DEP", {"depthwise_conv2d_nhwc", {"N", "H", "W", "C", "K", "stride", "pad"}}},
    {"T2D", {"conv2d_transpose_nhwc", {"N", "H", "W", "CI", "CO", "K", "stride", "pad"}}},
    {"CAP", {"conv2d_capsule_nhwijc", {"N", "H", "W", "CI", "CO", "K", "stride", "pad"}}},
    {"NRM", {"norm", {"B", "M", "N"}}},
    {"SFM", {"softmax", {"M", "N"}}},
    {"softmax_nm", {"softmax", {"M", "N"}}},
    {"CBR", {"conv2d_bn_relu", {"N", "H", "W", "CI", "CO", "K", "stride", "pad", "dilation"}}},
    {"TBG", {"transpose_batch_matmul", {"batch", "length", "heads", "dim"}}},
    {"matmul", {"matmul", {"M", "N", "K"}}},
};

/// The `.te` text that should print as the named record of dag-keys.jsonl.
std::string sourceFor(const std::string &name) {
    const auto conv = [](int64_t stride) {
        return "p0 = placeholder [1, 56, 56, 64]\np1 = placeholder [1, 1, 64, 128]\n"
               "out = conv2d_nhwc(p0, p1, stride = " +
               std::to_string(stride) + ")\n";
    };
    const auto winograd = [](int64_t tile, int64_t size) {
        return "let m = " + std::to_string(tile) + "\nlet H = " + std::to_string(size) +
               "\np0 = placeholder [1, H, H, 64]\np1 = placeholder [m + 2, m + 2, 64, 64]\n"
               "p2 = placeholder [1, 1, 1, 64]\n"
               "out = relu(add(conv2d_winograd_nhwc(p0, p1, 1, m), p2))\n";
    };
    if (name == "softmax") return "p0 = placeholder [1, 1000]\nout = softmax(p0)\n";
    if (name == "softmax, old placeholder name") return "p \"placeholder\" = placeholder [1, 1000]\nout = softmax(p)\n";
    if (name == "conv2d NHWC stride 1 no pad") return conv(1);
    if (name == "conv2d NHWC stride 2 no pad") return conv(2);
    if (name == "conv2d stride 2 padded + bias + relu")
        return "p0 = placeholder [1, 56, 56, 64]\np1 = placeholder [3, 3, 64, 128]\np2 = placeholder [1, 1, 1, 128]\n"
               "out = relu(add(conv2d_nhwc(p0, p1, 2, 1), p2))\n";
    if (name == "dense + bias")
        return "p0 = placeholder [1, 512]\np1 = placeholder [1000, 512]\np2 = placeholder [1, 1000]\n"
               "out = add(dense(p0, p1), p2)\n";
    if (name == "global average pool 7x7")
        return "p0 = placeholder [1, 7, 7, 512]\nout = adaptive_avg_pool2d(p0, layout = \"NHWC\")\n";
    if (name == "max pool + bias + relu")
        return "p0 = placeholder [1, 112, 112, 64]\np1 = placeholder [1, 1, 1, 64]\n"
               "out = relu(add(max_pool2d(p0, 3, 2, 1, layout = \"NHWC\"), p1))\n";
    if (name == "winograd conv m=2 14x14 +bias+relu") return winograd(2, 14);
    if (name == "winograd conv m=2 28x28 +bias+relu") return winograd(2, 28);
    if (name == "winograd conv m=2 7x7 +bias+relu") return winograd(2, 7);
    if (name == "winograd conv m=4 56x56 +bias+relu") return winograd(4, 56);
    return {};
}

} // namespace

class ConformanceTest : public QObject {
    Q_OBJECT
  private slots:
    void dagKeys();
    void workloads();
};

void ConformanceTest::dagKeys() {
    const auto path = sharedDataFile("dag-keys.jsonl");
    if (!path) QSKIP("dag-keys.jsonl is not there (set LOOPSCOPE_SHARED)");
    const std::vector<std::string> data = readLines(*path);
    QVERIFY(!data.empty());
    for (const std::string &line : data) {
        const json record = json::parse(line);
        const std::string name = record.at("name");
        const std::string source = sourceFor(name);
        QVERIFY2(!source.empty(), ("no operator for: " + name).c_str());
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload("workload t()\n" + source, name));
        QCOMPARE(QString::fromStdString(dag->text(DagTextMode::Simple)),
                 QString::fromStdString(record.at("simple_text").get<std::string>()));
        QCOMPARE(dag->hash(), record.at("md5").get<std::string>());
    }
}

void ConformanceTest::workloads() {
    const std::vector<ConformanceRecord> data = conformanceRecords();
    QCOMPARE(data.size(), size_t{28});
    for (const ConformanceRecord &one : data) {
        const json record = json::parse(one.line);
        const std::string name = record.at("workload");
        const auto form = kClasses.find(name);
        QVERIFY2(form != kClasses.end(), ("no sample for: " + name).c_str());
        const std::vector<int64_t> values = record.at("args");
        QVERIFY(values.size() <= form->second.params.size());
        ParamOverrides overrides;
        for (size_t i = 0; i < values.size(); ++i) overrides.emplace_back(form->second.params[i], values[i]);
        const std::string path = std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/" + form->second.sample + ".te";
        const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(path, overrides));
        QCOMPARE(QString::fromStdString(dag->text(DagTextMode::Normal)),
                 QString::fromStdString(record.at("dag").get<std::string>()));
        QCOMPARE(QString::fromStdString(dag->text(DagTextMode::Simple)),
                 QString::fromStdString(record.at("simple").get<std::string>()));
        QCOMPARE(QString::fromStdString(dag->key()), QString::fromStdString(record.at("key").get<std::string>()));
        QCOMPARE(dag->flops(), record.at("flop").get<double>());
    }
}

LOOPSCOPE_TEST(ConformanceTest)
#include "conformance_test.moc"
