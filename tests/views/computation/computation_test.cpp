// What the computation view knows without a window: presets, outline, completion, facts, and the texts it makes of
// every operator of the library.

#include "views/computation/completion_words.h"
#include "views/computation/draft_preview.h"
#include "views/computation/param_form.h"
#include "views/computation/shape_presets.h"
#include "views/computation/task_facts.h"
#include "views/computation/text_outline.h"
#include "views/computation/workload_draft.h"

#include "language/te/workload.h"
#include "test_program.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QSpinBox>
#include <QtTest>

namespace loopscope {

namespace {

QString readFile(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

const QString kSamples = QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/");

QString sample(const char *name) { return readFile(kSamples + QLatin1String(name)); }

int64_t value(const ParamOverrides &params, const std::string &name) {
    for (const auto &[key, number] : params)
        if (key == name) return number;
    return -1;
}

} // namespace

class ComputationTest : public QObject {
    Q_OBJECT

  private slots:
    void benchmarksAreRead() {
        const auto lines = parseBenchmarks(QStringLiteral("# a comment\n\nC2D conv2d_nhwc.te   N=1 H=7 K=3 # why\nGMM "
                                                          "broken.te M=x\nshort\n"));
        QCOMPARE(lines.size(), size_t(1));
        QCOMPARE(lines[0].kind, QStringLiteral("C2D"));
        QCOMPARE(lines[0].file, QStringLiteral("conv2d_nhwc.te"));
        QCOMPARE(value(lines[0].params, "H"), int64_t(7));
        QVERIFY(parseBenchmarks(sample("benchmarks.txt")).size() > 50);
    }

    void presetsFitTheirWorkload() {
        const auto benchmarks = parseBenchmarks(sample("benchmarks.txt"));
        int workloads = 0;
        for (const QString &file : QDir(kSamples).entryList({QStringLiteral("*.te")})) {
            const Workload workload = loadWorkload((kSamples + file).toStdString());
            const auto presets = presetsFor(QString::fromStdString(workload.name), workload.params, benchmarks);
            workloads += presets.empty() ? 0 : 1;
            for (const ShapePreset &preset : presets) {
                // Each can be chosen: it parses and makes a DAG.
                const Workload changed = loadWorkload((kSamples + file).toStdString(), preset.params);
                QVERIFY2(ComputeDag::fromWorkload(changed)->size() > 0, qPrintable(preset.name));
                QVERIFY2(!preset.name.isEmpty() && !preset.source.isEmpty(), qPrintable(file));
            }
        }
        QVERIFY2(workloads >= 20, qPrintable(QString::number(workloads)));
    }

    void presetsHaveNames() {
        const Workload workload = loadWorkload((kSamples + QStringLiteral("conv2d_nhwc.te")).toStdString());
        const auto presets =
            presetsFor(QStringLiteral("conv2d_nhwc"), workload.params, parseBenchmarks(sample("benchmarks.txt")));
        QStringList names;
        for (const ShapePreset &preset : presets) names << preset.source + QStringLiteral(": ") + preset.name;
        QVERIFY2(names.contains(QStringLiteral("Networks: ResNet-50 conv3_x 3\u00d73, 28\u00d728\u00d7128")),
                 qPrintable(names.join(u'\n')));
        names = names.filter(QStringLiteral("GRP"));
        QVERIFY2(names.contains(QStringLiteral("Benchmark GRP: 3\u00d73 / 2, 56\u00d756\u00d764 to 128, 4 groups")),
                 qPrintable(names.join(u'\n')));
    }

    void presetIsRecognised() {
        std::vector<WorkloadParam> params = {{"H", 7, 7}, {"CI", 512, 512}, {"K", 3, 3}};
        const std::vector<ShapePreset> presets = {{QStringLiteral("a"), QStringLiteral("s"), {{"H", 14}, {"CI", 256}}},
                                                  {QStringLiteral("b"), QStringLiteral("s"), {{"H", 28}}}};
        QCOMPARE(presetOf(presets, params), -1);
        params[0].value = 14;
        QCOMPARE(presetOf(presets, params), -1);
        params[1].value = 256;
        QCOMPARE(presetOf(presets, params), 0);
        params[2].value = 5;
        QCOMPARE(presetOf(presets, params), -1);
    }

