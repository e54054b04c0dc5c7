// The view that says why: its tables of a schedule, gone to and acted on by clicks and keys.

#include "records/record/record_writer.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/session/text.h"
#include "views/why/reason_table.h"
#include "views/why/why_rows.h"
#include "views/why/why_view.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTabBar>
#include <QTreeView>
#include <QtTest>

namespace loopscope {

namespace {

constexpr int kPatience = 60000;

const QString kMatmul = QStringLiteral("workload mm(M = 64, N = 64, K = 64)\n"
                                       "A = placeholder [M, K] float32\n"
                                       "B = placeholder [K, N] float32\n"
                                       "C(i < M, j < N) = sum(k < K; A[i, k] * B[k, j])\n");

struct Bench : ViewBench {
    WhyView view{context};

    void open() {
        view.resize(500, 700);
        view.show();
        session.documents().openText(QStringLiteral("mm"), kMatmul);
    }
    /// Split columns, vectorized or not; times that a model can learn.
    void loadTrials(bool timed = true) {
        const std::shared_ptr<const Task> task = session.document()->task;
        const QString log = folder.filePath(QStringLiteral("made-up.json"));
        {
            RecordWriter writer(std8(log));
            for (const int64_t factor : {2, 4, 8, 16, 32})
                for (const int kind : {0, 1, 2, 3}) {
                    Trial trial;
                    Steps steps = {SplitStep{StageId(2), IterId(1), 64, {factor}, true},
                                   ReorderStep{StageId(2), {IterId(0), IterId(1), IterId(3), IterId(2)}}};
                    if ((kind & 1) != 0) steps.emplace_back(AnnotateStep{StageId(2), IterId(3), Annotation::Vectorize});
                    if ((kind & 2) != 0) steps.emplace_back(AnnotateStep{StageId(2), IterId(0), Annotation::Parallel});
                    trial.steps = steps;
                    if (timed) trial.seconds = {1e-3 / static_cast<double>(factor) / (1 + 3 * kind)};
                    if (!timed) trial.reason = "checked by the executor, not timed: all 4 blocks ran";
                    writer.append(makeRecord(*task, trial));
                }
        }
        session.files().loadLog(log);
    }
    [[nodiscard]] QString head() const {
        for (const QLabel *label : view.findChildren<QLabel *>())
            if (label->accessibleName() == QLatin1String("What bounds the schedule")) return label->text();
        return {};
    }
    [[nodiscard]] QString said() const {
        QStringList texts;
        for (const QLabel *label : view.findChildren<QLabel *>())
            if (label->isVisible()) texts << label->text();
        return texts.join(u'\n');
    }
};

QPoint cellOf(const QTreeView &view, int row) { return view.visualRect(view.model()->index(row, 0)).center(); }
QString cell(const QTreeView &view, int row, int column) { return view.model()->index(row, column).data().toString(); }

} // namespace

class WhyViewTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void saysWhatToDoWhenEmpty() {
        Bench bench;
        bench.view.show();
        QVERIFY2(bench.said().startsWith(QLatin1String("Open a workload")), qPrintable(bench.said()));
        bench.session.documents().openText(QStringLiteral("bad"),
                                           QStringLiteral("workload bad(N = 8)\nC(i < N) = sum(\n"));
        QTRY_VERIFY2(bench.said().startsWith(QLatin1String("The workload has an error: ")), qPrintable(bench.said()));
    }

