// What rules ask about stages, on states where the answer is plain to see; derived DAGs are the same object from every
// thread.

#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "language/dag/derivation_table.h"
#include "schedule/stage_facts.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

using namespace loopscope;

namespace {

std::vector<int> numbers(const std::vector<StageId> &ids) {
    std::vector<int> result;
    for (const StageId id : ids) result.push_back(id.value);
    return result;
}

} // namespace

class StageFactsTest : public QObject {
    Q_OBJECT
  private slots:
    void readersThroughInlinedStages();
    void cacheStepsAreFoundAfterRenumbering();
    void elementwiseConsumers();
    void rootsOfConsumers();
    void namesOfIterators();
    void tiledAndReduced();
    void derivedDagsAreShared();
    void derivedDagsGoWithTheirOriginal();
    void derivedDagsAreBounded();
    void statesShareUnchangedStages();
};

void StageFactsTest::readersThroughInlinedStages() {
    const LoopState plain(softmaxDag());
    QCOMPARE(numbers(consumers(plain, StageId(1))), (std::vector<int>{2}));
    const LoopState inlined = stateOf(softmaxDag(), R"([["CI",2]])");
    QCOMPARE(numbers(consumers(inlined, StageId(1))), (std::vector<int>{3, 4}));
    QCOMPARE(numbers(consumers(inlined, StageId(0))), (std::vector<int>{1, 3, 4}));
    QCOMPARE(numbers(producers(inlined, StageId(4))), (std::vector<int>{0, 1, 3}));
}

void StageFactsTest::cacheStepsAreFoundAfterRenumbering() {
    const LoopState state =
        stateOf(matmulDag(), R"([["CHW",2,"local"],["CHR",1,"shared",[2]],["CHR",0,"shared",[3]]])");
    // 0 A, 1 A.shared, 2 B, 3 B.shared, 4 C.local, 5 C
    QCOMPARE(QString::fromStdString(state.stage(StageId(4)).op->name), QString("C.local"));
    QVERIFY(hasCacheWrite(state, StageId(4)));
    QVERIFY(!hasCacheWrite(state, StageId(5)));
    QVERIFY(hasCacheRead(state, StageId(0)));
    QVERIFY(hasCacheRead(state, StageId(2)));
    QVERIFY(!hasCacheRead(state, StageId(4)));
}

void StageFactsTest::elementwiseConsumers() {
    const LoopState state = stateOf(matmulBiasReluDag(), R"([["CI",4]])");
    QCOMPARE(singleElementwiseConsumer(state, StageId(2)).value, 5);
    const LoopState softmax(softmaxDag());
    QCOMPARE(singleElementwiseConsumer(softmax, StageId(1)).value, -1); // rank differs
    const LoopState shared = stateOf(elementwiseDag(), R"([["CHR",1,"shared",[2]]])");
    QCOMPARE(singleElementwiseConsumer(shared, StageId(1)).value, -1); // read by a .shared copy
    QCOMPARE(singleElementwiseConsumer(LoopState(matmulChainDag()), StageId(2)).value, -1);
}

void StageFactsTest::rootsOfConsumers() {
    QCOMPARE(singleConsumerRoot(LoopState(softmaxDag()), StageId(2)).value, -1); // 3 and 4
    const LoopState state = stateOf(softmaxDag(), R"([["CA",3,4,0]])");
    QCOMPARE(singleConsumerRoot(state, StageId(2)).value, 4);
    QCOMPARE(rootOf(state, StageId(3)).value, 4);
    QCOMPARE(singleConsumerRoot(state, StageId(4)).value, -1); // nobody reads it
}

void StageFactsTest::namesOfIterators() {
    QCOMPARE(originalIterNames("i.0@j.0@").size(), size_t(2));
    QVERIFY(originalIterNames("i.0@j.0@")[1] == "j");
    QVERIFY(originalIterNames("rc.1") == std::vector<std::string_view>{"rc"});
    QVERIFY(originalIterNames("i.0@j.0@.1") == (std::vector<std::string_view>{"i", "j"}));
    QVERIFY(originalIterNames("").empty());
}

void StageFactsTest::tiledAndReduced() {
    const LoopState state = stateOf(matmulDag(), R"([["SP",2,2,512,[8],1],["AN",2,3,6]])");
    QVERIFY(isTiled(state.stage(StageId(2))));
    QVERIFY(!isTiled(LoopState(matmulDag()).stage(StageId(2))));
    QVERIFY(hasReduceIter(state.stage(StageId(2))));
    QVERIFY(hasCrossThreadReduction(state, StageId(2)));
    const SpaceSize size = spaceSize(*state.stage(StageId(2)).op);
    QCOMPARE(size.spatial, 512 * 512);
    QCOMPARE(size.reduce, 512);
}

void StageFactsTest::derivedDagsAreShared() {
    const DagPtr dag = matmulDag();
    const Steps steps = stepsFromJson(
        nlohmann::json::parse(R"([["CHW",2,"local"],["CHR",1,"shared",[2]],["SP",3,2,512,[8],1],["RF",3,3,2]])"));
    std::vector<DagPtr> derived(4);
    std::vector<std::thread> threads;
    for (DagPtr &result : derived)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) result = replay(dag, steps)->dag();
        });
    for (std::thread &thread : threads) thread.join();
    for (const DagPtr &result : derived) QCOMPARE(result, derived[0]);
    QCOMPARE(derived[0]->size(), size_t(6));
}

void StageFactsTest::derivedDagsGoWithTheirOriginal() {
    std::weak_ptr<const ComputeDag> derived;
    {
        const LoopState state = stateOf(matmulDag(), R"([["CHW",2,"local"],["CHR",1,"shared",[2]]])");
        derived = state.dag();
        QVERIFY(!derived.expired());
    }
    QVERIFY(derived.expired()); // nothing outside the original remembers it
}

void StageFactsTest::derivedDagsAreBounded() {
    const LoopState naive(matmulDag());
    std::vector<std::weak_ptr<const ComputeDag>> derived;
    for (size_t i = 0; i < DerivationTable::kMaxDags + 100; ++i)
        derived.push_back(naive.apply(CacheWriteStep{StageId(2), "scope" + std::to_string(i)})->dag());
    const auto alive = std::count_if(derived.begin(), derived.end(), [](const auto &dag) { return !dag.expired(); });
    QCOMPARE(alive, std::ptrdiff_t(100));                            // those since all were forgotten
    QVERIFY(naive.apply(CacheWriteStep{StageId(2), "scope0"}).ok()); // derived anew
}

void StageFactsTest::statesShareUnchangedStages() {
    const LoopState before(matmulBiasReluDag());
    const Outcome<LoopState> after = before.apply(SplitStep{StageId(2), IterId(0), 512, {8}, true});
    QVERIFY(after.ok());
    QVERIFY(&before.stage(StageId(2)) != &after->stage(StageId(2)));
    QVERIFY(&before.stage(StageId(4)) == &after->stage(StageId(4)));
    QCOMPARE(before.stage(StageId(2)).iters.size(), size_t(3));
    QCOMPARE(before.steps().size(), size_t(0));
    QCOMPARE(after->steps().size(), size_t(1));
}

LOOPSCOPE_TEST(StageFactsTest)
#include "stage_facts_test.moc"