    void outlineOfASample() {
        const QString text = sample("conv2d_bias_relu.te");
        TextOutline outline = outlineText(text);
        attachOps(outline, text.toStdString());
        QCOMPARE(outline.params, QStringLiteral("N H W CO CI K stride pad").split(u' '));
        QCOMPARE(outline.constants, (QStringList{QStringLiteral("OH"), QStringLiteral("OW")}));
        QStringList found;
        for (const Definition &definition : outline.definitions)
            found << QStringLiteral("%1 %2-%3").arg(definition.name).arg(definition.firstLine).arg(definition.lastLine);
        const QStringList expected = {QStringLiteral("data 7-7"),          QStringLiteral("kernel 8-8"),
                                      QStringLiteral("bias 9-9"),          QStringLiteral("pad_temp 11-12"),
                                      QStringLiteral("conv2d_nchw 15-17"), QStringLiteral("T_add 19-19"),
                                      QStringLiteral("T_relu 20-20")};
        QCOMPARE(found, expected);
        QCOMPARE(outline.stageAt(16), QStringLiteral("conv2d_nchw"));
        QCOMPARE(outline.stageAt(13), QString());
        QCOMPARE(outline.stageAt(2), QString());
        QCOMPARE(outline.linesOf(QStringLiteral("pad_temp")), (std::vector<int>{11, 12}));
        // Stages that steps made of it.
        QCOMPARE(outline.linesOf(QStringLiteral("conv2d_nchw.local")), (std::vector<int>{15, 16, 17}));
        QVERIFY(outline.linesOf(QStringLiteral("other")).empty());
        QVERIFY(outline.linesOf({}).empty());
    }

    void callsOwnTheStagesTheyMake() {
        const QString text = sample("dense.te");
        TextOutline outline = outlineText(text);
        attachOps(outline, text.toStdString());
        const Definition &last = outline.definitions.back();
        QCOMPARE(last.handle, QStringLiteral("out"));
        QVERIFY2(last.ops.size() == 2, qPrintable(last.ops.join(u' ')));
        QCOMPARE(outline.linesOf(last.ops.front()), outline.linesOf(QStringLiteral("out")));
    }

    void everyStageOfEverySampleHasItsLines() {
        const QStringList files = QDir(kSamples).entryList({QStringLiteral("*.te")});
        QVERIFY(files.size() > 30);
        for (const QString &file : files) {
            const QString text = readFile(kSamples + file);
            const Workload workload = parseWorkload(text.toStdString(), {});
            TextOutline outline = outlineText(text);
            attachOps(outline, text.toStdString());
            const DagPtr dag = ComputeDag::fromWorkload(workload);
            for (const OpPtr &op : dag->ops())
                QVERIFY2(!outline.linesOf(QString::fromStdString(op->name)).empty(),
                         qPrintable(file + u' ' + QString::fromStdString(op->name)));
        }
    }

    void outlineSurvivesBrokenText() {
        QVERIFY(outlineText(QStringLiteral("workload x(N = 1\n$$$")).definitions.empty());
        const TextOutline open =
            outlineText(QStringLiteral("workload x(N = 1)\na = placeholder [N] float32\nb(i < N = a["));
        QVERIFY(open.params.contains(QStringLiteral("N")));
        QCOMPARE(open.definitions.size(), size_t(1));
        QVERIFY(outlineText({}).definitions.empty());
    }

    void completionKnowsOperatorsAndNames() {
        const auto words = completionWords(outlineText(sample("conv2d_bias_relu.te")));
        std::map<QString, QString> map(words.begin(), words.end());
        QCOMPARE(map.size(), words.size()); // every word once
        QVERIFY(std::is_sorted(words.begin(), words.end()));
        QVERIFY2(map[QStringLiteral("conv2d_nhwc")].startsWith(QLatin1String("(data, weight, stride = 1, pad = 0")),
                 qPrintable(map[QStringLiteral("conv2d_nhwc")]));
        QCOMPARE(map[QStringLiteral("stride")], QStringLiteral("parameter"));
        QCOMPARE(map[QStringLiteral("OH")], QStringLiteral("constant"));
        QCOMPARE(map[QStringLiteral("pad_temp")], QStringLiteral("tensor, line 11"));
        for (const std::string &name : operatorNames()) QVERIFY(map.contains(QString::fromStdString(name)));
        for (const char *word : {"workload", "let", "placeholder", "exp", "if_then_else", "select", "float32"})
            QVERIFY2(map.contains(QLatin1String(word)), word);
    }

    void facts() {
        const Workload workload = loadWorkload((kSamples + QStringLiteral("matmul.te")).toStdString());
        const TaskFacts facts = factsOf(makeTask(ComputeDag::fromWorkload(workload), parseTarget("llvm")));
        QCOMPARE(facts.inputBytes, int64_t(2) * 512 * 512 * 4);
        QCOMPARE(facts.outputBytes, int64_t(512) * 512 * 4);
        QCOMPARE(facts.flops, 2.0 * 512 * 512 * 512);
        QCOMPARE(facts.intensity(), facts.flops / (3 * 512 * 512 * 4));
        QCOMPARE(facts.stages, 1);
        QCOMPARE(facts.inputs, 2);
        QVERIFY(facts.key.contains(facts.shortKey().chopped(1)));
    }

