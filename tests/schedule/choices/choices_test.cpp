// Choices: a column for everything in which schedules differ, and the weight of each in the times.

#include "base/random.h"
#include "harness/sample_dags.h"
#include "schedule/choices/choice_importance.h"
#include "schedule/choices/choice_table.h"
#include "test_program.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>

using namespace loopscope;

namespace {

const StageId kC{2};

/// C(512, 512): its rows tiled, its inner columns vectorized, the outer rows parallel, unrolled so far.
Steps tiled(int64_t rows, int64_t columns, int unroll) {
    return {SplitStep{kC, IterId(0), 512, {rows}},
            SplitStep{kC, IterId(2), 512, {columns}},
            ReorderStep{kC, {IterId(0), IterId(2), IterId(1), IterId(4), IterId(3)}},
            AnnotateStep{kC, IterId(0), Annotation::Parallel},
            AnnotateStep{kC, IterId(4), Annotation::Vectorize},
            PragmaStep{kC, IterId(0), "auto_unroll_max_step$" + std::to_string(unroll)}};
}

const std::vector<float> &valuesOf(const ChoiceTable &table, const std::string &name) {
    for (size_t c = 0; c < table.choices.size(); ++c)
        if (table.choices[c].name == name) return table.values[c];
    qFatal("no choice %s", name.c_str());
}

std::vector<std::string> namesOf(const ChoiceTable &table) {
    std::vector<std::string> names;
    for (const Choice &choice : table.choices) names.push_back(choice.name);
    return names;
}

/// Of many schedules, with times that a test makes up.
struct Sample {
    std::vector<PackedSteps> schedules;
    std::vector<int64_t> rows;
    std::vector<int64_t> columns;
    explicit Sample(int count) {
        Random random(7, 1);
        const int64_t lengths[] = {1, 2, 4, 8, 16, 32, 64};
        const int unrolls[] = {0, 16, 64, 512};
        for (int i = 0; i < count; ++i) {
            rows.push_back(lengths[random.below(7)]);
            columns.push_back(lengths[random.below(7)]);
            schedules.emplace_back(tiled(rows.back(), columns.back(), unrolls[random.below(4)]));
        }
    }
};

} // namespace

class ChoicesTest : public QObject {
    Q_OBJECT

  private slots:
    void columnsAreWhatDiffers() {
        const DagPtr dag = matmulDag();
        const ChoiceTable table = choiceTable(
            dag, {PackedSteps(tiled(4, 16, 64)), PackedSteps(tiled(8, 16, 64)), PackedSteps(tiled(4, 16, 512))});
        QCOMPARE(namesOf(table), (std::vector<std::string>{"C.i[0]", "C.i[1]", "C parallel", "C unroll"}));
        QCOMPARE(valuesOf(table, "C.i[1]"), (std::vector<float>{4, 8, 4}));
        QCOMPARE(valuesOf(table, "C.i[0]"), (std::vector<float>{128, 64, 128}));
        QCOMPARE(valuesOf(table, "C parallel"), (std::vector<float>{128, 64, 128}));
        QCOMPARE(valuesOf(table, "C unroll"), (std::vector<float>{64, 64, 512}));
    }

    void placesAreWordsAndWhatIsNotThereIsNone() {
        const DagPtr dag = matmulDag();
        const Steps cached = {CacheWriteStep{kC, "local"}, ComputeAtStep{kC, StageId(3), IterId(0)}};
        const Steps rooted = {CacheWriteStep{kC, "local"}};
        const ChoiceTable table =
            choiceTable(dag, {PackedSteps(cached), PackedSteps(rooted), PackedSteps(tiled(4, 16, 64))});
        const std::vector<float> &place = valuesOf(table, "C.local place");
        const Choice &choice = table.choices[static_cast<size_t>(&place - table.values.data())];
        QCOMPARE(choice.valueText(place[0]), std::string("at C.i"));
        QCOMPARE(choice.valueText(place[1]), std::string("root"));
        QVERIFY(std::isnan(place[2]));
        QCOMPARE(choice.valueText(place[2]), std::string("none"));
        QVERIFY(std::isnan(valuesOf(table, "C.i[0]")[1]));
    }

    void whatDoesNotApplyHasNoChoices() {
        const DagPtr dag = matmulDag();
        Steps broken = tiled(4, 16, 64);
        broken.push_back(AnnotateStep{kC, IterId(40), Annotation::Vectorize});
        const ChoiceTable table =
            choiceTable(dag, {PackedSteps(tiled(8, 16, 64)), PackedSteps(broken), PackedSteps(tiled(4, 16, 64))});
        for (const auto &values : table.values) QVERIFY(std::isnan(values[1]) && !std::isnan(values[0]));
        std::atomic<bool> cancel{true};
        QVERIFY(choiceTable(dag, {PackedSteps(broken)}, &cancel).choices.empty());
    }

    void theChoiceThatMadeTheTimeWeighsMost() {
        const Sample sample(200);
        const ChoiceTable table = choiceTable(matmulDag(), sample.schedules);
        std::vector<double> seconds;
        Random random(11, 3);
        for (const int64_t columns : sample.columns)
            seconds.push_back((columns == 16 ? 1e-3 : 1e-3 * (1 + std::fabs(std::log2(columns / 16.0)))) *
                              (1 + 0.02 * random.uniform()));
        const ChoiceImportance importance = choiceImportance(table, seconds);
        QCOMPARE(importance.share.size(), table.choices.size());
        QVERIFY(std::fabs(std::accumulate(importance.share.begin(), importance.share.end(), 0.0) - 1) < 1e-6);
        double ofColumns = 0;
        for (size_t c = 0; c < table.choices.size(); ++c)
            if (table.choices[c].name.rfind("C.j", 0) == 0 || table.choices[c].name == "C vector")
                ofColumns += importance.share[c];
        QVERIFY2(ofColumns > 0.9, qPrintable(QString::number(ofColumns)));
        QVERIFY2(importance.explained > 0.9, qPrintable(QString::number(importance.explained)));
        const ChoiceImportance again = choiceImportance(table, seconds);
        QCOMPARE(again.share, importance.share);
    }

    void timesWithoutACauseAreNotExplained() {
        const Sample sample(120);
        const ChoiceTable table = choiceTable(matmulDag(), sample.schedules);
        std::vector<double> seconds;
        Random random(5, 5);
        for (size_t i = 0; i < sample.schedules.size(); ++i) seconds.push_back(1e-3 * (1 + random.uniform()));
        QVERIFY(choiceImportance(table, seconds).explained < 0.3);
    }

    void fewOrFailedSchedulesWeighNothing() {
        const Sample sample(40);
        const ChoiceTable table = choiceTable(matmulDag(), sample.schedules);
        std::vector<double> seconds(40, 1e-3);
        QVERIFY(choiceImportance(table, seconds).share.empty()); // all equally fast
        for (size_t i = 0; i < seconds.size(); ++i)
            seconds[i] = i < 21 ? std::numeric_limits<double>::infinity() : 1e-3 * static_cast<double>(sample.rows[i]);
        QVERIFY(choiceImportance(table, seconds).share.empty()); // nineteen are left
        seconds[0] = 2e-3;
        QVERIFY(!choiceImportance(table, seconds).share.empty());
        QVERIFY(choiceImportance({}, seconds).share.empty());
    }
};

LOOPSCOPE_TEST(ChoicesTest)
#include "choices_test.moc"
