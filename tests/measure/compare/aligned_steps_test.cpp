// Two step lists beside each other, and what lies between them: none of the differences taken is the one list, all of
// them are the other.

#include "harness/random_schedule.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "measure/compare/aligned_steps.h"
#include "schedule/bound_inference.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>

#include <memory>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

Steps stepList(const char *json) { return stepsFromJson(nlohmann::json::parse(json)); }

/// "=split..." same, "~split..." changed, "-..." only left, "+..." only right.
QStringList picture(const std::vector<StepPair> &pairs) {
    QStringList lines;
    for (const StepPair &pair : pairs) {
        const QString a = QString::fromStdString(pair.lineA);
        const QString b = QString::fromStdString(pair.lineB);
        if (pair.same)
            lines << "=" + a;
        else if (pair.a >= 0 && pair.b >= 0)
            lines << "~" + a + " | " + b;
        else
            lines << (pair.a >= 0 ? "-" + a : "+" + b);
    }
    return lines;
}

} // namespace

class AlignedStepsTest : public QObject {
    Q_OBJECT
  private slots:
    void factorsAndAnnotations() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto pairs =
            alignSteps(dag, stepList(R"([["SP", 2, 0, 64, [8], 1], ["SP", 2, 2, 64, [4], 1], ["AN", 2, 0, 3]])"),
                       stepList(R"([["SP", 2, 0, 64, [16], 1], ["SP", 2, 2, 64, [4], 1], ["AN", 2, 4, 1]])"));
        QVERIFY(pairs.ok());
        QCOMPARE(picture(*pairs), (QStringList{"~split C i into 8 | split C i into 16", "=split C j into 4",
                                               "-parallel C i.0", "+unroll C k"}));
    }

    void differencesInWords() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const Steps a = stepList(
            R"([["SP", 2, 0, 64, [4, 8], 1], ["SP", 2, 3, 64, [4], 1], ["PR", 2, 0, "auto_unroll_max_step$512"], ["AN", 2, 0, 3]])");
        const Steps b = stepList(
            R"([["SP", 2, 0, 64, [8, 4], 1], ["SP", 2, 3, 64, [4], 1], ["PR", 2, 0, "auto_unroll_max_step$64"]])");
        using Lines = std::vector<std::string>;
        QCOMPARE(differences(*alignSteps(dag, a, b)),
                 (Lines{"split C i: 4, 8 \u2192 8, 4", "pragma C i.0 auto_unroll_max_step: 512 \u2192 64",
                        "no longer: parallel C i.0"}));
        QCOMPARE(differences(*alignSteps(dag, b, a)).back(), "new: parallel C i.0");
        QVERIFY(differences(*alignSteps(dag, a, a)).empty());
        QCOMPARE(lineChange("parallel C i", "unroll C i"), "parallel C i \u2192 unroll C i");
        QCOMPARE(lineChange("split C j into 2, 2", "split C j into 2, 4"), "split C j: 2, 2 \u2192 2, 4");
        QCOMPARE(lineChange("fuse C i", "fuse C i, j"), "fuse C: i \u2192 i, j");
        QCOMPARE(lineChange("inline C", "inline C i"), "inline C: nothing \u2192 i");
    }

    void anotherParallelLoopIsAChange() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto pairs =
            alignSteps(dag, stepList(R"([["SP", 2, 0, 64, [8], 1], ["FU", 2, [0, 1]], ["AN", 2, 0, 3]])"),
                       stepList(R"([["SP", 2, 0, 64, [8], 1], ["FU", 2, [1, 2]], ["AN", 2, 0, 3]])"));
        QVERIFY(pairs.ok());
        QCOMPARE(picture(*pairs), (QStringList{"=split C i into 8", "~fuse C i.0, i.1 | fuse C i.1, j",
                                               "~parallel C i.0@i.1@ | parallel C i.0"}));
    }

    void aStageInFrontChangesNoName() {
        // The copy of A takes the number that C had.
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto pairs =
            alignSteps(dag, stepList(R"([["SP", 2, 0, 64, [8], 1], ["AN", 2, 0, 3]])"),
                       stepList(R"([["CHR", 0, "global", [2]], ["SP", 3, 0, 64, [8], 1], ["AN", 3, 0, 3]])"));
        QVERIFY(pairs.ok());
        QCOMPARE(picture(*pairs), (QStringList{"+cache_read A global C", "=split C i into 8", "=parallel C i.0"}));
    }

    void followedStepsMeanTheSameLine() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto pairs =
            alignSteps(dag, stepList(R"([["SP", 2, 0, 64, [8], 1], ["FSP", 2, 2, 0, 1]])"),
                       stepList(R"([["SP", 2, 2, 64, [4], 1], ["SP", 2, 0, 64, [8], 1], ["FSP", 2, 2, 1, 1]])"));
        QVERIFY(pairs.ok());
        QCOMPARE(picture(*pairs).first(), QString("+split C k into 4"));
        QVERIFY((*pairs)[1].same);
        QVERIFY((*pairs)[1].followed);
    }

    void noneIsAAndAllIsB_data() {
        QTest::addColumn<int>("dag");
        for (size_t i = 0; i < smallDags().size(); ++i) QTest::addRow("dag %zu", i) << static_cast<int>(i);
    }
    void noneIsAAndAllIsB() {
        QFETCH(int, dag);
        const DagPtr of = smallDags()[static_cast<size_t>(dag)];
        Random random(5, static_cast<uint64_t>(dag));
        for (int n = 0; n < 20; ++n) {
            const Steps a = randomSchedule(of, random, {.attempts = 20}).steps();
            const Steps b = randomSchedule(of, random, {.attempts = 20}).steps();
            const auto pairs = alignSteps(of, a, b);
            QVERIFY2(pairs.ok(), pairs.ok() ? "" : pairs.why().c_str());
            const auto none = mixedSteps(of, *pairs, std::vector<bool>(pairs->size(), false));
            QVERIFY2(none.ok(), none.ok() ? "" : none.why().c_str());
            QCOMPARE(QString::fromStdString(stepsText(*none)), QString::fromStdString(stepsText(a)));
            const auto all = mixedSteps(of, *pairs, std::vector<bool>(pairs->size(), true));
            QVERIFY2(all.ok(), all.ok() ? "" : all.why().c_str());
            QCOMPARE(QString::fromStdString(stepsText(*all)), QString::fromStdString(stepsText(b)));
            // Whatever applies in between is a schedule.
            std::vector<bool> some(pairs->size());
            for (size_t i = 0; i < some.size(); ++i) some[i] = random.uniform() < 0.3;
            if (const auto mixed = mixedSteps(of, *pairs, some)) {
                const auto state = replay(of, *mixed);
                QVERIFY(state.ok() && inferBounds(*state, std::make_shared<ExprArena>()).ok());
            }
        }
    }

    void aListWithItselfIsAllSame() {
        const DagPtr of = smallDags().front();
        Random random(3, 1);
        const Steps steps = randomSchedule(of, random).steps();
        const auto pairs = alignSteps(of, steps, steps);
        QVERIFY(pairs.ok());
        QCOMPARE(pairs->size(), steps.size());
        for (const StepPair &pair : *pairs) QVERIFY(pair.same);
    }

    void whatDoesNotGoTogetherIsRefused() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto pairs = alignSteps(dag, stepList(R"([["SP", 2, 0, 64, [8], 1], ["AN", 2, 1, 1]])"), {});
        QVERIFY(pairs.ok());
        QCOMPARE(pairs->size(), size_t{2});
        const auto mixed = mixedSteps(dag, *pairs, {true, false}); // the loop is gone, its annotation is not
        QVERIFY(!mixed.ok());
        QVERIFY2(mixed.why().find("there is no loop `i.1` in C") != std::string::npos, mixed.why().c_str());
    }

    void aListThatDoesNotApplyIsRefused() {
        const DagPtr dag = matmulDag(64, 64, 64);
        const auto pairs = alignSteps(dag, {}, stepList(R"([["AN", 2, 7, 1]])"));
        QVERIFY(!pairs.ok());
        QVERIFY2(pairs.why().find("loop 7") != std::string::npos, pairs.why().c_str());
    }
};

LOOPSCOPE_TEST(AlignedStepsTest)
#include "aligned_steps_test.moc"
