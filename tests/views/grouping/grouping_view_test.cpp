// The grouping view by clicks and keys: empty and refused states, through the merges, candidates and their tiles, the
// machine changed by hand, stages chosen here and elsewhere, the schedule used, the picture as a file.

#include "test_program.h"
#include "view_bench.h"
#include "views/graph/view_overlays.h"
#include "views/grouping/grouping_tables.h"
#include "views/grouping/grouping_view.h"
#include "views/grouping/merge_scrubber.h"
#include "views/grouping/stage_find.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSlider>
#include <QTreeView>
#include <QtTest>

namespace loopscope {

namespace {

using Kind = ScheduleRef::Kind;

const QString kBlur = QStringLiteral("workload blur(W = 1536, H = 2560)\n"
                                     "in = placeholder [H + 2, W + 2] float32\n"
                                     "bx(y < H + 2, x < W) = (in[y, x] + in[y, x + 1] + in[y, x + 2]) / 3\n"
                                     "by(y < H, x < W) = (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) / 3\n");
const QString kOne = QStringLiteral("workload one(N = 64)\nA = placeholder [N] float32\nB(i < N) = A[i] * 2\n");

} // namespace

class GroupingViewTest : public QObject {
    Q_OBJECT

    struct Bench : ViewBench {
        GroupingView view{context};
        Bench() {
            view.resize(1000, 900);
            view.show();
            (void)QTest::qWaitForWindowExposed(&view);
        }
        void open(const QString &text, const QString &target = QStringLiteral("llvm")) {
            session.documents().openText(QStringLiteral("test"), text);
            session.documents().setTarget(target);
            QTRY_VERIFY_WITH_TIMEOUT(session.document()->task && session.document()->source.targetText == target,
                                     60000);
            settle();
        }
        void settle() { QTRY_VERIFY_WITH_TIMEOUT(view.settled(), 60000); }
        [[nodiscard]] QString emptyText() { return view.graph().notices().emptyText(); }
        void click(const QString &stage) {
            const QPoint at = view.graph().mapFromScene(view.scene().rectOf(stage).center());
            QTest::mouseClick(view.graph().viewport(), Qt::LeftButton, {}, at);
        }
        void clickRow(QTreeView &table, int row) {
            const QRect place = table.visualRect(table.model()->index(row, 0));
            QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, place.center());
        }
        [[nodiscard]] QString where(const QString &stage) { return view.scene().item(stage)->look().where; }
        [[nodiscard]] QString stage() { return session.selection().now().stage; }
    };

