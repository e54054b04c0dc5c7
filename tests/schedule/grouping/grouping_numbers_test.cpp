// The decisions of Halide's scheduler on pipelines whose numbers are known, to the integer.

#include "grouping_texts.h"
#include "schedule/grouping/group_dag.h"
#include "schedule/grouping/grouped_schedule.h"
#include "schedule/grouping/loop_plan.h"
#include "test_program.h"

#include <algorithm>

using namespace loopscope;

class GroupingNumbersTest : public QObject {
    Q_OBJECT
  private slots:
    void blur();
    void blurTiles();
    void blurOnOtherMachines_data();
    void blurOnOtherMachines();
    void unsharp();
    void unsharpRefusedMerges();
    void unsharpTileRegions();
    void harris();
    void matmul();
    void convolution();
    void multiOutput();
    void blurOfShorts();
    void lanesOfTargets_data();
    void lanesOfTargets();
    void costFunction();
    void stencilChain();
    void vggLikeChain();
    void tileOrInline();
    void clampsOfOtherKindsStay();
    void nonLocalMeans();
    void localLaplacian();
    void interpolation();
    void noTileOfOneStage();
    void noExpressionOfThousandsOfReads();
};

void GroupingNumbersTest::blur() {
    const Grouping grouping = grouped(samplePipeline("blur"));
    compare(pointCosts(grouping), "bx 9/16\nby 9/16\n");
    compare(decisions(grouping), "merge bx > by 2315326464\n"
                                 "group by x=256 y=256\n"
                                 "70806528 / 4783374336 -> 71055360 / 2467799040\n");
    compare(nests(grouping), "by: x_i_vi* x_i_vo y_i x_o| y_o|\n"
                             "  bx at x_o: x_vi* x_vo y\n");
}

void GroupingNumbersTest::blurTiles() {
    const Grouping grouping = grouped(samplePipeline("blur"));
    QCOMPARE(grouping.merges.size(), size_t{1});
    std::string text;
    for (const TileCost &tried : grouping.merges[0].tiles[0])
        text += fmt::format("{},{}: {} {} {}\n", tried.tile[0], tried.tile[1], tried.cost.arith, tried.cost.memory,
                            tried.cost.parallelism);
    compare(text, "0,0: 70806528 4783374336 1\n"
                  "64,1: 141557760 6071255040 61440\n"
                  "128,1: 141557760 6071255040 30720\n"
                  "256,1: 141557760 6071255040 15360\n"
                  "256,4: 88473600 3358064640 3840\n"
                  "256,8: 79626240 2905866240 1920\n"
                  "256,16: 75202560 2679767040 960\n"
                  "256,32: 72990720 2566717440 480\n"
                  "256,64: 71884800 2510192640 240\n"
                  "256,128: 71331840 2481930240 120\n"
                  "256,256: 71055360 2467799040 60\n"
                  "64,4: 88473600 3358064640 15360\n"
                  "64,8: 79626240 2905866240 7680\n"
                  "64,16: 75202560 2679767040 3840\n"
                  "64,32: 72990720 2566717440 1920\n"
                  "64,64: 71884800 2510192640 960\n"
                  "128,128: 71331840 2481930240 240\n"
                  "64,0: 70806528 2518007808 24\n"
                  "0,1: 141557760 6071255040 2560\n");
}

void GroupingNumbersTest::blurOnOtherMachines_data() {
    QTest::addColumn<QString>("machine");
    QTest::addColumn<QString>("expected");
    QTest::newRow("small cache") << "8,256k,40" << "merge bx > by 2270604288\ngroup by x=64 y=32\n";
    QTest::newRow("many tasks") << "64,16M,40" << "merge bx > by 2300918784\ngroup by x=256 y=128\n";
    QTest::newRow("GPU") << "128,48k,20" << "merge bx > by 1007152128\ngroup by x=64 y=16\n";
    QTest::newRow("tiny cache") << "2,32k,40" << "merge bx > by 1888939008\ngroup by x=64 y=16\n";
    QTest::newRow("a million") << "2,1M,40" << "merge bx > by 2395081728\ngroup by x=64 y=64\n";
}

void GroupingNumbersTest::blurOnOtherMachines() {
    QFETCH(QString, machine);
    QFETCH(QString, expected);
    const std::string text = decisions(grouped(samplePipeline("blur"), qPrintable(machine)));
    QVERIFY2(QString::fromStdString(text).startsWith(expected), text.c_str());
}

