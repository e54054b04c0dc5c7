// What lowering makes of schedules written by hand: the nest the cost model sees, guards only where they are needed,
// storage by region, interiors without guards, accumulators in registers, packed weights.

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "codegen/lower/pass_list.h"
#include "harness/program_interpreter.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "test_program.h"

#include <QTest>
#include <fmt/format.h>
#include <map>

using namespace loopscope;

namespace lower_test {
namespace {

QString nestText(const DagPtr &dag, const char *steps) {
    const ArenaPtr arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const Outcome<BoundedState> bounded = inferBounds(stateOf(dag, steps), arena);
    return bounded ? QString::fromStdString(printProgram(*buildLoopNest(*bounded)))
                   : QString::fromStdString(bounded.why());
}

struct Lowered {
    std::map<std::string, QString> after; // pass -> program
    Outcome<LoopProgram> program = Refusal{};

    [[nodiscard]] QString text() const { return QString::fromStdString(printProgram(*program)); }
};

Lowered lowered(const DagPtr &dag, const char *steps, int layoutRewrite = 0) {
    Lowered result;
    LowerOptions options;
    options.layoutRewrite = layoutRewrite;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        result.after[std::string(pass)] = QString::fromStdString(printProgram(program));
    };
    result.program = lower(stateOf(dag, steps), vectorTarget(), options);
    return result;
}

/// Empty, or why there is no program, or what it computes wrongly.
std::string wrongAnswer(const DagPtr &dag, const Lowered &lowered) {
    if (!lowered.program) return lowered.program.why();
    const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
    const ProgramRun run = runProgram(*lowered.program, inputs);
    return run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
}

// Tile 4x8, vectorized, reduction split by 4.
constexpr const char *kTiled = R"([["SP",2,0,0,[4],1],["SP",2,2,0,[8],1],["SP",2,4,0,[4],1],
    ["RE",2,[0,2,4,5,1,3]],["AN",2,5,2],["AN",2,0,3]])";

} // namespace

class LowerTest : public QObject {
    Q_OBJECT
  private slots:
    void everyKindOfTargetHasItsPasses();
    void loopsKnowTheirIterators();
    void nestOfATiledProduct();
    void loopsOfExtentOneDoNotExist();
    void anUnrollLimitOfZeroCountsInsideAnother();
    void shortLoopsNeedNoThreads();
    void loopsThatBecomeSerialAreNamed();
    void guardsOnlyWhereNothingImpliesThem();
    void reductionsOfTuplesKeepOldValues();
    void storageIsTheRegion();
    void interiorsRunWithoutGuards();
    void tilesAreLaidOutAlongTheirVectors();
    void padsArePeeled();
    void paddingInsideAReductionCostsTheBorderOnly();
    void tilesInsideTheBorderHaveTheirOwnVersion();
    void paddingIsSkipped();
    void paddingIsSkippedInLoopsAroundTheTile();
    void bordersHaveTilesOfTheirOwn();
    void wideBordersStayChoices();
    void skippedPaddingLeavesTheAnswer();
    void tilesBehindTheEndVanish();
    void accumulatorsLiveInRegisters();
    void largeTilesAreStripMined();
    void weightsArePackedByTheCaller();
    void weightsArePackedInside();
    void copiesAreLaidOutAsTheyAreRead();
    void copiesReadByColumnsStayRows();
    void vectorsAwayFromEdgesReadWithoutClamps();
    void stagesEndWhereTheirReadersTilesDoNot();
};

void LowerTest::everyKindOfTargetHasItsPasses() {
    const auto passes = [](TargetKind kind) {
        QStringList names;
        for (const Pass &pass : passesFor(kind).passes) names << QString::fromUtf8(pass.name.data());
        return names.join(QStringLiteral(", "));
    };
    QCOMPARE(passes(TargetKind::Llvm),
             QStringLiteral("legalise annotations, allocate buffers, rewrite layouts, pack copies, transpose buffers, "
                            "sink inits, split phases, partition loops, separate clamps, sink inits of partitions, "
                            "promote scalars, skip padding, loosen extremes, unroll loops"));
    QCOMPARE(passes(TargetKind::Cuda),
             QStringLiteral("legalise annotations, reduce across threads, bind threads, allocate buffers, rewrite "
                            "layouts, interleave virtual threads, place barriers, prefetch tiles, reuse shared memory, "
                            "hoist conditions, unroll loops"));
    QStringList ran;
    LowerOptions options;
    options.observer = [&](std::string_view pass, const LoopProgram &) {
        ran << QString::fromUtf8(pass.data(), static_cast<qsizetype>(pass.size()));
    };
    QVERIFY(lower(stateOf(matmulDag(4, 4, 4), "[]"), vectorTarget(), options).ok());
    QCOMPARE(ran.join(QStringLiteral(", ")), QStringLiteral("loop nest, ") + passes(TargetKind::Llvm));
}

