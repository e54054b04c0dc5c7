// Features of small programs, checked against numbers worked out by hand from the definitions.

#include "codegen/lower/lower.h"
#include "harness/sample_dags.h"
#include "schedule/steps_json.h"
#include "search/features/feature_table.h"
#include "search/features/features.h"
#include "search/features/op_counts.h"
#include "search/features/store_access.h"
#include "test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace loopscope;

namespace {

double slog(double x) { return std::copysign(std::log2(std::abs(x) + 1), x); }

Target target() {
    Target result;
    result.hardware.cacheLineBytes = 64;
    return result;
}

/// Rows by buffer name.
using Rows = std::map<std::string, FeatureRow>;

Rows rowsOf(const DagPtr &dag, const std::string &steps, FeatureRules rules) {
    const auto state = replay(dag, stepsFromJson(nlohmann::json::parse(steps)));
    if (!state) throw Error(state.why());
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const auto bounded = inferBounds(*state);
    if (!bounded) throw Error(bounded.why());
    const auto nest = buildLoopNest(*bounded);
    if (!nest) throw Error(nest.why());
    std::vector<StageFeatures> features;
    extractFeatures(*nest, target(), features, rules);
    Rows rows;
    for (const auto &stage : features) rows[stage.buffer->name] = stage.row;
    return rows;
}

/// What statements made by hand store to and load from, and where their expressions live.
struct Buffers {
    Buffers() {
        matrix.shape = {100, 100};
        line.shape = {100};
    }
    std::shared_ptr<ExprArena> arena = std::make_shared<ExprArena>();
    ArenaScope scope{arena};
    Buffer matrix;
    Buffer line;
};

float at(const FeatureRow &row, const std::string &name) {
    const auto names = featureNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw Error("no feature " + name);
    return row[static_cast<size_t>(found - names.begin())];
}

} // namespace

#define NUMBER(row, name, value)                                                                                       \
    QVERIFY2(std::abs(at(row, name) - slog(value)) < 1e-4,                                                             \
             (std::string(name) + " is " + std::to_string(std::exp2(at(row, name)) - 1)).c_str())
#define FLAG(row, name) QCOMPARE(at(row, name), 1.0F)

class FeaturesTest : public QObject {
    Q_OBJECT
  private slots:
    void tableNamesEveryNumberOnce();
    void operationsOfAnExpression();
    void strideIsAGuessedCoefficient();
    void regionsGrowLoopByLoop();
    void storesAfterOneAnotherDoNotMeet();
    void programsAfterOneAnotherDoNotMeet();
    void naiveMatmul();
    void annotationsOfATiledMatmul();
    void naiveSoftmax();
    void producerAttachedToItsReader();
    void linesWhereSeveralLoopsAreSkipped();
    void pragmaHoldsWhereItsIteratorMakesNoLoop();
    void twiceTheSame();
};

void FeaturesTest::tableNamesEveryNumberOnce() {
    std::vector<std::string> names(featureNames().begin(), featureNames().end());
    QCOMPARE(names.size(), kFeatureCount);
    QCOMPARE(names[feature::kBuffers + feature::kBufferLength + 3], std::string("B1.bytes"));
    QCOMPARE(names[feature::kOuter + 2], std::string("auto_unroll_max_step"));
    std::sort(names.begin(), names.end());
    QVERIFY(std::adjacent_find(names.begin(), names.end()) == names.end());
}

void FeaturesTest::operationsOfAnExpression() {
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    const TensorSymbol tensor{"A", DType::Float32, {64}};
    const Expr i = makeVar("i");
    const Expr index = i * 4 + 1;
    const Expr a = makeLoad(tensor, {&index, 1});
    // exp(a) * a + max(a, 0): the loads' indices count as integer operations, once per load
    const Expr e = callMath(Intrinsic::Exp, a) * a + maxOf(a, makeFloat(0));
    const OpCounts ansor = countOps(e, false);
    const OpCounts fused = countOps(e, true);
    const std::array<double, 16> expected = {0, 1, 1, 0, 1, 1, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0};
    const std::array<double, 16> expectedFused = {1, 0, 0, 0, 1, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0};
    QVERIFY(ansor.count == expected);
    QVERIFY(fused.count == expectedFused);
    QCOMPARE(ansor.floatOps(), 4.0);
    QCOMPARE(fused.floatOps(), 4.0);

    const Expr branch =
        ifThenElse(logicalAnd(fold(ExprKind::Ge, i, makeInt(1)), fold(ExprKind::Lt, i, makeInt(9))), a, makeFloat(0));
    const OpCounts guarded = countOps(branch, false);
    QCOMPARE(guarded.count[11], 2.0); // int_cmp
    QCOMPARE(guarded.count[14], 1.0); // bool_op
    QCOMPARE(guarded.count[5], 1.0);  // a branch is a call
}