void GroupingNumbersTest::unsharp() {
    const Grouping grouping = grouped(samplePipeline("unsharp"), "16,16M,40", true);
    compare(pointCosts(grouping), "blur_y 28/48\n"
                                  "gray 9/16\n"
                                  "kernel 16/4\n"
                                  "output 4/12\n"
                                  "ratio 33/56\n"
                                  "repeat_edge 14/8\n");
    compare(decisions(grouping), "early blur_x sharpen\n"
                                 "inline repeat_edge > gray 3885550104\n"
                                 "inline kernel > blur_y ratio 759214160\n"
                                 "merge blur_y > ratio 4657950720\n"
                                 "merge gray > ratio 5169853572\n"
                                 "merge ratio > output 2327838720\n"
                                 "group output x=256 y=256 c=4\n"
                                 "489273196 / 22770262000 -> 373310640 / 6085817280\n");
    compare(nests(grouping), "output: x_i_vi* x_i_vo y_i c x_o| y_o|\n"
                             "  ratio at x_o: x_vi* x_vo y\n"
                             "  blur_y at x_o: x_vi* x_vo y\n"
                             "  gray at x_o: x_vi* x_vo y\n");
}

/// What is weighed and not done, in the first round and in the last of inlining.
void GroupingNumbersTest::unsharpRefusedMerges() {
    const Grouping grouping = grouped(samplePipeline("unsharp"), "16,16M,40", true);
    const auto round = [&](size_t number) {
        std::string text;
        for (const GroupMerge &candidate : grouping.rounds[number].candidates)
            text += fmt::format("{} {}\n", grouping.pipeline.stages[static_cast<size_t>(candidate.producer)].name,
                                candidate.benefit.value_or(0));
        return text;
    };
    compare(round(0), "blur_y -19672903680\n"
                      "gray -7483666908\n"
                      "kernel 759214160\n"
                      "ratio -6924533760\n"
                      "repeat_edge 3885550104\n");
    compare(round(2), "blur_y -20353474560\n"
                      "gray -8211115788\n"
                      "ratio -7368867840\n");
}

/// Halos: blur_y reaches 3 to each side, gray 3 up and down as well.
void GroupingNumbersTest::unsharpTileRegions() {
    const Grouping grouping = grouped(samplePipeline("unsharp"), "16,16M,40", true);
    const GroupEvaluation evaluation(grouping.pipeline, grouping.machine);
    const Group &group = grouping.groups.at(0);
    const NeededRegions needed = evaluation.needed(group, group.tile);
    std::string text;
    for (size_t b = 0; b < grouping.pipeline.bufferCount(); ++b) {
        const auto buffer = static_cast<BufferNumber>(b);
        if (!needed.computed.has(buffer)) continue;
        text += grouping.pipeline.nameOf(buffer);
        for (const Interval range : needed.computed.box(buffer)) text += fmt::format(" [{}, {}]", range.min, range.max);
        text += "\n";
    }
    compare(text, "repeat_edge [-3, 258] [-3, 258] [0, 2]\n"
                  "gray [-3, 258] [-3, 258]\n"
                  "kernel [0, 3]\n"
                  "blur_y [-3, 258] [0, 255]\n"
                  "ratio [0, 255] [0, 255]\n"
                  "in [0, 258] [0, 258] [0, 2]\n");
}

void GroupingNumbersTest::harris() {
    const Grouping grouping = grouped(samplePipeline("harris"));
    compare(pointCosts(grouping), "Ix 25/28\n"
                                  "Ixx 3/8\n"
                                  "Ixy 4/12\n"
                                  "Iy 25/28\n"
                                  "Iyy 3/8\n"
                                  "gray 9/16\n"
                                  "output 153/184\n");
    compare(decisions(grouping), "early Sxy det trace Sxx Syy\n"
                                 "inline Ixx > output 12080962224\n"
                                 "inline Ixy > output 1766095740\n"
                                 "inline Iyy > output 6594663744\n"
                                 "merge Ix > output 5670356568\n"
                                 "merge Iy > output 5743731168\n"
                                 "merge gray > output 7608717892\n"
                                 "group output x=256 y=256\n"
                                 "868129128 / 42301237408 -> 637276320 / 3067562880\n");
    compare(nests(grouping), "output: x_i_vi* x_i_vo y_i x_o| y_o|\n"
                             "  Ix at x_o: x_vi* x_vo y\n"
                             "  Iy at x_o: x_vi* x_vo y\n"
                             "  gray at x_o: x_vi* x_vo y\n");
}