/// After every pass, a loop that stands for an iterator says which and of what kind; the names of the iterators of two
/// stages are the same here.
void LowerTest::loopsKnowTheirIterators() {
    const LoopState state = stateOf(matmulChainDag(24), R"([["SP",2,0,0,[5],1],["SP",2,3,0,[4],1],["FU",2,[0,1]],
        ["SP",4,0,0,[5],1],["RE",4,[0,2,3,1]],["AN",4,3,2],["CHR",0,"global",[2]],["CA",1,3,0]])");
    int loops = 0;
    int kinds[4] = {};
    LowerOptions options;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        forEachStmt(program.root, [&](Stmt s) {
            if (s->kind != StmtKind::For || s->iter.value < 0) return;
            const std::string where = std::string(pass) + ", loop " + s->iterName;
            QVERIFY2(s->stage.index() < state.stageCount(), where.c_str());
            const Stage &stage = state.stage(s->stage);
            QVERIFY2(s->iter.index() < stage.iters.size(), where.c_str());
            QVERIFY2(stage.iters[s->iter.index()].name == s->iterName, where.c_str());
            QVERIFY2(stage.iters[s->iter.index()].kind == s->iterKind, where.c_str());
            ++loops;
            ++kinds[static_cast<size_t>(s->iterKind)];
        });
    };
    QVERIFY(lower(state, vectorTarget(), options).ok());
    QVERIFY(loops > 50);
    QVERIFY(kinds[static_cast<size_t>(IterKind::Spatial)] > 20 && kinds[static_cast<size_t>(IterKind::Reduction)] > 5);
}

void LowerTest::nestOfATiledProduct() {
    QCOMPARE(nestText(matmulDag(8, 16, 8), kTiled),
             QString("kernel(A: float32[8, 8], B: float32[8, 16], out C: float32[8, 16])\n"
                     "    parallel i.0 in 0 .. 2:\n"
                     "        for j.0 in 0 .. 2:\n"
                     "            for i.1 in 0 .. 4:\n"
                     "                vectorized j.1 in 0 .. 8:\n"
                     "                    C[((i.0*4) + i.1), ((j.0*8) + j.1)] = 0f\n"
                     "            for k.0 in 0 .. 2:\n"
                     "                for k.1 in 0 .. 4:\n"
                     "                    for i.1 in 0 .. 4:\n"
                     "                        vectorized j.1 in 0 .. 8:\n"
                     "                            C[((i.0*4) + i.1), ((j.0*8) + j.1)] = (C[((i.0*4) + i.1), ((j.0*8) "
                     "+ j.1)] + (A[((i.0*4) + i.1), ((k.0*4) + k.1)]*B[((k.0*4) + k.1), ((j.0*8) + j.1)]))\n"));
}

void LowerTest::shortLoopsNeedNoThreads() {
    const auto settled = [](int64_t rows) {
        const DagPtr dag = matmulDag(rows, 16, 8); // 16 x (1 + 8) stores a row
        const LoopState state = stateOf(dag, R"([["AN", 2, 0, 3]])");
        return printProgram(*lower(state, Target{}));
    };
    QVERIFY(settled(64).find("parallel i in 0 .. 64") != std::string::npos);
    QVERIFY(settled(56).find("for i in 0 .. 56") != std::string::npos);
}

