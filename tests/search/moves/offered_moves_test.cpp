// Moves by hand: whatever is offered applies, in any sequence, and what is predicted of it has the sign it should.

#include "base/random.h"
#include "harness/random_schedule.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "language/te/workload.h"
#include "schedule/bound_inference.h"
#include "schedule/script/schedule_script.h"
#include "search/moves/learnt_model.h"
#include "search/moves/offered_moves.h"
#include "search/moves/predicted_change.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace loopscope;

namespace {

Target twoCores() { return parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2"); }

std::map<std::string_view, int> kindsOf(const std::vector<Step> &moves) {
    std::map<std::string_view, int> kinds;
    for (const Step &step : moves) ++kinds[primitiveOf(step)];
    return kinds;
}

/// Fails where cost would know: learnt from nothing, it must not be asked.
class UnaskedModel final : public CostModel {
  public:
    void predict(const FeatureMatrix &, std::vector<float> &) override { QFAIL("asked"); }
    TrainingReport update(const std::vector<TrainingSample> &, const std::atomic<bool> *) override { return {}; }
    [[nodiscard]] bool trained() const override { return false; }
};

/// Scores a program by the number of its rows' features that are not zero: enough to see whose score went where.
class CountingModel final : public CostModel {
  public:
    void predict(const FeatureMatrix &programs, std::vector<float> &scores) override {
        uint32_t row = 0;
        for (const uint32_t end : programs.programEnd) {
            float score = -std::numeric_limits<float>::infinity();
            if (end > row) score = 0;
            for (; row < end; ++row)
                for (size_t f = 0; f < kFeatureCount; ++f)
                    score += programs.values[row * kFeatureCount + f] != 0 ? 1.0F : 0.0F;
            scores.push_back(score);
        }
    }
    TrainingReport update(const std::vector<TrainingSample> &, const std::atomic<bool> *) override { return {}; }
    [[nodiscard]] bool trained() const override { return true; }
};

} // namespace

class OfferedMovesTest : public QObject {
    Q_OBJECT
  private slots:
    void aMatmulOffersEveryKindOfMove() {
        const LoopState naive(matmulBiasReluDag(64, 64, 64));
        const auto kinds = kindsOf(offeredMoves(naive, twoCores()));
        for (const char *kind : {"split", "fuse", "reorder", "parallel", "vectorize", "unroll", "pragma", "compute_at",
                                 "compute_inline", "cache_read", "cache_write", "storage_align"})
            QVERIFY2(kinds.contains(kind), kind);
        QVERIFY(!kinds.contains("rfactor")); // a part of the sum's loop is factored, none of it whole
        const auto split = naive.apply(SplitStep{StageId(2), IterId(2), 64, {8}, true});
        QVERIFY(split.ok());
        QVERIFY(kindsOf(offeredMoves(*split, twoCores())).contains("rfactor"));
        QVERIFY(!kinds.contains("bind"));
        QVERIFY(!kinds.contains("compute_root")); // it is there
        QVERIFY(kindsOf(offeredMoves(naive, parseTarget("cuda"))).contains("bind"));
    }

