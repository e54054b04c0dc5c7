// One truth about the best: comparisons decide, first times only among those that were never compared.

#include "base/random.h"
#include "harness/sample_dags.h"
#include "test_program.h"
#include "views/session/baseline.h"
#include "views/session/standing.h"

#include <QTest>

using namespace loopscope;

namespace {

constexpr double kMs = 1e-3;

TimeInterval about(double milliseconds, double share = 0.02) {
    return {milliseconds * kMs, milliseconds * (1 - share) * kMs, milliseconds * (1 + share) * kMs};
}

TaskState stateOf(const std::vector<double> &milliseconds) {
    TaskState state;
    for (const double time : milliseconds) {
        TrialEntry entry;
        if (time > 0)
            entry.trial.seconds = {time * kMs, time * kMs, time * kMs};
        else
            entry.trial.error = TrialError::RuntimeDevice;
        state.trials.push_back(std::move(entry));
    }
    state.best = bestTrial(state);
    return state;
}

/// Trials from the best to the worst, counted from 0.
QString order(const TaskState &state) {
    std::vector<int> trials;
    for (int t = 0; t < static_cast<int>(state.trials.size()); ++t)
        if (state.trials[static_cast<size_t>(t)].valid()) trials.push_back(t);
    std::stable_sort(trials.begin(), trials.end(),
                     [&](int a, int b) { return standing(state, a) < standing(state, b); });
    QStringList texts;
    for (const int t : trials) texts << QString::number(t);
    return texts.join(QLatin1Char(' '));
}

} // namespace

class StandingTest : public QObject {
    Q_OBJECT

  private slots:
    void withoutAComparisonTheTimeDecides() {
        const TaskState state = stateOf({5, 3, -1, 4});
        QCOMPARE(state.best, 1);
        QCOMPARE(order(state), QStringLiteral("1 3 0"));
        for (int t = 0; t < 4; ++t) QVERIFY(!unconfirmed(state, t));
        QVERIFY(!comparedTogether(state, {}, {ScheduleRef::Kind::Trial, 1}));
        QVERIFY(!speedUp(state));
    }

    void changesAreOfTimesThatGoTogether() {
        const auto trial = [](int number) { return ScheduleRef{ScheduleRef::Kind::Trial, number}; };
        const auto near = [](double a, double b) { return std::fabs(a - b) < 1e-9; };
        TaskState state = stateOf({4, 3, -1, 2});
        state.name = QStringLiteral("m");
        // No comparison yet: first times.
        auto told = timeChange(state, trial(1), trial(0));
        QVERIFY(told && near(told->change, -0.25) && !told->together);
        QVERIFY(!timeChange(state, trial(2), trial(0))); // failed
        QVERIFY(!timeChange(state, {}, trial(0)));       // the naive schedule was not measured
        state.naiveSeconds = 8 * kMs;
        told = timeChange(state, {}, trial(0));
        QVERIFY(told && near(told->change, 1) && !told->together);
        // Two in turn, on a machine half as fast as before: the third still stands to them by first times alone.
        takeComparison(state, {{-1, about(16)}, {0, about(8)}, {1, about(7)}});
        told = timeChange(state, trial(1), trial(0));
        QVERIFY(told && near(told->change, -0.125) && told->together);
        told = timeChange(state, trial(3), trial(0));
        QVERIFY(told && near(told->change, -0.5) && !told->together);
        told = timeChange(state, {}, trial(0));
        QVERIFY(told && near(told->change, 1) && told->together);
        QVERIFY(!timeChange(state, {}, trial(3))); // its first time is not kept
        // Of different comparisons: by first times again.
        takeComparison(state, {{1, about(3)}, {3, about(2.4)}});
        told = timeChange(state, trial(1), trial(0));
        QVERIFY(told && near(told->change, -0.25) && !told->together);
        told = timeChange(state, trial(3), trial(1));
        QVERIFY(told && near(told->change, -0.2) && told->together);
        // Against the baseline, in words.
        QVERIFY(!againstBaseline(state, trial(1)));
        QCOMPARE(againstBaselineText(state, trial(1)), QString());
        state.baseline = 1;
        QCOMPARE(againstBaselineText(state, trial(1)), QStringLiteral("the baseline"));
        QCOMPARE(againstBaselineText(state, trial(3)), QStringLiteral("\u221220.0\u2009% against trial 2"));
        QCOMPARE(againstBaselineTip(state, trial(3)),
                 QStringLiteral("Against trial 2, the baseline: 2.400 ms to 3.000 ms, timed in turn"));
        QCOMPARE(againstBaselineTip(state, trial(0)), QStringLiteral("Against trial 2, the baseline: 4.000 ms to 3.000 "
                                                                     "ms, as first measured, at different moments"));
        QCOMPARE(againstBaselineText(state, trial(2)), QString());
        // What was made by hand has the times of the trial it became.
        EditNode node{EditedSteps(matmulDag(8, 8, 8))};
        state.edited.push_back(node);
        const ScheduleRef byHand{ScheduleRef::Kind::Edited, 0};
        QVERIFY(!againstBaseline(state, byHand));
        state.edited[0].measured.trial = 3;
        QCOMPARE(againstBaselineText(state, byHand), againstBaselineText(state, trial(3)));
    }

