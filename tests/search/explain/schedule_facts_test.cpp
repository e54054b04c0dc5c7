// Facts in words: the same keys for the same facts, so that those of two schedules stand beside each other.

#include "harness/sample_dags.h"
#include "search/explain/schedule_facts.h"
#include "search/features/feature_table.h"
#include "test_program.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

using namespace loopscope;

namespace {

HotBlock block() {
    HotBlock hot;
    hot.iterations = 512;
    hot.mix.fmas = 8;
    hot.mix.loads = 2;
    hot.memoryReads = 10;
    hot.vectorBits = 256;
    hot.pressure.model = "znver4";
    hot.pressure.cycles = 4;
    hot.pressure.instructions = 10;
    hot.pressure.ports = {{"FP0", 4}, {"FP1", 1}, {"ALU0", 0.01}};
    hot.pressure.bound = "FP0";
    return hot;
}

std::string textOf(const ScheduleFacts &facts, const std::string &key) {
    const auto found =
        std::find_if(facts.begin(), facts.end(), [&](const ScheduleFact &fact) { return fact.key == key; });
    return found == facts.end() ? "nothing" : found->text;
}

std::vector<std::string> keysOf(const ScheduleFacts &facts) {
    std::vector<std::string> keys;
    for (const ScheduleFact &fact : facts) keys.push_back(fact.key);
    return keys;
}

ScheduleExplanation explained(const Steps &steps) {
    const auto state = replay(matmulBiasReluDag(64, 64, 64), steps);
    if (!state) throw std::runtime_error(state.why());
    auto made = explainSchedule(*state, parseTarget("llvm -mcpu=x86-64-v3 -num-cores=2"), nullptr);
    if (!made) throw std::runtime_error(made.why());
    return std::move(made).value();
}

} // namespace

class ScheduleFactsTest : public QObject {
    Q_OBJECT

  private slots:
    void whatABlockIsMadeOf() {
        const HotBlock hot = block();
        QCOMPARE(kindsText(hot.mix), std::string("8 fmas, 2 loads"));
        QCOMPARE(portText(hot.pressure.ports[1], hot.pressure), std::string("FP1 25 %"));
        const ScheduleFacts facts = codeFacts(hot, {}, {}, "C k.0");
        QCOMPARE(textOf(facts, "loop"), std::string("  loop C k.0, 512 iterations"));
        QCOMPARE(textOf(facts, "vectors"), std::string("  vectors of 256 bits"));
        QCOMPARE(textOf(facts, "spills"), std::string("  nothing spilled"));
        QCOMPARE(textOf(facts, "kind fmas"), std::string("      8 fmas"));
        QCOMPARE(textOf(facts, "kind branches"), std::string("nothing")); // there are none
        QCOMPARE(textOf(facts, "cycles"), std::string("  4.0 cycles an iteration"));
        QCOMPARE(textOf(facts, "throughput"), std::string("  2.50 instructions a cycle"));
        QCOMPARE(textOf(facts, "port FP0"), std::string("    FP0 100 %"));
        QCOMPARE(textOf(facts, "port ALU0"), std::string("nothing")); // it is idle
        std::vector<std::string> keys = keysOf(facts);
        std::sort(keys.begin(), keys.end());
        QVERIFY(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
    }

    void whatThereIsNotIsSaid() {
        HotBlock hot = block();
        hot.mix = {};
        hot.vectorBits = 0;
        hot.spillReloads = 3;
        hot.pressureProblem = "no model knows the processor";
        const ScheduleFacts facts = codeFacts(hot, {}, {}, "C k.0");
        QCOMPARE(textOf(facts, "vectors"), std::string("  no arithmetic on vectors"));
        QCOMPARE(textOf(facts, "spills"), std::string("  0 spills, 3 reloads"));
        QCOMPARE(textOf(facts, "pressure problem"), std::string("No throughput: no model knows the processor"));
        const ScheduleFacts none = codeFacts({}, "there is no instruction", {}, {});
        QCOMPARE(textOf(none, "hot problem"), std::string("  none: there is no instruction"));
        QCOMPARE(textOf(none, "loop"), std::string("nothing"));
        QCOMPARE(textOf(none, "bytes"), std::string("  0 bytes"));
    }

    void loopsAndFeaturesOfTwoSchedules() {
        const ScheduleExplanation naive = explained({});
        const ScheduleExplanation vectorized = explained({AnnotateStep{StageId(2), IterId(1), Annotation::Parallel}});
        const ScheduleFacts a = loopFacts(naive);
        const ScheduleFacts b = loopFacts(vectorized);
        QCOMPARE(keysOf(a), keysOf(b)); // the same loops, whatever they are now
        const std::string stage = naive.loops[0].stageName;
        QVERIFY2(textOf(a, "loop " + stage + " j").starts_with("    " + stage + " j (64)  "),
                 textOf(a, "loop " + stage + " j").c_str());
        QVERIFY(textOf(b, "loop " + stage + " j").starts_with("    parallel " + stage + " j (64)  "));
        const auto [left, right] = featureFacts(naive, vectorized, 5);
        QCOMPARE(left.size(), size_t{6}); // and a heading
        QCOMPARE(left.front().text, std::string("Features that differ most"));
        QCOMPARE(keysOf(left), keysOf(right));
        for (size_t i = 1; i < left.size(); ++i) QVERIFY2(left[i].text != right[i].text, left[i].text.c_str());
        const auto [same, alike] = featureFacts(naive, naive, 5);
        QCOMPARE(same.size(), size_t{1});
        QCOMPARE(same.front().text, std::string("No feature differs"));
        QCOMPARE(alike.size(), size_t{1});
    }
};

LOOPSCOPE_WINDOW_TEST(ScheduleFactsTest)
#include "schedule_facts_test.moc"
