// Locks by names: every form of pattern, what it locks of a schedule, what breaks it, and what is said of one that
// cannot be read.

#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "schedule/locks/lock_pattern.h"
#include "schedule/script/schedule_script.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <stdexcept>

using namespace loopscope;

namespace {

const char *const kByHand = "split C i into 4, 2, 16\n"
                            "split C j into 2, 1, 32\n"
                            "split C k into 8\n"
                            "reorder C i.0, j.0, i.1, j.1, k.0, i.2, j.2, k.1, i.3, j.3\n"
                            "fuse C i.0, j.0\n"
                            "parallel C i.0@j.0@\n"
                            "pragma C i.0@j.0@ auto_unroll_max_step$64\n"
                            "vectorize C j.3\n";

Steps stepsOf(const DagPtr &dag, const std::string &script) {
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied.state.steps();
}

QStringList textsOf(const std::vector<ScheduleLock> &locks) {
    QStringList texts;
    for (const ScheduleLock &lock : locks) texts << QString::fromStdString(lock.text());
    return texts;
}

ScheduleLocks locksOf(const std::vector<ScheduleLock> &list) {
    ScheduleLocks locks;
    for (const ScheduleLock &lock : list) locks.add(lock);
    return locks;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
    const size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error("no " + from);
    return text.replace(at, from.size(), to);
}

} // namespace