    void trialByTrialTheBestIsTheSame() {
        Random random(3);
        for (int round = 0; round < 50; ++round) {
            TaskState grown;
            std::vector<TrialEntry> all = stateOf({3, 5, 4, -1, 2, 2, 6, 1.5, -1, 1.5, 4, 7, 1, 3, 1, 2.5}).trials;
            int best = -1;
            while (!all.empty()) {
                const size_t at = random.index(all.size());
                all[at].trial.unstable = random.below(4) == 0;
                grown.trials.push_back(all[at]);
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
                const int last = static_cast<int>(grown.trials.size()) - 1;
                best = betterTrial(grown, best, last);
                QCOMPARE(best, bestTrial(grown));
                if (random.below(5) == 0 && best >= 0) {
                    takeComparison(grown, {{best, about(1 + 6 * random.uniform())}});
                    best = bestTrial(grown);
                }
            }
        }
    }

    void anUnstableTimeDecidesNothing() {
        TaskState state = stateOf({5, 3, 4});
        state.trials[1].trial.unstable = true;
        QCOMPARE(bestTrial(state), 2);
        QCOMPARE(order(state), QStringLiteral("2 0 1"));
        for (auto &entry : state.trials) entry.trial.unstable = true;
        QCOMPARE(bestTrial(state), 1); // nothing else there is
        takeComparison(state, {{0, about(5, 0.2)}, {2, about(6, 0.2)}});
        QCOMPARE(order(state), QStringLiteral("0 2 1")); // compared, it may
    }

    void theComparisonDecidesWhateverFirstTimesWere() {
        // Finalists 1, 3, 0; the machine was slower then, and 1 had been a fluke. 4 did not take part.
        TaskState state = stateOf({5, 3, -1, 4, 5.5});
        const auto changed = takeComparison(state, {{1, about(9)}, {3, about(7)}, {0, about(8)}, {-1, about(70)}});
        state.best = bestTrial(state);
        QCOMPARE(changed, (std::vector<int>{1, 3, 0}));
        QCOMPARE(state.best, 3);
        QCOMPARE(order(state), QStringLiteral("3 0 1 4")); // 4 was slower than 3 when both were new
        QCOMPARE(state.trials[3].seconds(), 7 * kMs);
        QVERIFY(unconfirmed(state, 1) && unconfirmed(state, 0) && unconfirmed(state, 3));
        QVERIFY(unconfirmed(state, 4)); // 5.5 ms, and the winner takes 7
        QVERIFY(comparedTogether(state, {}, {ScheduleRef::Kind::Trial, 3}));
        QCOMPARE(*speedUp(state), 10.0);
    }

