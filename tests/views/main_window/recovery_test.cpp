// After a kill of the real process: what was edited and pinned is offered at the next start, and comes back as it was
// when the offer is taken.

#include "language/dag/compute_dag.h"
#include "records/record/record_writer.h"
#include "views/main_window/recovery_bar.h"
#include "views/session/open_logs.h"
#include "views/session/text.h"
#include "window_start.h"

#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>

using namespace loopscope;

namespace {

struct Program : WindowStart {
    explicit Program(const QString &folder) : WindowStart(folder, {.restore = true}) {}
    [[nodiscard]] QWidget *bar() const { return window.findChild<RecoveryBar *>(); }
    [[nodiscard]] bool offered() const {
        return QTest::qWaitFor([this] { return bar() && bar()->isVisible(); }, 20000);
    }
    void press(const char *button) const {
        QTest::mouseClick(window.findChild<QPushButton *>(QLatin1String(button)), Qt::LeftButton);
    }
};

/// What the process that is killed does: opens, edits, pins, and says so once that is kept.
int live(const QString &folder) {
    Program program(folder);
    const QString te = folder + QStringLiteral("/m.te");
    const QString log = folder + QStringLiteral("/m.json");
    program.window.openFiles({te, log}, false);
    if (!QTest::qWaitFor([&] { return program.session.document() && program.session.document()->trials.size() == 4; },
                         20000))
        return 3;
    program.session.trials().setPinned(2, true);
    program.session.trials().setNote(1, QStringLiteral("slow one"));
    program.session.documents().setText(program.session.document()->text + QStringLiteral("# being typed\n"));
    const QString kept = program.settings.stateFolder() + QStringLiteral("/autosave.loopscope");
    const auto holds = [&](const char *text) {
        QFile file(kept);
        return file.open(QIODevice::ReadOnly) && file.readAll().contains(text);
    };
    if (!QTest::qWaitFor([&] { return holds("being typed") && holds("slow one"); }, 30000)) return 4;
    std::puts("kept");
    std::fflush(stdout);
    return QApplication::exec(); // until it is killed
}

/// What another does: an edit of the schedule, told at once.
int liveByHand(const QString &folder) {
    Program program(folder);
    program.window.openFiles({folder + QStringLiteral("/m.te")}, false);
    if (!QTest::qWaitFor([&] { return program.session.document() && program.session.document()->task; }, 20000))
        return 3;
    QTest::qWait(3000); // what came of opening is kept
    const Step step = SplitStep{StageId(2), IterId(0), 92, {4}};
    if (!program.session.edits().apply({}, step).isEmpty()) return 4;
    program.session.edits().keepDraft({ScheduleRef::Kind::Edited, 1}, QStringLiteral("split C i int"));
    std::puts("kept");
    std::fflush(stdout);
    return QApplication::exec(); // until it is killed
}

const QByteArray kText = "workload matmul(N = 92)\nA = placeholder [N, N]\nB = placeholder [N, N]\n"
                         "C(i < N, j < N) = sum(k < N; A[i, k] * B[k, j])\n";

void writeInput(const QString &folder) {
    QFile te(folder + QStringLiteral("/m.te"));
    QVERIFY(te.open(QIODevice::WriteOnly) && te.write(kText) == kText.size());
    const Task task =
        makeTask(ComputeDag::fromWorkload(parseWorkload(kText.toStdString(), "m.te", {})), parseTarget("llvm"));
    RecordWriter writer(std8(folder + QStringLiteral("/m.json")));
    for (int i = 0; i < 4; ++i) {
        Trial trial;
        trial.seconds = {1e-3 * (i + 1)};
        writer.append(makeRecord(task, trial));
    }
}

/// Runs live() in a process of its own and kills it.
void killOne(const QString &folder, const char *how = "--live", int after = 0) {
    QProcess process;
    process.setProcessChannelMode(QProcess::SeparateChannels);
    process.start(QCoreApplication::applicationFilePath(), {QLatin1String(how), folder});
    QVERIFY(process.waitForStarted(20000));
    QByteArray said;
    QVERIFY2(QTest::qWaitFor(
                 [&] {
                     said += process.readAllStandardOutput();
                     return said.contains("kept") || process.state() == QProcess::NotRunning;
                 },
                 60000),
             "it said nothing");
    QVERIFY2(said.contains("kept"), qPrintable(QStringLiteral("it ended with %1").arg(process.exitCode())));
    QTest::qWait(after);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGKILL), 0);
    QVERIFY(process.waitForFinished(20000));
}

} // namespace

class RecoveryTest : public QObject {
    Q_OBJECT

  private slots:
    void editsAndPinsAreOfferedAfterAKill() {
        const QTemporaryDir folder;
        writeInput(folder.path());
        killOne(folder.path());
        if (QTest::currentTestFailed()) return;
        {
            Program next(folder.path());
            QVERIFY(next.offered());
            next.window.close(); // nothing decided yet
        }
        {
            Program next(folder.path());
            QVERIFY(next.offered());
            QVERIFY(next.session.documents().all().empty()); // offered, not forced
            const QString text = next.bar()->findChild<QLabel *>()->text();
            QVERIFY2(text.contains(QStringLiteral("matmul (edited, 4 trials, 1 pinned)")), qPrintable(text));
            next.press("recovery_recover");
            QVERIFY(!next.bar()->isVisible());
            QTRY_VERIFY_WITH_TIMEOUT(next.session.document() && next.session.document()->trials.size() == 4, 20000);
            const Document &document = *next.session.document();
            QTRY_VERIFY(document.trials[2].pinned);
            QCOMPARE(document.trials[1].later->note, QStringLiteral("slow one"));
            QVERIFY(document.text.endsWith(QStringLiteral("# being typed\n")));
            QVERIFY(document.modified);
            QVERIFY(!next.window.onStartPage());
            QTRY_VERIFY(!document.analysing);
            QTest::qWait(50);
            next.window.close(); // in good order
        }
        Program after(folder.path());
        QTRY_VERIFY(after.session.document());
        QVERIFY(!after.bar()->isVisible());
        for (const Message &message : after.session.messages().all())
            QVERIFY2(message.severity == Message::Severity::Note, qPrintable(message.text));
    }

