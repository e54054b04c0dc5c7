// A log whose workload nobody knows opens all the same: its trials can be looked at, the reason why there is no more is
// on record, and the workload can be found later.

#include "session_fixture.h"

#include "harness/shared_data.h"
#include "records/record/record.h"
#include "test_program.h"
#include "views/session/step_names.h"
#include "views/session/tasks.h"
#include "views/session/text.h"

#include <QFileInfo>

using namespace loopscope;

namespace session_unknown_log_test {

namespace {

/// A log of matmuls that neither a sample nor a file beside it has.
QByteArray logOf(const std::vector<int> &sizes, int trials) {
    std::string text;
    for (const int n : sizes) {
        const Task task =
            makeTask(ComputeDag::fromWorkload(parseWorkload(SessionFixture::matmul(n).toStdString(), "m.te", {})),
                     parseTarget("llvm"));
        for (int i = 0; i < trials; ++i) {
            Trial trial;
            trial.steps = {SplitStep{StageId(2), IterId(0), n, {2 + i}, true}}; // each another schedule
            trial.seconds = {1e-3 * (trials - i)};
            if (i == 1) {
                trial.seconds.clear();
                trial.error = TrialError::RuntimeDevice;
                trial.reason = "the kernel crashed";
            }
            const Record record = makeRecord(task, trial);
            text += recordComment(record) + recordLine(record) + "\n";
        }
    }
    return QByteArray::fromStdString(text);
}

} // namespace

class SessionUnknownLogTest : public QObject {
    Q_OBJECT

  private slots:
    void opensAsADocument() {
        SessionFixture f;
        const QString log = f.write(QStringLiteral("foreign.json"), logOf({92}, 4));
        f.session->files().open({log});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        QVERIFY(f.idle());
        const Document &document = *f.session->document();
        QVERIFY(document.logTask && !document.task);
        QCOMPARE(document.trials.size(), size_t{4});
        QCOMPARE(document.best, 3);
        QVERIFY(!document.trials[1].valid());
        QCOMPARE(document.trials[1].trial.reason, std::string("the kernel crashed"));
        QVERIFY2(document.logTask->key.contains(QStringLiteral("92,92")) ||
                     document.logTask->key.contains(QStringLiteral("92, 92")),
                 qPrintable(document.logTask->key));
        QVERIFY(document.logTask->target.startsWith(QStringLiteral("llvm")));
        QVERIFY(document.problem);
        QVERIFY2(document.problem->sentence.startsWith(QStringLiteral("the workload of this log is not known")),
                 qPrintable(document.problem->sentence));
        QCOMPARE(f.session->search().whyNotStart(), QStringLiteral("the workload of this log is not known"));
        QCOMPARE(f.session->selection().now().schedule, (ScheduleRef{ScheduleRef::Kind::Trial, 3}));
        const NamedSteps steps = nameSteps(nullptr, document.trials[0].trial.steps.unpack());
        QCOMPARE(steps.steps.front().sentence, QStringLiteral("split stage 2.loop 0 into 46 \u00d7 2"));
        QVERIFY(!document.modified);
        QCOMPARE(f.failures(), QString());
        // Nothing that is for workloads only takes it along.
        f.session->documents().setText(QStringLiteral("anything"));
        f.session->documents().setTarget(QStringLiteral("llvm -num-cores=1"));
        QTest::qWait(400);
        QVERIFY(f.session->document()->logTask && f.session->document()->text.isEmpty());
        f.session->files().open({log}); // again: the same, not twice
        QVERIFY(f.idle());
        QCOMPARE(f.session->documents().all().size(), size_t{1});
    }

