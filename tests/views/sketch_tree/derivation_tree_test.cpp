// The derivation of real sketches as data: states, refusals, folding, filters, and what became of each sketch.

#include "harness/sample_dags.h"
#include "language/te/workload.h"
#include "test_program.h"
#include "views/sketch_tree/nest_lines.h"
#include "views/sketch_tree/shown_tree.h"
#include "views/sketch_tree/sketch_statistics.h"
#include "views/sketch_tree/tree_layout.h"
#include "views/sketch_tree/tree_texts.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace loopscope;

namespace {

/// Two blanks a level, fresh lines marked by '+'.
QString nestText(const Nest &nest) {
    QString text;
    for (const auto &line : nest.lines)
        text += (line.fresh ? QStringLiteral("+ ") : QStringLiteral("  ")) +
                QString(2 * line.indent, QLatin1Char(' ')) + line.text + QLatin1Char('\n');
    if (!nest.inlined.isEmpty()) text += QStringLiteral("inlined: %1\n").arg(nest.inlined.join(QStringLiteral(", ")));
    return text;
}

/// All at once. Empty when there is no derivation.
DerivationTree makeDerivationTree(const DagPtr &dag, const std::vector<SketchStep> &steps,
                                  const std::vector<Sketch> &sketches) {
    if (!dag || steps.empty()) return {};
    DerivationReader reader(dag);
    reader.read(steps, steps.size());
    return reader.finish(sketches);
}

struct Derived {
    std::vector<Sketch> sketches;
    std::vector<SketchStep> steps;
    DerivationTree tree;
};

Derived derive(const DagPtr &dag, bool more = true) {
    Target target;
    target.hardware.numCores = 4;
    SketchOptions options;
    options.inlineMore = more;
    options.packInputs = more;
    Derived derived;
    derived.sketches =
        generateSketches(dag, target, options, [&](const SketchStep &step) { derived.steps.push_back(step); });
    derived.tree = makeDerivationTree(dag, derived.steps, derived.sketches);
    return derived;
}

/// Stages t0, t1, ... each reading the one before, element by element.
DagPtr chainDag(int stages) {
    DagBuilder builder;
    const Tensor *last = &builder.placeholder("data", {64, 64});
    for (int i = 0; i < stages; ++i) {
        const auto s = axes({"i", "j"}, {64, 64});
        last = &builder.compute("t" + std::to_string(i), s, load(*last, {s[0].var, s[1].var}) + makeFloat(1));
    }
    return builder.build({last}, "chain");
}

QString shown(const DerivationTree &tree, const TreeChoice &choice = {}) {
    return shownText(tree, makeShownTree(tree, choice));
}

const char *const kMatmul = R"(naive schedule | 9 refused
  skip E
    AlwaysInline · D | skip bias | 9 refused on the way | 7 refused
      TilingWithFusion · C (way 1 of 2) | 8 refused
        PackInput · B | skip A | sketch 3 | 9 refused on the way
        skip B, A | sketch 0 | 9 refused on the way
      TilingWithFusion · C (way 2 of 2) | 8 refused
        PackInput · B | skip A | sketch 4 | 9 refused on the way
        skip B, A | sketch 1 | 9 refused on the way
      Tiling · C | 8 refused
        PackInput · B | skip A | sketch 5 | 9 refused on the way
        skip B, A | sketch 2 | 9 refused on the way
)";