void FeaturesTest::strideIsAGuessedCoefficient() {
    const auto arena = std::make_shared<ExprArena>();
    const ArenaScope scope(arena);
    Buffer out;
    out.shape = {1000};
    Buffer matrix;
    matrix.shape = {10, 100};
    const Expr i = makeVar("i");
    const Expr j = makeVar("j");
    const std::vector<NestLoop> loops = {{i.node(), 8}, {j.node(), 5}};
    bool guess = true;
    const auto strides = [&](const Buffer &buffer, std::vector<Expr> index) {
        AccessSet set;
        const Stmt store = makeStore(buffer, index, makeFloat(0), StageId(0));
        set.collect(*store.node(), loops);
        const BufferAccess &access = set.accesses().front();
        return std::pair(AccessSet::stride(access, 0, loops, guess), AccessSet::stride(access, 1, loops, guess));
    };
    using Pair = std::pair<int64_t, int64_t>;
    QCOMPARE(strides(out, {i * 8 + j}), Pair(8, 1));
    QCOMPARE(strides(out, {i * 8 + j * 2}), Pair(2, 2)); // the product that comes after i's own counts
    QCOMPARE(strides(out, {i + j}), Pair(1, 1));
    QCOMPARE(strides(out, {floorDiv(i, 4) + j}), Pair(1, 1));
    QCOMPARE(strides(out, {i * 3 + i}), Pair(2, 0)); // met again
    QCOMPARE(strides(matrix, {i, j}), Pair(100, 1));
    QCOMPARE(strides(matrix, {i, i * 7}), Pair(7, 0)); // the last dimension in which it occurs
    QCOMPARE(strides(matrix, {makeInt(0), makeInt(0)}), Pair(0, 0));
    guess = false;
    QCOMPARE(strides(out, {i * 8 + j * 2}), Pair(8, 2));
    QCOMPARE(strides(out, {i * 3 + i}), Pair(4, 0));
    QCOMPARE(strides(out, {floorDiv(i, 4) + j}), Pair(1, 1));
}

void FeaturesTest::regionsGrowLoopByLoop() {
    const Buffers buffers;
    const Buffer &image = buffers.matrix;
    const Buffer &out = buffers.line;
    const Expr y = makeVar("y");
    const Expr r = makeVar("r");
    const std::vector<NestLoop> loops = {{y.node(), 10}, {r.node(), 3}};
    const std::array<Expr, 2> window = {y * 2 + r, floorDiv(y * 3 + r, 4)};
    const std::array<Expr, 2> shifted = {y * 2 + r + 5, makeInt(0)};
    const Expr value = makeLoad(image, window) + makeLoad(image, shifted);
    const Stmt store = makeStore(out, std::array<Expr, 1>{y}, value, StageId(0));
    AccessSet set;
    set.collect(*store.node(), loops);
    QCOMPARE(set.accesses().size(), size_t{2});
    const BufferAccess &access = set.accesses()[1];
    QCOMPARE(access.count(), size_t{2});
    set.fixAll();
    QCOMPARE(AccessSet::touched(access), int64_t{6}); // rows 0 and 5
    set.widen(1, loops);
    QCOMPARE(AccessSet::extentOf(access, 0), int64_t{8}); // 0..2 and 5..7
    QCOMPARE(AccessSet::extentOf(access, 1), int64_t{1}); // (0..2)/4
    set.widen(0, loops);
    QCOMPARE(AccessSet::extentOf(access, 0), int64_t{26}); // 0..20 and 5..25
    QCOMPARE(AccessSet::extentOf(access, 1), int64_t{8});  // (0..29)/4
}