    void whatWasComparedCanBeComparedAgain() {
        TaskState state = stateOf({5, 3, -1, 4, 5.5});
        QVERIFY(comparedWith(state, 1).empty());
        takeComparison(state, {{1, about(9)}, {3, about(7)}, {0, about(8)}, {-1, about(70)}});
        QCOMPARE(comparedWith(state, 3), (std::vector<int>{0, 1, 3}));
        QVERIFY(comparedWith(state, 4).empty());
        takeComparison(state, {{3, about(7)}, {4, about(8)}});
        QCOMPARE(comparedWith(state, 3), (std::vector<int>{3, 4}));
    }

    void aTimeThatHoldsIsConfirmed() {
        TaskState state = stateOf({5, 3, 8});
        takeComparison(state, {{1, about(3.1)}, {0, about(5)}});
        for (int t = 0; t < 3; ++t) QVERIFY(!unconfirmed(state, t));
        QVERIFY(!speedUp(state)); // the naive schedule took no part
    }

    void whatWasThereDoesNotBeatTheWinnerByAFirstTime() {
        TaskState state = stateOf({5, 3, 4});
        takeComparison(state, {{0, about(5)}}); // as a log says that 0 won
        QCOMPARE(bestTrial(state), 0);
        QCOMPARE(order(state), QStringLiteral("0 1 2"));
        // What comes later must have been faster than the winner when both were new.
        TrialEntry later;
        later.trial.seconds = {4.9 * kMs, 4.9 * kMs, 4.9 * kMs};
        state.trials.push_back(later);
        QCOMPARE(bestTrial(state), 3);
    }

    void laterComparisonsKeepTheOrderOfEarlierOnes() {
        TaskState state = stateOf({5, 3, 4, 20});
        takeComparison(state, {{0, about(6)}, {1, about(3)}, {2, about(4.5)}});
        state.best = bestTrial(state);
        QCOMPARE(order(state), QStringLiteral("1 2 0 3"));
        // Measured again on a busy machine: the best and one that was never compared.
        takeComparison(state, {{1, about(9)}, {3, about(30)}});
        QCOMPARE(order(state), QStringLiteral("1 2 0 3"));
        QVERIFY(comparedTogether(state, {ScheduleRef::Kind::Trial, 1}, {ScheduleRef::Kind::Trial, 3}));
        QVERIFY(!comparedTogether(state, {ScheduleRef::Kind::Trial, 1}, {ScheduleRef::Kind::Trial, 2}));
        // And now the second is the faster one after all.
        takeComparison(state, {{1, about(3.3)}, {2, about(3)}});
        state.best = bestTrial(state);
        QCOMPARE(state.best, 2);
        QCOMPARE(order(state), QStringLiteral("2 1 0 3"));
    }

    void aComparisonWithoutTheBestDecidesNothing() {
        TaskState state = stateOf({5, 3, 4});
        takeComparison(state, {{0, about(2)}, {2, about(4)}}, false);
        QCOMPARE(state.winner, -1);
        QVERIFY(comparedTogether(state, {ScheduleRef::Kind::Trial, 0}, {ScheduleRef::Kind::Trial, 2}));
    }

    void aSteadyComparisonClearsUnstable() {
        TaskState state = stateOf({5, 3});
        state.trials[0].trial.unstable = state.trials[1].trial.unstable = true;
        takeComparison(state, {{0, about(5, 0.2)}, {1, about(3, 0.01)}});
        QVERIFY(state.trials[0].trial.unstable);
        QVERIFY(!state.trials[1].trial.unstable);
    }

    void aWinnerThatFailsLaterIsNoWinner() {
        TaskState state = stateOf({5, 3, 4});
        takeComparison(state, {{1, about(6)}, {0, about(5)}});
        QCOMPARE(bestTrial(state), 0);
        state.trials[0].trial.error = TrialError::WrongAnswer;
        QCOMPARE(bestTrial(state), 2);
    }
};

LOOPSCOPE_TEST(StandingTest)
#include "standing_test.moc"
