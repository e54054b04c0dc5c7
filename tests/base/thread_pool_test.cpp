// Every index is visited once whatever the number of threads and the grain, exceptions reach the caller, and the pool
// can be used again afterwards.

#include "base/thread_pool.h"
#include "test_program.h"

#include <QTest>

#include <atomic>
#include <stdexcept>
#include <vector>

using namespace loopscope;

class ThreadPoolTest : public QObject {
    Q_OBJECT

  private slots:
    void visitsEveryIndexOnce_data() {
        QTest::addColumn<int>("threads");
        QTest::addColumn<size_t>("count");
        QTest::addColumn<size_t>("grain");
        for (int threads : {1, 2, 5}) {
            for (size_t count : {0, 1, 4, 1000}) {
                for (size_t grain : {0, 1, 7, 2000}) {
                    QTest::addRow("%d threads, %zu indices by %zu", threads, count, grain) << threads << count << grain;
                }
            }
        }
    }

    void visitsEveryIndexOnce() {
        QFETCH(int, threads);
        QFETCH(size_t, count);
        QFETCH(size_t, grain);
        ThreadPool pool(threads);
        QCOMPARE(pool.threads(), threads);
        std::vector<int> visits(count, 0);
        std::vector<int> workers(count, -1);
        // Several times, since a worker may still be waking up for the last time's work.
        constexpr int rounds = 20;
        for (int round = 0; round < rounds; ++round) {
            pool.forEach(
                count,
                [&](size_t index, int worker) {
                    ++visits[index];
                    workers[index] = worker;
                },
                grain);
        }
        for (size_t i = 0; i < count; ++i) {
            QCOMPARE(visits[i], rounds);
            QVERIFY(workers[i] >= 0 && workers[i] < threads);
        }
    }

    void noWorkerRunsTwiceAtOnce() {
        ThreadPool pool(4);
        std::vector<std::atomic<int>> inside(4);
        std::atomic<int> overlaps = 0;
        pool.forEach(2000, [&](size_t, int worker) {
            if (inside[static_cast<size_t>(worker)].fetch_add(1) != 0) ++overlaps;
            inside[static_cast<size_t>(worker)].fetch_sub(1);
        });
        QCOMPARE(overlaps.load(), 0);
    }

    void rethrowsAndGoesOn() {
        for (int threads : {1, 3}) {
            ThreadPool pool(threads);
            std::atomic<size_t> visited = 0;
            const auto failing = [&](size_t index, int) {
                ++visited;
                if (index == 10) throw std::runtime_error("index 10");
            };
            QVERIFY_EXCEPTION_THROWN(pool.forEach(1'000'000, failing), std::runtime_error);
            QVERIFY(visited < 1'000'000);
            std::atomic<size_t> sum = 0;
            pool.forEach(100, [&](size_t index, int) { sum += index; });
            QCOMPARE(sum.load(), size_t(4950));
        }
    }
};

LOOPSCOPE_TEST(ThreadPoolTest)
#include "thread_pool_test.moc"
