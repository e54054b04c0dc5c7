// Why a schedule is fast, by loop: cycles and score add up, and stand at the loops they belong to.

#include "harness/sample_dags.h"
#include "search/explain/explain_schedule.h"
#include "search/explain/feature_differences.h"
#include "search/explain/nearest_trials.h"
#include "search/features/feature_table.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

Target twoCores() { return parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2"); }

LoopState stateOf(const DagPtr &dag, const Steps &steps) {
    auto state = replay(dag, steps);
    if (!state) throw std::runtime_error(state.why());
    return std::move(state).value();
}

/// Rows of 16 vectorized, i parallel, k unrolled by four.
Steps tuned() {
    return {SplitStep{StageId(2), IterId(1), 64, {16}, true},
            SplitStep{StageId(2), IterId(3), 64, {4}, true},
            ReorderStep{StageId(2), {IterId(0), IterId(1), IterId(3), IterId(4), IterId(2)}},
            AnnotateStep{StageId(2), IterId(0), Annotation::Parallel},
            AnnotateStep{StageId(2), IterId(3), Annotation::Unroll},
            AnnotateStep{StageId(2), IterId(4), Annotation::Vectorize}};
}

/// Contributes a thousand times the feature's number for features that are not zero, one for the rows, two for itself.
class NumberedModel final : public CostModel {
  public:
    void predict(const FeatureMatrix &, std::vector<float> &) override {}
    TrainingReport update(const std::vector<TrainingSample> &, const std::atomic<bool> *) override { return {}; }
    [[nodiscard]] bool trained() const override { return true; }
    std::vector<RowContributions> contributions(const std::vector<FeatureRow> &program) override {
        std::vector<RowContributions> result(program.size());
        for (size_t r = 0; r < program.size(); ++r) {
            for (size_t f = 0; f < kFeatureCount; ++f)
                if (program[r][f] != 0) result[r].features[f] = static_cast<float>(f + 1);
            result[r].rowCount = 1;
            result[r].base = 2;
        }
        return result;
    }
};

const ExplainedLoop &loopNamed(const ScheduleExplanation &explained, const std::string &name) {
    for (const ExplainedLoop &loop : explained.loops)
        if (loop.name == name) return loop;
    throw std::runtime_error("no loop " + name);
}
const ExplainedLoop &statementOf(const ScheduleExplanation &explained, const std::string &buffer) {
    for (const ExplainedLoop &loop : explained.loops)
        if (loop.iter.value < 0 && loop.stageName == buffer) return loop;
    throw std::runtime_error("no statement of " + buffer);
}

} // namespace

class ExplainScheduleTest : public QObject {
    Q_OBJECT
  private slots:
    void loopsAreListedAsTheyNest() {
        const auto explained = explainSchedule(stateOf(matmulDag(64, 64, 64), tuned()), twoCores(), nullptr);
        QVERIFY2(explained.ok(), explained ? "" : explained.why().c_str());
        QStringList lines;
        for (const ExplainedLoop &loop : explained->loops)
            lines += QStringLiteral("%1 %2 %3 %4 %5")
                         .arg(loop.depth)
                         .arg(QString::fromStdString(loop.stageName), QString::fromStdString(loop.name))
                         .arg(loop.extent)
                         .arg(static_cast<int>(loop.kind));
        QCOMPARE(lines,
                 QStringList({"0 C i 64 1", "1 C j.0 4 0", "2 C k.0 16 0", "3 C k.1 4 3", "4 C j.1 16 2", "5 C  0 0"}));
        QVERIFY(!explained->predicted);
    }

    void cyclesBelongToTheLoopsAroundThem() {
        const auto explained = explainSchedule(stateOf(matmulDag(64, 64, 64), tuned()), twoCores(), nullptr);
        QVERIFY(explained.ok());
        QVERIFY(explained->cycles > 0);
        QVERIFY(std::fabs(loopNamed(*explained, "i").cycles - 1) < 1e-9); // all is inside
        double before = 1;
        for (const ExplainedLoop &loop : explained->loops) {
            QVERIFY(loop.cycles <= before + 1e-12);
            before = loop.cycles;
            double sum = 0;
            for (const CycleShare &share : loop.spent) sum += share.share;
            QVERIFY(std::fabs(sum - 1) < 1e-9);
            QVERIFY(std::is_sorted(loop.spent.begin(), loop.spent.end(),
                                   [](const auto &a, const auto &b) { return a.share > b.share; }));
        }
        const auto startsThreads = [](const ExplainedLoop &loop) {
            return std::any_of(loop.spent.begin(), loop.spent.end(),
                               [](const CycleShare &share) { return share.kind == CycleKind::ThreadStart; });
        };
        QVERIFY(startsThreads(loopNamed(*explained, "i")));
        QVERIFY(!startsThreads(loopNamed(*explained, "j.0")));
    }