void GroupingNumbersTest::matmul() {
    const Grouping grouping = grouped(samplePipeline("matmul"));
    compare(pointCosts(grouping), "out 2/8\nprod 1/4\nprod.update(0) 6/16\n");
    compare(decisions(grouping), "merge prod > out 85983232000\n"
                                 "group out x=64 y=1\n"
                                 "6445596672 / 189116973056 -> 6445596672 / 103133741056\n");
    compare(nests(grouping), "out: x_i_vi* x_i_vo x_o y|\n"
                             "  prod at x_o: x_vi* x_vo y\n"
                             "  prod.update(0) at x_o: x_vi* x_vo k y\n");
    QVERIFY(decisions(grouped(samplePipeline("matmul", {{"N", 512}}))).starts_with("merge prod > out 2151677952\n"));
    QVERIFY(decisions(grouped(samplePipeline("matmul", {{"N", 512}}), "16,256k,40"))
                .starts_with("merge prod > out 41957720064\ngroup out x=64 y=1\n"));
}

void GroupingNumbersTest::convolution() {
    const Grouping grouping = grouped(
        written("workload conv(C = 64)\n"
                "A = placeholder [C, 58, 58] float32\n"
                "F = placeholder [C, C, 3, 3] float32\n"
                "conv(c < C, y < 56, x < 56) = sum(rz < C, ry < 3, rx < 3; F[c, rz, ry, rx] * A[rz, y + ry, x + rx])\n"
                "relu(c < C, y < 56, x < 56) = max(conv[c, y, x], 0)\n"));
    compare(pointCosts(grouping), "conv 1/4\nconv.update(0) 8/16\nrelu 3/8\n");
    compare(decisions(grouping), "merge conv > relu 926449664\n"
                                 "group relu x=64 y=1 c=1\n"
                                 "925646848 / 3704193024 -> 925646848 / 2777743360\n");
    const std::string loops = nests(grouping);
    QVERIFY2(loops.starts_with("relu: x_vi* x_vo y c|\n  conv at y: "), loops.c_str());
}

void GroupingNumbersTest::multiOutput() {
    const Grouping grouping = grouped(samplePipeline("multi_output"));
    compare(decisions(grouping), "inline f > g h 19046023\n"
                                 "group g x=1 y=1\n"
                                 "group h x=1 y=1\n"
                                 "13006003 / 80040020 -> 14000000 / 60000000\n");
    compare(nests(grouping), "g: x_vi* x_vo y|\nh: x_vi* x_vo y|\n");
}

/// Column strips of half the bytes are in cache, and need no halo.
void GroupingNumbersTest::blurOfShorts() {
    const Grouping grouping = grouped(written("workload blur(W = 1536, H = 2560)\n"
                                              "in = placeholder [H + 2, W + 2] uint16\n"
                                              "bx(y < H + 2, x < W) = (in[y, x] + in[y, x + 1] + in[y, x + 2]) / 3\n"
                                              "by(y < H, x < W) = (bx[y, x] + bx[y + 1, x] + bx[y + 2, x]) / 3\n"));
    const std::string text = decisions(grouping);
    QVERIFY2(text.starts_with("merge bx > by 566341632\ngroup by x=64\n"), text.c_str());
}

/// As many as Halide's natural vectors have: whole numbers are computed in narrower ones on AVX without AVX2, and on
/// AVX-512 without BW. What fixed knows is how wide registers are.
void GroupingNumbersTest::lanesOfTargets_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("compat"); // uint8, uint16, int32, float32, float64
    QTest::addColumn<QString>("fixed");
#if defined(__x86_64__)
    QTest::newRow("sse") << "llvm -mcpu=x86-64" << "16 8 4 4 2" << "16 8 4 4 2";
    QTest::newRow("avx") << "llvm -mcpu=sandybridge" << "16 8 4 8 4" << "32 16 8 8 4";
    QTest::newRow("avx2") << "llvm -mcpu=haswell" << "32 16 8 8 4" << "32 16 8 8 4";
    QTest::newRow("avx2 taken away") << "llvm -mcpu=haswell -mattr=-avx2" << "16 8 4 8 4" << "32 16 8 8 4";
    QTest::newRow("avx512") << "llvm -mcpu=skylake-avx512" << "64 32 16 16 8" << "64 32 16 16 8";
    QTest::newRow("avx512 without bw") << "llvm -mcpu=knl" << "32 16 8 16 8" << "64 32 16 16 8";
#endif
    QTest::newRow("warps") << "cuda -arch=sm_86" << "128 64 32 32 16" << "128 64 32 32 16";
}

