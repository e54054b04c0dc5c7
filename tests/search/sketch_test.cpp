// Sketches of known workloads: numbers and step lists as Ansor derives them (its own unit tests and appendix A of the
// facts it was checked against), and every recorded sketch text where the records are present.

#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "harness/shared_data.h"
#include "language/te/workload.h"
#include "schedule/steps_json.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace loopscope;

namespace sketch_test {

namespace {

Target cpu(int cores = 4) {
    Target target;
    target.hardware.numCores = cores;
    return target;
}

Reduction argmaxReduction(const Axis &k) {
    Combiner combiner;
    combiner.left = {makeVar("li"), makeVar("lv", DType::Float32)};
    combiner.right = {makeVar("ri"), makeVar("rv", DType::Float32)};
    const Expr takeLeft = fold(ExprKind::Gt, combiner.left[1], combiner.right[1]);
    combiner.result = {select(takeLeft, combiner.left[0], combiner.right[0]),
                       select(takeLeft, combiner.left[1], combiner.right[1])};
    combiner.identity = {makeInt(-1), makeCombiner(ReduceKind::Max, DType::Float32).identity[0]};
    return {combiner, {k}, {}};
}

/// Along columns, along rows, and along columns of one element.
const char *const kScans =
    "workload scans(H = 48, W = 64)\n"
    "x = placeholder [3, H, W] float32\n"
    "down(c < 3, y < H, i < W) = scan(y; from x[c, y, i]; down[c, y - 1, i] + x[c, y, i])\n"
    "sums(c < 3, y < H, i < W) = scan(i; from down[c, y, i]; sums[c, y, i - 1] + down[c, y, i])\n"
    "last(c < 3, y < H, k < 1) =\n"
    "    scan(y; from sums[c, y, W - 1]; max(last[c, y - 1, k], sums[c, y, W - 1]))\n";

QString stepsOf(const Sketch &sketch) {
    QString text = QString::fromStdString(stepsText(sketch.state.steps()));
    return text.remove(' ');
}

} // namespace

class SketchTest : public QObject {
    Q_OBJECT
  private slots:
    void matmulOnCpu() {
        const auto sketches = generateSketches(matmulDag(), cpu());
        QCOMPARE(sketches.size(), size_t(3));
        const QString tile = R"(["SP",2,0,512,[null,null,null],1],["SP",2,4,512,[null,null,null],1],)"
                             R"(["SP",2,8,512,[null],1],["RE",2,[0,4,1,5,8,2,6,9,3,7]])";
        QCOMPARE(stepsOf(sketches[0]), "[" + tile + "]");
        QCOMPARE(stepsOf(sketches[1]), R"([["CHW",2,"local"],)" + tile +
                                           R"(,["FSP",3,0,1,1],["FSP",3,2,2,1],["RE",3,[0,2,1,3]],["CA",2,3,1]])");
        QCOMPARE(stepsOf(sketches[2]), R"([["CHW",2,"local"],)" + tile +
                                           R"(,["FSP",3,0,1,2],["FSP",3,3,2,2],["RE",3,[0,3,1,4,2,5]],["CA",2,3,3]])");
    }

    void longReductionAddsRfactor() {
        const auto sketches = generateSketches(matmulDag(8, 8, 512), cpu());
        QCOMPARE(sketches.size(), size_t(5));
        QCOMPARE(stepsOf(sketches[0]), R"([["SP",2,2,512,[null],1],["RF",2,2,2]])");
        QCOMPARE(stepsOf(sketches[1]), R"([["SP",2,2,512,[null],1],["RF",2,3,2],["RE",2,[0,1,3,2]]])");
    }