/// Every loop that does not run as annotated is named once, with the reason.
void LowerTest::loopsThatBecomeSerialAreNamed() {
    const auto settled = [](const DagPtr &dag, const char *steps, const Target &target) {
        const Outcome<LoopProgram> program = lower(stateOf(dag, steps), target);
        std::string text;
        for (const SerialisedLoop &loop : program->serialised) text += serialisedText(loop) + "\n";
        return QString::fromStdString(text);
    };
    QCOMPARE(settled(matmulDag(64, 16, 8), R"([["AN", 2, 0, 3]])", Target{}), QString());
    QCOMPARE(settled(matmulDag(56, 16, 8), R"([["AN", 2, 0, 3]])", Target{}),
             QString("the parallel loop i runs serially: its work is too little to start threads for\n"));
    QCOMPARE(settled(matmulDag(56, 16, 8), R"([["AN", 2, 0, 3], ["AN", 2, 1, 3]])", vectorTarget()),
             QString("the parallel loop j runs serially: a loop around it is parallel already\n"));
}

/// The stage attached inside says for itself that nothing is unrolled; the pragma around it holds for the rest.
void LowerTest::anUnrollLimitOfZeroCountsInsideAnother() {
    const DagPtr dag = elementwiseDag(16, 8);
    const auto text = [&](const char *inner) {
        const std::string steps = std::string(R"([["CA",1,2,0],["PR",2,0,"auto_unroll_max_step$64"])") + inner + "]";
        return lowered(dag, steps.c_str()).after.at("unroll loops");
    };
    QCOMPARE(text("").count("unrolled"), 3); // the loops over j; what reads the stack is unrolled without being asked
    const QString kept = text(R"(,["PR",1,0,"auto_unroll_max_step$0"])");
    QVERIFY2(kept.contains("for j in 0 .. 8  unroll up to 0"), qPrintable(kept));
    QCOMPARE(kept.count("unrolled"), 2);
    QVERIFY(nestText(dag, R"([["CA",1,2,0],["PR",2,0,"auto_unroll_max_step$64"],["PR",1,0,"auto_unroll_max_step$0"]])")
                .contains("unroll up to 0"));
}

void LowerTest::loopsOfExtentOneDoNotExist() {
    const QString text = nestText(matmulDag(4, 8, 4), kTiled);
    QVERIFY(!text.contains("i.0"));
    QVERIFY(!text.contains("k.0"));
    QVERIFY(text.contains("C[i.1, j.1] = (C[i.1, j.1] + (A[i.1, k.1]*B[k.1, j.1]))"));
}

void LowerTest::guardsOnlyWhereNothingImpliesThem() {
    // 37 = 3 * 4 * 4 - 11: the split of the outer part overshoots too, but only beyond the first guard.
    const QString text = nestText(matmulDag(37, 16, 8), R"([["SP",2,0,0,[4,4],1]])");
    QCOMPARE(text.count("if likely"), 2); // init and update
    QCOMPARE(text.count("((((i.0*16) + (i.1*4)) + i.2) < 37)"), 2);
    // Inside out: the inner part of an outer-to-inner split is guarded by itself, or elements would count twice.
    const QString inner = nestText(matmulDag(8, 8, 10), R"([["SP",2,2,0,[2],0],["SP",2,3,0,[2],1]])");
    QVERIFY2(inner.contains("if likely (((k.1.0*2) + k.1.1) < 5)"), qPrintable(inner));
}

void LowerTest::reductionsOfTuplesKeepOldValues() {
    const QString text = nestText(argmaxDag(4, 11), "[]");
    QVERIFY2(text.contains("let old = argmax.v0[i]"), qPrintable(text));
}

void LowerTest::storageIsTheRegion() {
    const Lowered result =
        lowered(conv2dBiasReluNchwDag(1, 8, 8, 4, 4, 3, 1, 1), R"([["SP",3,2,8,[2],1],["CA",1,3,2]])");
    QVERIFY(result.program.ok());
    // Two rows of the convolution read four rows of the padded input; the attached stage is inside nn, ff, yy.0.
    QVERIFY2(result.after.at("allocate buffers").contains("allocate pad_temp: float32[1, 4, 4, 10] stack"),
             qPrintable(result.after.at("allocate buffers")));
    QVERIFY(result.after.at("loop nest").contains("allocate pad_temp: float32[1, 4, 10, 10]"));
}

void LowerTest::interiorsRunWithoutGuards() {
    const DagPtr dag = matmulDag(37, 41, 19);
    const Lowered result = lowered(dag, R"([["SP",2,0,0,[4],1],["SP",2,2,0,[8],1],["SP",2,4,0,[4],1],
        ["RE",2,[0,2,4,5,1,3]],["AN",2,5,2],["FU",2,[0,1]],["AN",2,0,3]])");
    QCOMPARE(wrongAnswer(dag, result), std::string());
    const QString text = result.after.at("partition loops");
    const QStringList lines = text.split('\n');
    QVERIFY2(lines[2].contains("if likely"), qPrintable(text)); // one question per tile
    const QString whole = text.left(text.indexOf("\n        else:"));
    QCOMPARE(whole.count("if likely"), 1);
    QVERIFY(whole.contains("for k.0 in 0 .. 4:"));
}