const char *const kConvolution = R"(naive schedule | 9 refused
  skip compute
    AlwaysInline · T_add | skip bias | 9 refused on the way | 7 refused
      TilingWithFusion · conv2d_nchw (way 1 of 2) | skip kernel | 9 refused on the way | 8 refused
        InlineMore · pad_temp | skip data | sketch 3 | 9 refused on the way
        skip pad_temp, data | sketch 0 | 9 refused on the way
      TilingWithFusion · conv2d_nchw (way 2 of 2) | skip kernel | 9 refused on the way | 8 refused
        InlineMore · pad_temp | skip data | sketch 4 | 9 refused on the way
        skip pad_temp, data | sketch 1 | 9 refused on the way
      Tiling · conv2d_nchw | skip kernel | 9 refused on the way | 8 refused
        InlineMore · pad_temp | skip data | sketch 5 | 9 refused on the way
        skip pad_temp, data | sketch 2 | 9 refused on the way
)";
const char *const kSoftmax = R"(naive schedule | 7 refused
  skip T_softmax_norm | 6 refused
    AddRfactor · T_softmax_expsum (way 1 of 2) | 7 refused
      skip T_softmax_exp | 6 refused
        AddRfactor · T_softmax_maxelem (way 1 of 2) | skip A | sketch 0 | 7 refused on the way
        AddRfactor · T_softmax_maxelem (way 2 of 2) | skip A | sketch 1 | 7 refused on the way
        skip T_softmax_maxelem, A | sketch 2 | 7 refused on the way
    AddRfactor · T_softmax_expsum (way 2 of 2) | 7 refused
      skip T_softmax_exp | 6 refused
        AddRfactor · T_softmax_maxelem (way 1 of 2) | skip A | sketch 3 | 7 refused on the way
        AddRfactor · T_softmax_maxelem (way 2 of 2) | skip A | sketch 4 | 7 refused on the way
        skip T_softmax_maxelem, A | sketch 5 | 7 refused on the way
    skip T_softmax_expsum, T_softmax_exp | 7 refused on the way | 6 refused
      AddRfactor · T_softmax_maxelem (way 1 of 2) | skip A | sketch 6 | 7 refused on the way
      AddRfactor · T_softmax_maxelem (way 2 of 2) | skip A | sketch 7 | 7 refused on the way
      skip T_softmax_maxelem, A | sketch 8 | 7 refused on the way
)";
const char *const kScan = R"(naive schedule | 7 refused
  skip sums | 6 refused
    TileScan · down | skip x | sketch 0 | 7 refused on the way
    skip down, x | sketch 1 | 7 refused on the way
)";
const char *const kOnlyPadding = R"(naive schedule
  AlwaysInline · T_add | skip compute, bias
    TilingWithFusion · conv2d_nchw (way 1 of 2) | skip kernel
      x AlwaysInline was refused on pad_temp: not strictly inlineable: a branch, exp, or an access out of order.
      x PackInput was refused on pad_temp: it is not an input.
      x SimplifyConstTensor was refused on pad_temp: no constant tensor indices.
      x TileScan was refused on pad_temp: it is not a scan.
      x AddRfactor was refused on pad_temp: it does not reduce.
      x AddCacheWrite was refused on pad_temp: it has no data reuse to tile for.
      x TilingWithFusion was refused on pad_temp: it has no data reuse to tile for.
      x Tiling was refused on pad_temp: it has no data reuse to tile for.
      InlineMore · pad_temp | skip data | sketch 3
      skip pad_temp, data | sketch 0
    TilingWithFusion · conv2d_nchw (way 2 of 2) | skip kernel
      x AlwaysInline was refused on pad_temp: not strictly inlineable: a branch, exp, or an access out of order.
      x PackInput was refused on pad_temp: it is not an input.
      x SimplifyConstTensor was refused on pad_temp: no constant tensor indices.
      x TileScan was refused on pad_temp: it is not a scan.
      x AddRfactor was refused on pad_temp: it does not reduce.
      x AddCacheWrite was refused on pad_temp: it has no data reuse to tile for.
      x TilingWithFusion was refused on pad_temp: it has no data reuse to tile for.
      x Tiling was refused on pad_temp: it has no data reuse to tile for.
      InlineMore · pad_temp | skip data | sketch 4
      skip pad_temp, data | sketch 1
    Tiling · conv2d_nchw | skip kernel
      x AlwaysInline was refused on pad_temp: not strictly inlineable: a branch, exp, or an access out of order.
      x PackInput was refused on pad_temp: it is not an input.
      x SimplifyConstTensor was refused on pad_temp: no constant tensor indices.
      x TileScan was refused on pad_temp: it is not a scan.
      x AddRfactor was refused on pad_temp: it does not reduce.
      x AddCacheWrite was refused on pad_temp: it has no data reuse to tile for.
      x TilingWithFusion was refused on pad_temp: it has no data reuse to tile for.
      x Tiling was refused on pad_temp: it has no data reuse to tile for.
      InlineMore · pad_temp | skip data | sketch 5
      skip pad_temp, data | sketch 2
)";
const char *const kNest = R"(  for i1<512, i2<9, i3<9
    pad_temp = …
