// What the pictures view shows, without a window: runs and their refusals, images of stages, the strip as an item
// model, the viewpoint.

#include "language/picture/png_file.h"
#include "test_program.h"
#include "views/pictures/picture_run.h"
#include "views/pictures/stage_image.h"
#include "views/pictures/stage_strip_model.h"
#include "views/pictures/viewpoint.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

namespace loopscope {

namespace {

const std::string kEdges = "workload edges(W = 6, H = 4, K = 2)\n"
                           "in = placeholder [3, H, W] float32\n"
                           "grey(-1 <= y < H + 1, x < W) = in[0, clamp(y, 0, H - 1), x] * K\n"
                           "line(x < W) = sum(y < H; grey[y, x])\n"
                           "out(l < 5, y < H, x < W) = grey[y, x] - line[x] + float32(l)\n";

std::vector<QString> words(const char *text) {
    const QStringList list = QString::fromLatin1(text).split(u' ');
    return {list.begin(), list.end()};
}

PictureAnswer answer(const PictureQuestion &question) {
    return answerPicture(question, {[](double) {}, [] { return true; }});
}

ShownStage stageOf(TensorValue value, std::vector<QString> axes, std::vector<int64_t> origins) {
    ShownStage stage;
    stage.name = stage.op = QStringLiteral("s");
    stage.axes = std::move(axes);
    stage.origins = std::move(origins);
    stage.facts = factsOf(value);
    stage.pixels = pixelAxesOf(value.shape, true);
    stage.value = std::move(value);
    return stage;
}

} // namespace

class PicturesTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    [[nodiscard]] QString picture(const char *name, int64_t width, int64_t height, int channels = 3) const {
        Picture made{width, height, channels, 8, {}};
        for (int64_t i = 0; i < width * height * channels; ++i) made.samples.push_back(static_cast<uint16_t>(i % 256));
        const QString path = m_folder.filePath(QLatin1String(name));
        writePng(path.toStdString(), made);
        return path;
    }

  private slots:
    void allStagesInOrder() {
        const PictureAnswer made = answer({kEdges, {}, {}, {{"in", {picture("fits.png", 6, 4), {}}}}, 1, {}, false});
        QVERIFY2(made.run, qPrintable(made.problem));
        const auto &stages = made.run->stages;
        QCOMPARE(stages.size(), size_t{4});
        QCOMPARE(stages[0].part, ShownStage::Part::Input);
        QCOMPARE(stages[0].axes, words("c y x"));
        QCOMPARE(stages[0].value.floats[1], 3.0F / 255);
        QCOMPARE(stages[1].name, QStringLiteral("grey"));
        QCOMPARE(stages[1].origins, (std::vector<int64_t>{-1, 0}));
        QCOMPARE(stages[1].part, ShownStage::Part::Stage);
        QVERIFY(!stages[2].isPicture());
        QVERIFY(stages[2].thumbnail.isNull());
        QCOMPARE(stages[3].part, ShownStage::Part::Output);
        QCOMPARE(sliceAxes(stages[3], *stages[3].pixels), std::vector<int>{0});
        QVERIFY(stages[3].thumbnail.width() <= 192 && stages[3].thumbnail.width() > 100);
    }

    void theSameSeedTheSameValues() {
        PictureQuestion question{kEdges, {}, {}, {}, 7, {}, false};
        const PictureAnswer one = answer(question);
        QCOMPARE(answer(question).run->stages[0].value.floats, one.run->stages[0].value.floats);
        question.seed = 8;
        QVERIFY(answer(question).run->stages[0].value.floats != one.run->stages[0].value.floats);
    }

    void whatDoesNotFit() {
        PictureQuestion question{kEdges, {}, {}, {{"in", {picture("large.png", 9, 5), {}}}}, 1, {}, false};
        PictureAnswer made = answer(question);
        QVERIFY(!made.run);
        QCOMPARE(made.problem,
                 QStringLiteral("large.png has 9 \u00d7 5 pixels of 3 channels; `in` is 3 \u00d7 4 \u00d7 6, "
                                "which takes 6 \u00d7 4 pixels."));
        QVERIFY(made.misfit && made.misfit->canCrop && made.misfit->canScale);
        question.inputs["in"].fit = PictureFit::Crop;
        QVERIFY(answer(question).run);
        // The picture decides the size.
        question.inputs["in"].fit.reset();
        question.sizeFrom = "in";
        question.requests = {{"K", 5}, {"W", 100}};
        made = answer(question);
        QVERIFY2(made.run, qPrintable(made.problem));
        QCOMPARE(paramsText(made.run->params), QStringLiteral("W = 9, H = 5, K = 5"));
        // Other channels are made to fit.
        question.sizeFrom.clear();
        question.inputs["in"] = {picture("grey.png", 6, 4, 1), {}};
        QVERIFY(answer(question).run);
        question.inputs["in"] = {QStringLiteral("/nowhere/a.png"), {}};
        QVERIFY(answer(question).problem.contains(QStringLiteral("/nowhere/a.png")));
        QVERIFY(answer(question).problem.contains(QStringLiteral("No such file")));
    }

    void whatTakesLongIsNotBegun() {
        PictureQuestion question{kEdges, {{"W", 40000}, {"H", 3000}}, {}, {}, 1, {}, false};
        const PictureAnswer made = answer(question);
        QVERIFY(!made.run);
        QVERIFY2(made.tooLong || made.problem.contains(QStringLiteral("this machine has")), qPrintable(made.problem));
        question.params = {{"W", 4000000}, {"H", 30000}};
        question.evenIfLong = true;
        QVERIFY(answer(question).problem.contains(QStringLiteral("this machine has")));
    }

