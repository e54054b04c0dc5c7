// The Logs view by clicks and keys: opening, choosing, sorting, following, and what is broken.

#include "logs_bench.h"
#include "records/logs/sidecar.h"
#include "test_program.h"

#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QToolButton>

using namespace loopscope;

namespace logs_view_test {

namespace {

using Bench = LogsBench;

const std::string kSix = logLine({.number = 30, .times = "3e-05, 3.3e-05"}) + "\n" +
                         "# failed: element 7 is 2, not 3\n" + logLine({.number = 9, .error = 5}) + "\n" +
                         logLine({.task = 1, .number = 50}) + "\n" + logLine({.number = 20}) + "\n" +
                         logLine({.number = 20, .times = "2.1e-05"}) + "\n" + "what is this?\n" +
                         logLine({.task = 1, .number = 40, .structure = 3}) + "\n";

} // namespace

class LogsViewTest : public QObject {
    Q_OBJECT

  private slots:
    void saysHowToBegin() {
        const Bench bench;
        QVERIFY(bench.shown);
        QVERIFY(bench.child<QPushButton>("open_log")->isVisible());
        QVERIFY(!bench.view.bar().isVisible());
        QVERIFY(!bench.actions.find(QStringLiteral("logs.copy"))->isEnabled());
    }

    void aLogIsADocument() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        QCOMPARE(bench.view.bar().sentence(), QStringLiteral("6 records of 2 tasks, 1 failed; 1 line cannot be read"));
        QCOMPARE(bench.view.tasks().rowCount(), 2);
        QCOMPARE(bench.lines(), QStringLiteral("1 3 4 5 6 8"));
        QVERIFY(bench.child<QToolButton>("all_tasks")->isChecked());
        QCOMPARE(bench.session.documents().all().size(), size_t{0}); // no workload is needed
    }

