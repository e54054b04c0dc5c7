// Lengths of split loops: every admissible tuple equally likely, limits kept, extents without divisors tiled all the
// same.

#include "search/annotate/tile_factors.h"
#include "test_program.h"

#include <QtTest>
#include <algorithm>
#include <map>

using namespace loopscope;

namespace {

int64_t product(const std::vector<int64_t> &lengths) {
    int64_t all = 1;
    for (const int64_t length : lengths) all *= length;
    return all;
}

/// Every tuple that may be drawn, by trying all.
std::vector<std::vector<int64_t>> allTuples(int64_t extent, size_t count, int64_t limit) {
    std::vector<std::vector<int64_t>> tuples = {{}};
    for (size_t level = 0; level < count; ++level) {
        std::vector<std::vector<int64_t>> longer;
        for (const auto &tuple : tuples)
            for (int64_t next = 1; next <= extent; ++next)
                if (extent % (product(tuple) * next) == 0 && (level + 1 < count || next <= limit)) {
                    longer.push_back(tuple);
                    longer.back().push_back(next);
                }
        tuples = std::move(longer);
    }
    return tuples;
}

} // namespace

class TileFactorsTest : public QObject {
    Q_OBJECT
  private slots:
    void divisorsAscend() {
        QCOMPARE(divisors(1), (std::vector<int64_t>{1}));
        QCOMPARE(divisors(12), (std::vector<int64_t>{1, 2, 3, 4, 6, 12}));
        QCOMPARE(divisors(49), (std::vector<int64_t>{1, 7, 49}));
        QCOMPARE(divisors(2039), (std::vector<int64_t>{1, 2039}));
    }

    void tuplesAreEquallyLikely_data() {
        QTest::addColumn<int>("extent");
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("limit");
        QTest::newRow("one length") << 512 << 1 << 64;
        QTest::newRow("three lengths") << 12 << 3 << 64;
        QTest::newRow("tight limit") << 48 << 3 << 4;
        QTest::newRow("square of a prime") << 49 << 3 << 64;
        QTest::newRow("small prime") << 7 << 3 << 64;
        QTest::newRow("one iteration") << 1 << 3 << 64;
    }
    void tuplesAreEquallyLikely() {
        QFETCH(int, extent);
        QFETCH(int, count);
        QFETCH(int, limit);
        const auto tuples = allTuples(extent, static_cast<size_t>(count), limit);
        constexpr int kDrawsEach = 400;
        const int draws = kDrawsEach * static_cast<int>(tuples.size());
        std::map<std::vector<int64_t>, int> seen;
        Random random(1, static_cast<uint64_t>(extent));
        for (int i = 0; i < draws; ++i)
            ++seen[drawTileLengths(extent, static_cast<size_t>(count), {limit, true}, random)];
        QCOMPARE(seen.size(), tuples.size());
        for (const auto &tuple : tuples) {
            QVERIFY(seen.contains(tuple));
            // Five standard deviations of a binomial count.
            QVERIFY2(std::abs(seen[tuple] - kDrawsEach) < 100, qPrintable(QString::number(seen[tuple])));
        }
    }

    void primesAreTiledWithGuardedTails_data() {
        QTest::addColumn<qint64>("extent");
        for (const qint64 extent : {127, 2039, 2 * 1031, 1000003}) QTest::addRow("%lld", extent) << extent;
    }
    void primesAreTiledWithGuardedTails() {
        QFETCH(qint64, extent);
        QVERIFY(!tilesExactly(extent, {}));
        Random random(3);
        int tiled = 0;
        constexpr int kDraws = 300;
        for (int i = 0; i < kDraws; ++i) {
            const auto lengths = drawTileLengths(extent, 3, {}, random);
            QCOMPARE(lengths.size(), size_t(3));
            QVERIFY(lengths.back() <= 64);
            for (const int64_t length : lengths) QVERIFY(length >= 1);
            const int64_t block = product(lengths);
            QVERIFY(block <= extent);
            const int64_t covered = (extent + block - 1) / block * block;
            QVERIFY2((covered - extent) * 4 <= extent, qPrintable(QString::number(block)));
            if (lengths.back() > 1) ++tiled;
        }
        QVERIFY2(tiled > kDraws / 2, qPrintable(QString::number(tiled)));
    }

    void shortPrimesAreTiledOrStayWhole() {
        QVERIFY(!tilesExactly(53, {}));
        Random random(3);
        int whole = 0;
        int guarded = 0;
        for (int i = 0; i < 400; ++i) {
            const int64_t block = product(drawTileLengths(53, 3, {}, random));
            QVERIFY(block >= 1 && block <= 53);
            whole += block == 53 ? 1 : 0;
            guarded += block > 1 && block < 53 ? 1 : 0;
        }
        QVERIFY(whole > 50 && guarded > 100);
    }

    void withoutGuardsAPrimeHasOnlyItsTwoDivisors() {
        Random random(3);
        for (int i = 0; i < 200; ++i)
            for (const int64_t length : drawTileLengths(2039, 3, {64, false}, random))
                QVERIFY(length == 1 || length == 2039);
    }

    void smallOrRichExtentsTileExactly() {
        for (const int64_t extent : {1, 2, 3, 7, 13, 16, 49, 50, 224, 512, 1000}) QVERIFY(tilesExactly(extent, {}));
    }

    void sameStreamSameLengths() {
        for (const int64_t extent : {512, 2039, 1, 7}) {
            Random a(5, 9);
            Random b(5, 9);
            for (int i = 0; i < 20; ++i) QCOMPARE(drawTileLengths(extent, 3, {}, a), drawTileLengths(extent, 3, {}, b));
        }
    }
};

LOOPSCOPE_TEST(TileFactorsTest)
#include "tile_factors_test.moc"