    void cancelled() {
        const PictureAnswer made =
            answerPicture({kEdges, {}, {}, {}, 1, {}, false}, {[](double) {}, [] { return false; }});
        QVERIFY(!made.run);
        QVERIFY(made.problem.isEmpty());
    }

    void imagesOfValues() {
        const ShownStage flat = stageOf({DType::Float32, {2, 3}, {-1, 0, 1, 2, NAN, 0.5}, {}}, words("y x"), {-2, 5});
        StageLook look = firstLook(flat);
        look.mapping = ValueMapping::Unit;
        QImage image = stageImage(flat, look);
        QCOMPARE(image.size(), QSize(3, 2));
        QCOMPARE(image.pixelColor(0, 0), QColor(Qt::black)); // darker than black
        QCOMPARE(image.pixelColor(0, 1), QColor(Qt::white));
        QCOMPARE(image.pixelColor(2, 1), QColor(128, 128, 128));
        QVERIFY(image.pixelColor(1, 1).red() > 200 && image.pixelColor(1, 1).green() == 0); // no number
        QCOMPARE(placeText(flat, look, 1, 2), QStringLiteral("y = -1, x = 7"));
        QCOMPARE(pixelText(flat, look, 1, 1), QStringLiteral("NaN"));
        QCOMPARE(stageText(flat), QStringLiteral("float32, 2 \u00d7 3, \u22121 to 2, 1 no numbers"));
        look.mapping = ValueMapping::Signed;
        image = stageImage(flat, look);
        QVERIFY(image.pixelColor(0, 0).blue() > image.pixelColor(0, 0).red());
        QVERIFY(image.pixelColor(0, 1).red() > image.pixelColor(0, 1).blue());
        QCOMPARE(image.pixelColor(1, 0), QColor(236, 236, 236));

        // Pixels with channels behind them, an opacity among them.
        const ShownStage colours =
            stageOf({DType::UInt8, {5, 6, 4}, {}, std::vector<int64_t>(120, 0)}, words("y x c"), {0, 0, 0});
        QCOMPARE(stageImage(colours, firstLook(colours)).pixelColor(0, 0).alpha(), 0);
        // A slice, and every other pixel of it.
        TensorValue counted{DType::UInt8, {7, 4, 6}, {}, {}};
        for (int64_t i = 0; i < 7 * 4 * 6; ++i) counted.integers.push_back(i);
        const ShownStage levels = stageOf(std::move(counted), words("l y x"), {-3, 0, 0});
        StageLook third = firstLook(levels);
        QCOMPARE(third.at[0], int64_t{3});
        QCOMPARE(placeText(levels, third, 1, 2), QStringLiteral("l = 0, y = 1, x = 2"));
        QCOMPARE(pixelText(levels, third, 1, 2), QString::number(3 * 24 + 6 + 2));
        QCOMPARE(stageImage(levels, third, 2).size(), QSize(3, 2));
        QCOMPARE(stageImage(levels, third, 2).pixelColor(1, 1).red(), 3 * 24 + 2 * 6 + 2);
    }

    void theStripIsAModel() {
        StageStripModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.stage(0) == nullptr);
        model.setRun(answer({kEdges, {}, {}, {}, 1, {}, false}).run);
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.data(model.index(1)).toString(), QStringLiteral("grey"));
        QVERIFY(model.data(model.index(1), Qt::DecorationRole).isValid());
        QVERIFY(!model.data(model.index(2), Qt::DecorationRole).isValid());
        QVERIFY(
            model.data(model.index(3), Qt::ToolTipRole).toString().startsWith(QStringLiteral("out (output): float32")));
        QCOMPARE(model.rowOf(QStringLiteral("line")), 2);
        QCOMPARE(model.rowOf(QStringLiteral("none")), -1);
        model.setRun(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void theViewpointStaysOnThePicture() {
        Viewpoint viewpoint;
        viewpoint.setContent({0, 0, 200, 100}, {400, 400});
        QCOMPARE(viewpoint.zoom(), 2.0);
        QCOMPARE(viewpoint.centre(), QPointF(100, 50));
        viewpoint.setContent({0, 0, 200, 100}, {200, 400}); // nobody has moved
        QCOMPARE(viewpoint.zoom(), 1.0);
        viewpoint.zoomBy(2, QPointF(0, 0)); // the corner stays where it is
        QCOMPARE(viewpoint.zoom(), 2.0);
        QCOMPARE(viewpoint.centre(), QPointF(50, 25));
        viewpoint.setContent({0, 0, 200, 100}, {400, 400});
        QCOMPARE(viewpoint.zoom(), 2.0);
        viewpoint.moveBy({1000, -1000});
        QCOMPARE(viewpoint.centre(), QPointF(200, 0));
        for (int i = 0; i < 100; ++i) viewpoint.zoomBy(2);
        QCOMPARE(viewpoint.zoom(), 64.0);
        viewpoint.lifeSize();
        QCOMPARE(viewpoint.zoom(), 1.0);
        viewpoint.fit();
        QVERIFY(viewpoint.untouched());
    }
};

LOOPSCOPE_WINDOW_TEST(PicturesTest)
} // namespace loopscope

#include "pictures_test.moc"
