// Numbers made up by a rule: the same for ever, spread as the rule says, and drawn only when somebody looks.

#include "language/tensor/host_tensor.h"
#include "language/tensor/seeded_fill.h"
#include "test_program.h"

#include <QTest>
#include <cmath>
#include <set>

using namespace loopscope;

namespace {

struct Spread {
    double mean = 0;
    double deviation = 0;
    double least = 0;
    double most = 0;
};

Spread spreadOf(const std::vector<double> &numbers) {
    Spread spread = {0, 0, numbers.at(0), numbers.at(0)};
    for (const double x : numbers) {
        spread.mean += x / static_cast<double>(numbers.size());
        spread.least = std::min(spread.least, x);
        spread.most = std::max(spread.most, x);
    }
    for (const double x : numbers)
        spread.deviation += (x - spread.mean) * (x - spread.mean) / static_cast<double>(numbers.size());
    spread.deviation = std::sqrt(spread.deviation);
    return spread;
}

} // namespace

class SeededFillTest : public QObject {
    Q_OBJECT

  private slots:
    /// A text that says the rule would otherwise mean other weights one day.
    void numbersStayWhatTheyAre() {
        const auto uniform = HostTensor::generated(DType::Float32, {3}, FillRecipe::uniform(7));
        QCOMPARE(uniform.numbers(), (std::vector<double>{0.5603060722351074, -0.9989731311798096, 0.3979932367801666}));
        const auto normal = HostTensor::generated(DType::Float32, {3}, FillRecipe::normal(7, 0, 0.5));
        QCOMPARE(normal.numbers(), (std::vector<double>{0.2380828857421875, -0.9885711669921875, -0.1505279541015625}));
        const auto integers = HostTensor::generated(DType::Int64, {6}, FillRecipe::integers(7, -2, 2));
        QCOMPARE(integers.integerValues(), (std::vector<int64_t>{1, -2, 1, -2, 0, -1}));
    }

    void spreadsAsTheRuleSays() {
        const auto uniform =
            spreadOf(HostTensor::generated(DType::Float64, {200000}, FillRecipe::uniform(1)).numbers());
        QVERIFY(uniform.least >= -1 && uniform.most < 1);
        QVERIFY(std::abs(uniform.mean) < 0.01);
        QVERIFY(std::abs(uniform.deviation - 1 / std::sqrt(3.0)) < 0.01);
        const auto normal =
            spreadOf(HostTensor::generated(DType::Float32, {200000}, FillRecipe::normal(1, 3, 0.25)).numbers());
        QVERIFY(std::abs(normal.mean - 3) < 0.005);
        QVERIFY(std::abs(normal.deviation - 0.25) < 0.005);
        QVERIFY(normal.most > 3 + 3 * 0.25 && normal.most < 3 + 6 * 0.25);
        const auto drawn = HostTensor::generated(DType::Int32, {1000}, FillRecipe::integers(1, -3, 4)).integerValues();
        QCOMPARE(std::set<int64_t>(drawn.begin(), drawn.end()), (std::set<int64_t>{-3, -2, -1, 0, 1, 2, 3, 4}));
    }

    void rampIsWhatOnnxTestsUse() {
        const auto ramp = HostTensor::generated(DType::Float32, {2, 2}, FillRecipe::ramp());
        QCOMPARE(ramp.numbers(), (std::vector<double>{0, 0.25, 0.5, 0.75}));
    }

    void seedsAndStreamsDiffer() {
        const auto of = [](uint64_t seed, uint64_t stream) {
            return HostTensor::generated(DType::Float32, {70000}, FillRecipe::uniform(seed, -1, 1, stream));
        };
        QVERIFY(of(1, 0).sameAs(of(1, 0)));
        QVERIFY(!of(1, 0).sameAs(of(2, 0)));
        QVERIFY(!of(1, 0).sameAs(of(1, 1)));
        // The second block of elements is not the first again.
        const auto numbers = of(1, 0).numbers();
        QVERIFY(numbers[0] != numbers[65536]);
        QVERIFY(of(1, 1).numbers()[0] != numbers[65536]);
    }

    /// 16 TB nobody has; only whoever asks for the bytes pays.
    void drawnWhenLookedAt() {
        const auto large = HostTensor::generated(DType::Float32, {1 << 21, 1 << 21}, FillRecipe::uniform(1));
        QCOMPARE(large.elements(), int64_t{1} << 42);
        QVERIFY(large.recipe() != nullptr);
        const auto small = HostTensor::generated(DType::Float32, {6}, FillRecipe::uniform(1));
        const HostTensor copy = small.reshaped({2, 3});
        QCOMPARE(small.bytes(), copy.bytes());
        QCOMPARE(*copy.recipe(), FillRecipe::uniform(1));
        QVERIFY(HostTensor::scalar(DType::Float32, 1).recipe() == nullptr);
    }

    void narrowTypesRound() {
        const auto wide = HostTensor::generated(DType::Float64, {64}, FillRecipe::normal(3, 0, 1));
        for (const DType type : {DType::Float16, DType::BFloat16, DType::Int8, DType::UInt8, DType::Bool}) {
            const auto narrow = HostTensor::generated(type, {64}, FillRecipe::normal(3, 0, 1));
            HostTensor expected = HostTensor::zeros(type, {64});
            for (int64_t i = 0; i < 64; ++i) expected.setNumber(i, wide.number(i));
            QVERIFY2(narrow.sameAs(expected), std::string(dtypeName(type)).c_str());
        }
    }
};

LOOPSCOPE_TEST(SeededFillTest)
#include "seeded_fill_test.moc"
