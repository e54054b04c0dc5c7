// Published logs, where they are present: every key is resolved, and every record of it replays.

#include "harness/shared_data.h"
#include "records/record/record.h"
#include "records/resolve/fit.h"
#include "records/resolve/resolver.h"
#include "test_program.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <set>

using namespace loopscope;

class ResolveRealLogsTest : public QObject {
    Q_OBJECT

  private slots:
    void recordsReplay_data() {
        QTest::addColumn<QString>("log");
        QTest::addColumn<int>("records");
        QTest::newRow("network") << "tvm-resnet18-nhwc-cuda.json" << 24;
        QTest::newRow("matmul") << "tvm-matmul.json" << 1;
        QTest::newRow("conv2d") << "ansor-conv2d-layer-cpu.json" << 64;
    }
    void recordsReplay() {
        QFETCH(QString, log);
        QFETCH(int, records);
        const auto path = sharedDataFile(log.toStdString());
        if (!path) QSKIP("the published log is not present");
        const RecordLog loaded = loadRecordLog(*path);
        QCOMPARE(loaded.records.size(), static_cast<size_t>(records));
        const Resolver resolver;
        for (const Record &record : loaded.records) {
            const Steps steps = record.trial.steps.unpack();
            const auto found = resolver.resolve(record.key, steps);
            QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
            const Outcome<LoopState> state = fit(steps, (*found)->dag);
            QVERIFY(state.ok());
            QCOMPARE(state->steps().size(), steps.size());
            Task task;
            task.dag = (*found)->dag;
            task.key = task.dag->key();
            task.target.kind = record.targetText.starts_with("cuda") ? TargetKind::Cuda : task.target.kind;
            const Outcome<bool> matches = recordMatches(record, task);
            QVERIFY2(matches.ok(), matches.ok() ? "" : matches.why().c_str());
        }
    }

    void publishedKeys() {
        const auto path = sharedDataFile("dag-keys.jsonl");
        if (!path) QSKIP("dag-keys.jsonl is not present");
        const Resolver resolver;
        size_t keys = 0;
        for (const std::string &line : readLines(*path)) {
            const auto json = nlohmann::json::parse(line);
            for (const auto &key : json.at("workload_keys_in_tvm_ci_log")) {
                const auto found = resolver.resolve(key.get<std::string>());
                QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
                QCOMPARE((*found)->dag->key(), key.get<std::string>());
                QCOMPARE((*found)->dag->text(DagTextMode::Simple), json.at("simple_text").get<std::string>());
                ++keys;
            }
        }
        QVERIFY(keys > 10);
    }

    /// What Ansor derives for the benchmarks has names of its own; the samples have them.
    void conformance() {
        ResolverOptions options;
        options.workloads = {LOOPSCOPE_SOURCE_DIR "/samples"};
        const Resolver resolver(options);
        QVERIFY2(resolver.problems().empty(), resolver.problems().empty() ? "" : resolver.problems()[0].c_str());
        std::set<std::string> keys;
        for (const ConformanceRecord &record : conformanceRecords())
            keys.insert(nlohmann::json::parse(record.line).at("key").get<std::string>());
        QVERIFY(keys.size() > 10);
        for (const std::string &key : keys) {
            const auto found = resolver.resolve(key);
            QVERIFY2(found.ok(), found.ok() ? "" : found.why().c_str());
            QCOMPARE((*found)->dag->key(), key);
        }
    }
};

LOOPSCOPE_TEST(ResolveRealLogsTest)
#include "resolve_real_logs_test.moc"
