// The log of a search: of another target, in use, deleted while the search runs or between two of them.

#include "scripted_session.h"

#include "records/record/record_writer.h"
#include "test_program.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>

using namespace loopscope;

namespace {

const QString kHere = QStringLiteral("llvm -keys=cpu -mcpu=x86-64 -num-cores=2");
const QString kThere = QStringLiteral("llvm -keys=cpu -mcpu=x86-64 -num-cores=7");

/// `count` records of the matmul shown, measured on the target; the first has this many milliseconds.
void appendLog(const SessionFixture &f, const QString &path, const QString &target, int count, int first) {
    Task task = *f.session->document()->task;
    task.target = parseTarget(std8(target));
    RecordWriter writer(std8(path));
    for (int i = 0; i < count; ++i) {
        Trial trial;
        trial.steps = {SplitStep{StageId(2), IterId(0), 64, {int64_t{1} << i}, true}};
        trial.seconds = {1e-3 * (first + i)};
        writer.append(makeRecord(task, trial));
    }
}

QStringList told(const SessionFixture &f) {
    QStringList texts;
    for (const Message &message : f.session->messages().all()) texts << message.text;
    return texts;
}

bool said(const SessionFixture &f, const QString &part) { return told(f).join(u'\n').contains(part); }

} // namespace

class SessionLogTest : public QObject {
    Q_OBJECT