    void everyTaskOfTheLogIsThere() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("foreign.json"), logOf({92, 93, 94}, 2))});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        QVERIFY(f.idle());
        const Document &document = *f.session->document();
        QCOMPARE(document.others.size(), size_t{2});
        QVERIFY(document.logTask->key != document.others[0].logTask->key);
        const int other = document.others[1].taskId;
        f.session->documents().showTask(other);
        QCOMPARE(f.session->document()->taskId, other);
        QVERIFY(f.session->document()->problem);
        QCOMPARE(f.session->document()->trials.size(), size_t{2});
        QCOMPARE(f.session->document()->trials[0].logRecord, 4);
    }

    void itsWorkloadIsFound() {
        SessionFixture f;
        const QString log = f.write(QStringLiteral("foreign.json"), logOf({92}, 4));
        f.session->files().open({log});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        QVERIFY(f.idle());
        QVERIFY(QDir(f.folder.path()).mkdir(QStringLiteral("elsewhere")));
        f.session->files().findWorkload(f.write(QStringLiteral("elsewhere/wrong.te"), SessionFixture::matmul(64)));
        QVERIFY(f.idle());
        QVERIFY(f.session->document()->logTask);
        const QString why = f.session->document()->problem->sentence;
        QVERIFY2(why.contains(QStringLiteral("wrong.te is another task: ")), qPrintable(why));

        const QString right = f.write(QStringLiteral("elsewhere/right.te"), SessionFixture::matmul(92));
        f.session->files().findWorkload(right);
        QTRY_VERIFY(f.session->document() && f.session->document()->task);
        QVERIFY(f.idle());
        QCOMPARE(f.session->documents().all().size(), size_t{1});
        const Document &document = *f.session->document();
        QCOMPARE(document.path, right);
        QVERIFY(!document.logTask && !document.problem);
        QCOMPARE(document.trials.size(), size_t{4});
        QCOMPARE(document.best, 3);
        QVERIFY(document.trials[0].gflops > 0);
    }

    void isThereAgainAtTheNextStart() {
        SessionFixture f;
        f.session->files().open({f.write(QStringLiteral("foreign.json"), logOf({92}, 4))});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        f.restart();
        f.session->files().open({file});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        QVERIFY(f.session->document()->logTask);
        QCOMPARE(f.session->document()->trials.size(), size_t{4});
        QCOMPARE(f.failures(), QString());
    }

    void pinsAndNotesStay() {
        SessionFixture f;
        const QString log = f.write(QStringLiteral("foreign.json"), logOf({92, 93}, 3));
        f.session->files().open({log});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        QVERIFY(f.idle());
        f.session->trials().setPinned(0, true);
        f.session->documents().showTask(f.session->document()->others[0].taskId);
        f.session->trials().setNote(2, QStringLiteral("odd"));
        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        // Another process puts its records between those of the two tasks.
        f.write(QStringLiteral("foreign.json"), logOf({92}, 3) + logOf({94}, 2) + logOf({93}, 3));
        f.restart();
        f.session->files().open({file});
        QVERIFY(f.session->file().restoring()); // not saved before it is read
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document(), 60000);
        QVERIFY(f.idle());
        QVERIFY(!f.session->file().restoring());
        const auto tasks = tasksOf(*f.session->document());
        QCOMPARE(tasks.size(), size_t{3});
        for (size_t task = 0; task < tasks.size(); ++task)
            for (size_t i = 0; i < tasks[task]->trials.size(); ++i) {
                const TrialEntry &entry = tasks[task]->trials[i];
                QCOMPARE(entry.pinned, task == 0 && i == 0);
                QCOMPARE(entry.later->note, task == 2 && i == 2 ? QStringLiteral("odd") : QString());
            }
        // So they do when the log is opened once more, and when its workload is found.
        f.session->files().open({log});
        QVERIFY(f.idle());
        QVERIFY(f.session->document()->trials[0].pinned);
        QVERIFY(QDir(f.folder.path()).mkdir(QStringLiteral("elsewhere")));
        f.session->files().findWorkload(f.write(QStringLiteral("elsewhere/right.te"), SessionFixture::matmul(92)));
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document()->task && f.session->document()->trials.size() == 3, 60000);
        QVERIFY(f.session->document()->trials[0].pinned && !f.session->document()->trials[2].pinned);
    }

    void realLogsOpenTheWorkloadOfTheirFirstTask_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("target");
        QTest::newRow("a matmul by function name")
            << QStringLiteral("tvm-matmul.json") << QStringLiteral("matmul_add") << QStringLiteral("llvm");
        QTest::newRow("resnet-18 for a GPU")
            << QStringLiteral("tvm-resnet18-nhwc-cuda.json") << QStringLiteral("softmax") << QStringLiteral("cuda");
    }
    void realLogsOpenTheWorkloadOfTheirFirstTask() {
        QFETCH(QString, file);
        QFETCH(QString, name);
        QFETCH(QString, target);
        const auto path = sharedDataFile(std8(file));
        if (!path) QSKIP("the real logs are not on this machine");
        SessionFixture f;
        f.session->files().open({qt(*path)});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document() && !f.session->document()->trials.empty(), 60000);
        QVERIFY(f.idle());
        const Document &document = *f.session->document();
        QVERIFY(document.task && !document.logTask);
        QCOMPARE(document.name, name);
        QVERIFY2(document.targetText.startsWith(target), qPrintable(document.targetText));
        QCOMPARE(document.trials.size(), size_t{1});
        QCOMPARE(document.best, 0);
        QCOMPARE(f.failures(), QString());
    }

    /// Whatever is on the machine: the key is computed here and says what it is of.
    void aKeyOfAKnownOperatorOpensItsWorkload() {
        SessionFixture f;
        const Task task = makeTask(
            ComputeDag::fromWorkload(parseWorkload("workload s()\na \"placeholder\" = placeholder [12, 20] float32\n"
                                                   "r = softmax(a, 1)\n",
                                                   "s.te", {})),
            parseTarget("llvm -num-cores=3"));
        Trial trial;
        trial.seconds = {1e-3};
        const QString log = f.write(QStringLiteral("softmax.json"),
                                    QByteArray::fromStdString(recordLine(makeRecord(task, trial)) + "\n"));
        f.session->files().open({log});
        QTRY_VERIFY_WITH_TIMEOUT(f.session->document() && !f.session->document()->trials.empty(), 60000);
        QVERIFY(f.idle());
        const Document &document = *f.session->document();
        QVERIFY(document.task && !document.logTask);
        QCOMPARE(qt(document.task->key), qt(task.key));
        QVERIFY2(document.targetText.contains(QStringLiteral("-num-cores=3")), qPrintable(document.targetText));
        // Another log of it, read while nobody knows the first one's workload, comes to the same document.
        SessionFixture both;
        const auto write = [&](const char *name) {
            return both.write(QLatin1String(name),
                              QByteArray::fromStdString(recordLine(makeRecord(task, trial)) + "\n"));
        };
        const QString one = write("one.json");
        trial.seconds = {2e-3}; // or it would be a copy
        both.session->files().open({one, write("two.json")});
        QTRY_VERIFY_WITH_TIMEOUT(both.session->document() && both.session->document()->trials.size() == 2, 60000);
        QVERIFY(both.idle());
        QCOMPARE(both.session->documents().all().size(), size_t{1});
    }
};

LOOPSCOPE_TEST(SessionUnknownLogTest)

} // namespace session_unknown_log_test
#include "session_unknown_log_test.moc"