void FeaturesTest::storesAfterOneAnotherDoNotMeet() {
    // Deeper nests and more accesses first: what they left in the set's memory means nothing to the next store.
    const Buffers buffers;
    const Buffer &image = buffers.matrix;
    const Buffer &out = buffers.line;
    const Expr i = makeVar("i");
    const Expr j = makeVar("j");
    const Expr k = makeVar("k");
    const std::vector<NestLoop> deep = {{i.node(), 4}, {j.node(), 5}, {k.node(), 6}};
    const std::vector<NestLoop> flat = {{i.node(), 4}, {j.node(), 5}};
    const Stmt first = makeStore(image, std::array<Expr, 2>{i * 7 + k, j * 3 + k * 2},
                                 makeLoad(out, std::array<Expr, 1>{i * 9 + j * 8}) +
                                     makeLoad(image, std::array<Expr, 2>{k * 5, k * 4 + j}),
                                 StageId(0));
    const Stmt second = makeStore(out, std::array<Expr, 1>{i + j * 2 - i}, makeFloat(0), StageId(0));
    AccessSet set;
    set.collect(*first.node(), deep);
    set.collect(*second.node(), flat);
    QCOMPARE(set.accesses().size(), size_t{1});
    const BufferAccess &stored = set.accesses().front();
    QCOMPARE(stored.buffer, &out);
    QVERIFY(stored.type == AccessType::Write);
    QCOMPARE(stored.rank, size_t{1});
    QCOMPARE(stored.count(), size_t{1});
    QCOMPARE(stored.loops, uint64_t{2}); // the terms of i cancel
    QCOMPARE(AccessSet::stride(stored, 0, flat), int64_t{0});
    QCOMPARE(AccessSet::stride(stored, 1, flat), int64_t{2});
    set.fixAll();
    set.widen(1, flat);
    set.widen(0, flat);
    QCOMPARE(AccessSet::touched(stored), int64_t{9});
}

void FeaturesTest::programsAfterOneAnotherDoNotMeet() {
    const auto conv = [] { return rowsOf(conv2dBiasReluNchwDag(), "[]", FeatureRules::Corrected); };
    const Rows before = conv();
    const Rows matmul = rowsOf(matmulDag(64, 32, 16), "[]", FeatureRules::Corrected);
    const Rows after = conv();
    QVERIFY(before == after);
    const Rows again = rowsOf(matmulDag(64, 32, 16), "[]", FeatureRules::Corrected);
    QVERIFY(matmul == again);
}

void FeaturesTest::naiveMatmul() {
    // for i 64, j 32: C = 0; for k 16: C += A[i, k]*B[k, j]
    const Rows rows = rowsOf(matmulDag(64, 32, 16), "[]", FeatureRules::Ansor);
    QCOMPARE(rows.size(), size_t{1});
    const FeatureRow &c = rows.at("C");
    const double times = 64 * 32 * 16;
    NUMBER(c, "float_addsub", times);
    NUMBER(c, "float_mul", times);
    NUMBER(c, "float_mad", 0);
    NUMBER(c, "int_mul", 0);
    FLAG(c, "vec_None");
    // most lines first: B (a new line for every k), A, C
    FLAG(c, "B0.acc_type_read");
    NUMBER(c, "B0.bytes", times * 4);
    NUMBER(c, "B0.unique_bytes", 16 * 32 * 4);
    NUMBER(c, "B0.lines", times);
    NUMBER(c, "B0.unique_lines", 32);
    NUMBER(c, "B0.stride", 32);
    FLAG(c, "B0.reuse_type_loop"); // by i, after all of k and j
    NUMBER(c, "B0.reuse_dis_iter", 16 * 32);
    NUMBER(c, "B0.reuse_dis_bytes", (32 + 32 + 16 + 512) * 4); // init, C, A, B
    NUMBER(c, "B0.reuse_ct", 64);
    NUMBER(c, "B0.lines_d_reuse_ct", times / 64);
    FLAG(c, "B1.acc_type_read");
    NUMBER(c, "B1.unique_bytes", 64 * 16 * 4);
    NUMBER(c, "B1.lines", times * 4 / 64);
    NUMBER(c, "B1.stride", 1);
    NUMBER(c, "B1.reuse_dis_iter", 16);
    NUMBER(c, "B1.reuse_dis_bytes", (1 + 16 + 16) * 4);
    NUMBER(c, "B1.reuse_ct", 32);
    FLAG(c, "B2.acc_type_read_write");
    NUMBER(c, "B2.lines", times / 16 * 4 / 64); // k passed over
    NUMBER(c, "B2.stride", 0);
    NUMBER(c, "B2.reuse_dis_iter", 1);
    NUMBER(c, "B2.reuse_dis_bytes", 12);
    NUMBER(c, "B2.reuse_ct", 16);
    NUMBER(c, "B3.bytes", 0);
    const double inner = 1024.0 / ((32 + 16 + 512) * 4); // operations per byte inside j, and of everything
    const double all = 65536.0 / ((2048 + 1024 + 512) * 4);
    NUMBER(c, "arith_intensity_curve_0", inner + (all - inner) * (6553.6 - 1024) / (65536 - 1024));
    NUMBER(c, "arith_intensity_curve_9", all);
    NUMBER(c, "alloc_size", 64 * 32 * 4);
    NUMBER(c, "alloc_prod", 64 * 32);
    NUMBER(c, "alloc_outer_prod", 1);
    NUMBER(c, "alloc_inner_prod", times);
    NUMBER(c, "outer_prod", times);
    NUMBER(c, "num_loops", 3);

    const Rows corrected = rowsOf(matmulDag(64, 32, 16), "[]", FeatureRules::Corrected);
    NUMBER(corrected.at("C"), "float_mad", times);
    NUMBER(corrected.at("C"), "float_mul", 0);
    NUMBER(corrected.at("C"), "arith_intensity_curve_9", all);
}