void GroupingNumbersTest::lanesOfTargets() {
    QFETCH(QString, target);
    QFETCH(QString, compat);
    QFETCH(QString, fixed);
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        QStringList lanes;
        for (const char *type : {"uint8", "uint16", "int32", "float32", "float64"}) {
            const DagPtr dag = written(fmt::format("workload twice(N = 512)\n"
                                                   "in = placeholder [N] {}\n"
                                                   "out(n < N) = in[n] + in[n]\n",
                                                   type));
            const Grouping grouping = groupDag(dag, parseTarget(target.toStdString()), {mode, std::nullopt});
            lanes.append(QString::number(lanesOf(grouping.pipeline.node(0), grouping.machine)));
        }
        QCOMPARE(lanes.join(' '), mode == GroupingMode::Compat ? compat : fixed);
    }
}

void GroupingNumbersTest::costFunction() {
    const Grouping grouping = grouped(samplePipeline("cost_function"));
    compare(decisions(grouping), "merge s0 > s1 8706922320\n"
                                 "merge s1 > s2 8715334016\n"
                                 "merge s2 > s3 8711564816\n"
                                 "merge s3 > s4 8720465056\n"
                                 "merge s4 > s5 8766768304\n"
                                 "merge s5 > s6 8754798528\n"
                                 "merge s6 > s7 8742828752\n"
                                 "merge s7 > s8 8730858976\n"
                                 "merge s8 > s9 8718889200\n"
                                 "merge s9 > s10 9578661632\n"
                                 "merge s10 > s11 8796970000\n"
                                 "merge s11 > s12 8788973600\n"
                                 "merge s12 > s13 8780977200\n"
                                 "merge s13 > s14 8772980800\n"
                                 "group s14 x=256 y=256\n"
                                 "3861918000 / 137312640000 -> 4199040000 / 13688524800\n");
    const std::string loops = nests(grouping);
    QVERIFY2(loops.starts_with("s14: x_i_vi* x_i_vo y_i x_o y_o|\n  s13 at x_o: x_vi* x_vo y\n"), loops.c_str());
}

void GroupingNumbersTest::stencilChain() {
    const Grouping grouping = grouped(samplePipeline("stencil_chain"), "16,16M,40", true);
    const std::string text = decisions(grouping);
    const std::string start = "early stage_31\n"
                              "inline repeat_edge > stage_0 1044173024\n"
                              "merge stage_0 > stage_1 4531330432\n"
                              "merge stage_1 > stage_2 4476350560\n"
                              "merge stage_2 > stage_3 4409584128\n"
                              "merge stage_4 > stage_5 4145486752\n"
                              "merge stage_5 > stage_6 4144209312\n"
                              "merge stage_6 > stage_7 4078687360\n"
                              "merge stage_14 > stage_15 4072844672\n"
                              "merge stage_13 > stage_15 4047659136\n"
                              "merge stage_12 > stage_15 4022379392\n";
    const std::string end = "group output x=256 y=256\n"
                            "15334663680 / 143951084352 -> 22501885440 / 18171559680\n";
    QVERIFY2(text.starts_with(start), text.c_str());
    QVERIFY2(text.ends_with(end), text.c_str());
    QCOMPARE(grouping.merges.size(), size_t{32});
    const std::string loops = nests(grouping);
    QVERIFY2(loops.starts_with("output: x_i_vi* x_i_vo y_i x_o| y_o|\n"), loops.c_str());
}

/// Layers are not merged with each other: what one reads of the other is all of it.
void GroupingNumbersTest::vggLikeChain() {
    const Grouping grouping = grouped(samplePipeline("conv_chain"));
    QCOMPARE(grouping.groups.size(), size_t{3});
    for (const GroupMerge &merge : grouping.merges)
        QVERIFY(grouping.pipeline.stages[static_cast<size_t>(merge.producer)].name.starts_with("conv_"));
    QCOMPARE(grouping.merges.size(), size_t{3});
}

void GroupingNumbersTest::tileOrInline() {
    const Grouping grouping = grouped(samplePipeline("tile_vs_inline"));
    const std::string text = decisions(grouping);
    QVERIFY2(text.starts_with("inline f > g 4868752176\ngroup g x=1 y=1 c=1\n"), text.c_str());
    QVERIFY(grouping.rounds.back().candidates.empty());
}