    /// In strips of rows, along which every strip goes in order, or as it stands; along a row there are no strips.
    void scansInStrips() {
        const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(kScans, "scans.te"));
        std::map<std::string, std::string> told;
        const auto sketches = generateSketches(dag, cpu(), {}, [&](const SketchStep &step) {
            if (step.rule == "TileScan") told[dag->op(static_cast<size_t>(step.stage)).name] = step.reason;
        });
        QCOMPARE(sketches.size(), size_t(2));
        QCOMPARE(stepsOf(sketches[0]), R"([["SP",1,2,64,[null],1],["RE",1,[0,2,1,3]]])");
        QCOMPARE(sketches[0].rules, (std::vector<std::string>{"TileScan down"}));
        QCOMPARE(stepsOf(sketches[1]), "[]");
        QCOMPARE(QString::fromStdString(sketches[0].state.text()), QString("Placeholder: x\n"
                                                                           "for c (0,3)\n"
                                                                           "  for i.0 (None)\n"
                                                                           "    for y (0,48)\n"
                                                                           "      for i.1 (None)\n"
                                                                           "        down = ...\n"
                                                                           "for c (0,3)\n"
                                                                           "  for y (0,48)\n"
                                                                           "    for i (0,64)\n"
                                                                           "      sums = ...\n"
                                                                           "for c (0,3)\n"
                                                                           "  for y (0,48)\n"
                                                                           "    last = ...\n"));
        QCOMPARE(told, (std::map<std::string, std::string>{{"x", "it is not a scan"},
                                                           {"down", "its rows can be cut into strips"},
                                                           {"sums", "it goes along its last axis, which has no strips"},
                                                           {"last", "its last axis has one element"}}));
    }

    /// On GPUs nobody cuts a scan or a scatter, and nothing is shared by the threads of what goes in order.
    void scansAndScattersOnGpu() {
        const DagPtr dag =
            ComputeDag::fromWorkload(parseWorkload("workload histogram(H = 48, W = 64)\n"
                                                   "k = placeholder [H, W] int32\n"
                                                   "rows(y < H, b < 64) = sum(r < W at b = clamp(k[y, r], 0, 63); 1)\n"
                                                   "h(b < 64) = sum(y < H; rows[y, b])\n"
                                                   "cdf(b < 64) = scan(b; from h[b]; cdf[b - 1] + h[b])\n",
                                                   "histogram.te"));
        std::map<std::string, std::string> told;
        const auto sketches = generateSketches(dag, gpuTarget(), {}, [&](const SketchStep &step) {
            if (step.rule == "CrossThreadReduction") told[dag->op(static_cast<size_t>(step.stage)).name] = step.reason;
        });
        QCOMPARE(sketches.size(), size_t(2));
        // What sums up for the scan does so by itself.
        QCOMPARE(stepsOf(sketches[0]), R"([["SP",2,1,48,[32],1],["AN",2,2,6]])");
        QCOMPARE(stepsOf(sketches[1]), "[]");
        QCOMPARE(told["h"], std::string("the reduction can be shared by a warp"));
        QCOMPARE(told["rows"], std::string("the places of its terms are computed"));
        QCOMPARE(told["cdf"], std::string("it does not reduce"));
    }

    void counts_data() {
        QTest::addColumn<int>("expected");
        QTest::addColumn<bool>("onGpu");
        QTest::newRow("matmul chain") << 9 << false;
        QTest::newRow("conv bn relu") << 3 << false;
        QTest::newRow("row min") << 3 << false;
        QTest::newRow("matmul gpu") << 1 << true;
        QTest::newRow("long matmul gpu") << 2 << true;
        QTest::newRow("matmul chain gpu") << 1 << true;
        QTest::newRow("row min gpu") << 2 << true;
        QTest::newRow("softmax gpu") << 4 << true;
    }
    void counts() {
        QFETCH(int, expected);
        QFETCH(bool, onGpu);
        const std::map<std::string, DagPtr> dags = {{"matmul chain", matmulChainDag()},
                                                    {"conv bn relu", convBnReluNhwcDag()},
                                                    {"row min", rowMinDag()},
                                                    {"matmul gpu", matmulDag()},
                                                    {"long matmul gpu", matmulDag(8, 8, 1024)},
                                                    {"matmul chain gpu", matmulChainDag()},
                                                    {"row min gpu", rowMinDag()},
                                                    {"softmax gpu", softmaxDag(1, 1000)}};
        const auto sketches = generateSketches(dags.at(QTest::currentDataTag()), onGpu ? gpuTarget() : cpu());
        QCOMPARE(static_cast<int>(sketches.size()), expected);
    }

