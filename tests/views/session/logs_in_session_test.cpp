// Tuning logs that are open as documents, in session files.

#include "session_fixture.h"
#include "test_program.h"
#include "views/session/open_logs.h"
#include "views/session/session_text.h"

#include <QJsonArray>
#include <QJsonDocument>

using namespace loopscope;

namespace {

QByteArray record(int number) {
    return QStringLiteral("{\"i\": [[\"[\\\"odd\\\", %1]\", \"llvm -keys=cpu\"], [[], []]], \"r\": [[%1e-06], 0, 0.5, "
                          "1700000000], \"v\": \"v0.6\"}\n")
        .arg(number)
        .toUtf8();
}

QString placeText(const LogPlace &place) {
    return QStringLiteral("%1 %2 %3")
        .arg(place.task)
        .arg(place.record == SIZE_MAX ? QStringLiteral("none") : QString::number(place.record), place.filter);
}

} // namespace

class LogsInSessionTest : public QObject {
    Q_OBJECT

  private slots:
    void openLogsComeBack() {
        SessionFixture f;
        const QString first = f.write(QStringLiteral("a.json"), record(1) + record(2));
        const QString second = f.write(QStringLiteral("b.log"), record(3));
        OpenLogs &logs = f.session->logs();
        logs.open(first);
        logs.open(second);
        logs.setPlace(logs.all()[0]->id, {1, 1, QStringLiteral("time < 2ms")});
        logs.setCurrent(logs.all()[0]->id);
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QVERIFY(f.idle());
        QCOMPARE(f.session->file().save(file, {}), QString());

        f.restart();
        const QStringList recent = f.settings->recentFiles();
        QByteArray window;
        QVERIFY(f.session->file().load(file, &window));
        QVERIFY(f.idle());
        OpenLogs &again = f.session->logs();
        QCOMPARE(again.all().size(), size_t{2});
        QCOMPARE(again.all()[0]->path, first);
        QCOMPARE(again.all()[1]->path, second);
        QVERIFY(again.current() == again.all()[0].get());
        QCOMPARE(placeText(again.all()[0]->place), QStringLiteral("1 1 time < 2ms"));
        QCOMPARE(placeText(again.all()[1]->place), QStringLiteral("-1 none "));
        QCOMPARE(again.all()[0]->records(), size_t{2});
        QCOMPARE(f.settings->recentFiles(), recent); // nobody opened them
        QCOMPARE(f.failures(), QString());
        QVERIFY(f.session->documents().all().empty());

        // Opened once more, they are not there twice.
        QVERIFY(f.session->file().load(file, &window));
        QCOMPARE(again.all().size(), size_t{2});
    }

    void aLogThatIsGoneIsTold() {
        SessionFixture f;
        const QString first = f.write(QStringLiteral("a.json"), record(1));
        const QString second = f.write(QStringLiteral("b.json"), record(2));
        f.session->logs().open(first);
        f.session->logs().open(second); // the one shown
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QVERIFY(f.idle());
        QCOMPARE(f.session->file().save(file, {}), QString());
        QVERIFY(QFile::remove(second));
        f.restart();
        QVERIFY(f.session->file().load(file, nullptr));
        QVERIFY(f.idle());
        QCOMPARE(f.session->logs().all().size(), size_t{1});
        QCOMPARE(f.session->logs().current()->path, first);
        QCOMPARE(
            f.failures(),
            QStringLiteral("%1 is not there any more | The session %2 names it as an open log.").arg(second, file));
    }

    void filesThatNameNoLogsOpen_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("older") << QByteArray(R"({"loopscope_session": 1, "documents": []})");
        QTest::newRow("null") << QByteArray(R"({"loopscope_session": 2, "documents": [], "logs": null})");
        QTest::newRow("damaged") << QByteArray(
            R"({"loopscope_session": 2, "documents": [], "logs": {"current": "x", "open": [3, {}, {"path": 7}]}})");
    }
    void filesThatNameNoLogsOpen() {
        QFETCH(const QByteArray, text);
        SessionFixture f;
        QVERIFY(f.session->file().load(f.write(QStringLiteral("s.loopscope"), text), nullptr));
        QVERIFY(f.session->logs().all().empty());
        QCOMPARE(f.failures(), QString());
    }

    void withoutLogsNothingIsWritten() {
        const SessionFixture f;
        QVERIFY(!f.session->file().json({}).contains(QStringLiteral("logs")));
    }

    void aSessionSaysThatItHoldsLogs() {
        SessionFixture f;
        f.session->logs().open(f.write(QStringLiteral("a.json"), record(1)));
        f.session->logs().open(f.write(QStringLiteral("b.json"), record(1)));
        QCOMPARE(sessionHolds(f.session->file().json({})), QStringLiteral("2 tuning logs"));
        QVERIFY(f.idle());
    }
};

LOOPSCOPE_WINDOW_TEST(LogsInSessionTest)
#include "logs_in_session_test.moc"