    void loopsAreBoundToWhatIsFreeAndFits() {
        const Target cuda = parseTarget("cuda");
        const LoopState naive(matmulBiasReluDag(64, 64, 64));
        const auto binds = [&](const LoopState &state, IterId loop) {
            std::set<std::string_view> threads;
            for (const Step &step : offeredMoves(state, cuda, StageId(2)))
                if (const auto *bind = std::get_if<AnnotateStep>(&step); bind != nullptr && bind->iter == loop)
                    if (primitiveOf(step) == "bind") threads.insert(annotationText(bind->annotation));
            return threads;
        };
        const std::set<std::string_view> all{"blockIdx.x",  "blockIdx.y",  "blockIdx.z", "threadIdx.x",
                                             "threadIdx.y", "threadIdx.z", "vthread"};
        auto first = binds(naive, IterId(0));
        first.erase("vthread"); // 64 of them are more than the target has
        QCOMPARE(first.size(), size_t{6});
        QVERIFY(std::includes(all.begin(), all.end(), first.begin(), first.end()));
        // Threads may share a sum, blocks cannot.
        QCOMPARE(binds(naive, IterId(2)), (std::set<std::string_view>{"threadIdx.x", "threadIdx.y", "threadIdx.z"}));
        const auto bound = naive.apply(AnnotateStep{StageId(2), IterId(0), Annotation::ThreadX});
        QVERIFY(bound.ok());
        // A block of 64 x 64 threads is more than there may be.
        QCOMPARE(binds(*bound, IterId(1)), (std::set<std::string_view>{"blockIdx.x", "blockIdx.y", "blockIdx.z"}));
        const auto split = bound->apply(SplitStep{StageId(2), IterId(1), 64, {4}, true});
        QVERIFY(split.ok());
        std::set<std::string_view> wanted = all;
        wanted.erase("threadIdx.x");
        QCOMPARE(binds(*split, IterId(2)), wanted);
    }

    void whatABlockFetchesIsBoundToItsThreads() {
        const Target cuda = parseTarget("cuda");
        LoopState state = stateOf(matmulDag(64, 64, 64), R"([["CHW",2,"local"],["SP",2,0,64,[2,8,1,2],1],
            ["SP",2,5,64,[2,8,1,2],1],["SP",2,10,64,[4,2],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],
            ["FSP",3,4,2,3],["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],
            ["FU",4,[0,1]],["AN",4,0,5],["FU",4,[1,2]],["AN",4,1,4],["FU",4,[2,3]],["AN",4,2,6],["FU",2,[0,1]]])");
        const StageId fetched(2), local(3);
        std::set<std::string_view> threads;
        std::string follow;
        for (const Step &step : offeredMoves(state, cuda, fetched)) {
            const auto *bind = std::get_if<AnnotateStep>(&step);
            if (bind != nullptr && primitiveOf(step) == "bind") threads.insert(annotationText(bind->annotation));
            if (std::holds_alternative<FollowFusedSplitStep>(step)) follow = scriptLine(state, step);
        }
        QVERIFY(threads.contains("threadIdx.x"));
        QVERIFY(!threads.contains("blockIdx.x")); // blocks run around it already
        QCOMPARE(follow, std::string("follow_fused_split B.shared ax0@ax1@ like s1, s2 level 1"));
        // What a thread keeps for itself has no threads, but for a sum that they share.
        for (const Step &step : offeredMoves(state, cuda, local))
            if (const auto *bind = std::get_if<AnnotateStep>(&step); bind != nullptr && primitiveOf(step) == "bind")
                QVERIFY(state.stage(local).iters[bind->iter.index()].kind == IterKind::Reduction ||
                        bind->annotation == Annotation::VThread);
    }

    void copiesGoToTheMemoriesOfTheTarget() {
        const LoopState naive(matmulDag(64, 64, 64));
        const auto scopes = [&](const Target &target) {
            std::set<std::string> found;
            for (const Step &step : offeredMoves(naive, target, StageId(0)))
                if (const auto *copy = std::get_if<CacheReadStep>(&step)) found.insert(copy->scope);
            return found;
        };
        QCOMPARE(scopes(parseTarget("cuda")), (std::set<std::string>{"local", "shared"}));
        QCOMPARE(scopes(twoCores()), (std::set<std::string>{"global"}));
    }

    void followingIsOfferedWhereASplitIsAsLong() {
        const DagPtr dag = matmulBiasReluDag(64, 32, 16);
        const auto naive = LoopState(dag);
        size_t stage = 0;
        while (naive.stage(StageId(stage)).op->isPlaceholder()) ++stage;
        const auto split = naive.apply(SplitStep{StageId(stage), IterId(0), 64, {4, 2}, true});
        QVERIFY(split.ok());
        int offered = 0;
        for (const Step &step : offeredMoves(*split, twoCores())) {
            const auto *follow = std::get_if<FollowSplitStep>(&step);
            if (follow == nullptr) continue;
            ++offered;
            QVERIFY(follow->stage != StageId(stage));
            QCOMPARE(split->stage(follow->stage).iters[follow->iter.index()].extent, int64_t{64});
        }
        QVERIFY(offered >= 2); // one or two levels
    }

