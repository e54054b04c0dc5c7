// One rule of the search at a time: what it changes is what it says, legal, and within the locks; what is open is
// completed; and what cannot be changed is told.

#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "schedule/bound_inference.h"
#include "schedule/locks/lock_pattern.h"
#include "schedule/script/schedule_script.h"
#include "search/moves/complete_schedule.h"
#include "search/moves/mutate_schedule.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <set>
#include <stdexcept>

using namespace loopscope;

namespace {

Steps stepsOf(const DagPtr &dag, const std::string &script) {
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied.state.steps();
}

std::shared_ptr<const ScheduleLocks> lockedOf(const DagPtr &dag, const Steps &schedule, const std::string &pattern) {
    auto locks = std::make_shared<ScheduleLocks>();
    const ReadLocks read = readLocks(pattern, dag, schedule);
    if (read.problem) throw std::runtime_error(read.problem->text(pattern));
    for (const ScheduleLock &lock : read.locks) locks->add(lock);
    return locks;
}

bool isLegal(const DagPtr &dag, const Steps &steps) {
    const auto state = replay(dag, steps);
    return state && state->concrete() && inferBounds(*state, std::make_shared<ExprArena>());
}

/// C of matmul, bias and relu inside its reader, everything decided.
const char *const kDecided = "split C i into 2, 4\n"
                             "split C j into 2, 8\n"
                             "split C k into 8\n"
                             "reorder C i.0, j.0, i.1, j.1, k.0, k.1, i.2, j.2\n"
                             "compute_inline D\n"
                             "fuse C i.0, j.0\n"
                             "parallel C i.0@j.0@\n"
                             "fuse E i, j\n"
                             "parallel E i@j@\n"
                             "pragma C i.0@j.0@ auto_unroll_max_step$64\n"
                             "vectorize C j.2\n";

} // namespace

class MutateScheduleTest : public QObject {
    Q_OBJECT
  private slots:
    void eachRuleChangesItsOwn_data() {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QStringList>("primitives");
        QTest::newRow("tile-size") << "tile-size" << QStringList{"split"};
        QTest::newRow("auto-unroll") << "auto-unroll" << QStringList{"pragma"};
        QTest::newRow("vectorize") << "vectorize" << QStringList{"vectorize"};
        QTest::newRow("parallel") << "parallel" << QStringList{"fuse", "parallel", "pragma"};
        QTest::newRow("crossover") << "crossover" << QStringList{"split"};
    }
    void eachRuleChangesItsOwn() {
        QFETCH(QString, rule);
        QFETCH(QStringList, primitives);
        const Task task = makeTask(matmulBiasReluDag(64, 64, 64), processorTarget(2));
        const Steps steps = stepsOf(task.dag, kDecided);
        MutationRequest request;
        request.rule = rule.toStdString();
        std::string other = kDecided;
        for (const char *was : {"into 2, 4", "into 2, 8"}) other.replace(other.find(was), 9, "into 4, 4");
        request.other = stepsOf(task.dag, other);
        std::set<std::string> scripts;
        for (request.seed = 0; request.seed < 12; ++request.seed) {
            const auto changed = mutateSchedule(task, steps, request);
            QVERIFY2(changed.ok(), changed ? "" : changed.why().c_str());
            QCOMPARE(changed->rule, request.rule);
            QVERIFY(isLegal(task.dag, changed->steps));
            QVERIFY(changed->steps != steps);
            scripts.insert(scriptOf(task.dag, changed->steps).value());
            int differences = 0;
            for (const StepPair &pair : changed->lines) {
                if (pair.same) continue;
                ++differences;
                const QString line = QString::fromStdString(pair.lineA.empty() ? pair.lineB : pair.lineA);
                QVERIFY2(primitives.contains(line.section(' ', 0, 0)), qPrintable(line));
            }
            QVERIFY(differences > 0);
            const auto again = mutateSchedule(task, steps, request);
            QVERIFY(again->steps == changed->steps); // the same seed
        }
        if (rule == "tile-size" || rule == "parallel") QVERIFY(scripts.size() > 1); // other seeds, other changes
    }

    void aStageIsComputedElsewhere() {
        const Task task = makeTask(matmulBiasReluDag(64, 64, 64), processorTarget(2));
        const Steps steps = stepsOf(task.dag, "compute_at D E i\n");
        MutationRequest request;
        request.rule = "compute-location";
        const auto changed = mutateSchedule(task, steps, request);
        QVERIFY2(changed.ok(), changed ? "" : changed.why().c_str());
        QVERIFY(isLegal(task.dag, changed->steps));
        const auto differs =
            std::find_if(changed->lines.begin(), changed->lines.end(), [](const StepPair &pair) { return !pair.same; });
        QVERIFY(differs != changed->lines.end() && differs->lineA == "compute_at D E i");
        request.options.locks = lockedOf(task.dag, steps, "place:D");
        const auto refused = mutateSchedule(task, steps, request);
        QVERIFY(!refused);
        QCOMPARE(refused.why(),
                 std::string("compute-location finds nothing to change that is not locked: no step of it "
                             "places a stage that could be elsewhere"));
    }