void FeaturesTest::annotationsOfATiledMatmul() {
    const std::string steps =
        R"([["SP",2,0,64,[4],1],["SP",2,2,32,[8],1],["RE",2,[0,2,4,1,3]],["AN",2,0,3],["AN",2,3,1],
        ["AN",2,4,2],["PR",2,0,"auto_unroll_max_step$64"]])"; // i.0 j.0 k i.1 j.1
    const Rows ansor = rowsOf(matmulDag(64, 32, 16), steps, FeatureRules::Ansor);
    const FeatureRow &c = ansor.at("C");
    NUMBER(c, "vec_num", 1);
    NUMBER(c, "vec_len", 8);
    NUMBER(c, "unroll_prod", 4);
    NUMBER(c, "parallel_len", 16);
    FLAG(c, "vec_Mixed");
    FLAG(c, "parallel_Mixed");
    NUMBER(c, "auto_unroll_max_step", 64);
    NUMBER(c, "num_loops", 5);
    const Rows corrected = rowsOf(matmulDag(64, 32, 16), steps, FeatureRules::Corrected);
    const FeatureRow &better = corrected.at("C");
    FLAG(better, "vec_InnerSpatial");
    FLAG(better, "unroll_MiddleSpatial");
    FLAG(better, "parallel_OuterSpatial");
    QCOMPARE(at(better, "vec_Mixed"), 0.0F);
}

void FeaturesTest::naiveSoftmax() {
    const Rows rows = rowsOf(softmaxDag(8, 16), "[]", FeatureRules::Ansor);
    QCOMPARE(rows.size(), size_t{4});
    const double times = 8 * 16;
    NUMBER(rows.at("T_softmax_maxelem"), "float_cmp", times);
    NUMBER(rows.at("T_softmax_exp"), "float_mathfunc", times);
    NUMBER(rows.at("T_softmax_exp"), "float_addsub", times);
    NUMBER(rows.at("T_softmax_expsum"), "float_addsub", times);
    NUMBER(rows.at("T_softmax_norm"), "float_divmod", times);
    NUMBER(rows.at("T_softmax_exp"), "alloc_size", times * 4);
    NUMBER(rows.at("T_softmax_maxelem"), "alloc_size", 8 * 4);
    NUMBER(rows.at("T_softmax_maxelem"), "alloc_inner_prod", times);
    // Both loops move T_softmax_exp, and in this nest nobody else touches it.
    const FeatureRow &norm = rows.at("T_softmax_norm");
    int noReuse = 0;
    for (const char *buffer : {"B0", "B1", "B2"})
        if (at(norm, std::string(buffer) + ".reuse_type_none") == 1.0F) ++noReuse;
    QCOMPARE(noReuse, 2); // T_softmax_exp and the output; T_softmax_expsum is read again along i1
}

