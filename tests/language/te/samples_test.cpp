// The samples: each prints to text that parses to the same ops, the benchmark list names existing files and parameters,
// and the task keys stay what they are.

#include "language/dag/compute_dag.h"
#include "language/expr/walk.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QDir>
#include <QFile>
#include <QtTest>

using namespace loopscope;

namespace {

const QString kSamples = QString(LOOPSCOPE_SOURCE_DIR) + "/samples/";

Workload sample(const QString &name, const ParamOverrides &overrides = {}) {
    return loadWorkload((kSamples + name).toStdString(), overrides);
}

/// {"W=61", "H=47"}
ParamOverrides overridesOf(const QStringList &params) {
    ParamOverrides overrides;
    for (const QString &param : params)
        overrides.emplace_back(param.section('=', 0, 0).toStdString(), param.section('=', 1).toLongLong());
    return overrides;
}

/// What the comment at the head of a pipeline says after "Small: --param".
QStringList smallParams(const QString &name) {
    QFile file(kSamples + name);
    if (!file.open(QIODevice::ReadOnly)) return {};
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (!line.startsWith('#')) return {};
        const qsizetype at = line.indexOf("Small: --param ");
        if (at >= 0) return QString::fromUtf8(line.mid(at)).simplified().split(" --param ").mid(1);
    }
    return {};
}

/// Everything of an op that the DAG text leaves out.
QString describe(const Workload &workload) {
    QString text;
    for (const OpPtr &op : workload.ops) {
        text += QString::fromStdString(op->name + " tag=" + op->tag);
        for (const auto &output : op->outputs) {
            text += QString(" ") + dtypeName(output->dtype).data();
            for (const int64_t extent : output->shape) text += QString(",%1").arg(extent);
        }
        for (const auto &[key, value] : op->attrs) {
            text += QString(" @%1=").arg(QString::fromStdString(key));
            if (const auto *number = std::get_if<int64_t>(&value)) text += QString::number(*number);
            if (const auto *word = std::get_if<std::string>(&value)) text += QString::fromStdString(*word);
            if (const auto *list = std::get_if<std::vector<std::string>>(&value))
                for (const std::string &item : *list) text += QString::fromStdString(item) + ";";
        }
        if (op->reduction) {
            for (const Axis &axis : op->reduction->axes)
                text += QString(" %1<%2").arg(QString::fromStdString(std::string(axis.name()))).arg(axis.extent);
            for (const Expr identity : op->reduction->combiner.identity)
                text += " id=" + QString::fromStdString(toText(identity));
            for (const Expr result : op->reduction->combiner.result)
                text += " by=" + QString::fromStdString(toText(result));
            if (op->reduction->condition) text += " if=" + QString::fromStdString(toText(op->reduction->condition));
        }
        for (const Expr body : op->body) text += " " + QString::fromStdString(toText(body));
        text += "\n";
    }
    text += "args";
    for (const Tensor *arg : workload.args) {
        size_t index = 0;
        while (workload.ops[index].get() != arg->op) ++index;
        text += QString(" %1.%2").arg(index).arg(arg->outputIndex);
    }
    return text;
}

} // namespace

class SamplesTest : public QObject {
    Q_OBJECT
  private slots:
    void printAndParseAgain_data();
    void printAndParseAgain();
    void benchmarkList();
    void flagshipStages();
    void keys_data();
    void keys();
};

void SamplesTest::printAndParseAgain_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("params");
    const QStringList names = QDir(kSamples).entryList({"*.te"}, QDir::Files, QDir::Name);
    QVERIFY(names.size() >= 30);
    for (const QString &name : names) QTest::newRow(qPrintable(name)) << name << QStringList();
    const QStringList pipelines = QDir(kSamples + "pipelines").entryList({"*.te"}, QDir::Files, QDir::Name);
    QVERIFY(pipelines.size() >= 20);
    for (const QString &name : pipelines) {
        const QStringList small = smallParams("pipelines/" + name);
        QVERIFY2(!small.isEmpty(), qPrintable(name));
        QTest::newRow(qPrintable("pipelines/" + name)) << "pipelines/" + name << QStringList();
        QTest::newRow(qPrintable("pipelines/" + name + ", small")) << "pipelines/" + name << small;
    }
}

