// The Logs view with more records than fit into a second.

#include "logs_bench.h"
#include "test_program.h"

#include <QClipboard>
#include <QPushButton>
#include <QScrollBar>

using namespace loopscope;

namespace {

using Bench = LogsBench;

constexpr int kMany = 200000;
const std::string &manyLines() {
    static const std::string all = [] {
        std::string text;
        for (int i = 1; i <= kMany; ++i)
            text += logLine({.task = i % 3, .number = i, .error = i % 10 == 0 ? 5 : 0, .structure = i % 7}) + "\n";
        return text;
    }();
    return all;
}

} // namespace

class LogsManyTest : public QObject {
    Q_OBJECT

  private slots:
    void manyRecordsScroll() {
        const TestLog file(manyLines());
        Bench bench;
        QVERIFY(bench.open(file));
        QCOMPARE(bench.view.records().rowCount(), kMany);
        Bench::click(bench.records, 0);
        QTest::keyClick(bench.records, Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(bench.records->currentIndex().row(), kMany - 1);
        QVERIFY(bench.records->verticalScrollBar()->value() == bench.records->verticalScrollBar()->maximum());
        QVERIFY(bench.page().contains(QStringLiteral("200000 of ")));
        // All of them are too much for the clipboard.
        QGuiApplication::clipboard()->setText(QStringLiteral("before"));
        bench.records->selectAll();
        QTest::keyClick(bench.records, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("before"));
        QVERIFY2(bench.session.messages().all().back().text.startsWith(
                     QStringLiteral("200000 rows are too many for the clipboard, which takes 20000 at once")),
                 qPrintable(bench.session.messages().all().back().text));
        bench.clickHeader(RecordModel::Time);
        QVERIFY(bench.settled());
        QCOMPARE(bench.view.records().rowCount(), kMany);
        QVERIFY(bench.view.details().course()->points() <= 6000);
        // The record chosen is marked, whether it is drawn or not.
        for (const int row : {70001, 70002, 70003, kMany - 1}) {
            bench.view.chooseRecord(bench.view.records().recordAt(row));
            QVERIFY(bench.settled());
            QCOMPARE(bench.view.details().course()->marks(), 1);
        }
    }

    void anExportIsCancelled() {
        const TestLog file(manyLines());
        Bench bench;
        QVERIFY(bench.open(file));
        const QString path = bench.folder.filePath(QStringLiteral("many.csv"));
        bool told = false;
        bench.view.exportLater(path, [&](const QString &) { told = true; });
        for (const JobInfo &job : bench.session.jobs().running())
            if (job.title.contains(path)) bench.session.jobs().cancel(job.id);
        QVERIFY(bench.settled());
        QVERIFY(!told && !QFile::exists(path));
        QVERIFY2(
            bench.session.messages().all().back().text.contains(QStringLiteral("was cancelled; nothing was written")),
            qPrintable(bench.session.messages().all().back().text));
        bench.view.exportLater(path, [&](const QString &problem) { told = problem.isEmpty(); });
        QVERIFY(bench.settled());
        QVERIFY(told && QFileInfo(path).size() > qint64{kMany} * 40);
    }

    void indexingIsCancelled() {
        const TestLog file(manyLines());
        Bench bench;
        bench.logs.open(QString::fromStdString(file.path()));
        QCOMPARE(bench.logs.current()->state, OpenLog::State::Indexing); // it is a job's
        auto *cancel = bench.child<QPushButton>("log_cancel");
        QVERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QCOMPARE(bench.logs.current()->state, OpenLog::State::Cancelled);
        QVERIFY2(bench.view.bar().sentence().startsWith(QStringLiteral("Indexing was cancelled")),
                 qPrintable(bench.view.bar().sentence()));
        QVERIFY(!cancel->isVisible());
        QTest::mouseClick(bench.child<QPushButton>("log_again"), Qt::LeftButton);
        QVERIFY(bench.settled());
        QCOMPARE(bench.view.records().rowCount(), kMany);
    }
};

LOOPSCOPE_WINDOW_TEST(LogsManyTest)
#include "logs_many_test.moc"