/// Vectors run over i: a tile of C is laid out along them, a copy that is filled along its rows is not, nor is what the
/// caller sees.
void LowerTest::tilesAreLaidOutAlongTheirVectors() {
    const DagPtr dag = matmulBiasReluDag(16, 24, 8);
    const char *columns = R"([["SP",2,0,16,[8],1],["SP",2,2,24,[4],1],["RE",2,[0,2,4,3,1]],["AN",2,4,2],
        ["CI",4],["FSP",5,0,0,1],["FSP",5,2,1,1],["RE",5,[0,2,1,3]],["CA",2,5,1]])";
    const Lowered tile = lowered(dag, columns);
    const QString text = tile.after.at("transpose buffers");
    QVERIFY2(text.contains("float32[8, 4] stack, dimension 0 fastest"), qPrintable(text));
    QCOMPARE(wrongAnswer(dag, tile), std::string());

    const char *rows = R"([["SP",2,0,16,[8],1],["SP",2,2,24,[4],1],["RE",2,[0,2,4,1,3]],["AN",2,4,2],
        ["CI",4],["FSP",5,0,0,1],["FSP",5,2,1,1],["RE",5,[0,2,1,3]],["CA",2,5,1]])";
    QVERIFY(!lowered(dag, rows).after.at("transpose buffers").contains("fastest"));

    const char *output = R"([["SP",2,0,16,[8],1],["RE",2,[0,2,3,1]],["AN",2,3,2]])";
    QVERIFY(!lowered(matmulDag(16, 24, 8), output).after.at("transpose buffers").contains("fastest"));
}

void LowerTest::padsArePeeled() {
    const Lowered result = lowered(conv2dBiasReluNchwDag(1, 8, 8, 4, 4, 3, 1, 1), "[]");
    const QString text = result.after.at("partition loops");
    QVERIFY2(text.contains("pad_temp[0, i1, 0, i3] = 0f"), qPrintable(text));
    QVERIFY2(text.contains("pad_temp[0, i1, i2, i3] = data[0, i1, (i2 - 1), (i3 - 1)]"), qPrintable(text));
}

/// A 3x3 depthwise convolution of 8x8 whose padding is inlined; rows and columns in tiles of `tile`.
std::string paddedDepthwise(int tile, const char *rest) {
    const std::string split = ",0,[" + std::to_string(tile) + "],1]";
    return R"([["SP",3,2)" + split + R"(,["SP",3,1)" + split + R"(,["RE",3,[0,1,3,6,7,2,4,5]],["CI",1],["AN",3,7,2])" +
           rest + "]";
}

