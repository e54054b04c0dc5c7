// How tensors are looked at as pictures: which axes, which brightness; how pictures are made to fit; what samples say
// about running them.

#include "base/outcome.h"
#include "language/dag/compute_dag.h"
#include "language/interpret/stage_values.h"
#include "language/picture/fitted_picture.h"
#include "language/picture/pixel_axes.h"
#include "language/picture/shipped_run.h"
#include "language/picture/value_file.h"
#include "language/picture/value_mapping.h"
#include "language/te/workload.h"
#include "test_program.h"

#include <QDir>
#include <QtTest>
#include <cmath>

using namespace loopscope;

namespace {

const QString kPipelines = QStringLiteral(LOOPSCOPE_SOURCE_DIR) + "/samples/pipelines/";

QString axesText(const std::vector<int64_t> &shape, bool fourAreColours = false) {
    const auto axes = pixelAxesOf(shape, fourAreColours);
    if (!axes) return QStringLiteral("none");
    QString text = QStringLiteral("rows %1, columns %2").arg(axes->rows).arg(axes->columns);
    if (axes->channels >= 0) text += QStringLiteral(", channels %1").arg(axes->channels);
    return text;
}

QString mappingText(const std::vector<double> &floats) {
    const TensorValue value{DType::Float32, {static_cast<int64_t>(floats.size())}, floats, {}};
    const ValueFacts facts = factsOf(value);
    const ValueMapping mapping = mappingFor(value.dtype, facts);
    const PictureRange range = mappedRange(mapping, value.dtype, facts);
    const char *names[] = {"stretched", "most", "unit", "signed", "type"};
    return QStringLiteral("%1 %2..%3").arg(names[static_cast<int>(mapping)]).arg(range.black).arg(range.white);
}

std::vector<uint16_t> row(const Picture &picture, int64_t y) {
    const auto begin = picture.samples.begin() + y * picture.width * picture.channels;
    return {begin, begin + picture.width * picture.channels};
}

} // namespace

class PictureLooksTest : public QObject {
    Q_OBJECT
  private slots:
    void axesOfPictures() {
        QCOMPARE(axesText({}), QStringLiteral("none"));
        QCOMPARE(axesText({256}), QStringLiteral("none"));
        QCOMPARE(axesText({47, 61}), QStringLiteral("rows 0, columns 1"));
        QCOMPARE(axesText({3, 47, 61}), QStringLiteral("rows 1, columns 2, channels 0"));
        QCOMPARE(axesText({47, 61, 3}), QStringLiteral("rows 0, columns 1, channels 2"));
        QCOMPARE(axesText({3, 5, 3}), QStringLiteral("rows 1, columns 2, channels 0")); // planes where both would do
        QCOMPARE(axesText({47, 61, 1}), QStringLiteral("rows 0, columns 1"));
        QCOMPARE(axesText({1, 47, 61}), QStringLiteral("rows 1, columns 2"));
        // A stage of four planes is four stages, unless the workload reads pictures with an opacity.
        QCOMPARE(axesText({4, 47, 61}), QStringLiteral("rows 1, columns 2"));
        QCOMPARE(axesText({4, 47, 61}, true), QStringLiteral("rows 1, columns 2, channels 0"));
        QCOMPARE(axesText({47, 61, 4}, true), QStringLiteral("rows 0, columns 1, channels 2"));
        // Axes to walk along: levels, distances, images of a batch.
        QCOMPARE(axesText({2, 16, 24, 30}), QStringLiteral("rows 2, columns 3"));
        QCOMPARE(axesText({3, 7, 7, 47, 61}), QStringLiteral("rows 3, columns 4, channels 0"));
        QCOMPARE(axesText({8, 47, 61, 3}), QStringLiteral("rows 1, columns 2, channels 3"));
        QCOMPARE(axesText({64, 64, 3, 3}), QStringLiteral("rows 2, columns 3"));
        QVERIFY(isPictureOfFour({4, 47, 61}));
        QVERIFY(!isPictureOfFour({3, 47, 61}));
        QVERIFY(!isPictureOfFour({4, 4}));
    }

