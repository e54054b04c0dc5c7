// The pictures view by clicks and keys: empty and refused states, a sample with its picture, stages chosen in the strip
// and elsewhere, two pictures moved together, values under the cursor, sizes, inputs, files.

#include "language/picture/array_file.h"
#include "language/picture/png_file.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/pictures/picture_canvas.h"
#include "views/pictures/pictures_view.h"
#include "views/pictures/stage_legend.h"
#include "views/pictures/stage_pane.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QWheelEvent>
#include <QtTest>

namespace loopscope {

namespace {

const QString kPipelines = QStringLiteral(LOOPSCOPE_SOURCE_DIR) + QStringLiteral("/samples/pipelines/");
const QString kShift = QStringLiteral("workload shift(W = 12, H = 8)\n"
                                      "in = placeholder [H, W] float32\n"
                                      "half(-2 <= y < H // 2 - 2, x < W // 2) = in[2 * y + 4, 2 * x]\n"
                                      "out(l < 6, y < H, x < W) = in[y, x] + float32(l) + half[y // 2 - 2, x // 2]\n");
constexpr int kLong = 60000;

} // namespace

class PicturesViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        PicturesView view{context};
        Bench() {
            view.resize(900, 700);
            view.show();
            (void)QTest::qWaitForWindowExposed(&view);
        }
        void open(const QString &text) {
            session.documents().openText(QStringLiteral("test"), text);
            QTRY_VERIFY_WITH_TIMEOUT(session.document()->task, kLong);
        }
        void openFile(const QString &path) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            session.documents().openWorkload(path, file.readAll());
            QTRY_VERIFY_WITH_TIMEOUT(session.document()->task, kLong);
        }
        bool settled() {
            return QTest::qWaitFor(
                [this] { return !view.computing() && (view.stages().run() || !view.notice().text().isEmpty()); },
                kLong);
        }
        void clickStrip(int row) {
            const QModelIndex index = view.stages().index(row);
            view.strip().scrollTo(index);
            QTest::mouseClick(view.strip().viewport(), Qt::LeftButton, {}, view.strip().visualRect(index).center());
        }
        [[nodiscard]] QString shown(size_t side) {
            return view.pane(side).stage() == nullptr ? QString() : view.pane(side).stage()->name;
        }
        [[nodiscard]] QPushButton *button(const QString &text) const {
            for (QPushButton *one : view.notice().buttons())
                if (one->text() == text) return one;
            return nullptr;
        }
        [[nodiscard]] QString picture(const char *name, int64_t width, int64_t height) const {
            const QString path = folder.filePath(QLatin1String(name));
            writePng(path.toStdString(),
                     {width, height, 1, 8, std::vector<uint16_t>(static_cast<size_t>(width * height), 9)});
            return path;
        }
    };

  private slots:
    void saysWhyThereAreNone() {
        Bench bench;
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("Open a workload to see its inputs")));
        bench.view.openFiles({QStringLiteral("a.png")});
        bench.open(QStringLiteral("workload v(N = 5)\na = placeholder [N] float32\nb(i < N) = a[i] + 1\n"));
        QTRY_COMPARE(
            bench.view.emptyText(),
            QStringLiteral("None of the inputs and outputs of v is a picture: a is 5, b is 5. A picture has two "
                           "axes at least: height and width, with colours before or behind them."));
        bench.open(kShift);
        QVERIFY(bench.settled());
        QVERIFY(bench.view.emptyText().isEmpty());
        bench.session.documents().close(bench.session.document()->id);
        bench.session.documents().close(bench.session.document()->id);
        QVERIFY(bench.view.emptyText().startsWith(QStringLiteral("Open a workload")));
        QCOMPARE(bench.view.stages().rowCount(), 0);
    }

    void aSampleHasItsPicture() {
        Bench bench;
        bench.openFile(kPipelines + QStringLiteral("harris.te"));
        QVERIFY(bench.settled());
        QVERIFY2(bench.view.notice().text().isEmpty(), qPrintable(bench.view.notice().text()));
        QCOMPARE(bench.shown(0), QStringLiteral("in"));
        QCOMPARE(bench.shown(1), QStringLiteral("output"));
        QCOMPARE(bench.view.pane(0).canvas().image().size(), QSize(192, 144));
        QCOMPARE(bench.view.pane(1).canvas().image().size(), QSize(186, 138));
        QVERIFY(bench.view.inputs().sizes().currentText().contains(QStringLiteral("W = 192, H = 144")));
        QCOMPARE(bench.view.inputs().buttons().at(0)->text(), QStringLiteral("in: photograph.png"));
        // The document stays as it is.
        QVERIFY(bench.session.document()->task->dag->op(0).shape().back() == 1536);
        QCOMPARE(bench.view.pane(0).legend().text(), QStringLiteral("0 to 1"));
        // Small, with the same picture made to fit.
        QComboBox &sizes = bench.view.inputs().sizes();
        const int small = sizes.findText(QStringLiteral("Small"), Qt::MatchStartsWith);
        QVERIFY(small >= 0);
        sizes.setFocus();
        sizes.setCurrentIndex(small);
        Q_EMIT sizes.activated(small);
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.pane(0).canvas().image().size(), QSize(61, 47), kLong);
        QVERIFY(bench.view.inputs().buttons().at(0)->text().contains(QStringLiteral("to fit")));
    }

    void stagesAreChosen() {
        Bench bench;
        bench.openFile(kPipelines + QStringLiteral("unsharp.te"));
        QVERIFY(bench.settled());
        const int grey = bench.view.stages().rowOf(QStringLiteral("gray"));
        bench.clickStrip(grey);
        QCOMPARE(bench.shown(1), QStringLiteral("gray"));
        QCOMPARE(bench.session.selection().now().stage, QStringLiteral("gray"));
        // Elsewhere, the same.
        bench.session.selection().selectStage(QStringLiteral("blur_x"));
        QCOMPARE(bench.shown(1), QStringLiteral("blur_x"));
        QCOMPARE(bench.view.strip().currentIndex().row(), bench.view.stages().rowOf(QStringLiteral("blur_x")));
        // The left one is meant once it was clicked.
        QTest::mouseClick(&bench.view.pane(0).canvas(), Qt::LeftButton);
        bench.clickStrip(grey);
        QCOMPARE(bench.shown(0), QStringLiteral("gray"));
        QCOMPARE(bench.shown(1), QStringLiteral("blur_x"));
        QTest::keyClick(&bench.view.pane(0).canvas(), Qt::Key_Period);
        QCOMPARE(bench.shown(0), bench.view.stages().stage(grey + 1)->name);
        QTest::keyClick(&bench.view.strip(), Qt::Key_Left);
        QCOMPARE(bench.shown(0), QStringLiteral("gray"));
        // A stage of one axis says what it is.
        bench.session.selection().selectStage(QStringLiteral("kernel"));
        QVERIFY(bench.view.pane(0).canvas().notice().contains(QStringLiteral("A picture has two axes at least")));
    }

    void bothMoveTogether() {
        Bench bench;
        bench.open(kShift);
        QVERIFY(bench.settled());
        PictureCanvas &left = bench.view.pane(0).canvas();
        PictureCanvas &right = bench.view.pane(1).canvas();
        // Pointed at anew each time: a layout that comes late makes the picture fit again, elsewhere.
        const auto pointed = [&] {
            const QPointF place = left.screenPlace(3, 5);
            QMouseEvent move(QEvent::MouseMove, place, left.mapToGlobal(place), Qt::NoButton, Qt::NoButton, {});
            QApplication::sendEvent(&left, &move);
            return bench.view.pane(0).readout();
        };
        QTRY_VERIFY2(pointed().startsWith(QStringLiteral("in[y = 5, x = 3]")), qPrintable(pointed()));
        QVERIFY(bench.view.pane(1).readout().startsWith(QStringLiteral("out[l = 3, y = 5, x = 3]")));
        // Half as large: the pixel over the same place, in its own coordinates.
        bench.session.selection().selectStage(QStringLiteral("half"));
        const QPointF before = left.screenPlace(3, 5);
        QWheelEvent wheel(before, left.mapToGlobal(before), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&left, &wheel);
        QVERIFY((left.screenPlace(3, 5) - before).manhattanLength() < bench.view.viewpoint().zoom());
        QVERIFY(!bench.view.viewpoint().untouched());
        QVERIFY(right.place().width() == 12 && right.place().top() == -4);
        QTest::keyClick(&right, Qt::Key_F);
        QVERIFY(bench.view.viewpoint().untouched());
        QTest::keyClick(&right, Qt::Key_1);
        QCOMPARE(bench.view.viewpoint().zoom(), 1.0);
    }

    void slicesAndBrightness() {
        Bench bench;
        bench.open(kShift);
        QVERIFY(bench.settled());
        StagePane &pane = bench.view.pane(1);
        QCOMPARE(pane.sliders().size(), size_t{1});
        const QImage third = pane.canvas().image();
        pane.mappingChoice().setFocus();
        QTest::keyClick(pane.sliders()[0], Qt::Key_Right);
        QCOMPARE(pane.look().at[0], int64_t{4});
        QVERIFY(pane.canvas().image() != third);
        const int unit = pane.mappingChoice().findText(QStringLiteral("0 to 1"));
        pane.mappingChoice().setCurrentIndex(unit);
        Q_EMIT pane.mappingChoice().activated(unit);
        QVERIFY(pane.legend().text().startsWith(QStringLiteral("0 to 1, least")));
        // It is as it was when it is shown again.
        bench.session.selection().selectStage(QStringLiteral("in"));
        bench.session.selection().selectStage(QStringLiteral("out"));
        QCOMPARE(pane.look().at[0], int64_t{4});
        QCOMPARE(pane.look().mapping, ValueMapping::Unit);
        // Levels downward instead of rows.
        QVERIFY(pane.axesButton().isVisible());
        pane.axesButton().menu()->actions().at(0)->menu()->actions().at(0)->trigger();
        QCOMPARE(pane.canvas().image().size(), QSize(12, 6));
        QCOMPARE(pane.sliders().size(), size_t{1}); // of what were rows
    }

    void picturesOfOnesOwn() {
        Bench bench;
        bench.open(kShift);
        QVERIFY(bench.settled());
        bench.view.openFiles({bench.picture("mine.png", 40, 20)});
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.pane(0).canvas().image().size(), QSize(40, 20), kLong);
        QCOMPARE(bench.view.inputs().sizes().currentText(), QStringLiteral("Opened picture: W = 40, H = 20"));
        QCOMPARE(bench.view.inputs().buttons().at(0)->text(), QStringLiteral("in: mine.png"));
        // At the document's own size it does not fit; it can be made to.
        QComboBox &sizes = bench.view.inputs().sizes();
        const int own = sizes.findText(QStringLiteral("As in Computation"), Qt::MatchStartsWith);
        sizes.setCurrentIndex(own);
        Q_EMIT sizes.activated(own);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.notice().text().startsWith(QStringLiteral("Mine.png has 40")) ||
                                     bench.view.notice().text().startsWith(QStringLiteral("mine.png has 40")),
                                 kLong);
        QPushButton *crop = bench.button(QStringLiteral("Take its middle"));
        QVERIFY(crop != nullptr);
        QTest::mouseClick(crop, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.pane(0).canvas().image().size(), QSize(12, 8), kLong);
        QVERIFY(bench.view.notice().text().isEmpty());
        // An array of another shape is a sentence.
        const QString array = bench.folder.filePath(QStringLiteral("a.npy"));
        writeArray(array.toStdString(), {DType::Float32, {2}, {1, 2}, {}});
        bench.view.openFiles({array});
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.notice().text().contains(QStringLiteral("the array is [2] float32")),
                                 kLong);
    }

    void othersOfTheDocument() {
        Bench bench;
        bench.open(kShift);
        QVERIFY(bench.settled());
        QPushButton *input = bench.view.inputs().buttons().at(0);
        QCOMPARE(input->text(), QStringLiteral("in: random values"));
        const PictureRunPtr before = bench.view.stages().run();
        for (QAction *action : input->menu()->actions())
            if (action->text() == QStringLiteral("Other random values")) action->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.stages().run() != before && !bench.view.computing(), kLong);
        QVERIFY(bench.view.stages().run()->stages[0].value.floats != before->stages[0].value.floats);
        // Another text: the same stage, anew.
        bench.session.selection().selectStage(QStringLiteral("half"));
        bench.session.documents().setText(QString(kShift).replace(QStringLiteral("W = 12"), QStringLiteral("W = 16")));
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.pane(0).canvas().image().width(), 16, kLong);
        QCOMPARE(bench.shown(1), QStringLiteral("half"));
        bench.session.documents().setText(QStringLiteral("workload broken("));
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document()->problem, kLong);
        QVERIFY(bench.view.emptyText().isEmpty()); // those of the last good text
    }

    void picturesLeave() {
        Bench bench;
        bench.open(kShift);
        QVERIFY(bench.settled());
        bench.session.selection().selectStage(QStringLiteral("half"));
        const QString png = bench.folder.filePath(QStringLiteral("half.png"));
        QCOMPARE(bench.view.exportTo(png), QString());
        QCOMPARE(QImage(png).size(), QSize(6, 4));
        const QString npy = bench.folder.filePath(QStringLiteral("half.npy"));
        QCOMPARE(bench.view.exportTo(npy), QString());
        QCOMPARE(readArray(npy.toStdString()).shape, (std::vector<int64_t>{4, 6}));
        QVERIFY(bench.view.exportTo(QStringLiteral("/nowhere/a.png")).contains(QStringLiteral("/nowhere/a.png")));
        QVERIFY(bench.view.exportTo(QStringLiteral("/nowhere/a.npy")).contains(QStringLiteral("/nowhere/a.npy")));
        bench.actions.find(QStringLiteral("pictures.copy"))->trigger();
        QCOMPARE(QGuiApplication::clipboard()->image().size(), QSize(6, 4));
    }

    void nothingIsComputedUnseen() {
        Bench bench;
        bench.view.hide();
        bench.open(kShift);
        QVERIFY(!bench.view.computing());
        QVERIFY(!bench.view.stages().run());
        bench.view.show();
        QVERIFY(bench.settled());
        QVERIFY(bench.view.stages().run());
    }
};

LOOPSCOPE_WINDOW_TEST(PicturesViewTest)
} // namespace loopscope

#include "pictures_view_test.moc"