void FeaturesTest::producerAttachedToItsReader() {
    // for i: { for j: C[i, j] = B*2; for j: D[i, j] = exp(C[i, j]) }
    const Rows rows = rowsOf(elementwiseDag(64, 32), R"([["CI",1],["CA",2,3,0]])", FeatureRules::Ansor);
    QCOMPARE(rows.size(), size_t{2});
    const FeatureRow &c = rows.at("C");
    NUMBER(c, "alloc_size", 32 * 4);
    NUMBER(c, "alloc_prod", 32 * 64);
    NUMBER(c, "alloc_outer_prod", 64);
    NUMBER(c, "alloc_inner_prod", 32);
    NUMBER(c, "float_addsub", 64 * 32);
    NUMBER(c, "float_mul", 64 * 32);
    const FeatureRow &d = rows.at("D");
    const std::string read = at(d, "B0.acc_type_read") == 1.0F ? "B0" : "B1";
    FLAG(d, read + ".reuse_type_serial"); // written by the loop before
    NUMBER(d, read + ".reuse_dis_iter", 64 * 32 / 64);
    NUMBER(d, read + ".reuse_dis_bytes", 4 * 64 * 32 * 4 / 64); // A, C, C, D
    NUMBER(d, read + ".reuse_ct", 1);
}

void FeaturesTest::linesWhereSeveralLoopsAreSkipped() {
    // conv1d reduces over rl (3) and rc (6) innermost: for the output both are passed over before co is found.
    const DagPtr dag = conv1dNlcDag(1, 8, 6, 16, 3, 1, 1);
    const Rows ansor = rowsOf(dag, "[]", FeatureRules::Ansor);
    const Rows corrected = rowsOf(dag, "[]", FeatureRules::Corrected);
    const double times = 8 * 16 * 3 * 6;
    const auto linesOfOutput = [](const FeatureRow &row) {
        for (const char *buffer : {"B0", "B1", "B2"})
            if (at(row, std::string(buffer) + ".acc_type_read_write") == 1.0F)
                return std::exp2(at(row, std::string(buffer) + ".lines")) - 1;
        return -1.0F;
    };
    QVERIFY(std::abs(linesOfOutput(ansor.at("conv1d_nlc")) - times / (6 * 6) * 4 / 64) < 1e-3);
    QVERIFY(std::abs(linesOfOutput(corrected.at("conv1d_nlc")) - times / (3 * 6) * 4 / 64) < 1e-3);
}

void FeaturesTest::pragmaHoldsWhereItsIteratorMakesNoLoop() {
    // i and j have extent 1: the pragma is found on the loop of k, or on the store where there is no loop at all.
    const Rows one = rowsOf(matmulDag(1, 1, 16), R"([["PR",2,0,"auto_unroll_max_step$16"]])", FeatureRules::Ansor);
    NUMBER(one.at("C"), "auto_unroll_max_step", 16);
    const Rows none = rowsOf(matmulDag(1, 1, 1), R"([["PR",2,0,"auto_unroll_max_step$16"]])", FeatureRules::Ansor);
    NUMBER(none.at("C"), "num_loops", 0);
    NUMBER(none.at("C"), "auto_unroll_max_step", 16);
    FLAG(none.at("C"), "B0.reuse_type_none");
    // C stands inside the first iterator of D, and so under its pragma; its own would come first.
    const std::string attached = R"(["CI",1],["CA",2,3,0],["PR",3,0,"auto_unroll_max_step$16"])";
    const Rows inside = rowsOf(elementwiseDag(1, 32), "[" + attached + "]", FeatureRules::Ansor);
    NUMBER(inside.at("C"), "auto_unroll_max_step", 16);
    NUMBER(inside.at("D"), "auto_unroll_max_step", 16);
    const Rows own = rowsOf(elementwiseDag(1, 32), "[" + attached + R"(,["PR",2,0,"auto_unroll_max_step$64"]])",
                            FeatureRules::Ansor);
    NUMBER(own.at("C"), "auto_unroll_max_step", 64);
    NUMBER(own.at("D"), "auto_unroll_max_step", 16);
}

void FeaturesTest::twiceTheSame() {
    for (const FeatureRules rules : {FeatureRules::Ansor, FeatureRules::Corrected})
        QVERIFY(rowsOf(softmaxDag(), "[]", rules) == rowsOf(softmaxDag(), "[]", rules));
}

LOOPSCOPE_TEST(FeaturesTest)
#include "features_test.moc"