class ScheduleLocksTest : public QObject {
    Q_OBJECT
  private slots:
    void patterns_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QStringList>("locks");
        const auto row = [](const char *pattern, const QStringList &locks) {
            QTest::newRow(pattern) << QString(pattern) << locks;
        };
        row("split C i", {"split C i into 4, 2, 16"});
        row("split * i", {"split C i into 4, 2, 16"});
        row("split C *", {"split C i into 4, 2, 16", "split C j into 2, 1, 32", "split C k into 8"});
        row("split C i into 4 2 16", {"split C i into 4, 2, 16"});
        row("split C i[0]", {"split C i[0]=4"});
        row("split C i [0]", {"split C i[0]=4"});
        row("split C i[0]=4", {"split C i[0]=4"});
        row("split C i[3] = 16", {"split C i[3]=16"});
        row("split C *[0]", {"split C i[0]=4", "split C j[0]=8", "split C k[0]=64"});
        row("split C *[2]", {"split C i[2]=2", "split C j[2]=1"}); // k is not split so often
        row("parallel *", {"parallel C i.0@j.0@"});
        row("parallel C i.0*", {"parallel C i.0@j.0@"});
        row("vectorize C", {"vectorize C j.3"});
        row("pragma C", {"pragma C * auto_unroll_max_step$64"});
        row("pragma C i.0@j.0@ auto_unroll*", {"pragma C * auto_unroll_max_step$64"});
        row("fuse C i.0, j.0", {"fuse C i.0, j.0"});
        row("place:C", {"place:C=compute_root C"});
        row("place:C = compute_root C", {"place:C=compute_root C"});
        row("stage:C", {"stage:C=split C i into 4, 2, 16; split C j into 2, 1, 32; split C k into 8; reorder C i.0, "
                        "j.0, i.1, j.1, k.0, i.2, j.2, k.1, i.3, j.3; fuse C i.0, j.0; parallel C i.0@j.0@; pragma C * "
                        "auto_unroll_max_step$64; vectorize C j.3"});
        row("stage:A", {"stage:A="});
    }
    void patterns() {
        QFETCH(QString, pattern);
        QFETCH(QStringList, locks);
        const DagPtr dag = matmulDag();
        const Steps steps = stepsOf(dag, kByHand);
        const ReadLocks read = readLocks(pattern.toStdString(), dag, steps);
        if (read.problem) QFAIL(read.problem->text(pattern.toStdString()).c_str());
        QCOMPARE(textsOf(read.locks), locks);
        QVERIFY(locksOf(read.locks).keptBy(dag, steps));
        // Each says all of itself: without a schedule it is read as the same.
        for (const ScheduleLock &lock : read.locks) {
            const ReadLocks again = readLocks(lock.text());
            if (again.problem) QFAIL(again.problem->text(lock.text()).c_str());
            QCOMPARE(textsOf(again.locks), QStringList(QString::fromStdString(lock.text())));
            QVERIFY(locksOf(again.locks).keptBy(dag, steps));
        }
    }

    void aPlaceIsLockedWhoeverSaysIt() {
        const DagPtr dag = matmulBiasReluDag(64, 64, 64);
        const std::string stage = "C";
        const std::string reader = "D";
        const Steps inside = stepsOf(dag, "compute_at " + stage + " " + reader + " i\n");
        const ReadLocks at = readLocks("compute_at *", dag, inside);
        QVERIFY(!at.problem);
        QCOMPARE(textsOf(at.locks),
                 QStringList(QString::fromStdString("place:" + stage + "=compute_at " + stage + " " + reader + " i")));
        QVERIFY(!locksOf(at.locks).keptBy(dag, {}));
        QVERIFY(locksOf(at.locks).keptBy(dag, inside));
        // It is inside first, and then is not.
        const Steps out = stepsOf(dag, "compute_at " + stage + " " + reader + " i\ncompute_root " + stage + "\n");
        QVERIFY(!locksOf(at.locks).keptBy(dag, out));
        const ReadLocks none = readLocks("compute_at " + stage, dag, {});
        QVERIFY(none.problem);
        const ReadLocks root = readLocks("place:" + stage, dag, {});
        QVERIFY(!root.problem);
        QVERIFY(locksOf(root.locks).keptBy(dag, {}));
        QVERIFY(locksOf(root.locks).keptBy(dag, out));
        QVERIFY(!locksOf(root.locks).keptBy(dag, inside));
    }

    void whatBreaksALock_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *pattern, const char *from, const char *to, const char *why) {
            QTest::newRow(qPrintable(QString("%1: %2").arg(pattern, to))) << QString(pattern) << from << to << why;
        };
        row("split C i", "into 4, 2, 16", "into 2, 4, 16", "no line of it reads so");
        row("split C i[0]", "into 4, 2, 16", "into 2, 2, 16", "that length is 8");
        row("split C i[0]", "into 4, 2, 16", "into 4, 4, 8", "");
        row("split C i[3]", "into 4, 2, 16", "into 8, 2, 8", "that length is 8");
        row("split C i[3]", "into 4, 2, 16", "into 4, 1, 16", "");
        row("parallel *", "parallel C i.0@j.0@\n", "", "no line of it reads so");
        row("pragma C", "step$64", "step$16", "it has `pragma C * auto_unroll_max_step$16`");
        row("vectorize C", "vectorize C j.3\n", "", "no line of it reads so");
        row("stage:C", "vectorize C j.3\n", "vectorize C j.3\nunroll C i.3\n", "`unroll C i.3` is one step more");
        row("stage:C", "vectorize C j.3\n", "", "`vectorize C j.3` is missing");
        row("stage:C", "into 8", "into 4", "it has `split C k into 4` where `split C k into 8` is locked");
    }
    void whatBreaksALock() {
        QFETCH(QString, pattern);
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, why);
        const DagPtr dag = matmulDag();
        const ReadLocks read = readLocks(pattern.toStdString(), dag, stepsOf(dag, kByHand));
        QVERIFY(!read.problem);
        const auto kept =
            locksOf(read.locks).keptBy(dag, stepsOf(dag, replaced(kByHand, from.toStdString(), to.toStdString())));
        QCOMPARE(kept.ok(), why.isEmpty());
        if (!why.isEmpty())
            QVERIFY2(QString::fromStdString(kept.why()).endsWith("is broken: " + why), kept.why().c_str());
    }

    void whatOfItsStepsIsLocked() {
        const DagPtr dag = matmulDag();
        const Steps steps = stepsOf(dag, kByHand);
        ScheduleLocks locks;
        for (const char *pattern : {"split C i[0]", "split C i[3]", "split C j", "pragma C"})
            for (const ScheduleLock &lock : readLocks(pattern, dag, steps).locks) locks.add(lock);
        const LockedSteps locked = locks.keptBy(dag, steps).value();
        QVERIFY(locked.length(0, 0) && !locked.length(0, 1) && !locked.length(0, 2) && locked.length(0, 3));
        QVERIFY(locked.step(0) && !locked.whole(0));
        QVERIFY(locked.whole(1));
        for (const size_t free : {2, 3, 4, 5, 7}) QVERIFY(!locked.step(free));
        QVERIFY(locked.whole(6));
        QCOMPARE(locked.closed, std::vector<bool>(3, false));
        locks.add(readLocks("stage:C", dag, steps).locks.front());
        QCOMPARE(locks.keptBy(dag, steps)->closed, (std::vector<bool>{false, false, true}));
        const size_t count = locks.all().size();
        locks.add(readLocks("stage:C", dag, steps).locks.front());
        QCOMPARE(locks.all().size(), count);
        locks.remove(readLocks("stage:C", dag, steps).locks.front());
        QCOMPARE(locks.keptBy(dag, steps)->closed, std::vector<bool>(3, false));
    }

    void refusals_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QStringList>("legal");
        const auto row = [](const char *pattern, int column, const char *reason, const QStringList &legal = {}) {
            QTest::newRow(*pattern ? pattern : "empty") << QString(pattern) << column << QString(reason) << legal;
        };
        row("", 1, "a pattern is missing");
        row("spilt C i", 1, "there is no primitive `spilt` (did you mean `split`?)");
        row("unroll C", 1, "the schedule has no step `unroll`",
            {"split", "reorder", "fuse", "parallel", "pragma", "vectorize"});
        row("split D i", 7, "no line of the schedule reads `split D`; there is C", {"C"});
        row("split C q", 9, "no line of the schedule reads `split C q`; there are i, j, k", {"i", "j", "k"});
        row("split C i into 8", 16, "no line of the schedule reads", {"4"});
        row("split C i[4]", 10, "splits into 4 loops: 0 is the outermost, 3 the innermost", {"0", "1", "2", "3"});
        row("split C i[0", 10, "and then `]`");
        row("split C i[x]", 10, "which of the loops");
        row("split C i[0]x", 13, "the pattern goes on behind its end");
        row("split C i[0]=5", 14, "in the schedule C i[0] is 4", {"4"});
        row("split C i[0]=x", 14, "a length is a whole number from 1, and `x` is none");
        row("split C i[0]=0", 14, "a length is a whole number from 1");
        row("split C i=4", 10, "only a length has a value");
        row("parallel C i.0[0]", 15, "stands behind the loop of a split");
        row("place:Z", 7, "the schedule has no stage `Z`", {"C"});
        row("place:", 7, "behind `place:` stands a stage");
        row("place:C D", 9, "the pattern goes on behind its end");
        row("place:C=compute_inline C", 9, "the schedule has `compute_root C`", {"compute_root C"});
        row("stage:Z", 7, "the schedule has no stage `Z`", {"A", "B", "C"});
        row("stage:C=vectorize C j.3", 9, "the schedule has `split C i");
        row("loop:C", 1, "`loop:` is no kind of lock", {"place:", "stage:"});
        row("compute_at C", 1, "`place:C` locks where it is computed now");
        row("split \"C i", 11, "the quoted name has no end");
        row("pragma A", 8, "no line of the schedule reads `pragma A`; there is C", {"C"});
        row("vectorize C j.3 x", 17, "end in front of `x`");
    }
    void refusals() {
        QFETCH(QString, pattern);
        QFETCH(int, column);
        QFETCH(QString, reason);
        QFETCH(QStringList, legal);
        const DagPtr dag = matmulDag();
        const ReadLocks read = readLocks(pattern.toStdString(), dag, stepsOf(dag, kByHand));
        QVERIFY(read.problem.has_value());
        QVERIFY(read.locks.empty());
        const std::string &said = read.problem->reason;
        QVERIFY2(QString::fromStdString(said).contains(reason), said.c_str());
        QCOMPARE(read.problem->column, column);
        if (legal.isEmpty()) return;
        QStringList there;
        for (const std::string &text : read.problem->legal) there << QString::fromStdString(text);
        QCOMPARE(there, legal);
    }

    void refusalsWithoutASchedule_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char *pattern, int column, const char *reason) {
            QTest::newRow(pattern) << QString(pattern) << column << QString(reason);
        };
        row("parallel *", 10, "there is no schedule in which `*` could be looked up");
        row("parallel C", 11, "no schedule to take the rest of the line from; it reads: parallel STAGE LOOP");
        row("split C i[0]", 10, "no schedule to take the length from");
        row("place:C", 8, "no schedule to take it from");
        row("place:C=parallel C i", 9, "a place is one line");
        row("stage:C", 8, "no schedule to take it from");
        row("spilt C i[0]=4", 1, "did you mean `split`?");
    }
    void refusalsWithoutASchedule() {
        QFETCH(QString, pattern);
        QFETCH(int, column);
        QFETCH(QString, reason);
        const ReadLocks read = readLocks(pattern.toStdString());
        QVERIFY(read.problem.has_value());
        QVERIFY2(QString::fromStdString(read.problem->reason).contains(reason), read.problem->reason.c_str());
        QCOMPARE(read.problem->column, column);
    }

    /// Whatever is offered can be read, locks something the schedule keeps, and means the same alone.
    void everyPatternOfferedIsOne() {
        int patterns = 0;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            Random random(seed, 20);
            const DagPtr dag = randomDag(random, {.ordered = seed % 4 == 1});
            const Steps steps = randomSchedule(dag, random).steps();
            for (const std::string &pattern : lockPatterns(dag, steps)) {
                const ReadLocks read = readLocks(pattern, dag, steps);
                if (read.problem) QFAIL(read.problem->text(pattern).c_str());
                const auto kept = locksOf(read.locks).keptBy(dag, steps);
                if (!kept) QFAIL(kept.why().c_str());
                for (const ScheduleLock &lock : read.locks) {
                    const ReadLocks again = readLocks(lock.text());
                    if (again.problem) QFAIL(again.problem->text(lock.text()).c_str());
                    const auto keptAgain = locksOf(again.locks).keptBy(dag, steps);
                    if (!keptAgain) QFAIL(keptAgain.why().c_str());
                }
                ++patterns;
            }
        }
        QVERIFY(patterns > 500);
    }
};

LOOPSCOPE_TEST(ScheduleLocksTest)
#include "schedule_locks_test.moc"
