// VectorizeWeights: which reductions are also tiled with the axis of their weights innermost, why others are not, and
// that what comes of it computes the answer and is preferred where rows are short.

#include "codegen/lower/lower.h"
#include "harness/program_interpreter.h"
#include "harness/sample_dags.h"
#include "language/te/workload.h"
#include "search/annotate/annotate_rule.h"
#include "search/cost/draft_estimate.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <set>

using namespace loopscope;

namespace vectorize_weights_test {

namespace {

Target cpu() {
    Target target;
    target.kind = TargetKind::Llvm;
    target.vectorBytes = 64;
    target.vectorRegisters = 32;
    target.hardware.numCores = 1;
    target.minParallelStores = 0;
    return target;
}

/// A convolution in NCHW with bias; its body, and the attributes behind it, may be others.
DagPtr convolution(const char *body, const char *consumer = "out(a < 1, b < CO, c < H, d < W) = conv[a, b, c, d] + 1",
                   int64_t channels = 32) {
    const std::string text = "workload conv(CO = " + std::to_string(channels) + R"(, CI = 32, H = 7, W = 7)
data = placeholder [1, CI, H + 2, W + 2] float32
kernel = placeholder [CO, CI, 3, 3] float32
conv(n < 1, f < CO, y < H, x < W) = sum(c < CI, i < 3, j < 3; )" +
                             std::string(body) + "\n" + consumer + "\n";
    return ComputeDag::fromWorkload(parseWorkload(text, "conv.te"));
}

constexpr const char *kPlain = "data[n, c, y + i, x + j] * kernel[f, c, i, j]) @layout_free_placeholders[kernel]";

SketchOptions withRule() {
    SketchOptions options;
    options.vectorizeWeights = true;
    return options;
}

bool hasRule(const Sketch &sketch) {
    return std::any_of(sketch.rules.begin(), sketch.rules.end(),
                       [](const std::string &rule) { return rule.starts_with("VectorizeWeights "); });
}

struct Kinds {
    std::string wrong; // of the first schedule that does not compute the answer
    int laidOut = 0;   // schedules with a tile whose channels are neighbours
    int packed = 0;    // of these, with weights in the order they are read
};

Kinds kindsOfSchedules(const DagPtr &dag) {
    Kinds kinds;
    SketchOptions sketching = withRule();
    sketching.inlineMore = true;
    std::vector<Sketch> sketches = generateSketches(dag, cpu(), sketching);
    std::erase_if(sketches, [](const Sketch &sketch) { return !hasRule(sketch); });
    if (sketches.empty()) return {"no sketch"};
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const std::vector<TensorValue> expected = interpret(*dag, inputs);
    const SearchOptions options;
    for (uint64_t attempt = 0; attempt < 24; ++attempt) {
        Random random(11, attempt);
        Scratch scratch;
        const Target target = cpu();
        const auto state = annotate({target, options, random, scratch}, sketches[attempt % sketches.size()].state);
        if (!state) continue;
        for (const int rewrite : {0, 2}) {
            LowerOptions lowering;
            lowering.layoutRewrite = rewrite;
            const auto program = lower(*state, cpu(), lowering);
            if (!program) return {program.why()};
            const ProgramRun run = runProgram(*program, inputs);
            const std::string wrong = run.failure.empty() ? compareOutputs(run.outputs, expected) : run.failure;
            if (!wrong.empty()) return {wrong};
            const std::string text = printProgram(*program);
            if (text.find("dimension 1 fastest") == std::string::npos) continue;
            ++kinds.laidOut;
            const size_t sum = text.find(".local.acc[");
            if (sum != std::string::npos && text.find("*kernel.packed[", sum) != std::string::npos) ++kinds.packed;
        }
    }
    return kinds;
}

} // namespace

class VectorizeWeightsTest : public QObject {
    Q_OBJECT
  private slots:
    void channelsComeInnermostAfterAnsorsOwnSketches() {
        const DagPtr dag = convolution(kPlain);
        const auto plain = generateSketches(dag, cpu());
        const auto more = generateSketches(dag, cpu(), withRule());
        QVERIFY(more.size() > plain.size());
        for (size_t i = 0; i < plain.size(); ++i) QCOMPARE(more[i].state.text(), plain[i].state.text());
        for (size_t i = plain.size(); i < more.size(); ++i) {
            QVERIFY(hasRule(more[i]));
            const auto &iters = more[i].state.stage(StageId(2)).iters;
            QCOMPARE(iters.back().name, std::string("f.3"));
            QCOMPARE(iters[iters.size() - 2].name, std::string("x.3"));
        }
    }

    void withoutAConsumerACacheIsPutInOrder() {
        const DagPtr dag = convolution(kPlain, "");
        const auto more = generateSketches(dag, cpu(), withRule());
        QVERIFY(std::any_of(more.begin(), more.end(), [](const Sketch &sketch) {
            const Steps &steps = sketch.state.steps();
            return hasRule(sketch) && std::any_of(steps.begin(), steps.end(), [](const Step &step) {
                       return std::holds_alternative<CacheWriteStep>(step);
                   });
        }));
    }