    void onlyOfOneStage() {
        const LoopState naive(matmulBiasReluDag(64, 64, 64));
        const auto all = offeredMoves(naive, twoCores());
        size_t sum = 0;
        for (size_t s = 0; s < naive.stageCount(); ++s) {
            const auto own = offeredMoves(naive, twoCores(), StageId(s));
            for (const Step &step : own) QCOMPARE(stageOf(step), StageId(s));
            sum += own.size();
        }
        QCOMPARE(sum, all.size());
    }

    void anySequenceOfMovesApplies_data() {
        QTest::addColumn<int>("dag");
        for (size_t i = 0; i < smallDags().size(); ++i) QTest::addRow("dag %zu", i) << static_cast<int>(i);
    }
    void anySequenceOfMovesApplies() {
        QFETCH(int, dag);
        const DagPtr of = smallDags()[static_cast<size_t>(dag)];
        Random random(11, static_cast<uint64_t>(dag));
        for (int walk = 0; walk < 3; ++walk) {
            LoopState state(of);
            for (int n = 0; n < 8; ++n) {
                const auto moves = offeredMoves(state, twoCores());
                if (moves.empty()) break;
                const Step &step = moves[random.below(moves.size())];
                auto next = makeMove(state, step);
                QVERIFY2(next.ok(), next.ok() ? "" : next.why().c_str());
                state = std::move(next).value();
                QVERIFY(inferBounds(state, std::make_shared<ExprArena>()).ok());
            }
            // What was made by hand leaves as a script and comes back.
            const auto script = scriptOf(of, state.steps());
            QVERIFY2(script.ok(), script.ok() ? "" : script.why().c_str());
            const AppliedScript back = applyScript(of, *script);
            QVERIFY(!back.problem);
            QVERIFY(back.state.steps() == state.steps());
        }
    }

    void aMoveThatLeavesAReaderOutsideIsNotOffered() {
        // B is read by C and D: it cannot be computed in D alone.
        const auto dag = [] {
            const Workload workload =
                parseWorkload("workload two(n = 8)\nA = placeholder [n] float32\nB(i < n) = A[i] + 1\n"
                              "C(i < n) = B[i] * 2\nD(i < n) = B[i] + C[i]\n",
                              "two.te");
            return ComputeDag::fromWorkload(workload);
        }();
        const LoopState naive(dag);
        const Step request = ComputeAtStep{StageId(1), StageId(3), IterId(0)};
        QVERIFY(naive.apply(request).ok()); // alone it applies
        const auto forced = makeMove(naive, request);
        QVERIFY(!forced.ok());
        QVERIFY2(forced.why().find("outside that loop") != std::string::npos, forced.why().c_str());
        const auto moves = offeredMoves(naive, twoCores());
        QVERIFY(std::find(moves.begin(), moves.end(), request) == moves.end());
    }

    void openSplitsHaveMovesButNoPrediction() {
        const LoopState open = stateOf(matmulDag(64, 64, 64), R"([["SP", 2, 0, 64, [null], 1]])");
        const auto moves = offeredMoves(open, twoCores());
        QVERIFY(!moves.empty());
        ThreadPool pool(2);
        for (const auto &change : predictedChanges(open, moves, twoCores(), nullptr, pool)) QVERIFY(!change);
    }

    void theEstimateLikesParallelRowsAndVectors() {
        const LoopState naive(matmulDag(512, 512, 512));
        const std::vector<Step> moves = {AnnotateStep{StageId(2), IterId(0), Annotation::Parallel},
                                         ComputeRootStep{StageId(2)}};
        ThreadPool pool(1);
        UnaskedModel unasked;
        const auto changes = predictedChanges(naive, moves, twoCores(), &unasked, pool);
        QVERIFY(changes[0] && changes[1]);
        QVERIFY2(*changes[0] < -0.4, QByteArray::number(*changes[0]).constData());
        QCOMPARE(*changes[1], 0.0);
    }