  private slots:
    void aLogDeletedDuringASearchComesBack() {
        ScriptedSession f(60);
        f.openMatmul(12);
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document()->trials.size() >= 3, 30000);
        const QString log = f.session->document()->logPath;
        QVERIFY(QFile::remove(log));
        QVERIFY(f.ended());
        QCOMPARE(f.session->document()->trials.size(), size_t{12});
        QCOMPARE(loadRecordLog(std8(log)).records.size(), size_t{12});
        QVERIFY2(said(f, QStringLiteral("was deleted while it was being written; ")), qPrintable(told(f).join(u'\n')));
        QCOMPARE(f.failures(), QString());
    }

    void aLogDeletedBetweenTwoSearchesComesBack() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->search().start();
        QVERIFY(f.ended());
        const QString log = f.session->document()->logPath;
        QVERIFY(QFile::remove(log));
        f.session->search().continueWith(4);
        QVERIFY(f.ended());
        QCOMPARE(loadRecordLog(std8(log)).records.size(), size_t{8});
        QVERIFY2(said(f, QStringLiteral("was deleted or emptied since; 4 records are written again from memory")),
                 qPrintable(told(f).join(u'\n')));
    }

    /// A kernel of a network that is opened as a workload of its own: times with its weights in caches would not
    /// compare.
    void trialsOfANetworkAreGoneOnWithAsThere() {
        for (const int64_t weightBytes : {int64_t{0}, int64_t{5000000}}) {
            ScriptedSession f;
            f.openMatmul(6);
            const QString log = f.folder.filePath(QStringLiteral("network.json"));
            {
                RecordWriter writer(std8(log));
                Trial trial;
                trial.steps = {SplitStep{StageId(2), IterId(0), 64, {int64_t{4}}, true}};
                trial.seconds = {1.0};
                trial.weightBytes = weightBytes;
                writer.append(makeRecord(*f.session->document()->task, trial));
            }
            f.session->files().loadLog(log);
            QTRY_COMPARE(f.session->document()->trials.size(), size_t{1});
            int64_t asked = -1;
            f.session->search().setMeasurerFactory([&asked](const Task &, const MeasureOptions &options) {
                asked = options.sampling.weightBytes;
                return std::make_unique<ScriptedMeasurer>();
            });
            f.session->search().start();
            QVERIFY(f.ended());
            QCOMPARE(asked, weightBytes);
        }
    }

    void aLogInUseIsNotWrittenTo() {
        if (QStandardPaths::findExecutable(QStringLiteral("flock")).isEmpty()) QSKIP("flock is not installed");
        ScriptedSession f;
        f.openMatmul(4);
        const QString log = f.write(QStringLiteral("busy.json"), "# somebody's\n");
        QProcess holder;
        holder.start(QStringLiteral("flock"),
                     {log, QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("echo held; exec sleep 60")});
        QVERIFY(holder.waitForReadyRead(10000));
        SearchSetup setup = f.session->document()->setup;
        setup.logPath = log;
        f.session->search().setSetup(setup);
        f.session->search().start();
        QVERIFY(f.ended());
        QCOMPARE(f.session->document()->search.state, SearchState::Failed);
        QVERIFY2(f.failures().contains(QStringLiteral("the log is being written by ")), qPrintable(f.failures()));
        QCOMPARE(loadRecordLog(std8(log)).records.size(), size_t{0});
        holder.kill();
        holder.waitForFinished();
    }

    void aLogOfAnotherTargetIsATaskOfItsOwn() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->documents().setTarget(kHere);
        QVERIFY(f.settled());
        const QString log = f.folder.filePath(QStringLiteral("there.json"));
        appendLog(f, log, kThere, 3, 1);
        f.session->files().open({log});
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->trials.size(), size_t{3}, 20000);
        const Document &document = *f.session->document();
        QCOMPARE(document.targetText, kThere);
        QCOMPARE(document.task->target.hardware.numCores, 7);
        QCOMPARE(document.best, 0);
        QVERIFY2(said(f, QStringLiteral("was measured on another target, which matmul is shown on now")),
                 qPrintable(told(f).join(u'\n')));
        QCOMPARE(f.failures(), QString());
    }

    /// A search of Ansor with fewer threads than its target names: the hardware parameters hold.
    void coresOfALogAreThoseOfItsHardware() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->documents().setTarget(kHere);
        QVERIFY(f.settled());
        const QString log = f.folder.filePath(QStringLiteral("fewer.json"));
        appendLog(f, log, kThere, 3, 1);
        QFile file(log);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        QVERIFY(text.contains("[7, "));
        f.write(QStringLiteral("fewer.json"), text.replace("[7, ", "[5, "));
        f.session->files().open({log});
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->trials.size(), size_t{3}, 20000);
        QCOMPARE(f.session->document()->task->target.hardware.numCores, 5);
        QCOMPARE(f.failures(), QString());
    }

    void trialsOfSeveralTargetsAreNotRankedTogether() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->documents().setTarget(kHere);
        QVERIFY(f.settled());
        const QString log = f.folder.filePath(QStringLiteral("mixed.json"));
        appendLog(f, log, kThere, 4, 1); // faster, elsewhere
        appendLog(f, log, kHere, 2, 50);
        f.session->files().open({log});
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->trials.size(), size_t{2}, 20000);
        const Document &document = *f.session->document();
        QCOMPARE(document.task->target.hardware.numCores, 2);
        QCOMPARE(document.trials[static_cast<size_t>(document.best)].seconds(), 0.05);
        QVERIFY2(said(f, QStringLiteral("4 trials of matmul are on another target and kept apart: ") + kThere),
                 qPrintable(told(f).join(u'\n')));
    }

    /// Pins and notes belong to schedules, wherever their lines stand now.
    void pinsFollowTheirRecords_data() {
        QTest::addColumn<bool>("named");   // an older session file knows numbers only
        QTest::addColumn<bool>("shifted"); // records were put in front, too
        QTest::newRow("appended to") << true << false;
        QTest::newRow("appended to and put in front") << true << true;
        QTest::newRow("older session, appended to") << false << false;
    }
    void pinsFollowTheirRecords() {
        QFETCH(bool, named);
        QFETCH(bool, shifted);
        ScriptedSession f;
        f.openMatmul(4);
        f.session->documents().setTarget(kHere);
        QVERIFY(f.settled());
        const QString log = f.folder.filePath(QStringLiteral("shared.json"));
        appendLog(f, log, kHere, 4, 10);
        f.session->files().open({log});
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->trials.size(), size_t{4}, 20000);
        f.session->trials().setPinned(1, true);
        f.session->trials().setNote(3, QStringLiteral("look at this"));
        const std::vector<TrialEntry> before = f.session->document()->trials;
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        if (!named) {
            QFile session(file);
            QVERIFY(session.open(QIODevice::ReadOnly));
            QByteArray bytes = session.readAll();
            session.close();
            for (const TrialEntry &entry : before) {
                const QByteArray name = "\"name\":\"" + entry.recordName().toUtf8() + "\",";
                QVERIFY(bytes.contains(name));
                bytes.replace(name, "");
            }
            f.write(QStringLiteral("s.loopscope"), bytes);
        }
        // Another process writes to the log meanwhile: one more measurement of a schedule that is known among it.
        if (shifted) {
            const QString front = f.folder.filePath(QStringLiteral("front.json"));
            appendLog(f, front, kThere, 2, 1);
            QFile first(front);
            QFile second(log);
            QVERIFY(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
            const QByteArray both = first.readAll() + second.readAll();
            f.write(QStringLiteral("shared.json"), both);
        }
        appendLog(f, log, kHere, 2, 30);
        f.restart();
        f.session->files().open({file});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document() && f.session->document()->trials.size() == 6, 20000);
        QVERIFY(f.idle());
        const std::vector<TrialEntry> &now = f.session->document()->trials;
        for (size_t i = 0; i < now.size(); ++i) {
            QCOMPARE(now[i].pinned, i == 1);
            QCOMPARE(now[i].later->note, i == 3 ? QStringLiteral("look at this") : QString());
            QCOMPARE(now[i].logRecord, static_cast<int>(i) + (shifted ? 2 : 0));
            if (i < before.size()) QCOMPARE(now[i].recordHash, before[i].recordHash);
        }
        QCOMPARE(now[1].trial.steps, before[1].trial.steps);
        QCOMPARE(f.failures(), QString());
    }

    void aLogReadAgainGivesWhatItGained() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->documents().setTarget(kHere);
        QVERIFY(f.settled());
        const QString log = f.folder.filePath(QStringLiteral("shared.json"));
        appendLog(f, log, kHere, 3, 10);
        f.session->files().open({log});
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->trials.size(), size_t{3}, 20000);
        f.session->trials().setPinned(2, true);
        QVERIFY(QFile::remove(log));
        appendLog(f, log, kThere, 1, 1); // which moves the others by one
        appendLog(f, log, kHere, 5, 10);
        f.session->files().open({log});
        QTRY_COMPARE_WITH_TIMEOUT(f.session->document()->trials.size(), size_t{5}, 20000);
        const std::vector<TrialEntry> &now = f.session->document()->trials;
        for (size_t i = 0; i < now.size(); ++i) {
            QCOMPARE(now[i].logRecord, static_cast<int>(i) + 1);
            QCOMPARE(now[i].pinned, i == 2);
        }
    }

    void aCancelledReadingOfALogIsOver() {
        ScriptedSession f;
        f.openMatmul(4);
        const QString log = f.folder.filePath(QStringLiteral("shared.json"));
        appendLog(f, log, kHere, 3, 10);
        f.session->files().loadLog(log);
        QVERIFY(f.session->document()->loadingLog && f.session->file().restoring());
        for (const JobInfo &job : f.session->jobs().running())
            if (job.title.startsWith(QStringLiteral("Reading shared"))) f.session->jobs().cancel(job.id);
        QVERIFY(!f.session->document()->loadingLog && !f.session->file().restoring());
        QVERIFY2(said(f, QStringLiteral("shared.json was cancelled; open it again")), qPrintable(told(f).join(u'\n')));
        QVERIFY(f.idle());
        QVERIFY(f.session->document()->trials.empty());
    }

    void aTargetThatIsNoneIsSaid() {
        ScriptedSession f;
        f.openMatmul(4);
        f.session->documents().setTarget(kHere);
        QVERIFY(f.settled());
        Task task = *f.session->document()->task;
        Record record = makeRecord(task, {});
        record.trial.steps = {SplitStep{StageId(2), IterId(0), 64, {4}, true}};
        record.trial.seconds = {1e-3};
        record.targetText = "llvm -mcpu=abacus";
        const QString log =
            f.write(QStringLiteral("abacus.json"), QByteArray::fromStdString(recordLine(record) + "\n"));
        f.session->files().open({log});
        // What is in it can be looked at; the workload's own task is left alone.
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document()->logTask, 20000);
        QCOMPARE(f.session->document()->trials.size(), size_t{1});
        const QString why = f.session->document()->problem->sentence;
        QVERIFY2(why.contains(QStringLiteral("its target `llvm -mcpu=abacus -num-cores=2` is none: ")),
                 qPrintable(why));
        QCOMPARE(f.session->documents().all().front()->targetText, kHere);
    }
};

LOOPSCOPE_WINDOW_TEST(SessionLogTest)
#include "session_log_test.moc"