    void everyOperatorHasADraft_data() {
        QTest::addColumn<QString>("op");
        for (const OperatorSpec *spec : operatorTable())
            QTest::newRow(spec->name.c_str()) << QString::fromStdString(spec->name);
    }
    void everyOperatorHasADraft() {
        QFETCH(QString, op);
        Draft draft = defaultDraft(*findOperatorSpec(op.toStdString()));
        const DraftPreview alone = previewDraft(draft);
        QVERIFY2(!alone.problem, qPrintable(alone.problem ? alone.problem->sentence + u'\n' + alone.text : QString()));
        QVERIFY(!alone.dagText.isEmpty());
        QVERIFY(alone.text.contains(QStringLiteral("out")));
        // With every operator that may follow, one after the other.
        draft.epilogue = epilogueOperators();
        if (alone.shape.contains(QLatin1String("int"))) draft.epilogue = {QStringLiteral("relu")};
        const DraftPreview chained = previewDraft(draft);
        QVERIFY2(!chained.problem,
                 qPrintable(chained.problem ? chained.problem->sentence + u'\n' + chained.text : QString()));
        QVERIFY(chained.facts->stages > alone.facts->stages);
    }

    void draftTextIsAsWritten() {
        Draft draft = defaultDraft(*findOperatorSpec("conv2d_nchw"));
        draft.epilogue = {QStringLiteral("bias_add"), QStringLiteral("relu")};
        const QString expected = QStringLiteral(
            "# conv2d_nchw: convolution of data[N, CI, H, W] with weight[CO, CI/groups, KH, KW]\n"
            "workload conv2d_nchw(N = 1, H = 14, W = 14, CI = 256, CO = 256, K = 3, stride = 1, pad = 1, dilation = 1, "
            "groups = 1)\n"
            "\n"
            "let OH = (H + 2*pad - dilation*(K - 1) - 1) / stride + 1\n"
            "let OW = (W + 2*pad - dilation*(K - 1) - 1) / stride + 1\n"
            "\n"
            "data   = placeholder [N, CI, H, W] float32\n"
            "weight = placeholder [CO, CI / groups, K, K] float32\n"
            "bias   = placeholder [CO] float32\n"
            "value  = conv2d_nchw(data, weight, stride = stride, pad = pad, dilation = dilation, groups = groups)\n"
            "biased = bias_add(value, bias, axis = 1)\n"
            "out    = relu(biased)\n");
        QCOMPARE(draftText(draft), expected);
    }

    void draftSaysWhatIsWrong() {
        Draft draft = defaultDraft(*findOperatorSpec("matmul"));
        draft.tensors[1].shape = QStringLiteral("K + 1, N");
        draft.epilogue = {QStringLiteral("relu")};
        const DraftPreview preview = previewDraft(draft);
        QVERIFY(preview.problem.has_value());
        QVERIFY2(preview.problem->sentence.contains(QLatin1String("matmul")), qPrintable(preview.problem->sentence));
        QVERIFY(preview.problem->line > 0);
    }

    void familiesHoldTheWholeLibrary() {
        size_t count = 0;
        for (const auto &[family, specs] : operatorFamilies()) {
            count += specs.size();
            const bool hasSoftmax = std::ranges::find(specs, findOperatorSpec("softmax")) != specs.end();
            QCOMPARE(hasSoftmax, family == QStringLiteral("Normalisation"));
        }
        QCOMPARE(count, operatorTable().size());
    }

    void formMarksWhatChanged() {
        Theme theme;
        ParamForm form(theme);
        QSignalSpy changed(&form, &ParamForm::changed);
        form.setParams({{"H", 7, 7}, {"CI", 512, 512}},
                       {{QStringLiteral("small"), QStringLiteral("Networks"), {{"H", 14}, {"CI", 64}}}});
        QVERIFY(form.overrides().empty());
        QCOMPARE(changed.count(), 0);
        QCOMPARE(form.presetBox()->currentText(), QStringLiteral("As in the file"));
        form.field(QStringLiteral("H"))->setValue(14);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(form.overrides(), (ParamOverrides{{"H", 14}}));
        QCOMPARE(form.presetBox()->currentIndex(), -1);
        form.field(QStringLiteral("CI"))->setValue(64);
        QCOMPARE(form.presetBox()->currentText(), QStringLiteral("small"));
        form.reset();
        QVERIFY(form.overrides().empty());
        QCOMPARE(form.field(QStringLiteral("H"))->value(), 7);
    }
};

LOOPSCOPE_WINDOW_TEST(ComputationTest)
} // namespace loopscope

#include "computation_test.moc"