void SamplesTest::printAndParseAgain() {
    QFETCH(QString, name);
    QFETCH(QStringList, params);
    const Workload first = sample(name, overridesOf(params));
    const std::string printed = printWorkload(first.name, first.ops, first.args);
    const Workload second = parseWorkload(printed, "printed.te");
    QCOMPARE(QString::fromStdString(printWorkload(second.name, second.ops, second.args)),
             QString::fromStdString(printed));
    QCOMPARE(describe(second), describe(first));
    const DagPtr before = ComputeDag::fromWorkload(first);
    const DagPtr after = ComputeDag::fromWorkload(second);
    QCOMPARE(after->text(DagTextMode::Normal), before->text(DagTextMode::Normal));
    QCOMPARE(after->key(), before->key());
    QCOMPARE(after->flops(), before->flops());
    // The ops in the DAG's order, as a worker process gets them, keep the order of the arguments.
    const Workload third = parseWorkload(printWorkload("dag", before->ops(), before->args()), "dag.te");
    QCOMPARE(ComputeDag::fromWorkload(third)->key(), before->key());
    QCOMPARE(ComputeDag::fromWorkload(third)->text(DagTextMode::Normal), before->text(DagTextMode::Normal));
}

void SamplesTest::benchmarkList() {
    QFile file(kSamples + "benchmarks.txt");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QMap<QString, int> perClass;
    for (const QByteArray &bytes : file.readAll().split('\n')) {
        const QString line = QString::fromUtf8(bytes).simplified();
        if (line.isEmpty() || line.startsWith('#')) continue;
        const QStringList fields = line.split(' ');
        QVERIFY2(fields.size() >= 3, qPrintable(line));
        ParamOverrides overrides;
        for (const QString &field : fields.mid(2)) {
            const QStringList pair = field.split('=');
            QVERIFY2(pair.size() == 2, qPrintable(line));
            overrides.emplace_back(pair[0].toStdString(), pair[1].toLongLong());
        }
        const DagPtr dag = ComputeDag::fromWorkload(sample(fields[1], overrides));
        QVERIFY2(dag->flops() > 0, qPrintable(line));
        ++perClass[fields[0]];
    }
    for (const char *name : {"C1D", "C2D", "C3D", "GMM", "GRP", "DIL", "DEP", "T2D", "CAP", "NRM", "SFM", "CBR", "TBG"})
        QCOMPARE(perClass.value(name), 4);
}

/// Logs of Ansor's users refer to these stage numbers.
void SamplesTest::flagshipStages() {
    const DagPtr dag = ComputeDag::fromWorkload(sample("conv2d_bias_relu.te"));
    const std::vector<std::string> names = {"data", "pad_temp", "kernel", "conv2d_nchw", "bias", "T_add", "T_relu"};
    QCOMPARE(dag->size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) QCOMPARE(dag->op(i).name, names[i]);
    const AttrValue &free = dag->op(3).attrs.at("layout_free_placeholders");
    QCOMPARE(std::get<std::vector<std::string>>(free), std::vector<std::string>{"kernel"});
    QCOMPARE(dag->flops(), 231261184.0);
}

void SamplesTest::keys_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("hash");
    // Keys that other systems' logs hold.
    QTest::newRow("matmul") << "matmul.te" << "dc29d1d0f45b6bb93e8328b9f55c70d9";
    QTest::newRow("GMM") << "batch_matmul.te" << "40efbe5095fd04d7717cf592f1e1df0d";
    QTest::newRow("C1D") << "conv1d_nlc.te" << "a8e3d65f392d7b55aea1e5387d31f527";
    QTest::newRow("C2D") << "conv2d_nhwc.te" << "613b63158bc7d3111071395e5c2442b4";
    QTest::newRow("DEP") << "depthwise_conv2d_nhwc.te" << "3b0a71b27e2425cda63e9fb7737b9eff";
    QTest::newRow("SFM") << "softmax.te" << "bb062dc4bc5682752f60d25e410a596a";
    QTest::newRow("CBR") << "conv2d_bn_relu.te" << "979645bcd5ddf50b8b8cc659b1e5bcbe";
    QTest::newRow("conv + bias + relu") << "conv2d_bias_relu_nhwc.te" << "07f9fcad27bdd3233f86fe35a5185d33";
    QTest::newRow("max pool + bias + relu") << "max_pool2d.te" << "6d012ba18a086c11ee2b85c7324e16f2";
    QTest::newRow("global pool") << "global_avg_pool.te" << "8c53ca2904398da2889aa7508082d7bb";
    QTest::newRow("winograd") << "winograd_bias_relu_nhwc.te" << "1097323f3970e5c881ad3a0028ca79cb";
}

void SamplesTest::keys() {
    QFETCH(QString, name);
    QFETCH(QString, hash);
    QCOMPARE(QString::fromStdString(ComputeDag::fromWorkload(sample(name))->hash()), hash);
}

LOOPSCOPE_TEST(SamplesTest)
#include "samples_test.moc"