    void aKillLosesAtMostTheLastSecond() {
        const QTemporaryDir folder;
        writeInput(folder.path());
        killOne(folder.path(), "--live-by-hand", 1000);
        if (QTest::currentTestFailed()) return;
        Program next(folder.path());
        QVERIFY(next.offered());
        const QString text = next.bar()->findChild<QLabel *>()->text();
        QVERIFY2(text.contains(QStringLiteral("matmul (2 schedules made by hand)")), qPrintable(text));
        next.press("recovery_recover");
        QTRY_VERIFY_WITH_TIMEOUT(next.session.document() && next.session.document()->edited.size() == 2, 20000);
        QCOMPARE(next.session.edits().node(1)->did, QStringLiteral("split C i into 4"));
        QTRY_COMPARE(next.session.selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Edited, 1}));
        QCOMPARE(next.session.document()->draft->text, QStringLiteral("split C i int"));
    }

    /// A session of a newer program: said, and what can be read of it is one click away. The file stays.
    void whatCanBeReadIsOffered() {
        const QTemporaryDir folder;
        writeInput(folder.path());
        const QString path = folder.filePath(QStringLiteral("new.loopscope"));
        {
            Program program(folder.path());
            program.open(folder.filePath(QStringLiteral("m.te")));
            QVERIFY(program.session.edits().begin({}) == 0);
            QCOMPARE(program.session.file().save(path, {}), QString());
            program.session.documents().close(program.session.document()->id);
            program.window.close();
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        const QByteArray newer = file.readAll().replace("\"loopscope_session\":2", "\"loopscope_session\":7");
        QVERIFY(file.resize(0) && file.seek(0) && file.write(newer) == newer.size());
        file.close();
        Program next(folder.path());
        next.window.openFiles({path}, false);
        QVERIFY(next.offered());
        const QString text = next.bar()->findChild<QLabel *>()->text();
        QVERIFY2(text.contains(QStringLiteral("version 7, of a newer program")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("matmul (1 schedule made by hand)")), qPrintable(text));
        next.press("recovery_recover");
        QVERIFY(!next.bar()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(next.session.document() && next.session.document()->edited.size() == 1, 20000);
        QVERIFY(!next.window.onStartPage());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), newer);
    }

    /// The session of last time, damaged meanwhile, is not written over at the end of this one.
    void aDamagedLastSessionIsPutAside() {
        const QTemporaryDir folder;
        writeInput(folder.path());
        QString last;
        {
            Program program(folder.path());
            program.open(folder.filePath(QStringLiteral("m.te")));
            last = program.settings.stateFolder() + QStringLiteral("/last.loopscope");
            program.window.close();
        }
        QFile file(last);
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 cut = file.size() - 3;
        QVERIFY(file.resize(cut));
        file.close();
        Program next(folder.path());
        QVERIFY(next.offered());
        next.window.close();
        const QDir state(next.settings.stateFolder());
        const QStringList aside = state.entryList({QStringLiteral("unread-*.loopscope")});
        QCOMPARE(aside.size(), 1);
        QCOMPARE(QFileInfo(state.filePath(aside[0])).size(), cut);
    }

    /// Also where no workload is open.
    void logsComeBack() {
        const QTemporaryDir folder;
        writeInput(folder.path());
        const QString log = folder.filePath(QStringLiteral("m.json"));
        {
            Program program(folder.path());
            program.session.logs().open(log);
            QTRY_VERIFY(program.session.logs().current()->log);
            program.session.logs().setPlace(program.session.logs().current()->id, {0, 3, {}});
            program.window.close();
        }
        {
            Program next(folder.path());
            QCOMPARE(next.session.logs().all().size(), size_t{1});
            QCOMPARE(next.session.logs().current()->path, log);
            QVERIFY(next.session.documents().all().empty());
            QVERIFY(!next.window.onStartPage());
            QTRY_VERIFY(next.session.logs().current()->log);
            QCOMPARE(next.session.logs().current()->place.record, size_t{3});
            next.session.logs().close(next.session.logs().current()->id);
            next.window.close();
        }
        Program after(folder.path());
        QVERIFY(after.session.logs().all().empty());
    }

    void whoStartsAfreshLosesNothing() {
        const QTemporaryDir folder;
        writeInput(folder.path());
        killOne(folder.path());
        if (QTest::currentTestFailed()) return;
        Program next(folder.path());
        QVERIFY(next.offered());
        next.press("recovery_dismiss");
        QVERIFY(!next.bar()->isVisible());
        QVERIFY(next.session.documents().all().empty());
        const Message &message = next.session.messages().all().back();
        QVERIFY2(message.text.startsWith(QStringLiteral("What was open stays in ")), qPrintable(message.text));
        QVERIFY(QFileInfo::exists(message.path));
        next.session.files().open({message.path}); // after all
        QTRY_VERIFY_WITH_TIMEOUT(next.session.document() && next.session.document()->trials.size() == 4, 20000);
    }
};

int main(int argc, char **argv) {
    QApplication application(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], "--live") == 0) return live(QString::fromLocal8Bit(argv[2]));
    if (argc == 3 && qstrcmp(argv[1], "--live-by-hand") == 0) return liveByHand(QString::fromLocal8Bit(argv[2]));
    RecoveryTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "recovery_test.moc"
