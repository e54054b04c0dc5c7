// What is kept of a generation's scores is what is drawn and saved of them.

#include "test_program.h"
#include "views/session/score_distribution.h"

#include <QTest>
#include <algorithm>
#include <cmath>

using namespace loopscope;

class ScoreDistributionTest : public QObject {
    Q_OBJECT
  private slots:
    void bins();
    void quantiles();
};

void ScoreDistributionTest::bins() {
    const auto list = ScoreDistribution({0, 0.1F, 0.5F, 1, -INFINITY, NAN}, 2).bins();
    QCOMPARE(list.size(), size_t(2));
    QCOMPARE(list[0].count, 2);
    QCOMPARE(list[1].count, 2); // 0.5 begins the upper half
    QCOMPARE(list[1].upper, 1.);
    QVERIFY(ScoreDistribution().bins().empty());
    QVERIFY(ScoreDistribution({-INFINITY}, 8).bins().empty());
    const auto equal = ScoreDistribution({3, 3, 3}, 8).bins();
    QCOMPARE(equal.size(), size_t(1));
    QCOMPARE(equal[0].count, 3);
}

void ScoreDistributionTest::quantiles() {
    std::vector<float> scores;
    for (int i = 0; i < 4001; ++i) scores.push_back(static_cast<float>(i * 37 % 4001) / 4000); // 0 to 1, in disorder
    const ScoreDistribution many(scores);
    QCOMPARE(many.quantiles().size(), ScoreDistribution::kQuantiles);
    for (size_t i = 0; i < many.quantiles().size(); ++i)
        QCOMPARE(many.quantiles()[i], static_cast<float>(40 * i) / 4000);
    int counted = 0;
    for (const ScoreBin &bin : many.bins()) {
        const auto inside = std::count_if(scores.begin(), scores.end(), [&](float score) {
            return score >= bin.lower && (score < bin.upper || (bin.upper == 1. && score <= 1.F));
        });
        QCOMPARE(bin.count, static_cast<int>(inside));
        counted += bin.count;
    }
    QCOMPARE(counted, 4001);
    QCOMPARE(many.bins().size(), static_cast<size_t>(ScoreDistribution::kBins));
    // As a session file gives it back.
    const ScoreDistribution read(many.quantiles());
    QCOMPARE(read.quantiles(), many.quantiles());
    QCOMPARE(read.bins().front().lower, many.bins().front().lower);
    QCOMPARE(read.bins().back().upper, many.bins().back().upper);
    // Few are kept one and all.
    QCOMPARE(ScoreDistribution({3, 1, 2}).quantiles(), (std::vector<float>{1, 2, 3}));
    QCOMPARE(ScoreDistribution({7}).quantiles(), (std::vector<float>{7}));
    QVERIFY(ScoreDistribution().quantiles().empty());
}

LOOPSCOPE_TEST(ScoreDistributionTest)
#include "score_distribution_test.moc"
