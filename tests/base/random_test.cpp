// Logs of searches are reproducible only while these numbers never change.

#include "base/random.h"
#include "test_program.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace loopscope;

class RandomTest : public QObject {
    Q_OBJECT

  private slots:
    /// splitmix64 and xoshiro256** written a second time, from the papers' recurrences.
    void followsTheGenerator() {
        uint64_t state = 42 * 0x9E3779B97F4A7C15ull + 7 * 0xD1B54A32D192ED03ull + 0x2545F4914F6CDD1Dull;
        std::array<uint64_t, 4> s{};
        for (auto &word : s) {
            state += 0x9E3779B97F4A7C15ull;
            word = state;
            word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
            word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
            word ^= word >> 31;
        }
        const auto rotated = [](uint64_t x, int by) { return (x << by) | (x >> (64 - by)); };
        Random random(42, 7);
        for (int i = 0; i < 1000; ++i) {
            QCOMPARE(random.next(), rotated(s[1] * 5, 7) * 9);
            const auto old = s;
            s[0] = old[0] ^ old[3] ^ old[1];
            s[1] = old[1] ^ old[2] ^ old[0];
            s[2] = old[2] ^ old[0] ^ (old[1] << 17);
            s[3] = rotated(old[3] ^ old[1], 45);
        }
    }

    void streamsDiffer() {
        Random first(1, 0);
        Random second(1, 1);
        Random otherSeed(2, 0);
        const auto value = first.next();
        QVERIFY(value != second.next());
        QVERIFY(value != otherSeed.next());
    }

    void belowIsEven() {
        Random random(3);
        std::array<int, 6> counts{};
        constexpr int draws = 60'000;
        for (int i = 0; i < draws; ++i) ++counts.at(random.below(6));
        // 5 standard deviations of a binomial count with p = 1/6.
        const double slack = 5 * std::sqrt(draws * (1.0 / 6) * (5.0 / 6));
        for (int count : counts) QVERIFY(std::abs(count - draws / 6.0) < slack);
        QCOMPARE(random.below(1), uint64_t(0));
    }

    void uniformStaysInTheUnitInterval() {
        Random random(4);
        double sum = 0;
        constexpr int draws = 10'000;
        for (int i = 0; i < draws; ++i) {
            const double value = random.uniform();
            QVERIFY(value >= 0 && value < 1);
            sum += value;
        }
        QVERIFY(std::abs(sum / draws - 0.5) < 5 * std::sqrt(1.0 / 12 / draws));
    }
};

LOOPSCOPE_TEST(RandomTest)
#include "random_test.moc"
