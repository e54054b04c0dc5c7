// Populations drawn for every sample and for awkward extents: nearly every attempt is a legal schedule that lowers.

#include "codegen/lower/lower.h"
#include "harness/random_dag.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "language/te/workload.h"
#include "search/annotate/sample_population.h"
#include "test_program.h"

#include <QDir>
#include <QtTest>
#include <fmt/format.h>
#include <set>

using namespace loopscope;

namespace {

bool nothingKnown(const StateKey &) { return false; }

SampledPopulation draw(const DagPtr &dag, int attempts, int threads = 1,
                       const std::function<bool(const StateKey &)> &known = nothingKnown, int least = 1,
                       const Target &target = processorTarget()) {
    const Task task = makeTask(dag, target);
    SearchOptions options;
    options.population = attempts;
    options.minInitialPopulation = least;
    ThreadPool pool(threads);
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    return samplePopulation(task, generateSketches(dag, task.target, options.sketch), options, 1, known, pool, scratch);
}

/// Empty, or what is wrong with the population.
std::string problem(const DagPtr &dag, const SampledPopulation &drawn) {
    int lost = 0;
    std::string reasons;
    for (const auto &[reason, count] : drawn.refusals) {
        lost += count;
        reasons += fmt::format("\n{} times: {}", count, reason);
    }
    if (lost * 10 > drawn.attempts) return fmt::format("{} of {} attempts refused{}", lost, drawn.attempts, reasons);
    if (drawn.candidates.empty()) return "no candidate";
    for (size_t i = 0; i < std::min<size_t>(drawn.candidates.size(), 6); ++i) {
        const auto state = replay(dag, drawn.candidates[i].steps);
        if (!state) return state.why();
        if (!state->concrete()) return "a split length is open";
        const auto program = lower(*state, processorTarget());
        if (!program) return program.why();
    }
    return {};
}

} // namespace

class PopulationTest : public QObject {
    Q_OBJECT
  private slots:
    void samples_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(QString(LOOPSCOPE_SOURCE_DIR) + "/samples");
        for (const QString &name : folder.entryList({"*.te"}, QDir::Files, QDir::Name))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void samples() {
        QFETCH(QString, path);
        const Workload workload = loadWorkload(path.toStdString());
        const DagPtr dag = ComputeDag::fromWorkload(workload);
        const auto drawn = draw(dag, 128);
        const std::string wrong = problem(dag, drawn);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// Fewer elements than a warp has threads, reductions of one step, one element altogether: there is a schedule of
    /// anything, on both kinds of target. LOOPSCOPE_LONG_TESTS draws a thousand.
    void randomWorkloads() {
        const uint64_t workloads = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 1000 : 100;
        for (uint64_t stream = 0; stream < workloads; ++stream) {
            Random random(43, stream);
            const DagPtr dag =
                randomDag(random, {.maxWork = 4000, .ordered = stream % 3 == 1, .shortExtents = stream % 2 == 0});
            for (const Target &target : {processorTarget(), gpuTarget()}) {
                const SampledPopulation drawn = draw(dag, 64, 1, nothingKnown, 1, target);
                const std::string why = drawn.refusals.empty() ? "" : drawn.refusals.begin()->first;
                QVERIFY2(!drawn.candidates.empty(), fmt::format("stream {} on {}: {}\n{}", stream, target.text(), why,
                                                                dag->text(DagTextMode::Normal))
                                                        .c_str());
            }
        }
    }

    void awkwardExtents_data() {
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("k");
        QTest::newRow("primes") << 2039 << 2039 << 2039;
        QTest::newRow("small primes") << 7 << 13 << 17;
        QTest::newRow("one row") << 1 << 512 << 512;
        QTest::newRow("one column") << 512 << 1 << 7;
        QTest::newRow("no reduction to speak of") << 64 << 64 << 1;
        QTest::newRow("one number") << 1 << 1 << 1;
        QTest::newRow("long and thin") << 1 << 1 << 100003;
    }
    void awkwardExtents() {
        QFETCH(int, n);
        QFETCH(int, m);
        QFETCH(int, k);
        const DagPtr dag = matmulDag(n, m, k);
        const auto drawn = draw(dag, 128);
        const std::string wrong = problem(dag, drawn);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void primesHaveManySchedules() {
        const auto drawn = draw(matmulDag(2039, 2039, 2039), 256);
        QVERIFY2(drawn.candidates.size() > 200, qPrintable(QString::number(drawn.candidates.size())));
    }

    void candidatesAreDistinctAndTheSameWithAnyThreads() {
        const DagPtr dag = conv2dBiasReluNchwDag();
        const auto one = draw(dag, 200, 1);
        std::set<StateKey> keys;
        for (const auto &candidate : one.candidates) QVERIFY(keys.insert(candidate.key).second);
        for (const int threads : {2, 3, 8}) {
            const auto other = draw(dag, 200, threads);
            QCOMPARE(other.candidates.size(), one.candidates.size());
            for (size_t i = 0; i < one.candidates.size(); ++i) {
                QVERIFY(other.candidates[i].steps == one.candidates[i].steps);
                QVERIFY(*other.candidates[i].rows == *one.candidates[i].rows);
            }
        }
    }

    void minimumIsReachedInSeveralBatches() {
        const auto drawn = draw(conv2dBiasReluNchwDag(), 16, 1, nothingKnown, 50);
        QVERIFY(drawn.candidates.size() >= 50);
        QVERIFY(drawn.attempts >= 64);
    }

    void anExhaustedSpaceEnds() {
        const auto drawn = draw(matmulDag(8, 8, 8), 32, 1, [](const StateKey &) { return true; }, 50);
        QVERIFY(drawn.candidates.empty());
        QVERIFY(drawn.attempts <= 8 * 32);
    }
};

LOOPSCOPE_TEST(PopulationTest)
#include "population_test.moc"
