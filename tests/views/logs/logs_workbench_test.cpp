// From a record of a log to the workbench: what its task computes is found, or why not is said; its workload becomes a
// document with the log's trials.

#include "oddity.h"
#include "test_program.h"
#include "view_bench.h"
#include "views/logs/log_details.h"
#include "views/logs/log_task_model.h"
#include "views/logs/logs_view.h"
#include "views/logs/record_panel.h"
#include "views/session/open_logs.h"

#include <QFile>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QtTest>

using namespace loopscope;

namespace logs_workbench_test {

namespace {

/// The last one is the fastest.
QByteArray logOf(int trials) {
    std::vector<OddityTrial> all;
    for (int i = 0; i < trials; ++i) all.push_back({2 + i, 1e-3 * (trials - i)});
    return QByteArray::fromStdString(oddityLog(all));
}

struct Bench : ViewBench {
    LogsView view{context};
    OpenLogs &logs = session.logs();
    QTableView *records = view.findChild<QTableView *>(QStringLiteral("log_records"));

    Bench() {
        view.resize(1000, 700);
        view.show();
        shown = QTest::qWaitForWindowActive(&view);
    }
    bool shown = false;
    [[nodiscard]] QString write(const QString &name, const QByteArray &bytes) const {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
        return file.fileName();
    }
    [[nodiscard]] bool idle() {
        return QTest::qWaitFor([this] { return session.jobs().running().empty(); }, 60000);
    }
    [[nodiscard]] QAction *show() const { return actions.find(QStringLiteral("logs.show")); }
    [[nodiscard]] QString task() const { return view.tasks().index(0, LogTaskModel::Name).data().toString(); }
    void clickRow(int row) const {
        QTest::mouseClick(records->viewport(), Qt::LeftButton, {},
                          records->visualRect(records->model()->index(row, 0)).center());
    }
    [[nodiscard]] QString messages() {
        QStringList all;
        for (const Message &message : session.messages().all()) all << message.text + u' ' + message.detail;
        return all.join(u'\n');
    }
};

} // namespace

class LogsWorkbenchTest : public QObject {
    Q_OBJECT

