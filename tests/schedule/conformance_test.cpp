// Recorded step lists: they replay, their bounds give the recorded state text, and
// the JSON form gives back the recorded line.

#include "harness/sample_dags.h"
#include "harness/shared_data.h"
#include "schedule/bound_inference.h"
#include "schedule/stage_facts.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QTest>
#include <map>
#include <nlohmann/json.hpp>

using namespace loopscope;

namespace {

QString lines(const std::string &text) { return QString::fromStdString(text); }

/// The DAG of a published CUDA record where a sample expresses it (by the shapes in its key); null otherwise.
DagPtr dagOfCudaKey(const nlohmann::json &key) {
    std::vector<int64_t> n;
    for (size_t i = 1; i < key.size(); ++i) n.push_back(key[i].get<int64_t>());
    if (n.size() == 4) return softmaxDag(n[0], n[1]);
    const bool convolution = n.size() >= 12 && n[4] == n[5] && n[6] == n[3];
    const bool fused = convolution && n.size() == 16 && n[8] * n[9] * n[10] == 1 && n[12] == 1 && n[13] != n[1];
    if (fused) return conv2dBiasReluNhwcDag(n[1], n[2], n[3], n[7], n[4], n[1] / n[13], (n[4] - 1) / 2);
    if (convolution && n.size() == 12 && n[4] == 1) return conv2dNhwcDag(1, n[1], n[2], n[3], n[7], 1, n[1] / n[9], 0);
    return nullptr;
}

} // namespace

class ConformanceTest : public QObject {
    Q_OBJECT
  private slots:
    void boundsOfRecordedSamples();
    void cpuLogReplays();
    void publishedMatmulReplays();
    void cudaLogReplays();
};

void ConformanceTest::boundsOfRecordedSamples() {
    int samples = 0;
    int different = 0;
    for (const ConformanceRecord &record : conformanceRecords()) {
        const auto json = nlohmann::json::parse(record.line);
        if (!json.contains("samples")) continue;
        const DagPtr dag = conformanceDag(record.workload, record.args);
        QVERIFY2(dag, record.workload.c_str());
        for (const auto &sample : json["samples"]) {
            ++samples;
            const Steps steps = stepsFromJson(sample["steps"]);
            QVERIFY(nlohmann::json::parse(stepsText(steps)) == sample["steps"]);
            Outcome<LoopState> state = replay(dag, steps);
            QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
            Outcome<BoundedState> bounded = inferBounds(*state, std::make_shared<ExprArena>());
            QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
            const auto expected = sample["text"].get<std::string>();
            const std::string text = boundedText(*bounded);
            if (text == expected) continue;
            ++different;
            qInfo().noquote() << lines(record.workload) << "\nsteps" << lines(stepsText(steps)) << "\nexpected\n"
                              << lines(expected) << "\ngot\n"
                              << lines(text);
        }
    }
    QVERIFY(samples >= 80);
    QCOMPARE(different, 0);
}

void ConformanceTest::cpuLogReplays() {
    const auto path = sharedDataFile("ansor-conv2d-layer-cpu.json");
    if (!path) QSKIP("ansor-conv2d-layer-cpu.json is not present (LOOPSCOPE_SHARED)");
    const DagPtr dag = conv2dBiasReluNchwDag();
    int replayed = 0;
    for (const std::string &line : readLines(*path)) {
        const auto json = nlohmann::json::parse(line);
        const auto &recorded = json["i"][1][1];
        const Steps steps = stepsFromJson(recorded);
        QVERIFY2(line.find(stepsText(steps)) != std::string::npos, "spacing of the record");
        Outcome<LoopState> state = replay(dag, steps);
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        Outcome<BoundedState> bounded = inferBounds(*state, std::make_shared<ExprArena>());
        QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
        ++replayed;
    }
    QVERIFY(replayed >= 60);
}

void ConformanceTest::publishedMatmulReplays() {
    const auto path = sharedDataFile("tvm-matmul.json");
    if (!path) QSKIP("tvm-matmul.json is not present (LOOPSCOPE_SHARED)");
    DagBuilder builder;
    const Tensor &a = builder.placeholder("A", {1024, 1024});
    const Tensor &b = builder.placeholder("B", {1024, 1024});
    const Axis i = axis("i", 1024), j = axis("j", 1024), k = axis("k", 1024);
    const Tensor &product =
        builder.reduce("matmul", {i, j}, ReduceKind::Sum, {k}, load(a, {i.var, k.var}) * load(b, {k.var, j.var}));
    const Tensor &c = builder.placeholder("C", {1024, 1024});
    const Axis oi = axis("i", 1024), oj = axis("j", 1024);
    const Tensor &out = builder.compute("out", {oi, oj}, load(product, {oi.var, oj.var}) + load(c, {oi.var, oj.var}));
    const DagPtr dag = builder.build({&out});
    int replayed = 0;
    for (const std::string &line : readLines(*path)) {
        if (line.empty() || line[0] != '{') continue;
        const auto json = nlohmann::json::parse(line);
        Outcome<LoopState> state = replay(dag, stepsFromJson(json["i"][1][1]));
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        Outcome<BoundedState> bounded = inferBounds(*state, std::make_shared<ExprArena>());
        QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
        QCOMPARE(lines(boundedText(*bounded)), lines(R"(Placeholder: A, B, C
parallel i.0@j.0@ (0,16384)
  for i.1 (0,2)
    matmul auto_unroll: 8
    for k.0 (0,256)
      for k.1 (0,4)
        for i.3 (0,4)
          vectorize j.3 (0,8)
            matmul = ...
    for i.2 (0,4)
      vectorize j.2 (0,8)
        out = ...
)"));
        ++replayed;
    }
    QCOMPARE(replayed, 1);
}

void ConformanceTest::cudaLogReplays() {
    const auto path = sharedDataFile("tvm-resnet18-nhwc-cuda.json");
    if (!path) QSKIP("tvm-resnet18-nhwc-cuda.json is not present (LOOPSCOPE_SHARED)");
    int replayed = 0;
    for (const std::string &line : readLines(*path)) {
        if (line.empty() || line[0] != '{') continue;
        const auto json = nlohmann::json::parse(line);
        const DagPtr dag = dagOfCudaKey(nlohmann::json::parse(json["i"][0][0].get<std::string>()));
        if (!dag) continue;
        Outcome<LoopState> state = replay(dag, stepsFromJson(json["i"][1][1]));
        QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
        Outcome<BoundedState> bounded = inferBounds(*state, std::make_shared<ExprArena>());
        QVERIFY2(bounded.ok(), bounded.ok() ? "" : bounded.why().c_str());
        // One kernel has one block size: what is bound to threadIdx.x in the same kernel has one extent, also where
        // it was split off a shorter loop.
        std::map<int, int64_t> threads; // by root stage
        for (size_t i = 0; i < state->stageCount(); ++i)
            for (const Iter &iter : bounded->state.stage(StageId(i)).iters) {
                if (iter.annotation != Annotation::ThreadX) continue;
                const int root = rootOf(*state, StageId(i)).value;
                const std::string text = boundedText(*bounded);
                QVERIFY2(threads.emplace(root, iter.extent).first->second == iter.extent, text.c_str());
            }
        QVERIFY(!threads.empty());
        ++replayed;
    }
    QVERIFY(replayed >= 9);
}

LOOPSCOPE_TEST(ConformanceTest)
#include "conformance_test.moc"