    /// A start in loops of its own counts to the loops of the update that run over the same iterators.
    void aReductionsStartHasNoLoopsOfItsOwn() {
        const auto explained = explainSchedule(LoopState(matmulDag(64, 64, 64)), twoCores(), nullptr);
        QVERIFY(explained.ok());
        QCOMPARE(explained->loops.size(), size_t(4));
        QVERIFY(loopNamed(*explained, "k").cycles <
                loopNamed(*explained, "j").cycles); // that of the start is outside k
    }

    void contributionsStandAtTheirLoops() {
        NumberedModel model;
        const auto explained = explainSchedule(stateOf(matmulDag(64, 64, 64), tuned()), twoCores(), &model);
        QVERIFY(explained.ok());
        QVERIFY(explained->predicted);
        QCOMPARE(explained->base, 2.0);
        QCOMPARE(explained->rowCount, 1.0);
        double sum = explained->base + explained->rowCount;
        for (const ExplainedLoop &loop : explained->loops) sum += loop.contribution;
        QCOMPARE(sum, explained->score);
        const auto sumOf = [&](size_t begin, size_t end) {
            double of = 0;
            for (size_t f = begin; f < end; ++f)
                of += static_cast<double>(explained->rows.front().contributions.features[f]);
            return of;
        };
        QCOMPARE(loopNamed(*explained, "j.1").contribution, sumOf(feature::kVectorize, feature::kUnroll));
        QCOMPARE(loopNamed(*explained, "k.1").contribution, sumOf(feature::kUnroll, feature::kParallel));
        QCOMPARE(loopNamed(*explained, "i").contribution, sumOf(feature::kParallel, feature::kGpu));
        QCOMPARE(statementOf(*explained, "C").contribution,
                 sumOf(0, feature::kVectorize) + sumOf(feature::kGpu, kFeatureCount));
        QCOMPARE(loopNamed(*explained, "j.0").contribution, 0.0);
        QCOMPARE(loopNamed(*explained, "i").contributionInside, explained->score - 3);
        QCOMPARE(loopNamed(*explained, "j.1").contributionInside,
                 loopNamed(*explained, "j.1").contribution + statementOf(*explained, "C").contribution);
        // Without such loops everything stands at the statement.
        const auto naive = explainSchedule(LoopState(matmulDag(64, 64, 64)), twoCores(), &model);
        QVERIFY(naive.ok());
        QCOMPARE(statementOf(*naive, "C").contribution, naive->score - 3);
    }

    void aRealModelAddsUp() {
        std::vector<TrainingSample> samples;
        const DagPtr dag = matmulBiasReluDag(64, 64, 64);
        for (int64_t factor : {2, 4, 8, 16, 32})
            for (const bool vectorize : {false, true}) {
                Steps steps = {SplitStep{StageId(2), IterId(1), 64, {factor}, true},
                               ReorderStep{StageId(2), {IterId(0), IterId(1), IterId(3), IterId(2)}}};
                if (vectorize) steps.emplace_back(AnnotateStep{StageId(2), IterId(3), Annotation::Vectorize});
                const auto explained = explainSchedule(stateOf(dag, steps), twoCores(), nullptr);
                QVERIFY(explained.ok());
                TrainingSample sample;
                for (const ExplainedRow &row : explained->rows) sample.rows.push_back(row.features);
                sample.seconds = 1e-3 / static_cast<double>(factor) / (vectorize ? 4 : 1);
                samples.push_back(sample);
            }
        const auto model = makeXgboostModel({});
        model->update(samples);
        const auto explained = explainSchedule(LoopState(dag), twoCores(), model.get());
        QVERIFY(explained.ok());
        QVERIFY(explained->predicted);
        FeatureMatrix matrix;
        for (const ExplainedRow &row : explained->rows)
            matrix.values.insert(matrix.values.end(), row.features.begin(), row.features.end());
        matrix.programEnd = {static_cast<uint32_t>(explained->rows.size())};
        std::vector<float> scores;
        model->predict(matrix, scores);
        QVERIFY(std::fabs(explained->score - static_cast<double>(scores.front())) < 1e-4);
        double sum = explained->base + explained->rowCount;
        for (const ExplainedLoop &loop : explained->loops) sum += loop.contribution;
        QVERIFY(std::fabs(sum - explained->score) < 1e-4);
    }

