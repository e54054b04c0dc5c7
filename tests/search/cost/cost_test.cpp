// The models on made-up programs whose cost is a known function of two features.

#include "base/random.h"
#include "search/cost/cost_model.h"
#include "test_program.h"

#include <QtTest>
#include <array>
#include <cmath>
#include <set>

using namespace loopscope;

namespace {

TrainingSample sample(Random &random, bool fails) {
    TrainingSample result;
    const size_t rows = 1 + random.index(3);
    double cost = 1;
    for (size_t r = 0; r < rows; ++r) {
        FeatureRow row{};
        for (size_t c = 0; c < 40; ++c) row[c] = static_cast<float>(random.uniform() * 10);
        cost += std::exp2(row[3] * 0.4) + row[7] * row[11] * 0.2;
        result.rows.push_back(row);
    }
    result.seconds = fails ? 0 : cost * 1e-3;
    return result;
}

std::vector<TrainingSample> samples(size_t count, uint64_t seed) {
    Random random(seed);
    std::vector<TrainingSample> result;
    for (size_t i = 0; i < count; ++i) result.push_back(sample(random, i % 17 == 5));
    return result;
}

FeatureMatrix matrixOf(const std::vector<TrainingSample> &set) {
    FeatureMatrix matrix;
    for (const auto &one : set) {
        std::vector<StageFeatures> rows;
        for (const auto &row : one.rows) rows.push_back({nullptr, row});
        matrix.append(rows);
    }
    return matrix;
}

double quality(CostModel &model, const std::vector<TrainingSample> &set) {
    std::vector<float> scores;
    model.predict(matrixOf(set), scores);
    std::vector<float> valid;
    std::vector<double> seconds;
    for (size_t i = 0; i < set.size(); ++i)
        if (set[i].seconds > 0) {
            valid.push_back(scores[i]);
            seconds.push_back(set[i].seconds);
        }
    return pairsRankedRight(valid, seconds);
}

} // namespace

class CostTest : public QObject {
    Q_OBJECT
  private slots:
    void learnsToRankUnseenPrograms() {
        auto model = makeXgboostModel({});
        QVERIFY(!model->trained());
        const auto report = model->update(samples(300, 1));
        QVERIFY(model->trained());
        QCOMPARE(report.samples, size_t(300));
        QVERIFY(report.trees > 0);
        QVERIFY2(quality(*model, samples(200, 2)) > 0.8, qPrintable(QString::number(quality(*model, samples(200, 2)))));
    }

    void reportsRankingQualityBeforeLearningTheBatch() {
        auto model = makeXgboostModel({});
        QCOMPARE(model->update(samples(200, 1)).pairsRankedRight, -1.0);
        QVERIFY(model->update(samples(100, 9)).pairsRankedRight > 0.7);
    }

    void sameSeedSameScoresWithAnyThreads() {
        const auto scores = [](int threads) {
            auto model = makeXgboostModel({.threads = threads});
            model->update(samples(250, 1));
            std::vector<float> out;
            model->predict(matrixOf(samples(64, 3)), out);
            return out;
        };
        const std::vector<float> one = scores(1);
        QCOMPARE(one.size(), size_t{64});
        for (const int threads : {1, 2, 3, 5}) QCOMPARE(scores(threads), one);
    }

    void contributionsAddUpToTheScore() {
        const auto model = makeXgboostModel({});
        const auto unseen = samples(20, 9);
        QVERIFY(model->contributions(unseen.front().rows).empty()); // it has learnt nothing
        model->update(samples(300, 1));
        std::vector<float> scores;
        model->predict(matrixOf(unseen), scores);
        std::set<float> bases;
        for (size_t i = 0; i < unseen.size(); ++i) {
            const auto rows = model->contributions(unseen[i].rows);
            QCOMPARE(rows.size(), unseen[i].rows.size());
            double sum = 0;
            for (const RowContributions &row : rows) {
                sum += row.sum();
                bases.insert(row.base * static_cast<float>(rows.size()));
                for (size_t c = 40; c < kFeatureCount; ++c) QCOMPARE(row.features[c], 0.0F); // never varied
            }
            QVERIFY2(std::fabs(sum - static_cast<double>(scores[i])) < 1e-4,
                     qPrintable(QStringLiteral("%1 and %2").arg(sum).arg(static_cast<double>(scores[i]))));
        }
        QVERIFY(*bases.rbegin() - *bases.begin() < 1e-5F); // of the model, not of the program
        QVERIFY(model->contributions({}).empty());
    }

    /// Only features 3, 7 and 11 make a difference to the cost.
    void whatMattersContributes() {
        const auto model = makeXgboostModel({});
        model->update(samples(600, 1));
        std::array<double, 40> weight{};
        for (const auto &one : samples(50, 9))
            for (const auto &row : model->contributions(one.rows))
                for (size_t c = 0; c < 40; ++c) weight[c] += std::fabs(static_cast<double>(row.features[c]));
        for (const size_t c : {3, 7, 11})
            for (size_t other = 12; other < 40; ++other) QVERIFY(weight[c] > weight[other]);
    }

    void programWithoutRowsScoresMinusInfinity() {
        for (auto &model :
             {std::shared_ptr<CostModel>(makeRandomModel(1)), std::shared_ptr<CostModel>(makeXgboostModel({}))}) {
            FeatureMatrix matrix = matrixOf(samples(2, 1));
            matrix.append({});
            std::vector<float> scores;
            model->predict(matrix, scores);
            QCOMPARE(scores.size(), size_t(3));
            QVERIFY(std::isfinite(scores[0]));
            QVERIFY(std::isinf(scores[2]) && scores[2] < 0);
        }
    }

    void onlyFailuresTrainNothing() {
        auto set = samples(20, 4);
        for (auto &one : set) one.seconds = 0;
        auto model = makeXgboostModel({});
        model->update(set);
        QVERIFY(!model->trained());
    }

    void failuresPushScoresDown() {
        // Programs with feature 5 above 5 fail: among unseen ones those must score lower on average.
        auto set = samples(300, 5);
        for (auto &one : set) {
            one.rows.resize(1);
            one.seconds = one.rows[0][5] > 5 ? 0 : 1e-3;
        }
        auto model = makeXgboostModel({});
        model->update(set);
        auto unseen = samples(100, 6);
        for (auto &one : unseen) one.rows.resize(1);
        std::vector<float> scores;
        model->predict(matrixOf(unseen), scores);
        double bad = 0, good = 0;
        int bads = 0, goods = 0;
        for (size_t i = 0; i < unseen.size(); ++i) {
            if (unseen[i].rows[0][5] > 5) {
                bad += scores[i];
                ++bads;
            } else {
                good += scores[i];
                ++goods;
            }
        }
        QVERIFY(bads > 0 && goods > 0 && bad / bads < 0.5 * good / goods);
    }

    void pairQualityCountsOnlyClearPairs() {
        QCOMPARE(pairsRankedRight({3, 2, 1}, {1.0, 2.0, 3.0}), 1.0);
        QCOMPARE(pairsRankedRight({1, 2, 3}, {1.0, 2.0, 3.0}), 0.0);
        QCOMPARE(pairsRankedRight({1, 2}, {1.0, 1.001}), -1.0);
        QCOMPARE(pairsRankedRight({1, 1}, {1.0, 2.0}), 0.5);
    }
};

LOOPSCOPE_TEST(CostTest)
#include "cost_test.moc"