  private slots:
    void saysWhatItIsFor() {
        Bench bench;
        QVERIFY(bench.emptyText().startsWith(QStringLiteral("Open a workload to see how the grouping scheduler")));
        QVERIFY(!bench.view.tables().isVisible());
        QVERIFY(!bench.actions.find(QStringLiteral("grouping.use"))->isEnabled());
        bench.session.documents().openText(QStringLiteral("test"), QStringLiteral("workload w(\n"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.emptyText().startsWith(QStringLiteral("There is nothing to group: ")), 60000);
    }

    void oneStage() {
        Bench bench;
        bench.open(kOne);
        QCOMPARE(bench.view.scrubber().title(), QStringLiteral("Inlining ends: there is nothing to inline"));
        QVERIFY(bench.where(QStringLiteral("B")).startsWith(QStringLiteral("root")));
        QVERIFY(bench.view.scene().frames().empty());
        QCOMPARE(bench.view.tables().tileTitle(), QStringLiteral("There was nothing to choose from"));
    }

    void throughTheMergesByKeys() {
        Bench bench;
        bench.open(kBlur);
        bench.view.form().modes().setCurrentIndex(1);
        bench.settle();
        QCOMPARE(bench.view.scene().frames().size(), size_t(1));
        QCOMPARE(bench.view.scene().frames()[0]->frame().title, QStringLiteral("by · 2 stages"));
        QVERIFY(bench.view.scene().frames()[0]->frame().clear);
        QCOMPARE(bench.where(QStringLiteral("bx")), QStringLiteral("at x_o of by"));
        bench.view.graph().setFocus();
        QTest::keyClick(&bench.view.graph(), Qt::Key_P);
        bench.settle();
        QCOMPARE(bench.view.scrubber().title(), QStringLiteral("Merge 1 of 1: bx into by saves 2.315 G"));
        QVERIFY(bench.view.scene().item(QStringLiteral("bx"))->named());
        QTest::keyClick(&bench.view.graph(), Qt::Key_P);
        bench.settle();
        QCOMPARE(bench.where(QStringLiteral("bx")), QStringLiteral("root"));
        QVERIFY(bench.view.scene().frames().empty());
        QTest::keyClick(&bench.view.graph(), Qt::Key_P, Qt::ShiftModifier);
        bench.settle();
        QCOMPARE(bench.view.scrubber().place(), size_t(0));
        QVERIFY(!bench.actions.find(QStringLiteral("grouping.previous"))->isEnabled());
        QTest::keyClick(&bench.view.graph(), Qt::Key_N);
        bench.settle();
        QCOMPARE(bench.view.scrubber().place(), size_t(1));
        bench.view.scrubber().slider().setFocus();
        QTest::keyClick(&bench.view.scrubber().slider(), Qt::Key_End);
        bench.settle();
        QCOMPARE(bench.where(QStringLiteral("by")), QStringLiteral("root, tiles 256 × 256"));
        QVERIFY(!bench.actions.find(QStringLiteral("grouping.next"))->isEnabled());
    }

    void roundsCandidatesAndTiles() {
        Bench bench;
        bench.open(kBlur);
        bench.view.form().modes().setCurrentIndex(1);
        bench.settle();
        bench.view.tables().setCurrentIndex(2);
        bench.clickRow(bench.view.tables().rounds(), 1);
        bench.settle();
        QCOMPARE(bench.view.scrubber().place(), size_t(2));
        bench.view.tables().setCurrentIndex(1);
        QCOMPARE(bench.view.tables().candidates().model()->rowCount(), 1);
        QCOMPARE(bench.view.tables().tileTitle(), QStringLiteral("19 tiles of the group of by with bx"));
        QCOMPARE(bench.view.tables().tiles().model()->rowCount(), 19);
        // Into several groups: each has tiles of its own.
        bench.clickRow(bench.view.tables().candidates(), 0);
        QCOMPARE(bench.view.tables().candidate(), 0);
        // The round before: inlining, weighed at a point.
        QTest::keyClick(&bench.view.graph(), Qt::Key_P);
        bench.settle();
        QVERIFY(bench.view.tables().tileTitle().startsWith(QStringLiteral("bx inlined: inlining is weighed")));
        QCOMPARE(bench.view.tables().tiles().model()->rowCount(), 1);
    }

    void theTile() {
        Bench bench;
        bench.open(kBlur);
        bench.view.form().modes().setCurrentIndex(1);
        bench.settle();
        OverlapPage &page = bench.view.tables().overlap();
        QCOMPARE(page.headline(), QStringLiteral("60 tiles of by, 2 stages computed for each, at most 0.8 % repeated"));
        QCOMPARE(page.model().rowCount(), 3);
        QVERIFY(page.picture().magnifies());
        page.magnify().click();
        QVERIFY(!page.picture().magnifies());
        page.magnify().click();
        // The halo above the tile is that of bx.
        const QRectF halo = page.picture().rectOf(0);
        QTest::mouseClick(&page.picture(), Qt::LeftButton, {}, QPointF(halo.center().x(), halo.bottom() - 2).toPoint());
        QCOMPARE(bench.stage(), QStringLiteral("bx"));
        bench.settle();
        QVERIFY(bench.view.scene().item(QStringLiteral("bx"))->selected());
        bench.clickRow(page.table(), 0);
        QCOMPARE(bench.stage(), QStringLiteral("by"));
    }

    void anotherMachine() {
        Bench bench;
        bench.open(kBlur);
        bench.view.form().modes().setCurrentIndex(1);
        bench.settle();
        QLineEdit &cache = bench.view.form().entry(MachineField::LastLevelCache);
        cache.setFocus();
        cache.selectAll();
        QTest::keyClicks(&cache, QStringLiteral("256k\r"));
        QLineEdit &tasks = bench.view.form().entry(MachineField::Parallelism);
        tasks.setFocus();
        tasks.selectAll();
        QTest::keyClicks(&tasks, QStringLiteral("8\r"));
        bench.settle();
        QCOMPARE(bench.where(QStringLiteral("by")), QStringLiteral("root, tiles 64 × 32"));
        QCOMPARE(bench.view.result()->grouping.merges[0].benefit, 2270604288);
        // A slider that is dragged: the last place counts.
        for (int stop = 20; stop <= 28; ++stop) bench.view.form().slider(MachineField::LastLevelCache).setValue(stop);
        bench.settle();
        QCOMPARE(bench.view.result()->grouping.machine.lastLevelCache, int64_t{16} << 20);
        tasks.selectAll();
        QTest::keyClicks(&tasks, QStringLiteral("none\r"));
        QCOMPARE(bench.view.notice(), QStringLiteral("'none' is no whole number from 1 to 1e15, such as 16"));
        // What was chosen is there the next time.
        MachineForm again(bench.theme);
        again.keepIn(bench.settings);
        QCOMPARE(again.machine().parallelism, 8);
        QCOMPARE(again.mode(), GroupingMode::Compat);
    }

    void stagesAreChosenHereAndElsewhere() {
        Bench bench;
        bench.open(kBlur);
        bench.click(QStringLiteral("bx"));
        QCOMPARE(bench.stage(), QStringLiteral("bx"));
        QVERIFY(bench.view.scene().item(QStringLiteral("bx"))->selected());
        bench.session.selection().selectStage(QStringLiteral("by"));
        QVERIFY(bench.view.scene().item(QStringLiteral("by"))->selected());
        QVERIFY(!bench.view.scene().item(QStringLiteral("bx"))->selected());
        bench.view.startFind();
        QTest::keyClicks(&bench.view.find(), QStringLiteral("BX"));
        QVERIFY(bench.view.scene().item(QStringLiteral("by"))->faded());
        QTest::keyClick(&bench.view.find(), Qt::Key_Return);
        QCOMPARE(bench.stage(), QStringLiteral("bx"));
        QTest::keyClick(&bench.view.find(), Qt::Key_Escape);
        QVERIFY(!bench.view.find().isVisible());
        QVERIFY(!bench.view.scene().item(QStringLiteral("by"))->faded());
    }

    void theScheduleIsUsed() {
        Bench bench;
        bench.open(kBlur);
        bench.view.form().modes().setCurrentIndex(1);
        bench.settle();
        bench.view.graph().setFocus();
        QTest::keyClick(&bench.view.graph(), Qt::Key_U);
        const Selected &now = bench.session.selection().now();
        QCOMPARE(now.schedule.kind, Kind::Edited);
        const EditNode *node = bench.session.edits().node(now.schedule.number);
        QVERIFY(node != nullptr);
        QCOMPARE(node->did, QStringLiteral("grouped, compat, machine 16,16777216,40"));
        QCOMPARE(node->steps.state().steps(), *bench.view.result()->steps);
        bench.actions.find(QStringLiteral("grouping.copy_script"))->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("bx")));
        const QString path = bench.folder.filePath(QStringLiteral("groups.svg"));
        QCOMPARE(bench.view.exportTo(path), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("at x_o of by"));
    }

    void kernelsOfAGpu() {
        Bench bench;
        bench.open(kBlur, QStringLiteral("cuda"));
        QVERIFY2(bench.view.notice().isEmpty(), qPrintable(bench.view.notice()));
        QCOMPARE(bench.view.form().machine().parallelism, 128);
        QCOMPARE(bench.view.form().presets().currentText(), QStringLiteral("Halide's for GPUs"));
        QVERIFY(bench.view.result()->script.contains(QStringLiteral("blockIdx.x")));
        QVERIFY(bench.actions.find(QStringLiteral("grouping.use"))->isEnabled());
    }

    void anotherDocument() {
        Bench bench;
        bench.open(kBlur);
        bench.session.documents().setText(kOne);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.scene().item(QStringLiteral("B")) != nullptr, 60000);
        bench.settle();
        QCOMPARE(bench.view.result()->pipeline().stages.size(), size_t(1));
        bench.session.documents().close(bench.session.document()->id);
        QVERIFY(bench.emptyText().startsWith(QStringLiteral("Open a workload")));
        QVERIFY(bench.view.notice().isEmpty());
    }

    void inlinedStagesCanBeLeftOut() {
        Bench bench;
        bench.open(QStringLiteral("workload w(N = 512)\nA = placeholder [N, N] float32\n"
                                  "S(i < N, j < N) = A[i, j] * 2\nT(i < N, j < N - 2) = S[i, j] + S[i, j + 2]\n"
                                  "U(i < N - 2, j < N - 2) = T[i, j] + T[i + 2, j]\n"));
        QVERIFY(bench.view.scene().item(QStringLiteral("S")) != nullptr);
        QCOMPARE(bench.where(QStringLiteral("S")), QStringLiteral("inlined"));
        bench.view.graph().setFocus();
        QTest::keyClick(&bench.view.graph(), Qt::Key_I);
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.scene().item(QStringLiteral("S")) == nullptr, 60000);
        QVERIFY(bench.view.scene().item(QStringLiteral("U")) != nullptr);
    }
};

LOOPSCOPE_WINDOW_TEST(GroupingViewTest)
} // namespace loopscope

#include "grouping_view_test.moc"