    void aTaskIsChosenByAClick() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.tasks, 1);
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("4 8"));
        QVERIFY2(bench.page().contains(QStringLiteral("Line")) && bench.page().contains(QStringLiteral("8 of ")),
                 qPrintable(bench.page())); // its best
        QVERIFY2(bench.child<QLabel>("about_task")->text().startsWith(QStringLiteral("The best, line 8, takes 40.00")),
                 qPrintable(bench.child<QLabel>("about_task")->text()));
        QTest::mouseClick(bench.child<QToolButton>("all_tasks"), Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("1 3 4 5 6 8"));
        QVERIFY(!bench.tasks->selectionModel()->hasSelection());
    }

    void aRecordIsChosenByKeys() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.records, 0);
        QVERIFY(bench.page().contains(QStringLiteral("1 of ")));
        QTest::keyClick(bench.records, Qt::Key_Down);
        QVERIFY2(bench.page().contains(QStringLiteral("element 7 is 2, not 3")), qPrintable(bench.page()));
        QVERIFY(bench.page().contains(QStringLiteral("[\"SP\", 2, 0, 64, [9, 1, 8], 1]")));
        QVERIFY(bench.settled());
        QCOMPARE(bench.view.details().course()->points(), 3); // of the record's task
    }

    void sortsByAClickOnTheHeader() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.records, 2); // line 4
        bench.clickHeader(RecordModel::Time);
        QVERIFY(bench.settled());
        const QString up = QStringLiteral("5 6 1 8 4 3");
        if (bench.lines() != up) { // the first click may begin with the greatest
            bench.clickHeader(RecordModel::Time);
            QVERIFY(bench.settled());
        }
        QCOMPARE(bench.lines(), up);
        QCOMPARE(bench.records->currentIndex().row(), 4); // the record stays chosen
        bench.clickHeader(RecordModel::Line);
        QVERIFY(bench.settled());
        if (bench.lines() != QStringLiteral("1 3 4 5 6 8")) {
            bench.clickHeader(RecordModel::Line);
            QVERIFY(bench.settled());
        }
        QCOMPARE(bench.lines(), QStringLiteral("1 3 4 5 6 8"));
    }

    void filtersWhatIsTyped() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        bench.view.startFind();
        auto *line = bench.child<QLineEdit>("log_filter");
        QVERIFY(line->hasFocus());
        QTest::keyClicks(line, QStringLiteral("failed || task:1"));
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("3 4 8"));
        line->setText(QStringLiteral("time > 1s"));
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QString());
        QCOMPARE(static_cast<LogTable *>(bench.records)->emptyText(), QStringLiteral("No record passes the filter."));
        line->setText(QStringLiteral("failed || task:1"));
        QVERIFY(bench.settled());
        line->setText(QStringLiteral("time < soon"));
        QVERIFY(bench.settled());
        auto *problem = bench.child<QLabel>("log_filter_problem");
        QVERIFY(problem->isVisible() && !problem->text().isEmpty());
        QCOMPARE(bench.lines(), QStringLiteral("3 4 8")); // as it was
        line->clear();
        QVERIFY(bench.settled());
        QVERIFY(!problem->isVisible());
        QCOMPARE(bench.lines(), QStringLiteral("1 3 4 5 6 8"));
    }

    void copiesAndExports() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.records, 3);
        QTest::keyClick(bench.records, Qt::Key_C, Qt::ControlModifier);
        const QStringList copied = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(copied.size(), 2);
        QVERIFY2(copied[0].startsWith(QStringLiteral("Line\tTask\tTime")), qPrintable(copied[0]));
        QVERIFY2(copied[1].startsWith(QStringLiteral("5\t0\t20.00 \u00b5s\t1.00\u00d7")), qPrintable(copied[1]));
        const QString path = bench.folder.filePath(QStringLiteral("records.csv"));
        QCOMPARE(bench.view.exportTo(path), QString());
        QFile written(path);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QList<QByteArray> rows = written.readAll().split('\n');
        QCOMPARE(rows.size(), 8); // header, six records, the end
        QCOMPARE(rows[0], QByteArray("line,task key,seconds,of best,spread,repeats,result,timestamp,steps,structure,"
                                     "pinned,tags,note"));
        QVERIFY2(rows[4].startsWith("5,\"[\"\"matmul\"\", 64, 64, 64]\","), rows[4].constData());
        QVERIFY(
            bench.view.exportTo(QStringLiteral("/no/such/folder/x.csv")).contains(QStringLiteral("cannot be written")));
        // The window asks for a job.
        QString told = QStringLiteral("nothing yet");
        const auto hear = [&told](const QString &problem) { told = problem; };
        bench.view.exportLater(bench.folder.filePath(QStringLiteral("later.csv")), hear);
        QCOMPARE(told, QStringLiteral("nothing yet"));
        QVERIFY(bench.settled());
        QCOMPARE(told, QString());
        QFile later(bench.folder.filePath(QStringLiteral("later.csv")));
        QVERIFY(later.open(QIODevice::ReadOnly));
        written.seek(0);
        QCOMPARE(later.readAll(), written.readAll());
        bench.view.exportLater(QStringLiteral("/no/such/folder/x.csv"), hear);
        QVERIFY(bench.settled());
        QVERIFY(told.contains(QStringLiteral("/no/such/folder/x.csv: cannot be written")));
    }

    void whatIsFoundLeadsToItsRecord() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.tasks, 0);
        QVERIFY(bench.settled());
        auto *failures = bench.child<QTableView>("failures");
        bench.view.details().setCurrentWidget(failures);
        QCOMPARE(failures->model()->rowCount(), 1);
        QCOMPARE(failures->model()->index(0, 2).data().toString(), QStringLiteral("element # is #, not #"));
        Bench::click(failures, 0);
        QVERIFY(bench.page().contains(QStringLiteral("3 of ")));
        auto *unreadable = bench.child<QTableView>("unreadable");
        bench.view.details().setCurrentWidget(unreadable);
        Bench::click(unreadable, 0);
        QTest::keyClick(unreadable, Qt::Key_C, Qt::ControlModifier);
        QVERIFY2(QGuiApplication::clipboard()->text().contains(QStringLiteral("\n7\t")),
                 qPrintable(QGuiApplication::clipboard()->text()));
    }

    void whatIsAlikeIsFound() {
        // 2 % behind and a factor of 2 apart, in the first length of the split.
        const auto tiled = [](int length, const char *time) {
            return logLine({.number = length * 4, .times = time}) + "\n";
        };
        const TestLog file(tiled(2, "1e-05") + tiled(1, "1.02e-05") + tiled(4, "2e-05") +
                           logLine({.task = 1, .number = 7}) + "\n");
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.tasks, 0);
        QVERIFY(bench.settled());
        auto *close = bench.child<QTableView>("close");
        bench.view.details().setCurrentWidget(close);
        QCOMPARE(bench.view.details().tabText(bench.view.details().indexOf(close)),
                 QStringLiteral("Near the best (1)"));
        QCOMPARE(close->model()->rowCount(), 2); // the best, and the other
        QCOMPARE(close->model()->index(1, 1).data().toString(), QStringLiteral("2.0 %"));
        Bench::click(close, 1);
        QVERIFY(bench.page().contains(QStringLiteral("2 of ")));
        auto *near = bench.child<QTableView>("near");
        QCOMPARE(near->model()->rowCount(), 0); // nobody has looked
        bench.view.details().setCurrentWidget(bench.child<QWidget>("near_page"));
        QVERIFY(bench.settled());
        QCOMPARE(near->model()->rowCount(), 1);
        QCOMPARE(near->model()->index(0, 0).data().toString(), QStringLiteral("2.00\u00d7"));
        QCOMPARE(near->model()->index(0, 1).data().toString(), QStringLiteral("apart"));
        QCOMPARE(near->model()->index(0, 2).data().toString(), QStringLiteral("8, 4, 16"));
        QVERIFY(bench.child<QLabel>("about_near")->text().contains(QStringLiteral("1 group, of which 1 is apart")));
        Bench::click(near, 0);
        QVERIFY(bench.page().contains(QStringLiteral("1 of ")));
        // Where nothing is alike that is said.
        Bench::click(bench.tasks, 1);
        QVERIFY(bench.settled());
        QCOMPARE(near->model()->rowCount(), 0);
        QVERIFY(bench.child<QLabel>("about_near")->text().startsWith(QStringLiteral("No two schedules")));
        for (const auto &[name, words] :
             {std::pair("failures", "No record of this task failed."),
              std::pair("again", "No schedule of this task was measured more than once."),
              std::pair("close", "No other schedule is so close to the best that noise could make up for it.")})
            QCOMPARE(static_cast<LogTable *>(bench.child<QTableView>(name))->emptyText(), QLatin1String(words));
    }

    void notesStandBesideTheLog() {
        const TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        Bench::click(bench.records, 3);
        QTest::keyClicks(bench.child<QLineEdit>("record_note"), QStringLiteral("try this again"));
        QTest::keyClick(bench.child<QLineEdit>("record_note"), Qt::Key_Return);
        QTest::keyClicks(bench.child<QLineEdit>("record_tags"), QStringLiteral("good old"));
        QTest::mouseClick(bench.child<QToolButton>("record_pin"), Qt::LeftButton);
        const LogDocument log = LogDocument::open(file.path());
        QCOMPARE(log.size(), size_t{6}); // nothing of it stands in the log
        const auto noted = [&](size_t record) { return loadLogNotes(file.path()).of(recordName(log.record(record))); };
        QCOMPARE(noted(3).text, std::string("try this again"));
        QCOMPARE(noted(3).tags, (std::vector<std::string>{"good", "old"}));
        QVERIFY(noted(3).pinned && noted(0).empty());
        Bench::click(bench.records, 0);
        QCOMPARE(bench.child<QLineEdit>("record_note")->text(), QString());
        Bench::click(bench.records, 3);
        QCOMPARE(bench.child<QLineEdit>("record_note")->text(), QStringLiteral("try this again"));
        // They are columns, and filters ask for them.
        const auto cell = [&](int row, RecordModel::Column column) {
            return bench.view.records().index(row, column).data().toString();
        };
        QVERIFY(bench.settled());
        QCOMPARE(cell(3, RecordModel::Pinned) + u'|' + cell(3, RecordModel::Tags) + u'|' + cell(3, RecordModel::Note),
                 QStringLiteral("pinned|good old|try this again"));
        auto *filter = bench.child<QLineEdit>("log_filter");
        filter->setText(QStringLiteral("tag:old pinned"));
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("5 6")); // of one schedule
        Bench::click(bench.records, 0);
        QTest::mouseClick(bench.child<QToolButton>("record_pin"), Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QString()); // it is not pinned any more
        QTest::mouseClick(bench.child<QToolButton>("record_pin"), Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("5 6"));
        filter->clear();
        QVERIFY(bench.settled());
        // What cannot be read is not written over.
        Bench::click(bench.records, 0);
        QFile notes(QString::fromStdString(notesPath(file.path())));
        QVERIFY(notes.open(QIODevice::WriteOnly | QIODevice::Truncate));
        notes.write("no notes");
        notes.close();
        Bench::click(bench.records, 3);
        QVERIFY(!bench.child<QLineEdit>("record_note")->isVisible());
        QVERIFY(!bench.session.messages().all().empty());
        QVERIFY(notes.open(QIODevice::ReadOnly));
        QCOMPARE(notes.readAll(), QByteArray("no notes"));
    }

    void followsWhatOthersWrite() {
        TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        const std::string line = logLine({.number = 3}) + "\n";
        file.append(line.substr(0, line.size() / 2)); // half a line is none
        bench.logs.look();
        QCOMPARE(bench.view.records().rowCount(), 6);
        file.append(line.substr(line.size() / 2));
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.records().rowCount(), 7, 30000); // by itself
        QCOMPARE(bench.view.tasks().index(0, LogTaskModel::Best).data().toString(), QStringLiteral("3.000 \u00b5s"));
        // In another order it goes where it belongs.
        bench.clickHeader(RecordModel::Time);
        QVERIFY(bench.settled());
        file.append(logLine({.number = 25}) + "\n");
        QTRY_COMPARE_WITH_TIMEOUT(bench.view.records().rowCount(), 8, 30000);
    }

    void saysThatTheFileIsAnotherOne() {
        TestLog file(kSix);
        Bench bench;
        QVERIFY(bench.open(file));
        file.replace(logLine({.number = 3}) + "\n");
        auto *again = bench.child<QPushButton>("log_again");
        QTRY_VERIFY_WITH_TIMEOUT(again->isVisible(), 30000);
        QVERIFY2(bench.view.bar().sentence().contains(QStringLiteral("was replaced or cut")),
                 qPrintable(bench.view.bar().sentence()));
        QTest::mouseClick(again, Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("1"));
        QVERIFY(!again->isVisible());
    }

    void severalLogsHaveTabs() {
        const TestLog first(kSix, "a.json");
        const TestLog second(logLine({.number = 5}) + "\n", "b.json");
        Bench bench;
        QVERIFY(bench.open(first));
        Bench::click(bench.records, 3);
        QVERIFY(bench.open(second));
        QTabBar *tabs = bench.view.bar().tabs();
        QCOMPARE(tabs->count(), 2);
        QCOMPARE(bench.lines(), QStringLiteral("1"));
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
        QVERIFY(bench.settled());
        QCOMPARE(bench.view.records().rowCount(), 6);
        QCOMPARE(bench.records->currentIndex().row(), 3); // as it was left
        bench.actions.find(QStringLiteral("logs.close"))->trigger();
        QVERIFY(bench.settled());
        QCOMPARE(tabs->count(), 1);
        QCOMPARE(bench.lines(), QStringLiteral("1"));
        bench.actions.find(QStringLiteral("logs.close"))->trigger();
        QVERIFY(bench.child<QPushButton>("open_log")->isVisible());
        QCOMPARE(bench.view.records().rowCount(), 0);
    }

    void comesBackToWhereOneWas() {
        const TestLog file(kSix);
        Bench bench;
        const int id = bench.logs.restore(QString::fromStdString(file.path()), {1, 2, QStringLiteral("valid")});
        QVERIFY(bench.settled());
        QCOMPARE(bench.logs.current()->id, id);
        QCOMPARE(bench.lines(), QStringLiteral("4 8"));
        QCOMPARE(bench.child<QLineEdit>("log_filter")->text(), QStringLiteral("valid"));
        QVERIFY2(bench.page().contains(QStringLiteral("4 of ")), qPrintable(bench.page()));
        QVERIFY(!bench.child<QToolButton>("all_tasks")->isChecked());
        // What is chosen is kept for the next time.
        Bench::click(bench.records, 1);
        bench.child<QLineEdit>("log_filter")->clear();
        QVERIFY(bench.settled());
        QVERIFY((bench.logs.current()->place == LogPlace{1, 5, {}}));
        // A log that has become shorter has neither the task nor the record.
        const TestLog shorter(logLine({.number = 5}) + "\n", "b.json");
        bench.logs.setCurrent(bench.logs.restore(QString::fromStdString(shorter.path()), {7, 99, {}}));
        QVERIFY(bench.settled());
        QCOMPARE(bench.lines(), QStringLiteral("1"));
        QVERIFY(bench.page().contains(QStringLiteral("1 of ")));
    }

    void whatCannotBeReadSaysWhy() {
        Bench bench;
        bench.logs.open(QStringLiteral("/no/such/log.json"));
        QVERIFY(bench.settled());
        QVERIFY2(bench.view.bar().sentence().contains(QStringLiteral("/no/such/log.json")),
                 qPrintable(bench.view.bar().sentence()));
        QVERIFY(bench.child<QPushButton>("log_again")->isVisible());
        QCOMPARE(bench.view.records().rowCount(), 0);
        const TestLog none("# nothing but a comment\n");
        QVERIFY(bench.open(none));
        QCOMPARE(bench.view.bar().sentence(), QStringLiteral("0 records of 0 tasks"));
        QVERIFY(bench.page().contains(QStringLiteral("The log has no records")));
        // Of a log of other words alone these are what there is to see.
        const TestLog words("no record\nnor this\n", "words.json");
        QVERIFY(bench.open(words));
        QCOMPARE(bench.view.bar().sentence(), QStringLiteral("0 records of 0 tasks; 2 lines cannot be read"));
        QVERIFY(bench.child<QTableView>("unreadable")->isVisible());
        QCOMPARE(bench.child<QTableView>("unreadable")->model()->rowCount(), 2);
    }
};

LOOPSCOPE_WINDOW_TEST(LogsViewTest)

} // namespace logs_view_test
#include "logs_view_test.moc"