    void refusals_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("reason");
        QTest::newRow("fixed layout") << "data[n, c, y + i, x + j] * kernel[f, c, i, j])"
                                      << "no input of it has a free layout";
        QTest::newRow("data knows the channel")
            << "data[n, f, y + i, x + j] * kernel[f, c, i, j]) @layout_free_placeholders[kernel]"
            << "no axis but the innermost runs through its weights alone";
        QTest::newRow("weights know the column")
            << "data[n, c, y + i, j] * kernel[f, c, i, x % 3]) @layout_free_placeholders[kernel]"
            << "no axis but the innermost runs through its weights alone";
    }
    void refusals() {
        QFETCH(QString, body);
        QFETCH(QString, reason);
        std::set<std::string> reasons;
        const auto sketches =
            generateSketches(convolution(qPrintable(body)), cpu(), withRule(), [&](const SketchStep &step) {
                if (step.rule == "VectorizeWeights" && !step.applied) reasons.insert(step.reason);
            });
        QVERIFY2(reasons.contains(reason.toStdString()), reasons.empty() ? "applied" : reasons.begin()->c_str());
        QVERIFY(std::none_of(sketches.begin(), sketches.end(), hasRule));
    }

    void oneWithoutConsumerOrReuseIsRefused() {
        std::set<std::string> reasons;
        generateSketches(convolution(kPlain, ""), cpu(), withRule(), [&](const SketchStep &step) {
            if (step.rule == "VectorizeWeights" && !step.applied) reasons.insert(step.reason);
        });
        QVERIFY(reasons.contains("no single element-wise consumer puts its results in order"));
        QVERIFY(reasons.contains("it has no data reuse to tile for"));
    }

    void oneWhoseConsumerCannotFollowIsRefused() {
        std::set<std::string> reasons;
        generateSketches(convolution(kPlain, "out(b < CO * H * W) = conv[0, b // (H * W), b // W % H, b % W] + 1"),
                         cpu(), withRule(), [&](const SketchStep &step) {
                             if (step.rule == "VectorizeWeights" && !step.applied) reasons.insert(step.reason);
                         });
        QVERIFY2(std::any_of(reasons.begin(), reasons.end(),
                             [](const std::string &reason) {
                                 return reason.find("do not line up") != std::string::npos ||
                                        reason.find("no single element-wise consumer") != std::string::npos;
                             }),
                 reasons.empty() ? "applied" : reasons.begin()->c_str());
    }

    void everyScheduleComputesTheAnswer() {
        const Kinds kinds =
            kindsOfSchedules(convolution(kPlain, "out(a < 1, b < CO, c < H, d < W) = conv[a, b, c, d] + 1", 12));
        QVERIFY2(kinds.wrong.empty(), kinds.wrong.c_str());
        QVERIFY(kinds.laidOut > 0);
    }

    /// A kernel that is mirrored by a stage of its own is packed where that stage is computed as it is read.
    void mirroredWeightsAreWeights() {
        const auto transposed = [](const char *layoutFree) {
            return ComputeDag::fromWorkload(
                parseWorkload(std::string("workload t()\ndata = placeholder [1, 4, 3, 3] float32\n"
                                          "kernel = placeholder [4, 24, 4, 4] float32\n"
                                          "conv = conv2d_transpose_nchw(data, kernel, 2, 1, layout_free = ") +
                                  layoutFree + ")\n",
                              "t.te"));
        };
        const Kinds kinds = kindsOfSchedules(transposed("1"));
        QVERIFY2(kinds.wrong.empty(), kinds.wrong.c_str());
        QVERIFY(kinds.laidOut > 0 && kinds.packed > 0);
        const auto fixed = generateSketches(transposed("0"), cpu(), withRule());
        QVERIFY(!fixed.empty() && std::none_of(fixed.begin(), fixed.end(), hasRule));
    }

    /// Seven columns fill less than half of a vector; 64 channels fill four.
    void theEstimatePrefersChannelsToShortRows() {
        const DagPtr dag = convolution(kPlain, "out(a < 1, b < CO, c < H, d < W) = conv[a, b, c, d] + 1", 512);
        const auto least = [&](bool rule) {
            const Target target = cpu();
            const SearchOptions options;
            double cycles = std::numeric_limits<double>::max();
            for (const Sketch &sketch : generateSketches(dag, target, withRule())) {
                if (hasRule(sketch) != rule) continue;
                for (uint64_t attempt = 0; attempt < 100; ++attempt) {
                    Random random(3, attempt);
                    Scratch scratch;
                    const auto state = annotate({target, options, random, scratch}, sketch.state);
                    if (!state) continue;
                    const ArenaPtr arena = std::make_shared<ExprArena>();
                    const ArenaScope scope(arena);
                    const auto bounds = inferBounds(*state, arena);
                    const auto nest = bounds ? buildLoopNest(*bounds) : Outcome<LoopProgram>(Refusal{});
                    if (nest) cycles = std::min(cycles, draftEstimateFor(target.kind)(*nest, target));
                }
            }
            return cycles;
        };
        const double channels = least(true);
        const double rows = least(false);
        QVERIFY2(channels * 1.5 < rows, qPrintable(QString("%1 and %2 cycles").arg(channels).arg(rows)));
    }
};

LOOPSCOPE_TEST(VectorizeWeightsTest)

} // namespace vectorize_weights_test
#include "vectorize_weights_test.moc"