    void theRulesThatApply() {
        const Task task = makeTask(matmulBiasReluDag(64, 64, 64), processorTarget(2));
        const Steps steps = stepsOf(task.dag, kDecided);
        MutationRequest request;
        QCOMPARE(applicableMutations(task, steps, request),
                 (std::vector<std::string>{"tile-size", "auto-unroll", "vectorize", "parallel"}));
        request.options.locks = lockedOf(task.dag, steps, "split *");
        QCOMPARE(applicableMutations(task, steps, request),
                 (std::vector<std::string>{"auto-unroll", "vectorize", "parallel"}));
        for (request.seed = 0; request.seed < 24; ++request.seed)
            QVERIFY(mutateSchedule(task, steps, request)->rule != "tile-size");
        request.options.locks = lockedOf(task.dag, steps, "stage:*");
        QCOMPARE(applicableMutations(task, steps, request), std::vector<std::string>());
        const auto none = mutateSchedule(task, steps, request);
        QVERIFY(!none);
        QCOMPARE(none.why(), std::string("no rule of the search finds anything to change that is not locked"));
    }

    void refusals() {
        const Task task = makeTask(matmulBiasReluDag(64, 64, 64), processorTarget(2));
        MutationRequest request;
        const auto why = [&](const char *rule, const Steps &steps) {
            request.rule = rule;
            const auto changed = mutateSchedule(task, steps, request);
            return QString::fromStdString(changed ? "" : changed.why());
        };
        const Steps plain = stepsOf(task.dag, "parallel C i\n");
        QCOMPARE(why("tilesize", plain),
                 QString("there is no mutation rule `tilesize` (did you mean `tile-size`?); there "
                         "are tile-size, compute-location, auto-unroll, vectorize, parallel, "
                         "crossover"));
        QCOMPARE(why("crossover", plain), QString("crossover needs another schedule to cross with"));
        QCOMPARE(
            why("tile-size", plain),
            QString("tile-size finds nothing to change: no loop of it is split; split some, or begin with a sketch"));
        QCOMPARE(why("tile-size", stepsOf(task.dag, "split C j into outer 4\n")),
                 QString("tile-size finds nothing to change: no split has lengths that may be exchanged"));
        QCOMPARE(why("compute-location", plain),
                 QString("compute-location finds nothing to change: no step of it says where a stage is computed; "
                         "compute one at a loop or at root"));
        QCOMPARE(
            why("auto-unroll", plain),
            QString("auto-unroll finds nothing to change: no step of it says how far a stage is unrolled; complete "
                    "the schedule, which adds it"));
        QVERIFY(why("parallel", plain).isEmpty()); // it takes in the loop below
        QCOMPARE(
            why("parallel", stepsOf(task.dag, "parallel C j\n")),
            QString("parallel finds nothing to change: it changes how many of the outermost loops are fused into a "
                    "parallel one, and no outermost loop is parallel here; make one so"));
        QCOMPARE(why("parallel", {}),
                 QString("parallel finds nothing to change: no loop of it is parallel; complete the schedule, which "
                         "makes one so, or fuse loops and make the one that they become parallel"));
        request.other = plain;
        QCOMPARE(why("crossover", plain), QString("crossover finds nothing to change: the two have to make the same "
                                                  "splits, with other lengths"));
        QVERIFY(why("", {AnnotateStep{StageId(90), IterId(0), Annotation::Parallel}}).contains("90"));
        const Task cuda = makeTask(matmulDag(64, 64, 64), gpuTarget());
        QVERIFY(!mutateSchedule(cuda, {}, {}).ok());
        const auto bound = completeSchedule(cuda, {}, 0);
        QVERIFY2(bound.ok(), bound ? "" : bound.why().c_str());
        QVERIFY(std::any_of(bound->steps.begin(), bound->steps.end(), [](const Step &step) {
            const auto *annotate = std::get_if<AnnotateStep>(&step);
            return annotate != nullptr && annotate->annotation == Annotation::ThreadX;
        }));
    }

