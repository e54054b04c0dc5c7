// Searching within locks: whatever is proposed keeps them and is legal, also around schedules no sketch has; children
// are not lost to them; what leaves nothing to search is refused.

#include "harness/random_dag.h"
#include "harness/random_schedule.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "harness/scripted_search.h"
#include "sampled_task.h"
#include "schedule/bound_inference.h"
#include "schedule/locks/lock_pattern.h"
#include "schedule/script/schedule_script.h"
#include "schedule/steps_json.h"
#include "search/locks/locked_start.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <stdexcept>
#include <thread>

using namespace loopscope;

namespace {

Steps stepsOf(const DagPtr &dag, const std::string &script) {
    const AppliedScript applied = applyScript(dag, script);
    if (applied.problem) throw std::runtime_error(applied.problem->text("script"));
    return applied.state.steps();
}

std::shared_ptr<const ScheduleLocks> locked(const DagPtr &dag, const Steps &schedule,
                                            const std::vector<std::string> &patterns) {
    auto locks = std::make_shared<ScheduleLocks>();
    for (const std::string &pattern : patterns) {
        const ReadLocks read = readLocks(pattern, dag, schedule);
        if (read.problem) throw std::runtime_error(read.problem->text(pattern));
        for (const ScheduleLock &lock : read.locks) locks->add(lock);
    }
    return locks;
}

struct LockedSearch {
    explicit LockedSearch(const DagPtr &dag, int trials = 24) : LockedSearch(taskForTwoCores(dag), trials) {}
    LockedSearch(const Task &of, int trials) : task(of), options(quickSearch(trials)) {}
    SearchResult operator()() {
        const auto model = makeXgboostModel({});
        const auto order = makeRoundRobinOrder();
        TaskJob job{task, options, measurer, *model, resumed};
        job.startFrom = startFrom;
        return tuneTasks({job}, {0, 0, options.threads}, *order, listener, &control).front();
    }
    /// Measured schedules that break a lock or are illegal: the sentences.
    [[nodiscard]] QStringList broken(const SearchResult &result) const {
        QStringList why;
        for (const Trial &trial : result.trials) {
            const Steps steps = trial.steps.unpack();
            if (options.locks)
                if (const auto kept = options.locks->keptBy(task.dag, steps); !kept)
                    why << QString::fromStdString(kept.why());
            const auto state = replay(task.dag, steps);
            if (!state || !inferBounds(*state, std::make_shared<ExprArena>())) why << "illegal";
        }
        return why;
    }
    [[nodiscard]] QStringList notes() const {
        QStringList said;
        for (const SearchNote &note : listener.all<SearchNote>()) said << QString::fromStdString(note.sentence);
        return said;
    }
    Task task;
    SearchOptions options;
    ScriptedMeasurer measurer;
    std::vector<Steps> startFrom;
    std::vector<Trial> resumed;
    SearchListener listener;
    SearchControl control;
};

/// The share of changed children that were lost to locks.
double shareLost(const SearchListener &listener) {
    double lost = 0;
    double all = 0;
    for (const GenerationEvolved &made : listener.all<GenerationEvolved>()) {
        if (made.generation == 0) continue;
        all += made.population;
        for (const auto &[reason, count] : made.refusals)
            if (reason.find("lock") != std::string::npos) lost += count;
    }
    return all > 0 ? lost / all : 1;
}

/// A structure no sketch has: the reduction outermost but one, and only j in vectors.
const char *const kByHand = "split C i into 8\n"
                            "split C j into 16\n"
                            "split C k into 4\n"
                            "reorder C i.0, k.0, j.0, k.1, i.1, j.1\n"
                            "parallel C i.0\n";

} // namespace