    void matmulOnGpu() {
        const auto sketches = generateSketches(matmulDag(), gpuTarget());
        QCOMPARE(
            stepsOf(sketches[0]),
            R"([["CHW",2,"local"],["SP",2,0,512,[null,null,null,null],1],["SP",2,5,512,[null,null,null,null],1],)"
            R"(["SP",2,10,512,[null,null],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],)"
            R"(["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],)"
            R"(["CA",1,4,6]])");
    }

    void softmaxOnGpu() {
        const auto sketches = generateSketches(softmaxDag(1, 1000), gpuTarget());
        QCOMPARE(stepsOf(sketches[0]),
                 R"([["SP",4,1,1000,[32],1],["AN",4,2,6],["FSP",3,1,0,1],["AN",3,2,6],["CA",3,4,0],["CI",2],)"
                 R"(["FSP",1,1,0,1],["AN",1,2,6],["CA",1,4,0]])");
        QCOMPARE(stepsOf(sketches[3]), R"([["CI",2]])");
    }

    void stridedConvFusesItsTail() {
        const auto sketches = generateSketches(conv2dBiasReluNhwcDag(), cpu());
        QCOMPARE(sketches.size(), size_t(3));
        QVERIFY(stepsOf(sketches[0]).startsWith(R"([["CI",5],["SP",3,0,1,)"));
        QVERIFY(stepsOf(sketches[1]).endsWith(R"(["CA",3,6,7]])"));
        QCOMPARE(sketches[2].rules, (std::vector<std::string>{"AlwaysInline T_add", "Tiling conv2d_nhwc"}));
    }

    /// Channels last the transforms are unrolled; channels first they are tiled like any product, as in Ansor.
    void winogradByLayout() {
        const auto count = [](const char *source) {
            const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(source, "winograd"));
            return generateSketches(dag, cpu()).size();
        };
        QCOMPARE(count("workload w()\nd = placeholder [1, 64, 56, 56]\nw = placeholder [8, 8, 64, 64]\n"
                       "o = conv2d_winograd_nchw(d, w, 1, 6)\n"),
                 size_t(27));
        QCOMPARE(count("workload w()\nd = placeholder [1, 14, 14, 128]\nw = placeholder [8, 8, 128, 128]\n"
                       "o = conv2d_winograd_nhwc(d, w, 1, 6)\n"),
                 size_t(3));
    }

    /// The same input at the start and at the end: only the tiled reader gets a copy in shared memory.
    void residualsOnGpu() {
        DagBuilder builder;
        const Tensor &a = builder.placeholder("A", {128, 128}), &b = builder.placeholder("B", {128, 128});
        const auto s = axes({"i", "j"}, {128, 128}), r = axes({"k"}, {128}), t = axes({"i", "j"}, {128, 128});
        const Tensor &c =
            builder.reduce("C", s, ReduceKind::Sum, r, load(a, {s[0].var, r[0].var}) * load(b, {r[0].var, s[1].var}));
        const Tensor &d = builder.compute("D", t, load(c, {t[0].var, t[1].var}) + load(a, {t[0].var, t[1].var}));
        const auto sketches = generateSketches(builder.build({&d}), gpuTarget());
        QCOMPARE(sketches.size(), size_t(1));
        const QString steps = stepsOf(sketches[0]);
        QVERIFY2(steps.endsWith(R"(["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6]])"),
                 qPrintable(steps));
    }

    /// A second reader behind an inlined stage reads the input itself.
    void inlinedReadersOnGpu() {
        DagBuilder builder;
        const Tensor &a = builder.placeholder("A", {64, 64}), &b = builder.placeholder("B", {64, 64});
        const auto s = axes({"i", "j"}, {64, 64}), r = axes({"k"}, {64}), u = axes({"i", "j"}, {64, 64});
        const auto t = axes({"i", "j"}, {64, 64});
        const Tensor &twice = builder.compute("twice", u, load(a, {u[0].var, u[1].var}) * makeFloat(2));
        const Tensor &c =
            builder.reduce("C", s, ReduceKind::Sum, r, load(a, {s[0].var, r[0].var}) * load(b, {r[0].var, s[1].var}));
        const Tensor &d = builder.compute("D", t, load(c, {t[0].var, t[1].var}) + load(twice, {t[1].var, t[0].var}));
        const auto sketches = generateSketches(builder.build({&d}), gpuTarget());
        QVERIFY(!sketches.empty());
        QVERIFY2(stepsOf(sketches[0]).contains(R"(["CI",3])"), qPrintable(stepsOf(sketches[0])));
    }

    /// Only the second output of a pair is read by a product: a cache read copies the first.
    void secondOutputsOnGpu() {
        DagBuilder builder;
        const Tensor &a = builder.placeholder("A", {64, 64, 4}), &b = builder.placeholder("B", {64, 64});
        const auto s = axes({"i", "j"}, {64, 64}), k = axes({"k"}, {4}), r = axes({"l"}, {64});
        const auto t = axes({"i", "j"}, {64, 64});
        const auto pair =
            builder.computeTuple("pair", s, {k[0].var, load(a, {s[0].var, s[1].var, k[0].var})}, argmaxReduction(k[0]));
        const Tensor &c = builder.reduce("C", t, ReduceKind::Sum, r,
                                         load(*pair[1], {t[0].var, r[0].var}) * load(b, {r[0].var, t[1].var}));
        const auto u = axes({"i", "j"}, {64, 64});
        const Tensor &places = builder.compute("places", u, load(*pair[0], {u[0].var, u[1].var}) + 1);
        std::set<std::string> reasons;
        const auto sketches =
            generateSketches(builder.build({&c, &places}), gpuTarget(), {}, [&](const SketchStep &step) {
                if (step.rule == "AddCacheRead" && !step.applied) reasons.insert(step.reason);
            });
        QVERIFY(!sketches.empty());
        QVERIFY(reasons.contains("its consumer reads its second output only"));
    }

    /// Nothing of the product is split, so there is no tile for a consumer to take over, on neither device.
    void wholeAxesAreNotFused() {
        for (const bool withConsumer : {false, true}) {
            DagBuilder builder;
            const Tensor &a = builder.placeholder("A", {64, 64}), &b = builder.placeholder("B", {64, 64});
            const auto s = axes({"i", "j"}, {64, 64}), r = axes({"k"}, {64}), t = axes({"i", "j"}, {64, 64});
            const Attrs whole = {{"auto_scheduler_no_split_at_inner", std::vector<std::string>{"i", "j"}}};
            const Tensor *last = &builder.reduce("C", s, ReduceKind::Sum, r,
                                                 load(a, {s[0].var, r[0].var}) * load(b, {r[0].var, s[1].var}), whole);
            if (withConsumer) last = &builder.compute("D", t, load(*last, {t[0].var, t[1].var}) + makeFloat(1));
            const DagPtr dag = builder.build({last});
            QVERIFY(!generateSketches(dag, cpu()).empty());
            std::set<std::string> reasons;
            const auto sketches = generateSketches(dag, gpuTarget(), {}, [&](const SketchStep &step) {
                if (step.rule == "TilingWithFusion" && !step.applied) reasons.insert(step.reason);
            });
            QVERIFY(!sketches.empty());
            if (withConsumer) QVERIFY(reasons.contains("its tiles do not line up with the loops of its consumer D"));
        }
    }

    void inliningMoreComesAfterAnsorsOwn() {
        const auto plain = generateSketches(conv2dBiasReluNhwcDag(), cpu());
        SketchOptions options;
        options.inlineMore = true;
        const auto more = generateSketches(conv2dBiasReluNhwcDag(), cpu(), options);
        QVERIFY(more.size() > plain.size());
        for (size_t i = 0; i < plain.size(); ++i) QCOMPARE(more[i].state.text(), plain[i].state.text());
    }

    void largeInputsArePackedAfterAnsorsOwn() {
        const DagPtr dag = batchMatmulDag(1, 512, 512, 512);
        const auto plain = generateSketches(dag, cpu());
        SketchOptions options;
        options.packInputs = true;
        const auto more = generateSketches(dag, cpu(), options);
        QCOMPARE(more.size(), 2 * plain.size());
        for (size_t i = 0; i < plain.size(); ++i) {
            QCOMPARE(more[i].state.text(), plain[i].state.text());
            Steps steps = more[plain.size() + i].state.steps();
            const auto *copy = std::get_if<CacheReadStep>(&steps.back());
            QVERIFY(copy != nullptr);
            QCOMPARE(copy->stage, StageId(1));
            QCOMPARE(copy->scope, std::string("global"));
            QCOMPARE(copy->readers, (std::vector<StageId>{StageId(2)}));
            QCOMPARE(more[plain.size() + i].rules.back(), std::string("PackInput Y"));
        }
    }

    void packingRefusals_data() {
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("reason");
        QTest::newRow("read in place") << 0 << "its rows do not run along the innermost axis of its reader";
        QTest::newRow("small") << 1 << "it stays in the second cache";
        QTest::newRow("free layout") << 1 << "its layout is free: it is packed as a whole";
        QTest::newRow("several readers") << 0 << "not exactly one stage reads it";
        QTest::newRow("window") << 0 << "its tiles overlap";
        QTest::newRow("read twice") << 1 << "its reader loads it more than once";
        QTest::newRow("computed") << 2 << "it is not an input";
        QTest::newRow("not tiled") << 0 << "its reader is no tiled reduction";
        QTest::newRow("padded") << 0 << "an inlined stage reads it";
    }
    void packingRefusals() {
        QFETCH(int, stage);
        QFETCH(QString, reason);
        DagBuilder unpadded;
        const Tensor &x = unpadded.placeholder("x", {512, 514}), &w = unpadded.placeholder("w", {3, 512});
        const auto s = axes({"i", "j"}, {512, 512}), r = axes({"k"}, {3});
        const Expr product = load(x, {s[0].var, s[1].var + r[0].var}) * load(w, {r[0].var, s[1].var});
        const Tensor &window = unpadded.reduce("window", s, ReduceKind::Sum, r, product);
        DagBuilder squares;
        const Tensor &a = squares.placeholder("a", {512, 512}), &b = squares.placeholder("b", {512, 512});
        const auto p = axes({"i", "j"}, {512, 512}), q = axes({"k"}, {512});
        const Expr ofB = load(b, {q[0].var, p[1].var});
        const Tensor &squared =
            squares.reduce("squared", p, ReduceKind::Sum, q, load(a, {p[0].var, q[0].var}) * ofB * ofB);
        const std::map<std::string, DagPtr> dags = {{"read in place", batchMatmulDag(1, 512, 512, 512)},
                                                    {"small", batchMatmulDag(1, 512, 64, 512)},
                                                    {"free layout", matmulDag()},
                                                    {"several readers", softmaxDag(512, 1000)},
                                                    {"window", unpadded.build({&window}, "window")},
                                                    {"read twice", squares.build({&squared}, "squares")},
                                                    {"computed", matmulDag()},
                                                    {"not tiled", rowMinDag(512, 1000)},
                                                    {"padded", conv2dBiasReluNhwcDag()}};
        SketchOptions options;
        options.inlineMore = true;
        options.packInputs = true;
        std::set<std::string> reasons;
        generateSketches(dags.at(QTest::currentDataTag()), cpu(), options, [&](const SketchStep &step) {
            if (step.rule == "PackInput" && step.stage == stage && !step.applied) reasons.insert(step.reason);
        });
        QVERIFY2(reasons.contains(reason.toStdString()), reasons.empty() ? "applied" : reasons.begin()->c_str());
    }

    void traceNamesEveryRefusal() {
        int refused = 0;
        int applied = 0;
        generateSketches(matmulDag(), cpu(), {}, [&](const SketchStep &step) {
            QVERIFY(!step.reason.empty());
            QCOMPARE(step.applied, !step.children.empty());
            ++(step.applied ? applied : refused);
        });
        QVERIFY(refused > 10 && applied > 5);
    }

    void tooManySketchesKeepTheFirstAlternativeAndSaySo() {
        const size_t all = generateSketches(matmulChainDag(), cpu()).size();
        SketchOptions options;
        options.maxUnfinished = 4;
        int leftOut = 0;
        const auto sketches = generateSketches(matmulChainDag(), cpu(), options, [&](const SketchStep &step) {
            leftOut += step.reason.find("too many sketches to try") != std::string::npos ? 1 : 0;
        });
        QVERIFY(leftOut > 0);
        QVERIFY(!sketches.empty());
        QVERIFY2(sketches.size() < all, qPrintable(QString::number(sketches.size())));
        // What is left are sketches of the whole derivation, the first of it among them.
        std::set<std::string> known;
        for (const auto &sketch : generateSketches(matmulChainDag(), cpu())) known.insert(sketch.state.text());
        for (const auto &sketch : sketches) QVERIFY(known.contains(sketch.state.text()));
    }

    /// The tree a window draws: every node has a state, every end is a sketch, and every sketch ends somewhere.
    void traceLeadsToEverySketch() {
        struct Case {
            DagPtr dag;
            Target target;
            bool more;
        };
        for (const Case &test : {Case{matmulDag(), cpu(), false}, Case{matmulDag(8, 8, 512), cpu(), true},
                                 Case{conv2dBiasReluNhwcDag(), cpu(), true}, Case{softmaxDag(512, 1000), cpu(), true},
                                 Case{matmulDag(), gpuTarget(), true}}) {
            SketchOptions options;
            options.inlineMore = test.more;
            options.packInputs = test.more;
            options.vectorizeWeights = test.more;
            options.keepPrologues = test.more;
            std::map<int, std::shared_ptr<const LoopState>> states = {{0, std::make_shared<LoopState>(test.dag)}};
            std::set<int> open = {0};
            const auto sketches = generateSketches(test.dag, test.target, options, [&](const SketchStep &step) {
                QVERIFY(states.contains(step.parent)); // told of before
                QCOMPARE(step.states.size(), step.children.size());
                if (step.applied) open.erase(step.parent);
                for (size_t i = 0; i < step.children.size(); ++i) {
                    QVERIFY(states.emplace(step.children[i], step.states[i]).second);
                    open.insert(step.children[i]);
                }
            });
            std::set<int> ends;
            for (const auto &sketch : sketches) {
                QVERIFY(!sketch.ends.empty());
                for (const int end : sketch.ends) {
                    QCOMPARE(states.at(end)->text(), sketch.state.text());
                    QVERIFY(ends.insert(end).second);
                }
            }
            QCOMPARE(ends, open);
        }
    }

    void recordedSketches() {
        int compared = 0;
        for (const auto &record : conformanceRecords()) {
            const auto json = nlohmann::json::parse(record.line);
            const DagPtr dag = conformanceDag(record.workload, record.args);
            QVERIFY2(dag, record.workload.c_str());
            const auto sketches = generateSketches(dag, record.target == "llvm" ? cpu() : gpuTarget());
            QVERIFY2(sketches.size() == json["sketches"].size(),
                     qPrintable(QString("%1 %2: %3 sketches, recorded %4")
                                    .arg(record.workload.c_str(), record.target.c_str())
                                    .arg(sketches.size())
                                    .arg(json["sketches"].size())));
            for (size_t i = 0; i < sketches.size(); ++i) {
                QCOMPARE(QString::fromStdString(sketches[i].state.text()),
                         QString::fromStdString(json["sketches"][i]["text"].get<std::string>()));
                ++compared;
            }
        }
        QVERIFY(compared > 50);
    }
};

LOOPSCOPE_TEST(SketchTest)

} // namespace sketch_test
#include "sketch_test.moc"
