// The networks of samples/networks are read, are well formed, have the weights of the networks they are named for, and
// survive being printed flat.

#include "base/outcome.h"
#include "harness/same_structure.h"
#include "networks/graph/net_text.h"
#include "networks/graph/verify.h"
#include "test_program.h"

#include <QDir>
#include <QTest>
#include <set>

using namespace loopscope;

namespace {

const QString kFolder = QString(LOOPSCOPE_SOURCE_DIR) + "/samples/networks/";

ParsedNet sample(const char *name, const NetParameters &parameters = {}) {
    return loadNet((kFolder + name + ".net").toStdString(), parameters);
}

/// Elements of constants in floats, without those whose names end so.
int64_t weights(const GraphFunction &function, const std::vector<std::string> &without = {}) {
    int64_t count = 0;
    for (size_t i = 0; i < function.valueCount(); ++i) {
        const Value &value = function.value(ValueId(i));
        if (!value.constant || !isFloat(value.constant->dtype())) continue;
        bool counted = true;
        for (const std::string &end : without) counted = counted && !value.name.ends_with(end);
        if (counted) count += value.constant->elements();
    }
    return count;
}

size_t nodesOf(const GraphFunction &function, std::string_view op) {
    size_t count = 0;
    for (size_t i = 0; i < function.nodeCount(); ++i) count += function.node(NodeId(i)).op == op ? 1 : 0;
    return count;
}

} // namespace

class NetworkSamplesTest : public QObject {
    Q_OBJECT

  private slots:
    void survivesPrinting_data() {
        QTest::addColumn<QString>("path");
        const QStringList names = QDir(kFolder).entryList({"*.net"}, QDir::Files, QDir::Name);
        QVERIFY(names.size() >= 6);
        for (const QString &name : names) QTest::newRow(qPrintable(name)) << kFolder + name;
    }

    void survivesPrinting() {
        QFETCH(QString, path);
        try {
            const Module module = loadNet(path.toStdString()).module;
            const auto problems = graphProblems(module);
            QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].c_str());
            const std::string text = netText(module);
            const Module again = parseNet(text, "again.net").module;
            QVERIFY(sameStructure(module, again));
            QCOMPARE(netText(again), text);
            // Weights are rules, each with numbers of its own.
            std::set<uint64_t> seeds;
            for (size_t i = 0; i < module.main().valueCount(); ++i) {
                const HostTensor *constant = module.main().constant(ValueId(i));
                if (!constant || !constant->recipe() || constant->recipe()->kind == FillKind::Ramp) continue;
                QVERIFY2(seeds.insert(constant->recipe()->seed).second, module.main().value(ValueId(i)).name.c_str());
            }
            QVERIFY(text.size() < 200000);
        } catch (const Error &error) {
            QFAIL((std::string(error.what()) + "\n" + error.excerpt()).c_str());
        }
    }

    void weightsAreTheRightOnes() {
        // What its authors count as parameters, without the statistics of the batch normalisations.
        const Module resnet = sample("resnet18").module;
        QCOMPARE(weights(resnet.main(), {".mean", ".variance"}), int64_t{11689512});
        QCOMPARE(nodesOf(resnet.main(), "conv"), size_t{20});
        const Module mobilenet = sample("mobilenet_v2").module;
        QCOMPARE(weights(mobilenet.main(), {".mean", ".variance"}), int64_t{3504872});
        QCOMPARE(nodesOf(mobilenet.main(), "conv"), size_t{52});
        QCOMPARE(nodesOf(mobilenet.main(), "add"), size_t{10});
        // Its 109482240 without the positions behind the 128th and the second segment; with the divisor of each layer.
        const Module bert = sample("bert_base").module;
        QCOMPARE(weights(bert.main()), int64_t{109482240 - 384 * 768 - 768 + 12});
        QCOMPARE(nodesOf(bert.main(), "softmax"), size_t{12});
        QCOMPARE(nodesOf(bert.main(), "layer_norm"), size_t{25});
    }

    void parametersChangeThem() {
        const Module bert = sample("bert_base", {{"layers", 2}, {"sequence", 16}}).module;
        QCOMPARE(nodesOf(bert.main(), "softmax"), size_t{2});
        QCOMPARE(typeText(bert.main().type(bert.main().parameters()[0])), std::string("int64[1, 16]"));
        QVERIFY(bert.main().find("layer1.attention.query.product").has_value());
    }
};

LOOPSCOPE_TEST(NetworkSamplesTest)
#include "network_samples_test.moc"