void LowerTest::paddingInsideAReductionCostsTheBorderOnly() {
    const DagPtr dag = depthwiseNhwcDag(1, 8, 8, 8, 3, 1, 1);
    const Lowered result = lowered(dag, paddedDepthwise(2, "").c_str());
    // Four rows of tiles by four columns: first, middle and last each, and the tiles in the middle ask nothing. There
    // is no sum over channels, for which a branch that skips them would pay.
    QCOMPARE(result.after.at("skip padding"), result.after.at("promote scalars"));
    const QString text = result.after.at("partition loops");
    QCOMPARE(text.count("+ (if_then_else("), 8);
    QCOMPARE(text.count("+ (placeholder["), 1);
    QVERIFY2(result.after.at("promote scalars").count("register") == 9, qPrintable(text));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

void LowerTest::tilesInsideTheBorderHaveTheirOwnVersion() {
    const DagPtr dag = depthwiseNhwcDag(1, 8, 8, 8, 3, 1, 1);
    const Lowered result = lowered(dag, paddedDepthwise(2, R"(,["FU",3,[0,1,2]],["AN",3,0,3])").c_str());
    const QString text = result.after.at("partition loops");
    QCOMPARE(text.count("if likely"), 1);
    const QString whole = text.left(text.indexOf("else:"));
    QVERIFY2(!whole.contains("if_then_else"), qPrintable(text));
    QVERIFY2(text.mid(whole.size()).contains("if_then_else"), qPrintable(text));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

/// A convolution of pictures whose padding is inlined: tiles of one row by eight output channels, `more` after.
std::string paddedRows(const char *more) {
    return std::string(R"([["CI",1],["SP",3,1,0,[4],1],["RE",3,[0,1,3,5,6,7,4,2]],["AN",3,7,2])") + more + "]";
}

/// The row is asked for once outside of the tile; what is outside of the columns is not there.
void LowerTest::paddingIsSkipped() {
    const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 7, 8, 3, 3, 1, 1);
    const Lowered result = lowered(dag, paddedRows("").c_str());
    QCOMPARE(wrongAnswer(dag, result), std::string());
    const QString text = result.text();
    QVERIFY2(!text.contains("if_then_else"), qPrintable(text));
    QVERIFY2(result.after.at("promote scalars").contains("if_then_else"), qPrintable(text));
    QCOMPARE(text.count("for yy in 0 .. 5"), 1); // neither peeled nor in versions
    const QStringList nest = {
        "for ry in 0 .. 3:",      "if (((yy + ry) >= 1) && ((yy + ry) < 6)):", "unrolled rx in 0 .. 3:",
        "unrolled xx in 0 .. 7:", "if (((xx + rx) >= 1) && ((xx + rx) < 8)):", "vectorized ff.1 in 0 .. 4:",
        "conv2d_nchw.acc["};
    qsizetype at = 0;
    for (const QString &line : nest) {
        const qsizetype found = text.indexOf(line, at);
        QVERIFY2(found > at, qPrintable(line + "\n" + text));
        at = found;
    }
}

/// The window's columns stand outside of the tile's registers and of a loop over columns: both are written out.
void LowerTest::paddingIsSkippedInLoopsAroundTheTile() {
    const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 14, 8, 4, 3, 1, 1);
    // nn ff.0 yy rx xx.0 rc ry xx.1 ff.1: 7 registers
    const Lowered result = lowered(dag, R"([["CI",1],["SP",3,3,14,[7],1],["SP",3,1,8,[4],1],
        ["RE",3,[0,1,3,8,4,6,7,5,2]],["AN",3,8,2]])");
    QCOMPARE(wrongAnswer(dag, result), std::string());
    const QString text = result.text();
    QVERIFY2(!text.contains("if_then_else"), qPrintable(text));
    QVERIFY2(text.contains("unrolled rx in 0 .. 3") && text.contains("unrolled xx.0 in 0 .. 2"), qPrintable(text));
    QVERIFY2(text.contains("for yy in 0 .. 5"), qPrintable(text));
}

/// The columns are dealt out to threads in thirds: the first and the last third skip their own padding, what lies
/// between has none, and nowhere is it chosen in the tile.
void LowerTest::bordersHaveTilesOfTheirOwn() {
    const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 12, 8, 3, 3, 1, 1);
    const char *steps = R"([["CI",1],["SP",3,3,12,[4],1],["SP",3,1,8,[4],1],["RE",3,[0,1,3,4,6,7,8,5,2]],
        ["FU",3,[0,1,2,3]],["AN",3,0,3],["AN",3,5,2]])";
    const Lowered result = lowered(dag, steps);
    QCOMPARE(wrongAnswer(dag, result), std::string());
    const QString text = result.text();
    QVERIFY2(!text.contains("if_then_else"), qPrintable(text));
    QCOMPARE(text.count("conv2d_nchw.acc: float32[4, 4] register"), 3);
    QCOMPARE(text.count("unrolled rx in 0 .. 3"), 2);
    QCOMPARE(text.count("for rx in 0 .. 3"), 1);
}

/// Tiles of two columns under a kernel of seven: a second tile of the row reaches the border, too.
void LowerTest::wideBordersStayChoices() {
    const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 12, 8, 3, 7, 1, 3);
    const char *steps = R"([["CI",1],["SP",3,3,12,[2],1],["SP",3,1,8,[4],1],["RE",3,[0,1,3,4,6,7,8,5,2]],
        ["FU",3,[0,1,2,3]],["AN",3,0,3],["AN",3,5,2]])";
    const Lowered result = lowered(dag, steps);
    QCOMPARE(wrongAnswer(dag, result), std::string());
    const QString text = result.text();
    QVERIFY2(text.contains("if_then_else"), qPrintable(text));    // of columns
    QVERIFY2(text.contains("if (((floordiv("), qPrintable(text)); // of rows
}