    void aStepPredictedBestIsMade() {
        Bench bench;
        QAbstractItemModelTester tester(bench.view.moves().model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.open();
        QTreeView &moves = bench.view.moves();
        QTRY_VERIFY_WITH_TIMEOUT(moves.model()->rowCount() > 3, kPatience);
        QVERIFY2(bench.said().contains(QLatin1String("cycles on the busiest core")), qPrintable(bench.said()));
        QVERIFY2(bench.said().contains(QStringLiteral("Steps predicted best \u2013 by the analytic estimate")),
                 qPrintable(bench.said()));
        for (int row = 0; row < moves.model()->rowCount(); ++row)
            QVERIFY2(cell(moves, row, 0).startsWith(QChar(0x2212)), qPrintable(cell(moves, row, 0)));
        const QString line = cell(moves, 0, 1);
        QTest::mouseClick(moves.viewport(), Qt::LeftButton, {}, cellOf(moves, 0));
        QVERIFY(bench.session.document()->edited.empty()); // one click only chooses
        QTest::mouseDClick(moves.viewport(), Qt::LeftButton, {}, cellOf(moves, 0));
        QTRY_VERIFY(!bench.session.document()->edited.empty());
        QCOMPARE(bench.session.document()->edited.back().did, line);
        QCOMPARE(bench.session.selection().now().schedule.kind, ScheduleRef::Kind::Edited);
        // And the view goes on with what was made.
        QTRY_VERIFY_WITH_TIMEOUT(moves.model()->rowCount() > 0 && cell(moves, 0, 1) != line, kPatience);
    }

    void aRemarkLeadsToItsLoop() {
        Bench bench;
        QAbstractItemModelTester tester(bench.view.remarks().model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.open();
        QTreeView &remarks = bench.view.remarks();
        QTRY_VERIFY_WITH_TIMEOUT(remarks.model()->rowCount() > 0, kPatience);
        int found = -1;
        for (int row = 0; row < remarks.model()->rowCount(); ++row)
            if (cell(remarks, row, 2).contains(QLatin1String("floating-point"))) found = row;
        QVERIFY2(found >= 0, qPrintable(bench.said()));
        QCOMPARE(cell(remarks, found, 0), QStringLiteral("C.k"));
        remarks.scrollTo(remarks.model()->index(found, 0));
        QTest::mouseClick(remarks.viewport(), Qt::LeftButton, {}, cellOf(remarks, found));
        QCOMPARE(bench.session.selection().now().stage, QStringLiteral("C"));
        QCOMPARE(bench.session.selection().now().iterator, QStringLiteral("k"));
    }

    void neighboursThatWereOnlyCheckedAreNotCalledMeasured() {
        Bench bench;
        bench.open();
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() && bench.session.document()->task, kPatience);
        bench.loadTrials(false);
        QTRY_COMPARE_WITH_TIMEOUT(bench.session.document()->trials.size(), size_t{20}, kPatience);
        bench.session.selection().selectSchedule({ScheduleRef::Kind::Trial, 9});
        QTreeView &nearest = bench.view.nearest();
        QTRY_COMPARE_WITH_TIMEOUT(nearest.model()->rowCount(), 8, kPatience);
        QCOMPARE(cell(nearest, 0, 1), QStringLiteral("not timed"));
        QVERIFY2(bench.said().contains(
                     QStringLiteral("Nearest schedules \u2013 their answers were checked, none was timed")),
                 qPrintable(bench.said()));
    }

    void aNeighbourIsGoneTo() {
        Bench bench;
        QAbstractItemModelTester tester(bench.view.nearest().model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.open();
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() && bench.session.document()->task, kPatience);
        bench.loadTrials();
        QTRY_COMPARE_WITH_TIMEOUT(bench.session.document()->trials.size(), size_t{20}, kPatience);
        bench.session.selection().selectSchedule({ScheduleRef::Kind::Trial, 9}); // 8 lanes
        QTreeView &nearest = bench.view.nearest();
        QTRY_COMPARE_WITH_TIMEOUT(nearest.model()->rowCount(), 8, kPatience);
        QVERIFY2(bench.said().contains(QLatin1String("A model that learnt from 20 trials gives it ")),
                 qPrintable(bench.said()));
        for (int row = 0; row < 3; ++row) QVERIFY2(!cell(nearest, row, 4).contains(u';'), "one step differs");
        QVERIFY2(bench.said().contains(QStringLiteral("Nearest measured schedules \u2013 times as first measured")),
                 qPrintable(bench.said()));
        // Of equally near ones the fastest first.
        const auto seconds = [&](int row) {
            return bench.session.document()->trials[static_cast<size_t>(cell(nearest, row, 0).toInt() - 1)].seconds();
        };
        for (int row = 1; row < 8; ++row)
            if (cell(nearest, row, 4).count(u';') == cell(nearest, row - 1, 4).count(u';'))
                QVERIFY2(seconds(row - 1) <= seconds(row), qPrintable(QString::number(row)));
        const int trial = cell(nearest, 1, 0).toInt() - 1;
        QTest::mouseClick(nearest.viewport(), Qt::LeftButton, {}, cellOf(nearest, 1));
        QCOMPARE(bench.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, trial}));
        // By keys, from there.
        QTRY_VERIFY_WITH_TIMEOUT(nearest.model()->rowCount() == 8 &&
                                     bench.head().startsWith(QStringLiteral("Trial %1. ").arg(trial + 1)),
                                 kPatience);
        const int next = cell(nearest, 2, 0).toInt() - 1;
        bench.view.activateWindow();
        nearest.setFocus();
        QTRY_VERIFY(nearest.hasFocus());
        nearest.setCurrentIndex(nearest.model()->index(2, 0));
        QTest::keyClick(&nearest, Qt::Key_Return);
        QTRY_COMPARE(bench.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, next}));
    }

    void tablesStandBesideEachOtherWhereTheyFit() {
        Bench bench;
        bench.open();
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.moves().isVisible(), kPatience);
        const auto beside = [&] {
            return bench.view.nearest().mapTo(&bench.view, QPoint()).x() > bench.view.moves().width() / 2;
        };
        QVERIFY(!beside());
        const int letter = bench.view.fontMetrics().averageCharWidth();
        bench.view.resize(letter * 160, letter * 40);
        QTRY_VERIFY(beside());
        // In a low dock that is not as wide one at a time.
        auto *tabs = bench.view.findChild<QTabBar *>();
        QVERIFY(tabs != nullptr && !tabs->isVisible());
        bench.view.resize(letter * 120, letter * 40);
        QTRY_VERIFY(tabs->isVisible());
        QVERIFY(bench.view.moves().isVisible() && !bench.view.nearest().isVisible());
        QTRY_VERIFY(bench.view.moves().width() > letter * 80);
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(2).center());
        QVERIFY(bench.view.remarks().isVisible() && !bench.view.moves().isVisible());
        bench.view.resize(letter * 90, letter * 90);
        QTRY_VERIFY(!tabs->isVisible() && bench.view.moves().isVisible() && bench.view.nearest().isVisible());
    }

    void nothingIsMadeWhileNobodyLooks() {
        Bench bench;
        bench.session.documents().openText(QStringLiteral("mm"), kMatmul);
        QTRY_VERIFY_WITH_TIMEOUT(bench.session.document() && bench.session.document()->task, kPatience);
        QTest::qWait(200);
        QCOMPARE(bench.view.moves().model()->rowCount(), 0);
        bench.view.show();
        QTRY_VERIFY_WITH_TIMEOUT(bench.view.moves().model()->rowCount() > 0, kPatience);
    }

    void changesReadAsPeopleWriteThem() {
        QCOMPARE(deltaText(-0.1234), QStringLiteral("\u221212.3\u2009%"));
        QCOMPARE(deltaText(0.5), QStringLiteral("+50.0\u2009%"));
        QCOMPARE(deltaText(-0.0001), QStringLiteral("0.0\u2009%"));
    }
};

LOOPSCOPE_WINDOW_TEST(WhyViewTest)
} // namespace loopscope

#include "why_view_test.moc"