    void mappings() {
        QCOMPARE(mappingText({0, 0.5, 1.01}), QStringLiteral("unit 0..1"));
        QCOMPARE(mappingText({-0.1, 0.5, 1.15}), QStringLiteral("unit 0..1"));
        QCOMPARE(mappingText({0, 0.01, 0.05}), QStringLiteral("stretched 0..0.05"));
        QCOMPARE(mappingText({-1, 0.5, 3}), QStringLiteral("signed -3..3"));
        QCOMPARE(mappingText({5, 5}), QStringLiteral("stretched 4.5..5.5"));
        QCOMPARE(mappingText({}), QStringLiteral("stretched -0.5..0.5"));
        QCOMPARE(mappingText({NAN, INFINITY}), QStringLiteral("stretched -0.5..0.5"));
        std::vector<double> corners(1000);
        for (size_t i = 0; i < corners.size(); ++i) corners[i] = static_cast<double>(i % 10);
        corners[0] = 5000;
        corners[1] = -2000;
        QCOMPARE(mappingText(corners), QStringLiteral("most 0..9"));
        const ValueFacts facts = factsOf({DType::Float32, {4}, {NAN, 1, 2, -INFINITY}, {}});
        QCOMPARE(facts.noNumbers, int64_t{2});
        QCOMPARE(facts.greatest, 2.0);

        const TensorValue bytes{DType::UInt8, {2}, {}, {7, 9}};
        QCOMPARE(mappingFor(bytes.dtype, factsOf(bytes)), ValueMapping::Type);
        QCOMPARE(mappedRange(ValueMapping::Type, DType::UInt8, factsOf(bytes)).white, 255.0);
        QCOMPARE(mappedRange(ValueMapping::Type, DType::Int16, factsOf(bytes)).black, -32768.0);
        QCOMPARE(mappedRange(ValueMapping::Type, DType::Float32, factsOf(bytes)).white, 1.0);
        QCOMPARE(mappingFor(DType::UInt16, {0, 65000, 0, 60000, 0}), ValueMapping::Type);
        const TensorValue sensor{DType::UInt16, {2}, {}, {20, 900}};
        QCOMPARE(mappingFor(sensor.dtype, factsOf(sensor)), ValueMapping::Stretched);
    }

    void picturesAreMadeToFit() {
        const Picture grey{4, 2, 1, 8, {0, 40, 80, 120, 10, 50, 90, 130}};
        QVERIFY(canCrop(grey, 2, 2));
        QVERIFY(!canCrop(grey, 5, 2));
        // The middle two of four begin at an odd column; the even one before it is taken.
        QCOMPARE(row(fittedPicture(grey, 2, 2, 1, PictureFit::Crop), 1), (std::vector<uint16_t>{10, 50}));
        QCOMPARE(row(fittedPicture(grey, 2, 1, 1, PictureFit::Scale), 0), (std::vector<uint16_t>{25, 105}));
        const Picture large = fittedPicture(grey, 8, 4, 1, PictureFit::Scale);
        QCOMPARE(row(large, 0), (std::vector<uint16_t>{0, 10, 30, 50, 70, 90, 110, 120}));
        // Of other proportions: what lies beyond them on either side is left out.
        QCOMPARE(row(fittedPicture(grey, 2, 2, 1, PictureFit::Scale), 0), (std::vector<uint16_t>{40, 80}));
        const Picture red{1, 1, 4, 8, {200, 0, 0, 128}};
        QCOMPARE(fittedPicture(red, 1, 1, 1, PictureFit::Scale).samples, std::vector<uint16_t>{60});
        QCOMPARE(fittedPicture(red, 1, 1, 3, PictureFit::Scale).samples, (std::vector<uint16_t>{200, 0, 0}));
        QCOMPARE(fittedPicture(red, 1, 1, 2, PictureFit::Scale).samples, (std::vector<uint16_t>{60, 128}));
        const Picture dark{1, 1, 1, 16, {300}};
        QCOMPARE(fittedPicture(dark, 2, 1, 4, PictureFit::Scale).samples,
                 (std::vector<uint16_t>{300, 300, 300, 65535, 300, 300, 300, 65535}));
    }

    void whatTheHeadOfAPipelineSays() {
        const std::string text = "# Sharpens. Small: --param W=61 --param H=47\n"
                                 "# Picture: --param W=9 --input in=pictures/a.png --input m=b.npy\n"
                                 "workload x(W = 3)\n# Other: --param W=1\n";
        const auto small = shippedRun(text, "Small");
        QVERIFY(small.has_value());
        QVERIFY(small->params == (ParamOverrides{{"W", 61}, {"H", 47}}));
        const auto picture = shippedRun(text, "Picture");
        QVERIFY(picture && picture->inputs.size() == 2);
        QCOMPARE(picture->inputs[1].second, std::string("b.npy"));
        QVERIFY(!shippedRun(text, "Other")); // no longer in the head
        QVERIFY(!shippedRun("# Small: --param W=a\n", "Small"));
        QVERIFY(!shippedRun("# Small: --loud W=1\n", "Small"));
        QVERIFY(!shippedRun("# Small is beautiful\n", "Small"));
        QVERIFY(!shippedRun("", "Small"));
    }

