// Opening files, good and broken, by every way; nothing is lost and the reason is on record.

#include "session_fixture.h"
#include "views/session/open_logs.h"

#include "records/record/record.h"
#include "test_program.h"
#include "views/session/text.h"

#include <QFileInfo>
#include <QSignalSpy>

using namespace loopscope;

namespace {

QByteArray logOf(const Task &task, int trials) {
    std::string text;
    for (int i = 0; i < trials; ++i) {
        Trial trial;
        trial.steps = {SplitStep{StageId(2), IterId(0), 64, {int64_t{1} << (i % 6)}, true}};
        trial.seconds = {1e-3 * (i + 1), 1.01e-3 * (i + 1)};
        if (i % 7 == 3) {
            trial.seconds.clear();
            trial.error = TrialError::RuntimeDevice;
            trial.reason = "the kernel crashed: segmentation fault";
        }
        const Record record = makeRecord(task, trial);
        text += recordComment(record) + recordLine(record) + "\n";
    }
    return QByteArray::fromStdString(text);
}

/// Files of a workload and of five trials of it, with nothing open; empty when the workload could not be read.
std::pair<QString, QString> workloadAndLog(SessionFixture &f) {
    const QString te = f.write(QStringLiteral("m.te"), SessionFixture::matmul(64));
    f.session->files().open({te});
    if (!f.settled()) return {};
    const QString log = f.write(QStringLiteral("m.json"), logOf(*f.session->document()->task, 5));
    f.restart();
    return {te, log};
}

} // namespace

class SessionOpenTest : public QObject {
    Q_OBJECT

