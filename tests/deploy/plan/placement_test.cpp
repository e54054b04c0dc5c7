// Buffers in one arena: never two at one place at one time, close to what exists at once, the best there is on tiny
// problems.
#include "base/random.h"
#include "deploy/plan/placement.h"
#include "test_program.h"

#include <QtTest>

#include <algorithm>
#include <numeric>

using namespace loopscope;

namespace {

std::vector<BufferLifetime> drawBuffers(Random &random, size_t count, size_t positions) {
    std::vector<BufferLifetime> buffers;
    for (size_t i = 0; i < count; ++i) {
        const size_t first = random.index(positions);
        const size_t last = std::min(positions - 1, first + random.index(random.below(5) == 0 ? positions : 4));
        buffers.push_back({.bytes = 1 + random.index(random.below(3) == 0 ? 4000 : 300), .first = first, .last = last});
    }
    return buffers;
}

/// Why the placement is wrong; empty when it is right.
QString wrongIn(const std::vector<BufferLifetime> &buffers, const BufferPlacement &placement) {
    for (size_t i = 0; i < buffers.size(); ++i) {
        const size_t begin = placement.offsets[i];
        if (begin % kBufferAlignment != 0) return QString("buffer %1 is not aligned").arg(i);
        if (begin + buffers[i].bytes > placement.arenaBytes) return QString("buffer %1 leaves the arena").arg(i);
        for (size_t j = 0; j < i; ++j)
            if (buffers[i].meets(buffers[j]) && begin < placement.offsets[j] + buffers[j].bytes &&
                placement.offsets[j] < begin + buffers[i].bytes)
                return QString("buffers %1 and %2 overlap").arg(j).arg(i);
    }
    return {};
}

/// The least arena of all orders of placing.
size_t minArena(const std::vector<BufferLifetime> &buffers) {
    std::vector<size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    size_t least = SIZE_MAX;
    do least = std::min(least, placeInOrder(buffers, order).arenaBytes);
    while (std::next_permutation(order.begin(), order.end()));
    return least;
}

/// Activations of a network of residual blocks: each block has two or three buffers inside and one around.
std::vector<BufferLifetime> residualNetwork() {
    std::vector<BufferLifetime> buffers;
    size_t at = 0;
    const size_t stages[][3] = {{3, 3136, 64}, {4, 784, 128}, {6, 196, 256}, {3, 49, 512}};
    buffers.push_back({.bytes = 12544 * 64 * 4, .first = 0, .last = 1});
    buffers.push_back({.bytes = 3136 * 64 * 4, .first = 1, .last = 4});
    at = 2;
    for (const auto &[blocks, points, channels] : stages)
        for (size_t b = 0; b < blocks; ++b) {
            const size_t inner = points * channels * 4;
            buffers.push_back({.bytes = inner, .first = at, .last = at + 1});
            buffers.push_back({.bytes = inner, .first = at + 1, .last = at + 3});
            if (b == 0) buffers.push_back({.bytes = 4 * inner, .first = at + 2, .last = at + 3});
            buffers.push_back({.bytes = 4 * inner, .first = at + 3, .last = at + 7});
            at += 4;
        }
    return buffers;
}

} // namespace

class PlacementTest : public QObject {
    Q_OBJECT

  private slots:
    void peakOfThree() {
        const std::vector<BufferLifetime> buffers = {{100, 0, 1}, {64, 1, 2}, {1, 2, 3}};
        QCOMPARE(livePeak(buffers), size_t{128 + 64});
        QCOMPARE(bytesWithoutReuse(buffers), size_t{128 + 64 + 64});
        QCOMPARE(placeBuffers(buffers).arenaBytes, size_t{192});
    }

    void nothing() {
        QCOMPARE(placeBuffers({}).arenaBytes, size_t{0});
        QCOMPARE(livePeak({}), size_t{0});
    }

    void buffersNeverOverlap() {
        for (uint64_t seed = 0; seed < 60; ++seed) {
            Random random(seed);
            const auto buffers = drawBuffers(random, 1 + random.index(60), 1 + random.index(40));
            const BufferPlacement placement = placeBuffers(buffers, {.seed = seed, .maxPlacements = 200});
            const QString wrong = wrongIn(buffers, placement);
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(wrong)));
            QVERIFY(placement.arenaBytes >= livePeak(buffers));
            QCOMPARE(placeBuffers(buffers, {.seed = seed, .maxPlacements = 200}).offsets, placement.offsets);
        }
    }

    void isTheBestOnTinyProblems() {
        for (uint64_t seed = 0; seed < 150; ++seed) {
            Random random(seed, 1);
            const auto buffers = drawBuffers(random, 2 + random.index(5), 6);
            const BufferPlacement placement = placeBuffers(buffers);
            QVERIFY2(placement.arenaBytes == minArena(buffers), qPrintable(QString("seed %1").arg(seed)));
        }
    }

    /// Random lifetimes are harder than those of networks.
    void isCloseToThePeak() {
        double sum = 0;
        for (uint64_t seed = 0; seed < 20; ++seed) {
            Random random(seed, 2);
            const auto buffers = drawBuffers(random, 80, 60);
            sum += static_cast<double>(placeBuffers(buffers).arenaBytes) / static_cast<double>(livePeak(buffers));
        }
        QVERIFY2(sum / 20 < 1.02, qPrintable(QString::number(sum / 20)));
        const auto network = residualNetwork();
        QCOMPARE(placeBuffers(network).arenaBytes, livePeak(network));
    }
};

LOOPSCOPE_TEST(PlacementTest)
#include "placement_test.moc"