    void sizesFollowThePicture() {
        const std::string text = "workload w(W = 10, H = 8, K = 3)\nlet V = W // 2\n"
                                 "in = placeholder [3, 2 * H + 4, W + K - 1] float32\n"
                                 "up = placeholder [H, V] float32\n"
                                 "out(y < H, x < W) = in[0, y, x] + up[y, x // 2] * K\n";
        QVERIFY(!paramsForShape(text, {}, {}, "in", {3, 20, 100})); // W or K?
        const std::string sure = QString::fromStdString(text).replace("W + K - 1", "W + 2").toStdString();
        const auto found = paramsForShape(sure, {}, {}, "in", {3, 24, 100});
        QVERIFY(found && *found == (ParamOverrides{{"W", 98}, {"H", 10}}));
        QVERIFY(!paramsForShape(sure, {}, {}, "in", {3, 23, 100})); // no whole number
        QVERIFY(!paramsForShape(sure, {}, {}, "in", {4, 24, 100})); // follows no parameter
        QVERIFY(!paramsForShape(sure, {}, {}, "none", {4, 24, 100}));
        QVERIFY(paramsForShape(sure, {}, {{"H", 10}}, "in", {3, 24, 12}) == (ParamOverrides{{"H", 10}, {"W", 10}}));
    }

    /// What each sample says of its pictures is so.
    void samplesComeWithTheirPictures() {
        int with = 0;
        for (const QString &name : QDir(kPipelines).entryList({"*.te"})) {
            QFile file(kPipelines + name);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const std::string text = file.readAll().toStdString();
            const auto run = shippedRun(text, "Picture");
            if (!run) continue;
            ++with;
            const Workload workload = parseWorkload(text, file.fileName().toStdString(), run->params);
            for (const auto &[input, path] : run->inputs)
                for (const Tensor *arg : workload.args)
                    if (arg->name == input)
                        QVERIFY2(readValue(kPipelines.toStdString() + path, *arg).shape == arg->shape, input.c_str());
            size_t inputs = 0;
            for (const Tensor *arg : workload.args) inputs += arg->op->isPlaceholder() ? 1 : 0;
            QVERIFY2(inputs == run->inputs.size(), qPrintable(name));
            QVERIFY2(shippedRun(text, "Small"), qPrintable(name));
        }
        QVERIFY(with >= 14);
    }

    void stagesAreHandedOverAsTheyCome() {
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload("workload w(N = 3)\nin = placeholder [N] float32\n"
                                                                  "a(i < N) = in[i] + 1\nb(i < N) = a[i] * 2\n"
                                                                  "c(i < N) = b[i] + a[i]\n",
                                                                  {}));
        const std::vector<TensorValue> inputs{{DType::Float32, {3}, {1, 2, 3}, {}}};
        QString told;
        const auto sink = [&](const Op &op, const std::vector<TensorValue> &outputs) {
            told += QStringLiteral("%1 %2; ").arg(op.name.c_str()).arg(outputs[0].floats[2]);
            return op.name != "b";
        };
        QVERIFY(!interpretInto(*dag, inputs, sink));
        QCOMPARE(told, QStringLiteral("a 4; b 8; "));
        const std::vector<TensorValue> values =
            interpretStages(*dag, inputs, {&dag->op(3).output(), &dag->op(0).output(), &dag->op(1).output()});
        QCOMPARE(values[0].floats, (std::vector<double>{6, 9, 12}));
        QCOMPARE(values[1].floats, inputs[0].floats);
        QCOMPARE(values[2].floats, (std::vector<double>{2, 3, 4}));
        const InterpreterWork work = interpreterWork(*dag);
        QCOMPARE(work.bytes, 4.0 * 3 * 12);
        QVERIFY(work.operations >= 3 * 6);
    }
};

LOOPSCOPE_TEST(PictureLooksTest)
#include "picture_looks_test.moc"