  private slots:
    void aRecordBecomesATrial() {
        Bench bench;
        QVERIFY(bench.shown);
        (void)bench.write(QStringLiteral("what_it_was.te"), oddityText());
        const QString log = bench.write(QStringLiteral("log.json"), logOf(4));
        bench.logs.open(log);
        QVERIFY(bench.idle());
        QVERIFY2(bench.task().contains(QStringLiteral("oddity")), qPrintable(bench.task()));
        bench.clickRow(1);
        const QString page = bench.view.details().page()->toPlainText();
        QVERIFY2(page.contains(QStringLiteral("split C.i into")), qPrintable(page)); // names, not numbers
        QVERIFY(bench.show()->isEnabled());
        QTest::keyClick(bench.records, Qt::Key_Return, Qt::ControlModifier);
        const auto selected = [&bench] { return bench.session.selection().now().schedule; };
        QTRY_COMPARE_WITH_TIMEOUT(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 1}), 60000);
        const Document &document = *bench.session.document();
        QVERIFY(document.task && !document.logTask);
        QVERIFY2(document.targetText.contains(QStringLiteral("-num-cores=3")), qPrintable(document.targetText));
        QCOMPARE(document.trials.size(), size_t{4});
        QVERIFY(bench.idle());
        // Another record of it: the same document.
        bench.clickRow(2);
        bench.show()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 2}), 60000);
        QCOMPARE(bench.session.documents().all().size(), size_t{1});
        QCOMPARE(bench.session.document()->trials.size(), size_t{4});
    }

    void aRecordAndItsTrialAreChosenTogether() {
        Bench bench;
        QVERIFY(bench.shown);
        (void)bench.write(QStringLiteral("what_it_was.te"), oddityText());
        const QString log = bench.write(QStringLiteral("log.json"), logOf(4));
        const QString other = bench.write(QStringLiteral("other.json"), logOf(2));
        bench.logs.open(log);
        QVERIFY(bench.idle());
        bench.clickRow(0); // no trial yet: nothing is selected by that
        QCOMPARE(bench.session.selection().now().schedule, ScheduleRef{});
        bench.show()->trigger();
        const auto selected = [&bench] { return bench.session.selection().now().schedule; };
        QTRY_COMPARE_WITH_TIMEOUT(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 0}), 60000);
        QVERIFY(bench.idle());
        bench.clickRow(2);
        QCOMPARE(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 2}));
        QTest::keyClick(bench.records, Qt::Key_Down);
        QCOMPARE(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 3}));
        // The other way round, also where another log is shown.
        bench.session.selection().selectSchedule({ScheduleRef::Kind::Trial, 1});
        QCOMPARE(bench.records->currentIndex().row(), 1);
        bench.logs.open(other);
        QVERIFY(bench.idle());
        bench.clickRow(1); // a record that is no trial leaves the selection alone
        QCOMPARE(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 1}));
        bench.session.selection().selectSchedule({ScheduleRef::Kind::Trial, 3});
        QVERIFY(bench.idle());
        QCOMPARE(bench.logs.current()->path, log);
        QCOMPARE(bench.records->currentIndex().row(), 3);
        bench.session.selection().back();
        QCOMPARE(bench.records->currentIndex().row(), 1);
        // What is no trial, and a trial whose log was closed, are of no matter here.
        bench.session.selection().selectSchedule({});
        QCOMPARE(bench.records->currentIndex().row(), 1);
        bench.logs.close(bench.logs.current()->id);
        bench.session.selection().selectSchedule({ScheduleRef::Kind::Trial, 0});
        QVERIFY(bench.idle());
        QCOMPARE(bench.logs.current()->path, other);
        QCOMPARE(bench.records->currentIndex().row(), 1);
    }

    void ofManyRecordsItIsAsked() {
        Bench bench;
        QVERIFY(bench.shown);
        (void)bench.write(QStringLiteral("what_it_was.te"), oddityText());
        const QByteArray some = logOf(40);
        QByteArray many;
        for (size_t records = 0; records <= LogOpening::kMaxUnasked; records += 40) many += some;
        bench.logs.open(bench.write(QStringLiteral("log.json"), many));
        QVERIFY(bench.idle());
        QVERIFY(bench.logs.current()->records() > LogOpening::kMaxUnasked);
        bench.clickRow(1);
        const auto question = [&bench] { return bench.view.findChild<QMessageBox *>(); };
        bench.show()->trigger();
        QTRY_VERIFY(question() != nullptr && question()->isVisible());
        QVERIFY2(question()->text().startsWith(QStringLiteral("log.json has 200040 records.")),
                 qPrintable(question()->text()));
        QTest::keyClick(question(), Qt::Key_Escape);
        QTRY_VERIFY(question() == nullptr);
        QVERIFY(bench.session.documents().all().empty()); // nothing came of it
        bench.show()->trigger();
        QTRY_VERIFY(question() != nullptr && question()->isVisible());
        QTest::mouseClick(question()->button(QMessageBox::Ok), Qt::LeftButton);
        const auto selected = [&bench] { return bench.session.selection().now().schedule; };
        QTRY_COMPARE_WITH_TIMEOUT(selected(), (ScheduleRef{ScheduleRef::Kind::Trial, 1}), 240000);
        QCOMPARE(bench.session.document()->trials.size(), size_t{200040});
    }

    void whatNobodyKnowsSaysWhyAndIsFound() {
        Bench bench;
        QVERIFY(bench.shown);
        const QString log = bench.write(QStringLiteral("log.json"), logOf(3));
        bench.logs.open(log);
        QVERIFY(bench.idle());
        bench.clickRow(0);
        const auto page = [&bench] { return bench.view.details().page()->toPlainText(); };
        QVERIFY2(page().contains(QStringLiteral("Its workload is not known: ")), qPrintable(page()));
        QVERIFY(page().contains(QStringLiteral("split stage 2.loop 0 into 46 \u00d7 2")));
        QVERIFY(!bench.show()->isEnabled());
        QVERIFY(bench.actions.find(QStringLiteral("logs.find_workload"))->isEnabled());
        QVERIFY(QDir(bench.folder.path()).mkdir(QStringLiteral("elsewhere")));
        bench.view.panel().tryWorkload(bench.write(QStringLiteral("elsewhere/it.te"), oddityText()));
        QVERIFY(bench.idle());
        QVERIFY2(bench.task().contains(QStringLiteral("oddity")), qPrintable(bench.task() + bench.messages()));
        QVERIFY(bench.show()->isEnabled());
        QVERIFY(page().contains(QStringLiteral("split C.i into")));
    }
};

LOOPSCOPE_WINDOW_TEST(LogsWorkbenchTest)

} // namespace logs_workbench_test
#include "logs_workbench_test.moc"
