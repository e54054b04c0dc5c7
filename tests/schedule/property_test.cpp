// Random legal step lists on small DAGs: the state, run loop by loop from its bounds, computes what the interpreter
// computes; steps survive their JSON form; replay gives the state again; keys agree with texts.

#include "harness/random_schedule.h"
#include "harness/state_interpreter.h"
#include "schedule/state_key.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

std::string difference(const std::vector<TensorValue> &got, const std::vector<TensorValue> &expected) {
    for (size_t k = 0; k < expected.size(); ++k) {
        for (size_t i = 0; i < expected[k].floats.size(); ++i)
            if (std::abs(got[k].floats[i] - expected[k].floats[i]) > 1e-5 * (1 + std::abs(expected[k].floats[i])))
                return "output " + std::to_string(k) + " differs at element " + std::to_string(i);
        if (got[k].integers != expected[k].integers) return "output " + std::to_string(k) + " differs";
    }
    return {};
}

} // namespace

class SchedulePropertyTest : public QObject {
    Q_OBJECT
  private slots:
    void statesComputeTheReference();
    void keysAgreeWithTexts();
    void allStepKindsAreDrawn();
};

void SchedulePropertyTest::statesComputeTheReference() {
    const int rounds = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS") ? 600 : 25;
    uint64_t stream = 0;
    for (const DagPtr &dag : smallDags()) {
        const std::vector<TensorValue> inputs = randomInputs(*dag, 7);
        const std::vector<TensorValue> expected = interpret(*dag, inputs);
        for (int round = 0; round < rounds; ++round) {
            Random random(1, stream++);
            RandomScheduleOptions options;
            options.maxIterations = 30000;
            const LoopState state = randomSchedule(dag, random, options);
            const std::string steps = stepsText(state.steps());
            Outcome<BoundedState> bounded = inferBounds(state, std::make_shared<ExprArena>());
            QVERIFY2(bounded.ok(), steps.c_str());
            const StateRun run = runState(*bounded, inputs);
            const std::string wrong = run.failure.empty() ? difference(run.outputs, expected) : run.failure;
            QVERIFY2(wrong.empty(), (dag->name() + ": " + wrong + "\n" + dag->text(DagTextMode::Normal) + steps + "\n" +
                                     boundedText(*bounded, false))
                                        .c_str());

            const Steps read = stepsFromJson(nlohmann::json::parse(steps));
            QVERIFY2(read == state.steps(), steps.c_str());
            Outcome<LoopState> again = replay(dag, read);
            QVERIFY2(again.ok(), steps.c_str());
            QCOMPARE(QString::fromStdString(again->text(false)), QString::fromStdString(state.text(false)));
            QCOMPARE(again->dag(), state.dag()); // derived once
        }
    }
}

void SchedulePropertyTest::keysAgreeWithTexts() {
    std::map<std::string, StateKey> keyOfText;
    std::map<StateKey, std::string> textOfKey;
    size_t repeated = 0;
    uint64_t stream = 0;
    for (const DagPtr &dag : smallDags()) {
        for (int round = 0; round < 60; ++round) {
            Random random(2, stream++);
            RandomScheduleOptions options;
            options.attempts = round % 12; // short lists, so that equal states come up
            const LoopState raw = randomSchedule(dag, random, options);
            for (const LoopState &state : {raw, inferBounds(raw, std::make_shared<ExprArena>())->state}) {
                const std::string text = state.text();
                const StateKey key = stateKey(state);
                const auto [known, isNew] = keyOfText.emplace(text, key);
                repeated += isNew ? 0 : 1;
                QVERIFY2(known->second == key, text.c_str());
                QCOMPARE(QString::fromStdString(textOfKey.emplace(key, text).first->second),
                         QString::fromStdString(text));
            }
        }
    }
    QVERIFY(repeated > 100);
    QVERIFY(keyOfText.size() > 500);
}

void SchedulePropertyTest::allStepKindsAreDrawn() {
    std::map<std::string, int> drawn;
    uint64_t stream = 0;
    for (const DagPtr &dag : smallDags())
        for (int round = 0; round < 20; ++round) {
            Random random(3, stream++);
            const LoopState state = randomSchedule(dag, random);
            for (const Step &step : state.steps()) ++drawn[std::string(stepTag(step))];
        }
    for (const char *tag : {"AN", "FU", "PR", "RE", "SP", "FSP", "FFSP", "SA", "CA", "CI", "CR", "CHR", "CHW", "RF"})
        QVERIFY2(drawn[tag] > 0, tag);
}

LOOPSCOPE_TEST(SchedulePropertyTest)
#include "property_test.moc"