    void openSplitsAreRefused() {
        const auto explained =
            explainSchedule(stateOf(matmulDag(64, 64, 64), {SplitStep{StageId(2), IterId(0), 64, {kUnfilled}, true}}),
                            twoCores(), nullptr);
        QVERIFY(!explained.ok());
    }

    void aGpuHasCyclesToo() {
        const auto explained = explainSchedule(LoopState(matmulDag(64, 64, 64)), parseTarget("cuda"), nullptr);
        QVERIFY(explained.ok());
        QVERIFY(explained->cycles > 0);
        QVERIFY(!explained->loops.empty());
    }

    void featuresThatDifferMostComeFirst() {
        NumberedModel model;
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto naive = explainSchedule(LoopState(dag), twoCores(), &model);
        const auto fast = explainSchedule(stateOf(dag, tuned()), twoCores(), &model);
        QVERIFY(naive.ok() && fast.ok());
        QVERIFY(featureDifferences(*naive, *naive, 100).empty());
        const auto differences = featureDifferences(*naive, *fast, 5);
        QCOMPARE(differences.size(), size_t(5));
        for (size_t i = 1; i < differences.size(); ++i)
            QVERIFY(std::fabs(differences[i - 1].contributionB - differences[i - 1].contributionA) >=
                    std::fabs(differences[i].contributionB - differences[i].contributionA));
        const auto all = featureDifferences(*naive, *fast, 1000);
        QVERIFY(std::any_of(all.begin(), all.end(), [](const FeatureDifference &one) {
            return featureTable()[one.feature].name == "vec_num" && one.a == 0 && one.b > 0 && one.contributionA == 0;
        }));
    }

    void theNearestTrialsDifferLeast() {
        const DagPtr dag = matmulDag(64, 64, 64);
        Steps wider = tuned();
        wider[0] = SplitStep{StageId(2), IterId(1), 64, {32}, true};
        Steps serial = wider;
        serial.erase(serial.begin() + 3);
        const std::vector<Steps> trials = {
            {}, serial, tuned(), wider, {SplitStep{StageId(9), IterId(0), 64, {4}, true}}};
        std::vector<double> seconds(trials.size(), 1);
        const MeasuredTrials measured{trials.size(), [&](size_t i) { return trials[i]; },
                                      [&](size_t i) { return seconds[i]; }};
        const auto near = nearestTrials(dag, tuned(), measured, 10);
        std::vector<size_t> order;
        for (const NearTrial &one : near) order.push_back(one.trial);
        QCOMPARE(order, (std::vector<size_t>{2, 3, 1, 0})); // the last does not apply
        QVERIFY(near[0].differences.empty());
        QCOMPARE(near[1].differences.size(), size_t(1));
        QCOMPARE(near[1].differences[0].lineA, std::string("split C j into 16"));
        QCOMPARE(near[1].differences[0].lineB, std::string("split C j into 32"));
        QCOMPARE(nearestTrials(dag, tuned(), measured, 1).size(), size_t(1));
    }

    void ofEquallyNearTrialsTheFastestComesFirst() {
        const DagPtr dag = matmulDag(64, 64, 64);
        std::vector<Steps> trials;
        for (const int64_t length : {2, 4, 8, 32, 64}) {
            trials.push_back(tuned());
            trials.back()[0] = SplitStep{StageId(2), IterId(1), 64, {length}, true};
        }
        trials.push_back(tuned());
        trials.back().pop_back();
        trials.back()[0] = trials[0][0];                          // further away, and faster
        const std::vector<double> seconds = {3, 0, 2, 2, 1, 0.5}; // the second failed
        const MeasuredTrials measured{trials.size(), [&](size_t i) { return trials[i]; },
                                      [&](size_t i) { return seconds[i]; }};
        std::vector<size_t> order;
        for (const NearTrial &one : nearestTrials(dag, tuned(), measured, 10)) order.push_back(one.trial);
        QCOMPARE(order, (std::vector<size_t>{4, 2, 3, 0, 1, 5}));
        order.clear(); // those that are looked at are the fastest, too
        for (const NearTrial &one : nearestTrials(dag, tuned(), measured, 1)) order.push_back(one.trial);
        QCOMPARE(order, (std::vector<size_t>{4}));
    }
};

LOOPSCOPE_TEST(ExplainScheduleTest)
#include "explain_schedule_test.moc"
