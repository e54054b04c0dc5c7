// A search whose candidates are measured on another machine: it waits for results, is stopped and continued meanwhile,
// and takes what is brought. The other machine is this test.

#include "scripted_session.h"

#include "records/bundle/bundle_folder.h"
#include "records/record/record.h"
#include "test_program.h"
#include "views/session/measuring.h"
#include "views/session/text.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QSaveFile>

using namespace loopscope;

namespace {

constexpr const char *kMachine = "gpubox: NVIDIA A100, driver 550.54; NVRTC 12.4";

/// As the runner of a bundle writes them; the later a candidate the faster it is.
void bringResults(const QString &folder, size_t candidates) {
    const Bundle bundle = readBundle(std8(folder + QStringLiteral("/bundle.json")));
    nlohmann::json results = nlohmann::json::array();
    for (size_t i = 0; i < std::min(candidates, bundle.candidates.size()); ++i) {
        const double seconds = 1e-3 / static_cast<double>(i + 1);
        results.push_back({{"candidate", i},
                           {"source", bundle.candidates[i].source},
                           {"error", 0},
                           {"reason", ""},
                           {"seconds", std::vector<double>(static_cast<size_t>(std::max(3, bundle.turns)), seconds)},
                           {"max_error", 0.1},
                           {"build_seconds", 0.5},
                           {"run_seconds", 0.1},
                           {"time", 1700000000 + static_cast<int64_t>(i)},
                           {"machine", {{"host", "gpubox"}, {"device", "NVIDIA A100, driver 550.54"}, {"driver", ""}}},
                           {"compiler", "NVRTC 12.4"}});
    }
    const nlohmann::json whole = {
        {"format", "loopscope bundle results"}, {"version", 1}, {"bundle", bundle.id}, {"results", results}};
    QSaveFile file(folder + QStringLiteral("/results.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(whole.dump()));
    QVERIFY(file.commit());
}

} // namespace

class SessionBundleTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { qputenv("LOOPSCOPE_WORKER", LOOPSCOPE_BIN_DIR "/loopscope-worker"); }

    void waitsIsStoppedAndTakesWhatIsBrought() {
        ScriptedSession f;
        f.openMatmul(8);
        SearchSetup setup = f.session->document()->setup;
        setup.on = MeasureOn::Bundle;
        setup.bundleFolder = f.folder.filePath(QStringLiteral("all bundles"));
        f.session->search().setSetup(setup);
        const Document &document = *f.session->document();
        const auto waitsFor = [&](const char *round) {
            return document.search.waiting && document.search.waiting->folder.endsWith(QLatin1String(round));
        };
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(waitsFor("/round-001"), 60000);
        const QString first = document.search.waiting->folder;
        QCOMPARE(document.search.waiting->candidates, 4);
        QCOMPARE(document.search.waiting->command, QStringLiteral("make -C '%1' run").arg(first));
        QVERIFY(document.search.waiting->since.isValid());
        QCOMPARE(document.search.phase, QStringLiteral("waiting for the results of 4 trials"));
        QVERIFY(document.search.at == SearchPhase::Measuring);
        f.session->search().stop();
        QVERIFY(f.ended());
        QVERIFY(!document.search.waiting);
        QCOMPARE(document.search.state, SearchState::Finished);
        QVERIFY(document.trials.empty());

        // The round is still there; half of it comes back, then all.
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(waitsFor("/round-001"), 60000);
        bringResults(first, 2);
        QTRY_VERIFY_WITH_TIMEOUT(document.search.waiting && document.search.waiting->candidates == 2, 20000);
        QTRY_COMPARE(document.trials.size(), size_t{2});
        QCOMPARE(document.trials[0].later->machine, QLatin1String(kMachine));
        QVERIFY(document.trials[0].sketch >= 0);
        bringResults(first, 4);
        QTRY_VERIFY_WITH_TIMEOUT(waitsFor("/round-002"), 60000);
        QCOMPARE(document.trials.size(), size_t{4});
        QCOMPARE(document.search.waiting->candidates, 4);
        bringResults(document.search.waiting->folder, 4);

        // The finalists are timed in turn, in a round of their own.
        QTRY_VERIFY_WITH_TIMEOUT(waitsFor("/round-003"), 60000);
        QCOMPARE(document.trials.size(), size_t{8});
        QVERIFY(readBundle(std8(document.search.waiting->folder + QStringLiteral("/bundle.json"))).turns > 0);
        bringResults(document.search.waiting->folder, 100);
        QVERIFY(f.ended());
        QCOMPARE(f.failures(), QString());
        QCOMPARE(document.search.ended, QStringLiteral("8 trials measured, 0 failed"));
        QVERIFY(document.best >= 0);
        QVERIFY(document.naiveSeconds < 0 || document.naiveComparison >= 0); // never measured here
        const RecordLog log = loadRecordLog(std8(document.logPath));
        QCOMPARE(log.records.size(), size_t{8});
        for (size_t i = 0; i < 8; ++i) {
            QCOMPARE(log.records[i].machine, std::string(kMachine));
            QCOMPARE(document.trials[i].logRecord, static_cast<int>(i));
            QCOMPARE(document.trials[i].recordHash, recordHash(log.records[i]));
        }
        QVERIFY(!log.verdicts.empty());

        // What was measured elsewhere is not measured here between.
        f.session->search().remeasure({0, 1});
        QVERIFY(!f.session->search().remeasuring());

        const QString file = f.folder.filePath(QStringLiteral("s.loopscope"));
        QCOMPARE(f.session->file().save(file, {}), QString());
        f.restart();
        QByteArray window;
        QVERIFY(f.session->file().load(file, &window));
        QTRY_VERIFY(f.session->document() && f.session->document()->trials.size() == 8);
        QVERIFY(f.idle());
        QVERIFY(f.session->document()->setup.on == MeasureOn::Bundle);
        QCOMPARE(f.session->document()->setup.bundleFolder, setup.bundleFolder);
        QCOMPARE(f.session->document()->trials[3].later->machine, QLatin1String(kMachine));
    }

    /// At once, although nothing is under way here; what is brought meanwhile is taken afterwards.
    void aPauseHoldsWhileResultsAreWaitedFor() {
        ScriptedSession f;
        f.openMatmul(4);
        SearchSetup setup = f.session->document()->setup;
        setup.on = MeasureOn::Bundle;
        f.session->search().setSetup(setup);
        const Document &document = *f.session->document();
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(document.search.waiting.has_value(), 60000);
        f.session->search().pause();
        QCOMPARE(document.search.state, SearchState::Paused);
        bringResults(document.search.waiting->folder, 2);
        QTest::qWait(1000);
        QVERIFY(document.trials.empty());
        QCOMPARE(document.search.waiting->candidates, 4);
        f.session->search().resume();
        QTRY_COMPARE_WITH_TIMEOUT(document.trials.size(), size_t{2}, 60000);
        QCOMPARE(document.search.waiting->candidates, 2); // and goes on waiting
        f.session->search().pause();
        f.session->search().stop();
        QVERIFY(f.ended());
        QCOMPARE(document.trials.size(), size_t{2});
    }

    void resultsOfAnotherBundleEndTheSearch() {
        ScriptedSession f;
        f.openMatmul(4);
        SearchSetup setup = f.session->document()->setup;
        setup.on = MeasureOn::Bundle;
        f.session->search().setSetup(setup);
        const Document &document = *f.session->document();
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(document.search.waiting.has_value(), 60000);
        const QString folder = document.search.waiting->folder;
        QCOMPARE(folder, bundleFolderOf(document) + QStringLiteral("/round-001")); // beside the log
        QFile file(folder + QStringLiteral("/results.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "loopscope bundle results", "version": 1, "bundle": "0", "results": []})");
        file.close();
        QVERIFY(f.ended());
        QCOMPARE(document.search.state, SearchState::Failed);
        QVERIFY2(document.search.ended.contains(QStringLiteral("the results are of another bundle")),
                 qPrintable(document.search.ended));
        QVERIFY(!document.search.waiting);
        // Repaired, it goes on with the same round.
        QVERIFY(QFile::remove(file.fileName()));
        bringResults(folder, 4);
        f.session->search().start();
        QTRY_VERIFY_WITH_TIMEOUT(document.trials.size() == 4, 60000);
        f.session->search().stop();
        QVERIFY(f.ended());
    }
};

LOOPSCOPE_TEST(SessionBundleTest)
#include "session_bundle_test.moc"