class LocksTest : public QObject {
    Q_OBJECT
  private slots:
    /// Random locks on random schedules: drawn from sketches, and by hand.
    void everyCandidateKeepsThem_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 16; ++seed) QTest::newRow(qPrintable(QString::number(seed))) << seed;
    }
    void everyCandidateKeepsThem() {
        QFETCH(int, seed);
        Random random(static_cast<uint64_t>(seed), 7);
        const std::vector<DagPtr> dags = {matmulDag(64, 48, 32), matmulBiasReluDag(64, 64, 64), softmaxDag(24, 32),
                                          conv2dBiasReluNchwDag(1, 7, 7, 16, 16, 3, 1, 1)};
        const bool byHand = seed % 4 == 3;
        const DagPtr dag = byHand ? randomDag(random) : dags[random.index(dags.size())];
        LockedSearch search(dag, 16);
        Steps start;
        if (byHand) {
            start = randomSchedule(dag, random, {.attempts = 12, .parallel = false}).steps();
        } else {
            const SampledTask sampled(dag, 1, 64, static_cast<uint64_t>(seed));
            start = sampled.sampled[random.index(sampled.sampled.size())].steps;
        }
        std::vector<std::string> patterns;
        const auto offered = lockPatterns(dag, start);
        for (size_t i = 0; i < 1 + random.index(3) && !offered.empty(); ++i)
            patterns.push_back(offered[random.index(offered.size())]);
        search.options.locks = locked(dag, start, patterns);
        if (seed % 2 == 0 || byHand) search.startFrom = {start};
        const SearchResult result = search();
        const QStringList broken = search.broken(result);
        std::string said = fmt::format("{}", fmt::join(patterns, "; "));
        QVERIFY2(broken.isEmpty(), (said + ": " + broken.join("\n").toStdString()).c_str());
        if (result.refused)
            QVERIFY2(result.refused->sentence.find("nothing to vary") != std::string::npos ||
                         result.refused->sentence.find("cannot be searched around") != std::string::npos,
                     result.refused->sentence.c_str());
        else
            QVERIFY2(!result.trials.empty(), said.c_str());
        QVERIFY2(shareLost(search.listener) < 0.1 || result.refused || search.listener.all<GenerationEvolved>().empty(),
                 qPrintable(QString("%1: %2").arg(said.c_str()).arg(shareLost(search.listener))));
    }

    /// Random locks on schedules of a GPU: also on what binds its threads and brings tiles to shared memory.
    void everyCandidateOfAGpuKeepsThem() {
        const std::vector<DagPtr> dags = {matmulDag(64, 64, 64), conv2dBiasReluNchwDag(1, 14, 14, 16, 16, 3, 1, 1),
                                          softmaxDag(64, 128)};
        int locksOfThreads = 0;
        for (uint64_t seed = 0; seed < 9; ++seed) {
            Random random(seed, 8);
            const Task task = makeTask(dags[seed % dags.size()], gpuTarget());
            const SampledTask drawn(task, 1, 128, seed);
            QVERIFY(!drawn.sampled.empty());
            const Steps &start = drawn.sampled[random.index(drawn.sampled.size())].steps;
            const auto offered = lockPatterns(task.dag, start);
            QVERIFY(!offered.empty());
            std::vector<std::string> patterns;
            for (size_t i = 0; i < 1 + random.index(2); ++i) patterns.push_back(offered[random.index(offered.size())]);
            std::string said = fmt::format("seed {}: {}", seed, fmt::join(patterns, "; "));
            if (said.find("bind") != std::string::npos) ++locksOfThreads;
            LockedSearch search(task, 12);
            search.options.locks = locked(task.dag, start, patterns);
            search.startFrom = {start};
            const SearchResult result = search();
            const QStringList broken = search.broken(result);
            QVERIFY2(broken.isEmpty(), (said + ": " + broken.join("\n").toStdString()).c_str());
            if (result.refused)
                QVERIFY2(result.refused->sentence.find("nothing to vary") != std::string::npos,
                         (said + ": " + result.refused->sentence).c_str());
            else
                QVERIFY2(!result.trials.empty(), said.c_str());
        }
        QVERIFY(locksOfThreads > 0);
    }

    void theOuterTilingStays() {
        const DagPtr dag = conv2dBiasReluNchwDag();
        const SampledTask sampled(dag, 1, 64);
        const auto tiled = std::find_if(sampled.sampled.begin(), sampled.sampled.end(), [&](const Candidate &one) {
            return scriptOf(dag, one.steps)->find("parallel conv2d_nchw ") != std::string::npos &&
                   one.steps.size() > 12;
        });
        QVERIFY(tiled != sampled.sampled.end());
        LockedSearch search(dag, 48);
        search.options.locks = locked(dag, tiled->steps, {"split conv2d_nchw *[0]", "parallel *", "pragma *"});
        search.startFrom = {tiled->steps};
        const SearchResult result = search();
        QVERIFY(!result.refused);
        QCOMPARE(result.trials.size(), size_t(48));
        QCOMPARE(search.broken(result), QStringList());
        std::set<std::string> distinct(search.measurer.measured.begin(), search.measurer.measured.end());
        QCOMPARE(distinct.size(), size_t(48));
        qInfo("%.2f %% of the children were lost to locks", 100 * shareLost(search.listener));
        QVERIFY2(shareLost(search.listener) < 0.02, qPrintable(QString::number(shareLost(search.listener))));
        // Children there are, not copies of their parents.
        size_t bred = 0;
        for (const TrialFinished &trial : search.listener.all<TrialFinished>())
            bred += trial.lineage.mutation.empty() ? 0 : 1;
        QVERIFY2(bred > 10, qPrintable(QString::number(bred)));
    }

    void aStructureNoSketchHas() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const Steps start = stepsOf(dag, kByHand);
        LockedSearch search(dag, 32);
        search.options.locks = locked(dag, start, {"reorder C", "split C i"});
        search.startFrom = {start};
        const SearchResult result = search();
        QVERIFY(!result.refused);
        QCOMPARE(search.broken(result), QStringList());
        QCOMPARE(result.trials.size(), size_t(32));
        QCOMPARE(search.measurer.measured.front(), stepsText(start));
        QVERIFY2(search.notes().filter("sketch 0 is left out: it cannot keep the lock `reorder C").size() == 1,
                 qPrintable(search.notes().join('\n')));
        // What was left to the search is searched: lengths, the vectors and the unrolling that nobody had chosen.
        std::set<std::string> lengths;
        bool vectorised = false;
        bool unrolled = false;
        for (const Trial &trial : result.trials) {
            const std::string script = scriptOf(dag, trial.steps.unpack()).value();
            lengths.insert(script.substr(0, script.find("reorder")));
            vectorised = vectorised || script.find("vectorize C") != std::string::npos;
            unrolled = unrolled || script.find("pragma C") != std::string::npos;
        }
        QVERIFY(lengths.size() > 4);
        QVERIFY(vectorised && unrolled);
    }

    void nothingLeftIsRefused() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const Steps start = stepsOf(dag, kByHand);
        LockedSearch search(dag);
        search.options.locks = locked(dag, start, {"stage:C"});
        search.startFrom = {start};
        const SearchResult result = search();
        QVERIFY(result.refused.has_value());
        const std::string &said = result.refused->sentence;
        QVERIFY2(said.starts_with("the locks `stage:C` leave nothing to vary: they fix all that can be varied of the "
                                  "schedule to start from, and no sketch can keep them (of sketch 0: "),
                 said.c_str());
        QVERIFY(result.trials.empty());
        QVERIFY(search.notes().contains(QString::fromStdString(said)));
        const auto before = whatLocksLeave(search.task, search.options, search.startFrom);
        QVERIFY(before && before->sentence == said);
        // Less locked: there is something to do.
        search.options.locks = locked(dag, start, {"parallel C"});
        QVERIFY(!whatLocksLeave(search.task, search.options, search.startFrom));
    }

    void aScheduleThatBreaksThemIsNoStart() {
        const DagPtr dag = matmulDag(64, 64, 64);
        LockedSearch search(dag);
        search.options.locks = locked(dag, stepsOf(dag, kByHand), {"split C i"});
        search.startFrom = {stepsOf(dag, "split C i into 4\n")};
        const SearchResult result = search();
        QVERIFY(result.refused.has_value());
        QVERIFY2(result.refused->sentence.starts_with("schedule 1 to start from cannot be searched around: the lock "
                                                      "`split C i into 8` is broken: no line of it reads so"),
                 result.refused->sentence.c_str());
    }

    /// They are learnt from, but neither bred from nor called best.
    void trialsOfALogThatBreakThem() {
        const DagPtr dag = matmulDag();
        LockedSearch before(dag, 24);
        const SearchResult found = before();
        LockedSearch search(dag, 48);
        search.resumed = found.trials;
        // Of the slowest.
        const auto slowest = std::max_element(found.trials.begin(), found.trials.end(),
                                              [](const auto &a, const auto &b) { return a.cost() < b.cost(); });
        search.options.locks = locked(dag, slowest->steps.unpack(), {"split * *[0]"});
        const SearchResult result = search();
        QVERIFY(!result.refused);
        QCOMPARE(search.broken(result), QStringList());
        QVERIFY(result.best.has_value());
        const Trial &best = result.bestIsResumed ? search.resumed[*result.best] : result.trials[*result.best];
        QVERIFY(search.options.locks->keptBy(dag, best.steps.unpack()));
    }

    /// What the best known schedule has is kept, the rest found again by another seed.
    void locksOfTheBestLeadBackToItsTime() {
        const DagPtr dag = matmulDag();
        LockedSearch before(dag, 64);
        const SearchResult known = before();
        const Steps best = known.trials[*known.best].steps.unpack();
        LockedSearch search(dag, 64);
        search.options.seed = 77;
        search.options.locks = locked(dag, best, {"split * *[0]", "parallel *"});
        const SearchResult result = search();
        QVERIFY(!result.refused);
        QCOMPARE(search.broken(result), QStringList());
        const double ratio = result.trials[*result.best].cost() / known.trials[*known.best].cost();
        qInfo("time over that of the best known: %.3f", ratio);
        QVERIFY2(ratio < 1.1, qPrintable(QString::number(ratio)));
    }

    /// Put into a running search from another thread: measured in the next batch, bred from, and told by whom.
    void aScheduleIsPutIntoTheSearch() {
        const DagPtr dag = matmulDag(64, 64, 64);
        LockedSearch search(dag, 48);
        const Steps mine = stepsOf(dag, kByHand);
        // So fast that everything is bred from it.
        search.measurer.samples = [&](const Steps &steps) {
            const double seconds = steps == mine ? 1e-7 : scriptedSeconds(steps);
            return std::vector<double>(3, seconds);
        };
        std::thread other;
        search.listener.onEvent = [&](const SearchEvent &event) {
            const auto *finished = std::get_if<TrialFinished>(&event);
            if (finished == nullptr || finished->number != 3) return;
            other = std::thread([&] {
                search.control.offer({mine, "Ada"});
                search.control.offer({mine, "Bob"});
                search.control.offer({mine, "Cy", 7}); // of no task there is
            });
            other.join();
        };
        const SearchResult result = search();
        const auto offered = search.listener.all<ScheduleOffered>();
        QCOMPARE(offered.size(), size_t(2));
        QCOMPARE(offered[0].by, std::string("Ada"));
        QCOMPARE(offered[0].refused, std::string());
        QCOMPARE(offered[1].by, std::string("Bob"));
        QCOMPARE(offered[1].refused, std::string("it was measured before"));
        int number = 0;
        int children = 0;
        for (const TrialFinished &trial : search.listener.all<TrialFinished>()) {
            if (trial.by == "Ada") {
                QVERIFY(trial.trial.steps.unpack() == mine);
                number = trial.number;
                continue;
            }
            QVERIFY(trial.by.empty());
            const Ancestor *origin = trial.ancestry.get();
            while (origin != nullptr && origin->parent) origin = origin->parent.get();
            if (number > 0 && origin != nullptr && origin->trial == number) ++children;
        }
        QCOMPARE(number, 9); // the first of the second batch
        QVERIFY(children > 3);
        QCOMPARE(result.trials.size(), size_t(48));
    }

    void whatBreaksALockIsNotPutIn() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const Steps start = stepsOf(dag, kByHand);
        LockedSearch search(dag, 24);
        search.options.locks = locked(dag, start, {"split C i"});
        search.startFrom = {start};
        search.control.offer({stepsOf(dag, "split C i into 4\n"), "Ada"});
        search.listener.onEvent = [&](const SearchEvent &event) {
            const auto *phase = std::get_if<PhaseStarted>(&event);
            if (phase != nullptr && phase->phase == SearchPhase::ComparingFinalists)
                search.control.offer({start, "Bob"});
        };
        const SearchResult result = search();
        const auto offered = search.listener.all<ScheduleOffered>();
        QCOMPARE(offered.size(), size_t(2));
        QCOMPARE(offered[0].refused,
                 std::string("it is not used: the lock `split C i into 8` is broken: no line of it reads so"));
        QCOMPARE(offered[1].refused, std::string("the search ended before its next batch"));
        QCOMPARE(search.broken(result), QStringList());
    }

    /// More than one batch takes are measured in the next.
    void asManyAsThereIsRoomFor() {
        const DagPtr dag = matmulDag(64, 64, 64);
        LockedSearch search(dag, 24);
        for (const int inner : {2, 4, 8, 16, 32})
            for (const char *loop : {"i", "j"})
                search.control.offer({stepsOf(dag, fmt::format("split C {} into {}\n", loop, inner)), "Ada"});
        (void)search();
        std::vector<int> numbers;
        for (const TrialFinished &trial : search.listener.all<TrialFinished>())
            if (trial.by == "Ada") numbers.push_back(trial.number);
        QCOMPARE(numbers, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        // What there is no room for at all is told, too.
        LockedSearch full(dag, 4);
        for (const int inner : {2, 4, 8, 16, 32})
            full.control.offer({stepsOf(dag, fmt::format("split C i into {}\n", inner)), "Ada"});
        (void)full();
        const auto offered = full.listener.all<ScheduleOffered>();
        QCOMPARE(offered.size(), size_t(6));
        QCOMPARE(offered.back().refused, std::string("the search ended before its next batch"));
    }
};

LOOPSCOPE_TEST(LocksTest)
#include "locks_test.moc"