  private slots:
    void opensAWorkload() {
        SessionFixture f;
        QSignalSpy sketches(&f.session->documents(), &Documents::sketchesChanged);
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(64))});
        QVERIFY(f.settled());
        const Document *document = f.session->document();
        QVERIFY(!document->problem);
        QCOMPARE(document->name, QStringLiteral("matmul"));
        QVERIFY(!document->sketches.empty());
        QCOMPARE(sketches.count(), 1);
        QCOMPARE(f.settings->recentFiles().size(), 1);
        QCOMPARE(f.session->search().whyNotStart(), QString());
    }

    void whatIsTypedBackIsNotModified() {
        SessionFixture f;
        const QString path = f.write(QStringLiteral("m.te"), SessionFixture::matmul(64));
        f.session->files().open({path});
        const QString text = f.session->document()->text;
        f.session->documents().setText(text + QStringLiteral("# more\n"));
        QVERIFY(f.session->document()->modified);
        f.session->documents().setText(text);
        QVERIFY(!f.session->document()->modified);
        f.session->documents().setText(text + QStringLiteral("# more\n"));
        QCOMPARE(f.session->documents().saveText(path), QString());
        QVERIFY(!f.session->document()->modified);
        f.session->documents().setText(text); // now the file says otherwise
        QVERIFY(f.session->document()->modified);
    }

    void manySketchesDoNotHoldTheTaskBack() {
        QByteArray text = "workload products(N = 64)\nA = placeholder [N, N]\n";
        QByteArray before = "A";
        for (int i = 0; i < 14; ++i) {
            const QByteArray name = "B" + QByteArray::number(i);
            text += name + "(i < N, j < N) = sum(k < N; " + before + "[i, k] * A[k, j])\n";
            before = name;
        }
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("p.te"), text)});
        QVERIFY(f.settled());
        QVERIFY(f.session->document()->task);
        const auto running = f.session->jobs().running();
        QCOMPARE(running.size(), size_t(1));
        QCOMPARE(running[0].title, QStringLiteral("Deriving the sketches of products"));
        QVERIFY(!f.session->document()->sketchProblem.isEmpty());

        QSignalSpy sketches(&f.session->documents(), &Documents::sketchesChanged);
        f.session->jobs().cancel(running[0].id);
        QCOMPARE(sketches.count(), 1);
        QCOMPARE(f.session->document()->sketchProblem, QStringLiteral("their derivation was cancelled"));
        // Another text: other sketches, at once.
        f.session->documents().setText(QString::fromUtf8(SessionFixture::matmul(64)));
        QTRY_VERIFY(!f.session->document()->sketches.empty());
        QVERIFY(f.session->document()->sketchProblem.isEmpty());
    }

    void editingIsFollowed() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(64))});
        QVERIFY(f.settled());
        const auto before = f.session->document()->task;
        f.session->documents().setText(QStringLiteral("workload m(N = 4)\nA = placeholdr [N]\n"));
        QTRY_VERIFY(f.session->document()->problem);
        QCOMPARE(f.session->document()->problem->line, 2);
        QCOMPARE(f.session->document()->task, before); // the last good one
        QVERIFY(f.session->document()->modified);
        QVERIFY(f.session->search().whyNotStart().contains(QStringLiteral("error")));
        f.session->documents().setText(QString::fromUtf8(SessionFixture::matmul(32)));
        QTRY_VERIFY(!f.session->document()->problem);
        QVERIFY(f.session->document()->task != before);
        const QString path = f.folder.filePath(QStringLiteral("saved.te"));
        QCOMPARE(f.session->documents().saveText(path), QString());
        QVERIFY(!f.session->document()->modified);
        QVERIFY(!f.session->documents().saveText(QStringLiteral("/nowhere/at/all.te")).isEmpty());
    }

    void parametersAndTargetMakeAnotherTask() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(64))});
        QVERIFY(f.settled());
        const std::string key = f.session->document()->task->key;
        f.session->documents().setParams({{"N", 128}});
        QTRY_VERIFY(f.session->document()->task->key != key);
        f.session->documents().setParams({{"Q", 1}});
        QTRY_VERIFY(f.session->document()->problem);
        QVERIFY2(f.session->document()->problem->sentence.contains(QLatin1Char('Q')),
                 qPrintable(f.session->document()->problem->sentence));
        f.session->documents().setParams({});
        QTRY_VERIFY(!f.session->document()->problem);
        f.session->documents().setTarget(QStringLiteral("llvm -num-cores=x"));
        QTRY_VERIFY(f.session->document()->problem);
    }

    void aDeviceWithoutEndIsNotRead() {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("zeros.te")); // a name that promises a workload
        QVERIFY(QFile::link(QStringLiteral("/dev/zero"), link));
        SessionFixture f;
        QSignalSpy opened(&f.session->files(), &OpenFiles::opened);
        f.session->files().open({link});
        QTRY_VERIFY(!opened.isEmpty());
        QCOMPARE(opened.last()[1].toBool(), false);
        QVERIFY2(f.failures().contains(QStringLiteral("is a device")), qPrintable(f.failures()));
    }

    void refuses_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("binary") << "a.bin"
                                << QByteArray("\x7f"
                                              "ELF\0\1\2\3",
                                              8)
                                << "neither a workload";
        QTest::newRow("archive that is no log")
            << "a.gz" << QByteArray("\x1f\x8b\x08\0\0", 5) << "no trial of this log";
        QTest::newRow("broken session") << "a.loopscope" << QByteArray("{\"loopscope_session\": 1, \"documents\": [")
                                        << "cannot be opened";
        QTest::newRow("newer session") << "a.loopscope" << QByteArray("{\"loopscope_session\": 99}") << "version 99";
        QTest::newRow("no log at all") << "a.json" << QByteArray("{\"what\": 1}\n{\"is\": 2}\n")
                                       << "no trial of this log";
    }

    void refuses() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        SessionFixture f;
        QSignalSpy opened(&f.session->files(), &OpenFiles::opened);
        const QString path = f.write(name, bytes);
        f.session->files().open({path});
        QVERIFY(f.idle());
        QTRY_VERIFY(!opened.isEmpty());
        QCOMPARE(opened.last()[1].toBool(), false);
        QVERIFY2(f.failures().contains(says) && f.failures().contains(path), qPrintable(f.failures()));
    }

    void refusesWhatIsNoFile() {
        SessionFixture f;
        f.session->files().open({QStringLiteral("/nowhere/at/all.te"), f.folder.path()});
        QVERIFY2(f.failures().contains(QStringLiteral("cannot be read")), qPrintable(f.failures()));
        QVERIFY2(f.failures().contains(QStringLiteral("is a folder")), qPrintable(f.failures()));
        QVERIFY(!f.session->document());
    }

    void aLogFindsItsOpenWorkload() {
        SessionFixture f;
        const QString te = f.write(QStringLiteral("m.te"), SessionFixture::matmul(64));
        f.session->files().open({te});
        QVERIFY(f.settled());
        const QString log = f.write(QStringLiteral("m.json"), logOf(*f.session->document()->task, 20) + "{\"i\": [[\n");
        f.session->files().open({log});
        QTRY_COMPARE(f.session->document()->trials.size(), size_t{20});
        const Document &document = *f.session->document();
        QCOMPARE(document.best, 0);
        QVERIFY(!document.trials[3].valid());
        QCOMPARE(document.trials[3].trial.reason, std::string("the kernel crashed: segmentation fault"));
        QCOMPARE(document.skippedLogLines, 1);
        QCOMPARE(f.session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, 0}));
        // Once more: nothing is there twice.
        f.session->files().open({log});
        QVERIFY(f.idle());
        QCOMPARE(document.trials.size(), size_t{20});
        // Nor of a copy, which says so.
        const QString copy = f.folder.filePath(QStringLiteral("copy.json"));
        QVERIFY(QFile::copy(log, copy));
        f.session->files().open({copy});
        QVERIFY(f.idle());
        QCOMPARE(document.trials.size(), size_t{20});
        QVERIFY(std::ranges::any_of(f.session->messages().all(), [&](const Message &message) {
            return message.text.startsWith(copy + QStringLiteral(": 20 of its 20 records are trials of "));
        }));
    }

    void aWorkloadAndItsLogOpenTogether() {
        SessionFixture f;
        const auto [te, log] = workloadAndLog(f);
        QVERIFY(!log.isEmpty());
        f.session->files().open({log, te}); // in this order: the log waits
        QTRY_VERIFY(f.session->document() && f.session->document()->trials.size() == 5);
        QCOMPARE(f.session->documents().all().size(), size_t{1});
        QCOMPARE(f.failures(), QString());
    }

    void aLogAloneFindsTheWorkloadBesideIt() {
        SessionFixture f;
        const auto [te, log] = workloadAndLog(f);
        QVERIFY(!log.isEmpty());
        f.session->files().open({log});
        QTRY_VERIFY(f.session->document() && f.session->document()->trials.size() == 5);
        QCOMPARE(f.session->document()->path, QFileInfo(te).absoluteFilePath());
    }

    void formsAreMadeOnceAndForgottenWithTheTask() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("m.te"), SessionFixture::matmul(64))});
        QVERIFY(f.settled());
        QSignalSpy ready(&f.session->representations(), &RepresentationCache::representationsReady);
        QVERIFY(!f.session->representations().of({}));
        QVERIFY(!f.session->representations().of({}));
        QTRY_COMPARE(ready.count(), 1);
        const RepresentationsPtr representations = f.session->representations().of({});
        QVERIFY(representations && representations->refusal.isEmpty());
        f.session->documents().setParams({{"N", 32}});
        QTRY_VERIFY(!f.session->representations().of({}) || f.session->representations().of({}) != representations);
        QVERIFY(!f.session->representations().of({ScheduleRef::Kind::Trial, 0}));
        QVERIFY(!f.session->representations().of({ScheduleRef::Kind::Sketch, 99}));
    }

    void samplesOpenAsUntitledCopies() {
        SessionFixture f;
        const QString sample = QStringLiteral(LOOPSCOPE_SOURCE_DIR "/samples/matmul.te");
        f.session->files().open({sample});
        QVERIFY(f.settled());
        const Document &document = *f.session->document();
        QVERIFY(document.path.isEmpty()); // saving has to ask where
        QCOMPARE(document.origin, sample);
        QVERIFY(!document.modified);
        QVERIFY(document.task);
        f.session->files().open({sample}); // again: the copy that is there
        QCOMPARE(f.session->documents().all().size(), size_t{1});
        f.session->documents().setText(document.text + QStringLiteral("# mine\n"));
        QVERIFY(document.modified);
        f.session->files().open({sample}); // what was edited stays, beside a fresh copy
        QCOMPARE(f.session->documents().all().size(), size_t{2});
        QVERIFY(f.settled());
        QVERIFY(!f.session->document()->modified);

        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        f.restart();
        f.session->files().open({file});
        QCOMPARE(f.session->documents().all().size(), size_t{2});
        QVERIFY(f.session->documents().all()[0]->modified);
        QVERIFY(f.session->documents().all()[0]->text.endsWith(QStringLiteral("# mine\n")));
        QVERIFY(!f.session->documents().all()[1]->modified);
        QCOMPARE(f.session->documents().all()[1]->origin, sample);
        f.session->documents().setCurrent(f.session->documents().all()[0]->id);
        const QString own = f.folder.filePath(QStringLiteral("own.te"));
        QCOMPARE(f.session->documents().saveText(own), QString());
        QCOMPARE(f.session->document()->path, own);
        QVERIFY(f.session->document()->origin.isEmpty());
        QVERIFY(f.idle());
    }

    void aLogMayBeginWithOtherWords() {
        SessionFixture f;
        const QString log = f.write(QStringLiteral("printed.log"),
                                    "Get devices for measurement\n{warning}\n{\"i\": [[\"[\\\"odd\\\", 1]\", "
                                    "\"llvm -keys=cpu\"], [[], []]], \"r\": [[1e-06], 0, 0.5, 1700000000], \"v\": "
                                    "\"v0.6\"}\n");
        f.session->files().open({log});
        QVERIFY(f.idle());
        QCOMPARE(f.session->logs().all().size(), size_t{1});
        const OpenLog &opened = *f.session->logs().current();
        QCOMPARE(opened.records(), size_t{1});
        QCOMPARE(opened.log->document.unreadable().size(), size_t{2});
    }

    void anEmptyLogIsNoWorkload() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("empty.json"), ""),
                                 f.write(QStringLiteral("blank.log"), "\n# nothing\n"),
                                 f.write(QStringLiteral("words.json"), "not a record\n"),
                                 f.write(QStringLiteral("words.log"), "no {\"i\" record\n")});
        QVERIFY(f.idle());
        QVERIFY(f.session->documents().all().empty());
        const QString said = f.failures();
        QVERIFY2(said.contains(QStringLiteral("words.log is neither a tuning log nor a session: none of its first")),
                 qPrintable(said));
        QVERIFY2(
            said.contains(QStringLiteral("empty.json: no trial of this log can be shown | the log has no records")),
            qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("blank.log: no trial of this log can be shown | the log has no records")),
                 qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("words.json is neither a tuning log nor a session")), qPrintable(said));
    }

    void whatIsSaidAgainIsCounted() {
        SessionFixture f;
        const QString te = f.write(QStringLiteral("m.te"), SessionFixture::matmul(64));
        f.session->files().open({te});
        QVERIFY(f.settled());
        // One message for the whole file, whatever is wrong with its lines.
        const QByteArray log = logOf(*f.session->document()->task, 2);
        f.session->files().open(
            {f.write(QStringLiteral("m.json"), log + QByteArray("{\"i\": 1}\n").repeated(6) + "{broken\n")});
        QTRY_COMPARE(f.session->document()->trials.size(), size_t{2});
        QStringList warnings;
        for (const Message &message : f.session->messages().all())
            if (message.severity == Message::Severity::Warning) warnings << message.text + u'|' + message.detail;
        QCOMPARE(warnings.size(), 1);
        QVERIFY2(warnings[0].contains(QStringLiteral("m.json: 7 lines were skipped|lines ")), qPrintable(warnings[0]));
        QVERIFY2(warnings[0].contains(QStringLiteral(" and 1 more: ")), qPrintable(warnings[0]));
        QCOMPARE(warnings[0].count(u'\n'), 1); // two reasons
        // The same error six times is one error.
        const size_t before = f.session->messages().all().size();
        for (int i = 0; i < 6; ++i) f.session->files().open({QStringLiteral("/nowhere/at/all.te")});
        QCOMPARE(f.session->messages().all().size(), before + 1);
        QCOMPARE(f.session->messages().all().back().times, 6);
    }

    void severalWorkloadsAreOpenAtOnce() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("a.te"), SessionFixture::matmul(16)),
                                 f.write(QStringLiteral("b.te"), SessionFixture::matmul(32))});
        QTRY_VERIFY(f.session->documents().all().size() == 2 && f.session->documents().all()[0]->task &&
                    f.session->documents().all()[1]->task);
        const int first = f.session->documents().all()[0]->id;
        f.session->documents().setCurrent(first);
        QCOMPARE(f.session->document()->id, first);
        f.session->documents().close(first);
        QCOMPARE(f.session->documents().all().size(), size_t{1});
        f.session->documents().close(f.session->document()->id);
        QVERIFY(!f.session->document());
        QVERIFY(!f.session->search().whyNotStart().isEmpty());
    }
};

LOOPSCOPE_TEST(SessionOpenTest)
#include "session_open_test.moc"