    void aTrainedModelIsAsked() {
        const LoopState naive(matmulDag(64, 64, 64));
        const std::vector<Step> moves = {AnnotateStep{StageId(2), IterId(0), Annotation::Parallel},
                                         ComputeRootStep{StageId(2)},
                                         AnnotateStep{StageId(2), IterId(9), Annotation::Parallel}};
        ThreadPool pool(2);
        CountingModel model;
        const auto changes = predictedChanges(naive, moves, twoCores(), &model, pool);
        QVERIFY(changes[0].has_value());
        QVERIFY(*changes[0] < 0); // more of its features are not zero: a higher score, so less time
        QCOMPARE(changes[1].value_or(1), 0.0);
        QVERIFY(!changes[2]); // there is no such loop
    }

    void manyThreadsPredictTheSame() {
        const LoopState naive(conv2dBiasReluNchwDag(1, 7, 7, 32, 16));
        const auto moves = offeredMoves(naive, twoCores());
        ThreadPool one(1);
        ThreadPool four(4);
        const auto first = predictedChanges(naive, moves, twoCores(), nullptr, one);
        QVERIFY(first == predictedChanges(naive, moves, twoCores(), nullptr, four));
        QVERIFY(std::any_of(first.begin(), first.end(), [](const auto &change) { return change && *change < -0.3; }));
        QVERIFY(std::any_of(first.begin(), first.end(), [](const auto &change) { return change && *change > 0.3; }));
    }

    void aModelLearnsFromEnough() {
        const LoopState naive(matmulDag(64, 64, 64));
        std::vector<MeasuredSchedule> measured;
        for (const Step &step : offeredMoves(naive, twoCores())) {
            measured.push_back({Steps{step}, 1e-3 * static_cast<double>(measured.size() + 1)});
            if (measured.size() == kEnoughToLearn) break;
        }
        QCOMPARE(measured.size(), kEnoughToLearn);
        ThreadPool pool(2);
        const auto learnt = [&](const std::atomic<bool> *cancel = nullptr) {
            return modelThatLearnt(naive.dag(), twoCores(), measured, pool, cancel);
        };
        const LearntModel model = learnt();
        QVERIFY(model.model && model.model->trained());
        QCOMPARE(model.schedules, kEnoughToLearn);
        QCOMPARE(model.bestSeconds, 1e-3);
        const std::atomic<bool> cancelled = true;
        QVERIFY(!learnt(&cancelled).model);
        // A failure is learnt, too; a schedule that cannot be lowered is not.
        measured[0].seconds = 0;
        QCOMPARE(learnt().bestSeconds, 2e-3);
        measured[0].steps = Steps{AnnotateStep{StageId(2), IterId(9), Annotation::Parallel}};
        QVERIFY(!learnt().model);
    }

    void wholeSchedulesArePredicted() {
        const DagPtr dag = matmulDag(64, 64, 64);
        ThreadPool pool(2);
        CountingModel model;
        const std::vector<Steps> schedules = {{},
                                              {AnnotateStep{StageId(2), IterId(0), Annotation::Parallel}},
                                              {AnnotateStep{StageId(2), IterId(9), Annotation::Parallel}}};
        const auto predicted = predictedSchedules(dag, schedules, twoCores(), &model, pool);
        QVERIFY(predicted[0].estimate && predicted[1].estimate && !predicted[2].estimate);
        QVERIFY(predicted[0].score && predicted[1].score && !predicted[2].score);
        QVERIFY(*predicted[1].score > *predicted[0].score);
        QVERIFY(!predictedSchedules(dag, schedules, twoCores(), nullptr, pool)[0].score);
    }
};

LOOPSCOPE_TEST(OfferedMovesTest)
#include "offered_moves_test.moc"