void LowerTest::skippedPaddingLeavesTheAnswer() {
    int skipped = 0;
    for (int64_t kernel = 1; kernel <= 5; ++kernel)
        for (int64_t stride = 1; stride <= 2; ++stride)
            for (int64_t pad = 0; pad <= kernel; ++pad) {
                const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 6, 4, 2, kernel, stride, pad);
                const Lowered result = lowered(dag, paddedRows("").c_str());
                QCOMPARE(wrongAnswer(dag, result), std::string());
                skipped += result.after.at("skip padding") != result.after.at("promote scalars") ? 1 : 0;
            }
    QVERIFY2(skipped > 20, qPrintable(QString::number(skipped)));
}

/// Thirteen columns in groups of three pairs: of the last group two pairs are not there.
void LowerTest::tilesBehindTheEndVanish() {
    const DagPtr dag = conv2dBiasReluNchwDag(1, 5, 13, 8, 3, 3, 1, 1);
    for (const char *lengths : {"[3,2]", "[4,2]", "[3,3]", "[4,4]"}) {
        const std::string steps = fmt::format(R"([["CI",1],["SP",3,3,13,{},1],["RE",3,[0,1,2,3,4,6,7,8,5]],
            ["FU",3,[0,1,2]],["AN",3,0,3]])",
                                              lengths);
        const Lowered result = lowered(dag, steps.c_str());
        QCOMPARE(wrongAnswer(dag, result), std::string());
    }
}

void LowerTest::accumulatorsLiveInRegisters() {
    const Lowered result = lowered(matmulDag(8, 16, 8), kTiled);
    QCOMPARE(result.text(),
             QString("kernel(A: float32[8, 8], B: float32[8, 16], out C: float32[8, 16])\n"
                     "    parallel i.0 in 0 .. 2:\n"
                     "        for j.0 in 0 .. 2:\n"
                     "            allocate C.acc: float32[4, 8] register\n"
                     "            unrolled i.1 in 0 .. 4:\n"
                     "                vectorized j.1 in 0 .. 8:\n"
                     "                    C.acc[i.1, j.1] = 0f\n"
                     "            for k.0 in 0 .. 2:\n"
                     "                for k.1 in 0 .. 4:\n"
                     "                    unrolled i.1 in 0 .. 4:\n"
                     "                        vectorized j.1 in 0 .. 8:\n"
                     "                            C.acc[i.1, j.1] = (C.acc[i.1, j.1] + (A[((i.0*4) + i.1), ((k.0*4) "
                     "+ k.1)]*B[((k.0*4) + k.1), ((j.0*8) + j.1)]))\n"
                     "            unrolled i.1 in 0 .. 4:\n"
                     "                vectorized j.1 in 0 .. 8:\n"
                     "                    C[((i.0*4) + i.1), ((j.0*8) + j.1)] = C.acc[i.1, j.1]\n"));
}

void LowerTest::largeTilesAreStripMined() {
    const DagPtr dag = matmulDag(32, 16, 8);
    const Lowered result = lowered(dag, R"([["RE",2,[2,0,1]],["AN",2,2,2]])"); // 32 x 2 vectors, 13 registers
    QCOMPARE(wrongAnswer(dag, result), std::string());
    const QString text = result.text();
    QVERIFY2(text.contains("allocate C.acc: float32[4, 16] register"), qPrintable(text));
    QVERIFY(text.indexOf("for i in 0 .. 8") < text.indexOf("for k in 0 .. 8"));
}