+ for i0.0, i1.0, i2.0, i3.0
+   for nn.0, ff.0, yy.0, xx.0
+     for nn.1, ff.1, yy.1, xx.1
+       for rc.0, ry.0, rx.0
+         for nn.2, ff.2, yy.2, xx.2
+           for rc.1, ry.1, rx.1
+             for nn.3, ff.3, yy.3, xx.3
                conv2d_nchw = …
+   for i0.1, i1.1, i2.1, i3.1
      compute = …
inlined: T_add
)";

} // namespace

class DerivationTreeTest : public QObject {
    Q_OBJECT

  private slots:
    void matmulRelu() { QCOMPARE(shown(derive(matmulBiasReluDag()).tree), QString::fromUtf8(kMatmul)); }

    void convolution() { QCOMPARE(shown(derive(conv2dBiasReluNchwDag()).tree), QString::fromUtf8(kConvolution)); }

    void softmax() { QCOMPARE(shown(derive(softmaxDag(), false).tree), QString::fromUtf8(kSoftmax)); }

    /// A scan down the columns in strips, or as it stands; and why a scan along the rows has none.
    void scans() {
        const DagPtr dag = ComputeDag::fromWorkload(
            parseWorkload("workload scans(H = 48, W = 64)\n"
                          "x = placeholder [H, W] float32\n"
                          "down(y < H, i < W) = scan(y; from x[y, i]; down[y - 1, i] + x[y, i])\n"
                          "sums(y < H, i < W) = scan(i; from down[y, i]; sums[y, i - 1] + down[y, i])\n",
                          "scans.te"));
        const Derived derived = derive(dag, false);
        QCOMPARE(shown(derived.tree), QString::fromUtf8(kScan));
        TreeChoice choice;
        choice.listAll = true;
        choice.fold = false;
        const QString text = shown(derived.tree, choice);
        for (const char *line : {"x TileScan was refused on sums: it goes along its last axis, which has no strips.",
                                 "x TileScan was refused on x: it is not a scan.", "TileScan · down"})
            QVERIFY2(text.contains(QString::fromUtf8(line)), qPrintable(text));
    }