    /// What is missing is added by what the sentence names.
    void completingAddsWhatRulesLack() {
        const Task task = makeTask(matmulBiasReluDag(8, 8, 8), processorTarget(2));
        const auto complete = completeSchedule(task, {}, 0);
        QVERIFY2(complete.ok(), complete ? "" : complete.why().c_str());
        for (const char *rule : {"auto-unroll", "parallel"}) {
            QVERIFY(whatMutationLacks(rule, {}).has_value());
            QVERIFY2(!whatMutationLacks(rule, complete->steps).has_value(), rule);
            MutationRequest request;
            request.rule = rule;
            const auto changed = mutateSchedule(task, complete->steps, request);
            QVERIFY2(changed.ok(), changed ? "" : changed.why().c_str());
        }
        QVERIFY(!whatMutationLacks("vectorize", {}).has_value());
    }

    /// Whatever is changed, however often: legal, and what is locked stays.
    void anyNumberOfMutations() {
        int made = 0;
        for (uint64_t seed = 0; seed < 20; ++seed) {
            Random random(seed, 30);
            const std::vector<DagPtr> dags = smallDags();
            const DagPtr &dag = dags[random.index(dags.size())];
            const Task task = makeTask(dag, processorTarget(2));
            Steps steps = randomSchedule(dag, random, {.attempts = 16, .parallel = false}).steps();
            MutationRequest request;
            const auto patterns = lockPatterns(dag, steps);
            if (!patterns.empty())
                request.options.locks = lockedOf(dag, steps, patterns[random.index(patterns.size())]);
            for (request.seed = 0; request.seed < 6; ++request.seed) {
                const auto changed = mutateSchedule(task, steps, request);
                if (!changed) break;
                QVERIFY(isLegal(dag, changed->steps));
                if (request.options.locks) {
                    const auto kept = request.options.locks->keptBy(dag, changed->steps);
                    QVERIFY2(kept.ok(), kept ? "" : kept.why().c_str());
                }
                steps = changed->steps;
                ++made;
            }
        }
        QVERIFY2(made > 20, QByteArray::number(made));
    }

    void whatIsOpenIsCompleted() {
        const Task task = makeTask(matmulBiasReluDag(64, 64, 64), processorTarget(2));
        const std::string open = "split C i into 2, 4\n"
                                 "split C j into ?, 8\n"
                                 "split C k into ?\n"
                                 "reorder C i.0, j.0, i.1, j.1, k.0, k.1, i.2, j.2\n"
                                 "compute_inline D\n";
        const Steps steps = stepsOf(task.dag, open);
        std::set<std::string> scripts;
        for (uint64_t seed = 0; seed < 12; ++seed) {
            const auto complete = completeSchedule(task, steps, seed);
            QVERIFY2(complete.ok(), complete ? "" : complete.why().c_str());
            QVERIFY(isLegal(task.dag, complete->steps));
            const std::string script = scriptOf(task.dag, complete->steps).value();
            scripts.insert(script);
            QVERIFY2(script.starts_with("split C i into 2, 4\nsplit C j into "), script.c_str());
            QVERIFY(script.find(", 8\nsplit C k") != std::string::npos); // a length that was given stays
            for (const char *decided : {"parallel C ", "parallel E ", "pragma C ", "compute_inline D"})
                QVERIFY2(script.find(decided) != std::string::npos, script.c_str());
            QVERIFY(completeSchedule(task, steps, seed)->steps == complete->steps);
            const auto again = completeSchedule(task, complete->steps, seed);
            if (again) continue; // stages the draw left without vectors may still get them
            QVERIFY(again.why().starts_with("nothing is open: every length is a number"));
        }
        QVERIFY(scripts.size() > 3);
    }

    void whatIsDecidedStays() {
        const Task task = makeTask(matmulDag(64, 64, 64), processorTarget(2));
        const Steps steps = stepsOf(task.dag, "split C j into 16\n"
                                              "reorder C i, k, j.0, j.1\n"
                                              "parallel C i\n"
                                              "pragma C i auto_unroll_max_step$16\n"
                                              "vectorize C j.1\n");
        const auto none = completeSchedule(task, steps, 0);
        QVERIFY(!none);
        QVERIFY2(none.why().starts_with("nothing is open: "), none.why().c_str());
        // Locked, it stays open.
        const Steps bare = stepsOf(task.dag, "split C j into 16\n");
        QVERIFY(completeSchedule(task, bare, 0).ok());
        SearchOptions options;
        options.locks = lockedOf(task.dag, bare, "stage:C");
        QVERIFY(!completeSchedule(task, bare, 0, options).ok());
    }
};

LOOPSCOPE_TEST(MutateScheduleTest)
#include "mutate_schedule_test.moc"