void LowerTest::weightsArePackedByTheCaller() {
    const DagPtr dag = matmulDag(8, 20, 8);
    const Lowered result = lowered(dag, kTiled, 2);
    QVERIFY(result.program.ok());
    const ProgramArg &weight = result.program->args[1];
    QCOMPARE(weight.originalShape, (std::vector<int64_t>{8, 20}));
    QCOMPARE(weight.buffer->shape, (std::vector<int64_t>{3, 2, 4, 8})); // j.0, k.0, k.1, j.1
    QCOMPARE(weight.packing.size(), size_t{4});
    QCOMPARE(weight.packing[0].origin, 1);
    QCOMPARE(weight.packing[0].stride, int64_t{8});
    QCOMPARE(weight.packing[1].origin, 0);
    QCOMPARE(weight.packing[1].stride, int64_t{4});
    QVERIFY(result.after.at("rewrite layouts").contains("B.packed[j.0, k.0, k.1, j.1]"));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

void LowerTest::weightsArePackedInside() {
    const DagPtr dag = matmulDag(8, 20, 8);
    const Lowered result = lowered(dag, kTiled, 1);
    QVERIFY(result.program.ok());
    QVERIFY(result.program->args[1].packing.empty());
    const QString text = result.after.at("rewrite layouts");
    QVERIFY2(text.contains("allocate B.packed: float32[3, 2, 4, 8] heap"), qPrintable(text));
    QVERIFY(text.contains("parallel pack in 0 .. 6"));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

// Tiles of 4x16 in a 3-level nest; what Y's copy holds is read tile by tile: j.1, k.1, j.2.
constexpr const char *kCopied = R"([["SP",2,1,0,[4],1],["SP",2,3,0,[4,8],1],["SP",2,6,0,[4],1],
    ["RE",2,[0,1,3,6,2,4,7,5]],["CHR",1,"global",[2]],["CA",2,3,3],["AN",3,7,2]])";

void LowerTest::copiesAreLaidOutAsTheyAreRead() {
    const DagPtr dag = batchMatmulDag(1, 8, 64, 8);
    const Lowered result = lowered(dag, kCopied);
    QVERIFY(result.program.ok());
    const QString text = result.after.at("pack copies");
    QVERIFY2(text.contains("allocate Y.global: float32[4, 4, 8] stack"), qPrintable(text));
    QVERIFY2(text.contains("for ax1 in 0 .. 4:\n"), qPrintable(text));
    QVERIFY2(text.contains("vectorized ax2.1 in 0 .. 8:\n"), qPrintable(text));
    QVERIFY2(text.contains("Y.global[ax2.0, ax1, ax2.1] = Y["), qPrintable(text));
    QVERIFY2(text.contains("Y.global[j.1, k.1, j.2]"), qPrintable(text));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

// The tile's columns are read innermost: moving them together would move elements one by one.
void LowerTest::copiesReadByColumnsStayRows() {
    const DagPtr dag = batchMatmulDag(1, 8, 64, 8);
    const Lowered result = lowered(dag, R"([["SP",2,1,0,[4],1],["SP",2,4,0,[4],1],["RE",2,[0,1,4,5,2,3]],
        ["CHR",0,"global",[2]],["CA",1,3,2]])");
    QVERIFY(result.program.ok());
    QCOMPARE(result.after.at("pack copies"), result.after.at("rewrite layouts"));
    QVERIFY(result.after.at("pack copies").contains("X.global[0, i.1, k.1]"));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

void LowerTest::vectorsAwayFromEdgesReadWithoutClamps() {
    const DagPtr dag = ComputeDag::fromWorkload(
        parseWorkload("workload w()\nA = placeholder [64] float32\nB(x < 64) = A[min(max(x - 3, 0), 63)]\n", "w.te"));
    const Lowered result = lowered(dag, R"([["SP",1,0,64,[8],1],["AN",1,1,2]])");
    QVERIFY(result.after.at("separate clamps").contains("if likely (x.0 > 0)"));
    QVERIFY(result.after.at("separate clamps").contains("A[(((x.0*8) + x.1) - 3)]"));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}

/// The last tile of 8 reaches to 24; A2 has 21 elements and is never computed beyond them.
void LowerTest::stagesEndWhereTheirReadersTilesDoNot() {
    const DagPtr dag =
        ComputeDag::fromWorkload(parseWorkload("workload chain()\nA = placeholder [21] float32\nA2(x < 21) = A[x] * 2\n"
                                               "B(x < 19) = A2[x] + A2[x + 2]\nC(x < 17) = B[x] + B[x + 2]\n",
                                               "chain.te"));
    const Lowered result = lowered(dag, R"([["SP",3,0,17,[8],1],["CA",2,3,0]])");
    QVERIFY2(result.text().contains("allocate A2: float32[21]"), qPrintable(result.text()));
    QCOMPARE(wrongAnswer(dag, result), std::string());
}
LOOPSCOPE_TEST(LowerTest)
} // namespace lower_test
#include "lower_test.moc"
