// The derivation of real sketches as data: states, refusals, folding, filters, and what became of each sketch.

#include "harness/sample_dags.h"
#include "views/sketch_tree/nest_lines.h"
#include "views/sketch_tree/shown_tree.h"
#include "views/sketch_tree/sketch_statistics.h"
#include "views/sketch_tree/tree_layout.h"
#include "views/sketch_tree/tree_texts.h"

#include <QTest>

#include <cmath>

using namespace loopscope;

namespace {

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

/// data -> 60 stages, each reading the one before; every tenth may not be inlined strictly.
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

const char *const kMatmul = //
    "naive schedule | 8 refused\n"
    "  skip relu | 6 refused\n"
    "    TilingWithFusion · matmul (way 1 of 2) | skip B, A | sketch 0 | 16 refused on the way\n"
    "    TilingWithFusion · matmul (way 2 of 2) | skip B, A | sketch 1 | 16 refused on the way\n"
    "    Tiling · matmul | skip B, A | sketch 2 | 16 refused on the way\n";

} // namespace

class DerivationTreeTest : public QObject {
    Q_OBJECT

  private slots:
    void matmulRelu() { QCOMPARE(shown(derive(matmulBiasReluDag()).tree), QString::fromUtf8(kMatmul)); }

    void convolution() {
        QCOMPARE(shown(derive(conv2dBiasReluNchwDag()).tree), QString());
    }

    void softmax() { QCOMPARE(shown(derive(softmaxDag(), false).tree), QString()); }
};

QTEST_GUILESS_MAIN(DerivationTreeTest)
#include "derivation_tree_test.moc"