/// Stages keep the coordinates the workload gives them, so that no shift is counted.
void GroupingNumbersTest::nonLocalMeans() {
    const Grouping grouping = grouped(samplePipeline("nl_means"));
    compare(pointCosts(grouping), "A 5/8\n"
                                  "acc 1/4\n"
                                  "acc.update(0) 8/16\n"
                                  "bd 1/4\n"
                                  "bd.update(0) 5/12\n"
                                  "by 1/4\n"
                                  "by.update(0) 5/12\n"
                                  "d 1/4\n"
                                  "d.update(0) 4/12\n"
                                  "dc 7/12\n"
                                  "output 6/12\n"
                                  "repeat_edge 6/8\n"
                                  "w 13/8\n");
    // No image of differences, of which there are 49, is ever whole.
    QCOMPARE(grouping.groups.size(), size_t{1});
}

/// Over a hundred stages.
void GroupingNumbersTest::localLaplacian() {
    const DagPtr dag = samplePipeline("local_laplacian");
    const Grouping grouping = grouped(dag, "16,16M,40", true);
    QCOMPARE(grouping.groups.size(), size_t{32});
}

void GroupingNumbersTest::interpolation() {
    QCOMPARE(grouped(samplePipeline("interpolate"), "16,16M,40", true).groups.size(), size_t{25});
}

/// Only clamps to the edges of what is read have bounds that run time knows.
void GroupingNumbersTest::clampsOfOtherKindsStay() {
    const auto costs = [](const char *index) {
        return pointCosts(grouped(written(fmt::format("workload edge()\n"
                                                      "in = placeholder [64] float32\n"
                                                      "out(x < 64) = in[{}] * 2\n",
                                                      index)),
                                  "16,16M,40", true));
    };
    compare(costs("min(max(x, 0), 63)"), "out 7/8\n");
    compare(costs("min(max(x, 1), 62)"), "out 5/8\n");
}

/// Without a model of what a tile keeps there is nothing to gain for a stage alone.
void GroupingNumbersTest::noTileOfOneStage() {
    const Grouping grouping = grouped(written("workload one()\n"
                                              "A = placeholder [512, 512] float32\n"
                                              "B = placeholder [512, 512] float32\n"
                                              "C(y < 512, x < 512) = sum(k < 512; A[y, k] * B[k, x])\n"));
    for (const Group &group : grouping.groups)
        for (const int64_t size : group.tile) QCOMPARE(size, int64_t{0});
    QVERIFY(grouping.merges.empty());
}

/// Eleven halvings, each of which reads every value once: all of them inlined would be cheapest for compat, and read
/// 2048 values for each one, which no step inlines. So would squares of squares, before grouping begins.
void GroupingNumbersTest::noExpressionOfThousandsOfReads() {
    std::string text = "workload halvings()\nin = placeholder [1024, 2097152] float32\n";
    std::string from = "in";
    for (int level = 1; level <= 11; ++level) {
        const std::string name = fmt::format("half_{}", level);
        text +=
            fmt::format("{0}(y < 1024, x < {1}) = {2}[y, 2 * x] + {2}[y, 2 * x + 1]\n", name, 2097152 >> level, from);
        from = name;
    }
    std::string squares = "workload squares()\nin = placeholder [64, 64] float32\n";
    for (int level = 0; level <= 11; ++level) {
        const std::string read = level == 0 ? "in[y, x]" : fmt::format("square_{}[y, x]", level - 1);
        squares += fmt::format("square_{0}(y < 64, x < 64) = {1} * {1} + 1\n", level, read);
    }
    for (const GroupingMode mode : {GroupingMode::Compat, GroupingMode::Fixed}) {
        const Grouping halved = groupPipeline(pipelineOf(written(text)), MachineParameters{}, mode);
        const bool refused = std::ranges::any_of(halved.rounds, [](const GroupingRound &round) {
            return std::ranges::any_of(round.candidates, [](const GroupMerge &merge) { return merge.tooLong; });
        });
        // Fixed does not come that far: lanes of a vector would lie far apart.
        QCOMPARE(refused, mode == GroupingMode::Compat);
        const Grouping squared = groupPipeline(pipelineOf(written(squares)), MachineParameters{}, mode);
        QCOMPARE(squared.preInlined.size(), size_t{10});
        for (const Grouping *grouping : {&halved, &squared}) {
            const auto schedule = groupedSchedule(*grouping, planLoops(*grouping));
            QVERIFY2(schedule.ok(), schedule.ok() ? "" : schedule.why().c_str());
        }
    }
}

LOOPSCOPE_TEST(GroupingNumbersTest)
#include "grouping_numbers_test.moc"
