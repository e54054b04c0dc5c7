// Where the trials go when the log is another machine's or in use, asked and answered by clicks.

#include "../session/scripted_session.h"

#include "records/record/record_writer.h"
#include "test_program.h"
#include "views/search_progress/log_dialog.h"
#include "views/session/log_question.h"
#include "views/session/text.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QWidget>

using namespace loopscope;

class LogDialogTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        m_fixture = std::make_unique<ScriptedSession>();
        m_window = std::make_unique<QWidget>();
        m_window->show();
        m_went = 0;
        m_fixture->openMatmul(4);
    }
    void cleanup() {
        m_window.reset();
        m_fixture.reset();
    }

    void ownLogsAreNotAskedAbout() {
        ask();
        QCOMPARE(m_went, 1);
        m_fixture->session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(!m_fixture->session->search().underWay(), 30000);
        ask();
        QCOMPARE(m_went, 2);
        QVERIFY(!box());
    }

    void anotherMachinesLogIsLeftAlone() {
        const QString log = openForeignLog();
        const QByteArray before = bytesOf(log);
        ask();
        QCOMPARE(m_went, 0);
        QVERIFY(box());
        QVERIFY2(box()->text().contains(log + QStringLiteral(" were measured on another machine")),
                 qPrintable(box()->text()));
        press("logBeside");
        QCOMPARE(m_went, 1);
        const QString chosen = m_fixture->session->document()->setup.logPath;
        QCOMPARE(QFileInfo(chosen).absolutePath(), QFileInfo(log).absolutePath());
        QVERIFY(QFileInfo(chosen).fileName().startsWith(QStringLiteral("theirs-")));
        QVERIFY(!QFile::exists(chosen));
        m_fixture->session->search().continueWith(4);
        QTRY_VERIFY_WITH_TIMEOUT(!m_fixture->session->search().underWay(), 30000);
        QCOMPARE(m_fixture->session->document()->trials.size(), size_t{7});
        QCOMPARE(bytesOf(log), before);
        QCOMPARE(loadRecordLog(std8(chosen)).records.size(), size_t{4});
        ask(); // answered
        QCOMPARE(m_went, 2);
    }

    void itMayBeAppendedToWhenAskedFor() {
        const QString log = openForeignLog();
        ask();
        press("logHere");
        QCOMPARE(m_went, 1);
        QCOMPARE(m_fixture->session->document()->setup.logPath, log);
    }

    void anyFileMayBeChosen() {
        openForeignLog();
        ask();
        press("logElsewhere");
        QCOMPARE(m_went, 0);
        QTRY_VERIFY(m_window->findChild<QFileDialog *>());
        auto *dialog = m_window->findChild<QFileDialog *>();
        const QString mine = m_fixture->folder.filePath(QStringLiteral("mine.json"));
        dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))->setText(mine);
        QTest::keyClick(dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit")), Qt::Key_Return);
        QTRY_COMPARE(m_went, 1);
        QCOMPARE(m_fixture->session->document()->setup.logPath, mine);
    }

    void cancelLeavesAllAsItWas() {
        openForeignLog();
        ask();
        QTest::mouseClick(box()->button(QMessageBox::Cancel), Qt::LeftButton);
        QTRY_VERIFY(!box());
        QCOMPARE(m_went, 0);
        QVERIFY(m_fixture->session->document()->setup.logPath.isEmpty());
    }

    void aLogInUseIsContinuedInACopy() {
        if (QStandardPaths::findExecutable(QStringLiteral("flock")).isEmpty()) QSKIP("flock is not installed");
        m_fixture->session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(!m_fixture->session->search().underWay(), 30000);
        const QString log = m_fixture->session->document()->logPath;
        QProcess holder;
        holder.start(QStringLiteral("flock"),
                     {log, QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("echo held; exec sleep 60")});
        QVERIFY(holder.waitForReadyRead(10000));
        ask();
        QVERIFY(box());
        QVERIFY2(box()->text().contains(log + QStringLiteral(" is being written by ")), qPrintable(box()->text()));
        QVERIFY(!box()->findChild<QPushButton *>(QStringLiteral("logHere")));
        press("logBeside");
        QCOMPARE(m_went, 1);
        m_fixture->session->search().continueWith(4);
        QTRY_VERIFY_WITH_TIMEOUT(!m_fixture->session->search().underWay(), 30000);
        const QString copy = m_fixture->session->document()->logPath;
        QVERIFY(copy != log && QFileInfo(copy).fileName().contains(QStringLiteral("-copy")));
        QCOMPARE(loadRecordLog(std8(log)).records.size(), size_t{4});
        QCOMPARE(loadRecordLog(std8(copy)).records.size(), size_t{8});
        holder.kill();
        holder.waitForFinished();
    }

  private:
    void ask() {
        askForLog(m_window.get(), *m_fixture->session, [this] { ++m_went; });
    }
    [[nodiscard]] QMessageBox *box() const { return m_window->findChild<QMessageBox *>(QStringLiteral("logQuestion")); }
    void press(const char *name) const {
        QVERIFY(box());
        auto *button = box()->findChild<QPushButton *>(QLatin1String(name));
        QVERIFY(button && button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
    }
    static QByteArray bytesOf(const QString &path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Three trials for a processor that is not this one.
    QString openForeignLog() {
        Task task = *m_fixture->session->document()->task;
        task.target = parseTarget("llvm -mcpu=x86-64 -num-cores=500");
        const QString log = m_fixture->folder.filePath(QStringLiteral("theirs.json"));
        {
            RecordWriter writer(std8(log));
            for (int i = 0; i < 3; ++i) {
                Trial trial;
                trial.steps = {SplitStep{StageId(2), IterId(0), 64, {int64_t{2} << i}, true}};
                trial.seconds = {1e-3 * (i + 1)};
                writer.append(makeRecord(task, trial));
            }
        }
        m_fixture->session->files().open({log});
        [&] { QTRY_COMPARE_WITH_TIMEOUT(m_fixture->session->document()->trials.size(), size_t{3}, 20000); }();
        return log;
    }
    std::unique_ptr<ScriptedSession> m_fixture;
    std::unique_ptr<QWidget> m_window;
    int m_went = 0;
};

LOOPSCOPE_WINDOW_TEST(LogDialogTest)
#include "log_dialog_test.moc"