    void refusalsAreSentences() {
        TreeChoice choice;
        choice.listAll = true;
        choice.fold = false;
        const QString text = shown(derive(matmulBiasReluDag(), false).tree, choice);
        QVERIFY2(text.contains(QStringLiteral("x AddRfactor was refused on E: it does not reduce.")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("x Tiling was refused on A: it has no data reuse to tile for.")),
                 qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("on the way")));
        choice.refused = false;
        QVERIFY(!shown(derive(matmulBiasReluDag(), false).tree, choice).contains(QStringLiteral("refused")));
    }

    /// Every rule of the trace is on an edge or among the refusals, folded or not.
    void nothingIsSwallowed() {
        for (const DagPtr &dag : {matmulBiasReluDag(), conv2dBiasReluNchwDag(), softmaxDag(), chainDag(60)}) {
            const Derived derived = derive(dag);
            for (size_t i = 0; i < derived.tree.nodes.size(); ++i)
                QCOMPARE(derived.tree.nodes[i].number, static_cast<int>(i));
            for (const bool fold : {true, false}) {
                TreeChoice choice;
                choice.fold = fold;
                const ShownTree shown = makeShownTree(derived.tree, choice);
                size_t steps = 0;
                int refused = 0;
                for (const auto &node : shown.nodes) {
                    steps += node.steps.size();
                    refused += node.refusedOnTheWay + static_cast<int>(node.refused.size());
                }
                QCOMPARE(steps + 1, derived.tree.nodes.size());
                QCOMPARE(refused, derived.tree.refused);
                QCOMPARE(std::count(shown.placeOf.begin(), shown.placeOf.end(), -1), 0);
            }
        }
    }

    void chainsFoldIntoOneEdge() {
        const Derived derived = derive(chainDag(60));
        QCOMPARE(derived.tree.nodes.size(), size_t(62));
        QCOMPARE(shown(derived.tree), QString::fromUtf8("naive schedule | 9 refused\n"
                                                        "  skip t59\n"
                                                        "    AlwaysInline · t58, t57, t56 and 56 more | skip data | "
                                                        "sketch 0 | 9 refused on the way\n"));
        TreeChoice open;
        open.fold = false;
        QCOMPARE(makeShownTree(derived.tree, open).nodes.size(), size_t(62));
        // One edge opened by the user; the rest stays folded.
        TreeChoice one;
        one.unfolded = {3};
        QCOMPARE(shown(derived.tree, one), QString::fromUtf8("naive schedule | 9 refused\n"
                                                             "  skip t59\n"
                                                             "    AlwaysInline · t58\n"
                                                             "      AlwaysInline · t57\n"
                                                             "        AlwaysInline · t56, t55, t54 and 54 more | skip "
                                                             "data | sketch 0 | 9 refused on the way\n"));
    }

    void collapsing() {
        const Derived derived = derive(conv2dBiasReluNchwDag());
        TreeChoice choice;
        choice.collapsed = {3}; // the state the convolution is tiled at
        const ShownTree shown = makeShownTree(derived.tree, choice);
        QCOMPARE(shown.nodes.size(), size_t(3));
        QCOMPARE(shown.nodes.back().hiddenSketches, 6);
        for (size_t end = 10; end < derived.tree.nodes.size(); ++end) QCOMPARE(shown.placeOf[end], 2);
    }

    void largeTreesBeginCollapsed() {
        const Derived derived = derive(softmaxDag());
        const size_t all = makeShownTree(derived.tree, {}).nodes.size();
        QVERIFY(collapseBeyond(derived.tree, {}, all).empty());
        TreeChoice few;
        few.collapsed = collapseBeyond(derived.tree, {}, 12);
        const ShownTree shown = makeShownTree(derived.tree, few);
        QVERIFY(shown.nodes.size() <= 12 && shown.nodes.size() > 6);
        int hidden = 0;
        for (const auto &node : shown.nodes) hidden += node.hiddenSketches;
        QCOMPARE(hidden, static_cast<int>(derived.sketches.size()));
    }

    void filterByStage() {
        TreeChoice choice;
        choice.stage = QStringLiteral("pad_temp");
        const QString text = shown(derive(conv2dBiasReluNchwDag()).tree, choice);
        QCOMPARE(text, QString::fromUtf8(kOnlyPadding));
    }

    void filterByRuleHidesWhatItIsNotAbout() {
        TreeChoice choice;
        choice.rule = QStringLiteral("InlineMore");
        choice.refused = false;
        const Derived derived = derive(conv2dBiasReluNchwDag());
        const ShownTree shown = makeShownTree(derived.tree, choice);
        QCOMPARE(shown.hiddenByFilter, 3); // those that keep the padding
        for (const auto &node : shown.nodes) QVERIFY(node.refused.empty());
        choice.rule = QStringLiteral("no such rule");
        QCOMPARE(makeShownTree(derived.tree, choice).nodes.size(), size_t(1));
    }

    void waysAreTold() {
        const Derived derived = derive(conv2dBiasReluNchwDag());
        const auto &tree = derived.tree;
        QCOMPARE(tree.pathTo(tree.endOf[0]).front(), 0);
        QCOMPARE(tree.pathTo(tree.endOf[0]).back(), tree.endOf[0]);
        QCOMPARE(rulesText(derived.sketches[0]),
                 QString::fromUtf8("AlwaysInline T_add · TilingWithFusion conv2d_nchw"));
        const auto &tiled = tree.nodes[4];
        QCOMPARE(ruleText(tiled), QString::fromUtf8("TilingWithFusion · conv2d_nchw (way 1 of 2)"));
        QCOMPARE(addedSteps(*tree.nodes[3].state, *tiled.state),
                 QString::fromUtf8("7 × split, 2 × reorder, 4 × follow split, compute at"));
    }

    void nests() {
        const Derived derived = derive(conv2dBiasReluNchwDag());
        const auto &tree = derived.tree;
        QCOMPARE(nestText(makeNest(*tree.nodes[4].state, tree.nodes[3].state.get())), QString::fromUtf8(kNest));
    }

    void numbersOfEachSketch() {
        Derived derived = derive(matmulBiasReluDag());
        Document document;
        document.sketches = derived.sketches;
        SketchStatistics statistics;
        statistics.reset(document);
        QCOMPARE(statistics.of(0).sampled, -1);
        QCOMPARE(statistics.bestSketch(), -1);
        const auto add = [&](int sketch, double seconds) {
            TrialEntry entry;
            entry.sketch = sketch;
            if (seconds > 0)
                entry.trial.seconds = {seconds, seconds, seconds};
            else
                entry.trial.error = TrialError::WrongAnswer;
            document.trials.push_back(entry);
        };
        add(0, 4e-3);
        add(0, 2e-3);
        add(1, 0);
        document.rounds.emplace_back().sampled = PopulationSampled{1, 10, 6, {}, {4, 2, 0}, 0};
        document.best = 1;
        statistics.reset(document);
        add(0, 3e-3);
        add(0, 0);
        add(2, 1e-3);
        add(-1, 5e-3);
        document.rounds.emplace_back().sampled = PopulationSampled{2, 10, 3, {}, {1, 2, 0}, 0};
        document.best = 5;
        statistics.countSampled(document);
        statistics.add(document, 3);
        const auto &first = statistics.of(0);
        QCOMPARE(first.sampled, 5);
        QCOMPARE(first.measured, 4);
        QCOMPARE(first.failed, 1);
        QCOMPARE(first.best, 2e-3);
        QCOMPARE(first.bestTrial, 1);
        QCOMPARE(first.median(), 3e-3);
        QCOMPARE(first.seconds, (std::vector<double>{2e-3, 3e-3, 4e-3}));
        QVERIFY(std::isinf(statistics.of(1).median()));
        QCOMPARE(statistics.of(1).failed, 1);
        QCOMPARE(statistics.of(2).sampled, 0);
        QCOMPARE(statistics.bestSketch(), 2);
        QCOMPARE(statistics.unknown(), 1);
        QCOMPARE(statistics.fastest(), 1e-3);
        QCOMPARE(statistics.slowest(), 4e-3);
        // All at once gives the same.
        SketchStatistics again;
        again.reset(document);
        QCOMPARE(again.of(0).seconds, first.seconds);
        QCOMPARE(again.of(0).sampled, first.sampled);
    }

    /// No two boxes or labels overlap, whatever is listed or collapsed, and cards stand in one column.
    void layoutKeepsApart() {
        const Derived derived = derive(softmaxDag());
        TreeChoice choice;
        choice.listed = {1, 4, 7};
        choice.collapsed = {10};
        const ShownTree shown = makeShownTree(derived.tree, choice);
        std::vector<TreeBox> boxes;
        for (const auto &node : shown.nodes) {
            TreeBox box;
            box.last = derived.tree.nodes[static_cast<size_t>(node.number)].sketch >= 0;
            const double tall = node.lists ? 300 : 50;
            box.size = box.last ? QSizeF(200, 100) : QSizeF(60, tall);
            box.anchor = box.last ? 50 : 20;
            box.bodyWidth = 60;
            box.label = node.parent >= 0 ? QSizeF(150, 40) : QSizeF();
            boxes.push_back(box);
        }
        const TreePlaces places = placeTree(shown, boxes, {});
        std::vector<QRectF> all;
        std::set<double> column;
        for (size_t i = 0; i < boxes.size(); ++i) {
            all.push_back(places.boxes[i]);
            if (shown.nodes[i].parent >= 0) all.push_back(places.labels[i]);
            if (boxes[i].last) column.insert(places.boxes[i].left());
            QVERIFY(places.bounds.contains(places.boxes[i]));
        }
        QCOMPARE(column.size(), size_t(1));
        for (size_t i = 0; i < all.size(); ++i)
            for (size_t j = i + 1; j < all.size(); ++j)
                QVERIFY2(!all[i].adjusted(1, 1, -1, -1).intersects(all[j]),
                         qPrintable(QStringLiteral("%1 and %2").arg(i).arg(j)));
    }

    /// Read between frames, the tree is the same.
    void slicesMakeTheSameTree() {
        const Derived derived = derive(softmaxDag());
        DerivationReader reader(softmaxDag());
        int slices = 1;
        while (!reader.read(derived.steps, 7)) ++slices;
        QCOMPARE(slices, static_cast<int>((derived.steps.size() + 6) / 7));
        const DerivationTree tree = reader.finish(derived.sketches);
        QCOMPARE(shown(tree), shown(derived.tree));
        QCOMPARE(tree.endOf, derived.tree.endOf);
        QCOMPARE(tree.refused, derived.tree.refused);
    }

    void nothingGivesNothing() {
        QVERIFY(makeDerivationTree(nullptr, {}, {}).empty());
        const ShownTree shown = makeShownTree({}, {});
        QVERIFY(shown.nodes.empty());
        QVERIFY(placeTree(shown, {}, {}).bounds.isNull());
    }
};

LOOPSCOPE_TEST(DerivationTreeTest)
#include "derivation_tree_test.moc"
