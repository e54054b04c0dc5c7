// Recorded features, where the data folder is present: the 164 numbers of every store of every recorded sample. Ansor
// lists the stores in the order of a hash map and the buffers of a store with ties in any order, so rows are compared
// as sets and tied buffers in any order.

#include "features/feature_table.h"
#include "features/features.h"
#include "harness/shared_data.h"
#include "lower/lower.h"
#include "schedule/steps_json.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace loopscope;

namespace {

struct Difference {
    size_t number; // of the vector
    float expected;
    float got;
};
using Differences = std::vector<Difference>;

constexpr float kTolerance = 1e-3F;
constexpr size_t kUniqueLines = 6; // within a buffer's numbers
constexpr size_t kUniqueLinesPerReuse = 16;

bool near(float a, float b) { return std::abs(a - b) <= kTolerance; }

/// Of the numbers of one buffer, those that differ.
Differences bufferDifferences(const FeatureRow &expected, size_t b, const FeatureRow &got, size_t c) {
    Differences result;
    const size_t at = feature::kBuffers + b * feature::kBufferLength;
    const size_t other = feature::kBuffers + c * feature::kBufferLength;
    for (size_t i = 0; i < feature::kBufferLength; ++i)
        if (!near(expected[at + i], got[other + i])) result.push_back({at + i, expected[at + i], got[other + i]});
    return result;
}

Differences differences(const FeatureRow &expected, const FeatureRow &got) {
    Differences result;
    for (size_t i = 0; i < kFeatureCount; ++i)
        if ((i < feature::kBuffers || i >= feature::kIntensity) && !near(expected[i], got[i]))
            result.push_back({i, expected[i], got[i]});
    std::array<bool, feature::kBufferCount> used{};
    for (size_t b = 0; b < feature::kBufferCount; ++b) {
        Differences least;
        size_t best = feature::kBufferCount;
        for (size_t c = 0; c < feature::kBufferCount; ++c) {
            if (used[c]) continue;
            Differences here = bufferDifferences(expected, b, got, c);
            if (best == feature::kBufferCount || here.size() < least.size()) {
                best = c;
                least = std::move(here);
            }
        }
        used[best] = true;
        result.insert(result.end(), least.begin(), least.end());
    }
    return result;
}

bool isUniqueLines(size_t i) {
    if (i < feature::kBuffers || i >= feature::kIntensity) return false;
    const size_t part = (i - feature::kBuffers) % feature::kBufferLength;
    return part == kUniqueLines || part == kUniqueLinesPerReuse;
}

Target recordedTarget() {
    Target target;
    target.hardware.numCores = 4;
    target.hardware.vectorUnitBytes = 64;
    target.hardware.cacheLineBytes = 64;
    return target;
}

struct Tally {
    int samples = 0;
    int exact = 0; // every number of every row
    int exactButUniqueLines = 0;
    int numbers = 0;
    int numbersDiffering = 0; // unique_lines not counted
    int uniqueLinesDiffering = 0;
};

} // namespace

class FeaturesConformanceTest : public QObject {
    Q_OBJECT
  private slots:
    void recordedRows();
};

void FeaturesConformanceTest::recordedRows() {
    const auto path = sharedDataFile("ansor-conformance.jsonl");
    if (!path) QSKIP("ansor-conformance.jsonl is not present (LOOPSCOPE_SHARED)");
    const Target target = recordedTarget();
    const bool verbose = qEnvironmentVariableIsSet("LOOPSCOPE_VERBOSE");
    Tally tally;
    std::vector<StageFeatures> rows;
    for (const ConformanceRecord &record : conformanceRecords(*path)) {
        const auto json = nlohmann::json::parse(record.line);
        if (!json.contains("samples")) continue;
        const DagPtr dag = conformanceDag(record.workload, record.args);
        QVERIFY2(dag, record.workload.c_str());
        int number = -1;
        for (const auto &sample : json["samples"]) {
            ++number;
            Outcome<LoopState> state = replay(dag, stepsFromJson(sample["steps"]));
            QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
            const auto arena = std::make_shared<ExprArena>();
            Outcome<BoundedState> bounded = inferBounds(*state, arena);
            QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
            const ArenaScope scope(arena);
            const Outcome<LoopProgram> nest = buildLoopNest(*bounded, {.constantMatricesAsOne = true});
            QVERIFY2(nest.ok(), nest.ok() ? "" : nest.why().c_str());
            extractFeatures(*nest, target, rows, FeatureRules::Ansor);

            const auto recorded = sample["features"].get<std::vector<FeatureRow>>();
            QCOMPARE(rows.size(), recorded.size());
            ++tally.samples;
            std::string report;
            bool exact = true;
            bool exactButUniqueLines = true;
            std::vector<bool> used(rows.size());
            for (const FeatureRow &expected : recorded) {
                size_t best = rows.size();
                Differences least;
                for (size_t r = 0; r < rows.size(); ++r) {
                    if (used[r]) continue;
                    Differences here = differences(expected, rows[r].row);
                    if (best == rows.size() || here.size() < least.size()) {
                        best = r;
                        least = std::move(here);
                    }
                }
                used[best] = true;
                tally.numbers += static_cast<int>(kFeatureCount);
                exact = exact && least.empty();
                for (const Difference &d : least) {
                    if (isUniqueLines(d.number)) {
                        ++tally.uniqueLinesDiffering;
                    } else {
                        ++tally.numbersDiffering;
                        exactButUniqueLines = false;
                    }
                    report += "  " + rows[best].buffer->name + " " + featureTable()[d.number].name + ": recorded " +
                              std::to_string(d.expected) + ", ours " + std::to_string(d.got) + "\n";
                }
            }
            tally.exact += exact ? 1 : 0;
            tally.exactButUniqueLines += exactButUniqueLines ? 1 : 0;
            if (verbose && !exact)
                qInfo().noquote() << QString::fromStdString(
                    record.workload + " sample " + std::to_string(number) + "\n" + report +
                    (exactButUniqueLines ? "" : sample["text"].get<std::string>() + printProgram(*nest)));
        }
    }
    qInfo("%d samples: %d agree in every number, %d in all but unique_lines; of %d numbers %d differ, and %d "
          "unique_lines",
          tally.samples, tally.exact, tally.exactButUniqueLines, tally.numbers, tally.numbersDiffering,
          tally.uniqueLinesDiffering);
    QVERIFY(tally.samples >= 80);
    QCOMPARE(tally.numbersDiffering, 0);
}

QTEST_GUILESS_MAIN(FeaturesConformanceTest)
#include "features_conformance_test.moc"
