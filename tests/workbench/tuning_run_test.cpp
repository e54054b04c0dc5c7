// A search from its tasks to its verdict, and measuring again, on a scripted machine with a real log.

#include "harness/sample_dags.h"
#include "harness/scripted_search.h"
#include "test_program.h"
#include "workbench/measure_again.h"
#include "workbench/tuning_run.h"

#include <QTemporaryDir>
#include <QTest>

using namespace loopscope;

namespace tuning_run_test {

class TuningRunTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    [[nodiscard]] std::string path(const char *name) const { return m_folder.filePath(name).toStdString(); }

    static TunedResult searched(const Task &task, int trials, const ResumedTrials &resumed, TrialLog &log,
                                SearchObserver &observer) {
        ScriptedMeasurer measurer;
        SearchControl control;
        return std::move(runTuning(
                             {{task, "matmul", quickSearch(trials), measurer, resumed}}, {0, 0, 1},
                             *makeRoundRobinOrder(), log, [&](const SearchEvent &event) { observer.on(event); },
                             control)
                             .front());
    }

    static int verdicts(const std::string &path) { return static_cast<int>(loadRecordLog(path).verdicts.size()); }

  private slots:
    void trialsAreInTheLogBeforeAnybodyHearsOfThem() {
        const Task task = taskForTwoCores(matmulDag());
        const auto log = TrialLog::open(path("a.json"));
        size_t heard = 0;
        SearchListener listener;
        listener.onEvent = [&](const SearchEvent &event) {
            if (!std::holds_alternative<TrialFinished>(event)) return;
            ++heard;
            QCOMPARE(loadRecordLog(path("a.json")).records.size(), heard);
        };
        log->startAt(0);
        const TunedResult result = searched(task, 16, {}, *log, listener);
        QCOMPARE(heard, size_t{16});
        QCOMPARE(result.records.size(), size_t{16});
        QCOMPARE(result.records.back(), size_t{15});
        const RecordLog read = loadRecordLog(path("a.json"));
        QCOMPARE(read.verdicts.size(), size_t{1});
        QCOMPARE(read.verdicts.front().record, *result.search.best);
    }

    /// Nobody could find the record that it would name.
    void aTrialThatTheLogLacksIsNoVerdict() {
        const Task task = taskForTwoCores(matmulDag());
        SearchListener listener;
        const auto nowhere = TrialLog::open({});
        const TunedResult first = searched(task, 16, {}, *nowhere, listener);
        for (const bool here : {true, false}) {
            const std::string name = path(here ? "b.json" : "c.json");
            ResumedTrials resumed;
            const auto log = TrialLog::open(name);
            for (const Trial &trial : first.search.trials)
                resumed.add(trial, 0, here ? log->append(task, trial) : ResumedTrials::kElsewhere);
            const TunedResult again = searched(task, 16, resumed, *log, listener);
            QVERIFY(again.search.bestIsResumed && again.search.bestTime.known());
            if (here)
                QCOMPARE(verdicts(name), 1);
            else
                QVERIFY(!QFile(QString::fromStdString(name)).size());
        }
    }

    void measuredAgainInTurn() {
        const Task task = taskForTwoCores(matmulDag());
        SearchListener listener;
        const TunedResult first = searched(task, 8, {}, *TrialLog::open({}), listener);
        AgainOrder order{task, {}, {}, 0};
        for (const int trial : {2, 5}) {
            order.candidates.push_back(first.search.trials[static_cast<size_t>(trial)].steps.unpack());
            order.numbers.push_back(trial);
        }
        order.decides = true;
        ScriptedMeasurer measurer;
        measurer.interleaved = [&](const Steps &steps, int rounds) {
            return std::vector<double>(static_cast<size_t>(rounds), steps == order.candidates[1] ? 1e-6 : 1e-3);
        };
        double done = 0;
        const auto log = TrialLog::open(path("d.json"));
        const AgainResult result = measureAgain(order, measurer, *log, {}, [&](double share) { done = share; });
        QVERIFY(done > 0 && done < 1);
        QCOMPARE(result.compared.size(), size_t{2}); // the naive schedule takes no part
        QCOMPARE(result.compared.back().trial, 5);
        QCOMPARE(result.measured[1].seconds.front(), 1e-6);
        const RecordLog read = loadRecordLog(path("d.json"));
        QCOMPARE(read.records.size(), size_t{2});
        QCOMPARE(read.verdicts.size(), size_t{1});
        QCOMPARE(read.verdicts.front().record, size_t{1});
        std::atomic<bool> cancelled{true};
        const auto other = TrialLog::open(path("e.json"));
        (void)measureAgain(order, measurer, *other, {.cancel = &cancelled}, [](double) {});
        QVERIFY(!QFile(QString::fromStdString(path("e.json"))).size());
    }
};

LOOPSCOPE_TEST(TuningRunTest)

} // namespace tuning_run_test
#include "tuning_run_test.moc"
