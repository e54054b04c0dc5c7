// Recorded features, where the data folder is present: the 164 numbers of every store of every recorded sample. Ansor
// lists the stores in the order of a hash map and the buffers of a store with ties in any order, so rows are compared
// as sets and tied buffers in any order.

#include "codegen/lower/lower.h"
#include "harness/shared_data.h"
#include "schedule/steps_json.h"
#include "search/features/feature_table.h"
#include "search/features/features.h"
#include "test_program.h"

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

Target recordedTarget() {
    Target target;
    target.hardware.numCores = 4;
    target.hardware.vectorUnitBytes = 64;
    target.hardware.cacheLineBytes = 64;
    return target;
}

} // namespace

class FeaturesConformanceTest : public QObject {
    Q_OBJECT
  private slots:
    void recordedRows();
};

void FeaturesConformanceTest::recordedRows() {
    const Target target = recordedTarget();
    int samples = 0;
    int agreeing = 0; // in every number of every row
    int stores = 0;
    std::vector<StageFeatures> rows;
    for (const ConformanceRecord &record : conformanceRecords()) {
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
            const Outcome<LoopProgram> nest = buildLoopNest(*bounded, {.forFeatures = true});
            QVERIFY2(nest.ok(), nest.ok() ? "" : nest.why().c_str());
            extractFeatures(*nest, target, rows, FeatureRules::Ansor);

            const auto recorded = sample["features"].get<std::vector<FeatureRow>>();
            QCOMPARE(rows.size(), recorded.size());
            ++samples;
            std::string report;
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
                ++stores;
                for (const Difference &d : least)
                    report += "  " + rows[best].buffer->name + " " + featureTable()[d.number].name + ": recorded " +
                              std::to_string(d.expected) + ", ours " + std::to_string(d.got) + "\n";
            }
            if (report.empty()) {
                ++agreeing;
            } else {
                qInfo().noquote() << QString::fromStdString(record.workload + " sample " + std::to_string(number) +
                                                            "\n" + report + sample["text"].get<std::string>() +
                                                            printProgram(*nest));
            }
        }
    }
    qInfo("%d of %d samples agree in every number of their %d stores", agreeing, samples, stores);
    QVERIFY(samples >= 80);
    QCOMPARE(agreeing, samples);
}

LOOPSCOPE_TEST(FeaturesConformanceTest)
#include "features_conformance_test.moc"
