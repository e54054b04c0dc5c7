// What the network view says before anything is drawn: facts of nodes, what is found, folds, boxes and arrows as text.

#include "networks/graph/net_text.h"
#include "networks/op/infer_types.h"
#include "networks/op/operator.h"
#include "small_network.h"
#include "test_program.h"
#include "views/network_graph/details_page.h"
#include "views/network_graph/network_picture.h"
#include "views/session/network_kernels.h"
#include "views/session/text.h"

#include <QTest>
#include <QTextDocument>

#include <cmath>

namespace loopscope {

namespace {

/// Boxes with their texts and arrows with their labels, a line each.
QString pictureText(const NetworkPicture &picture) {
    const auto nameOf = [&picture](int number) {
        const NetworkBox &box = picture.boxes[static_cast<size_t>(number)];
        return box.fold >= 0 ? box.title : picture.facts->nodes[static_cast<size_t>(box.nodes[0])].name;
    };
    QString text;
    for (const NetworkBox &box : picture.boxes) {
        QStringList words;
        for (const BoxText &piece : box.texts) words << piece.text;
        text += words.join(QStringLiteral(" | ")) + u'\n';
    }
    for (const NetworkArrow &arrow : picture.arrows)
        text += QStringLiteral("%1 -> %2: %3\n").arg(nameOf(arrow.from), nameOf(arrow.to), arrow.label);
    return text;
}

const std::atomic<bool> kGoOn{false};

const NodeFact &named(const NetworkFacts &facts, const char *name) {
    for (const NodeFact &node : facts.nodes)
        if (node.name == QLatin1String(name)) return node;
    static const NodeFact none;
    return none;
}

int nodeAt(const NetworkFacts &facts, const char *name) {
    return static_cast<int>(&named(facts, name) - facts.nodes.data());
}

QString namesOf(const NetworkFacts &facts, const std::vector<int> &nodes) {
    QStringList names;
    for (const int node : nodes) names << facts.nodes[static_cast<size_t>(node)].name;
    return names.join(u' ');
}

QString foldsText(const NetworkFacts &facts, const std::vector<Fold> &folds) {
    QStringList lines;
    for (const Fold &fold : folds)
        lines << QStringLiteral("%1 x%2: %3").arg(fold.title).arg(fold.times).arg(namesOf(facts, fold.nodes));
    return lines.join(u'\n');
}

QString plain(const QString &html) {
    QTextDocument document;
    document.setHtml(html);
    return document.toPlainText();
}

/// Of every kernel of the small network: one that took 1 ms and moved and computed as much as it takes.
NetworkProfile madeRun(const NetworkKernels &kernels, const std::vector<double> &errors) {
    NetworkProfile profile;
    for (size_t i = 0; i < kernels.sources.size(); ++i) {
        CallProfile call;
        call.time.median = 1e-3;
        call.flops = 20e6;
        call.bytesIn = 1'000'000;
        profile.profile.calls.push_back(call);
        profile.sources.push_back(kernels.sources[i]);
        CallVerdict verdict;
        verdict.call = i;
        verdict.error = i < errors.size() ? errors[i] : 1e-7;
        verdict.tolerance = 1e-5;
        verdict.ok = verdict.error <= verdict.tolerance;
        profile.verdicts.emplace_back(verdict);
    }
    return profile;
}

} // namespace

class NetworkPictureTest : public QObject {
    Q_OBJECT

  private slots:
    void factsOfNodes() {
        const NetworkFactsPtr facts = networkFacts(smallNetwork()->main);
        QCOMPARE(facts->nodes.size(), size_t{13}); // an input, eleven nodes, an output
        const NodeFact &conv = named(*facts, "stage1/first");
        QCOMPARE(conv.kind, BoxKind::Heavy);
        QCOMPARE(conv.shape, QStringLiteral("1 \u00d7 4 \u00d7 8 \u00d7 8"));
        QCOMPARE(conv.details, QStringLiteral("3 \u00d7 3, pad 1"));
        QCOMPARE(conv.constants, 1);
        QCOMPARE(conv.weightBytes, int64_t{576});
        QCOMPARE(conv.activationBytes, int64_t{1024});
        QCOMPARE(conv.flops, 2.0 * 256 * 36);
        QCOMPARE(conv.layer, QStringLiteral("stage1"));
        QCOMPARE(named(*facts, "flat").flops, 0.0);
        QCOMPARE(named(*facts, "flat").kind, BoxKind::Movement);
        QCOMPARE(named(*facts, "out").flops, 2.0 * 10 * 4);
        QCOMPARE(named(*facts, "stage1/relu").kind, BoxKind::Elementwise);
        QCOMPARE(facts->constants, 5);
        QCOMPARE(facts->weightBytes, int64_t{4 * 576 + 160});
    }

    /// Letters on arrows, each with the place that gives it its number: alone along an axis rather than in a sum.
    void sizesWithoutNumbers() {
        Module module = parseNet("network open()\n\nfunc main(a: float32[m + 1, n], b: float32[n, m]) {\n"
                                 "  c = matmul(a, b)\n  effect {\n    u = unique(c)\n  } yield u\n  d = neg(u)\n"
                                 "  return d\n}\n",
                                 "open.net")
                            .module;
        auto typed = inferTypes(module);
        QVERIFY2(typed.ok(), typed.ok() ? "" : typed.why().c_str());
        const NetworkFactsPtr facts = networkFacts(typed->find("main"));
        QCOMPARE(facts->nodes[0].shape, QStringLiteral("m + 1 \u00d7 n"));
        const SymbolFact *n = facts->symbol(QStringLiteral("n"));
        QVERIFY(n != nullptr);
        QCOMPARE(n->where, QStringLiteral("axis 1 of a"));
        QCOMPARE(n->node, 0);
        QCOMPARE(facts->symbol(QStringLiteral("m"))->where, QStringLiteral("axis 0 of a, which is m + 1"));
        QCOMPARE(facts->symbols.size(), size_t{3}); // and how many elements are different
        QCOMPARE(facts->symbols[2].where, QStringLiteral("axis 0 of u"));
        QVERIFY(facts->symbol(QStringLiteral("k")) == nullptr);
        const auto flow = std::ranges::find(facts->flows, 1, &FlowFact::from);
        QVERIFY(flow != facts->flows.end());
        QCOMPARE(flow->tip, QStringLiteral("b: float32[n, m]\nn is bound by axis 1 of a\n"
                                           "m is bound by axis 0 of a, which is m + 1"));
        Theme theme;
        OpenNetwork open;
        open.path = QStringLiteral("open");
        const QString page = plain(networkPage(*facts, open, theme));
        QVERIFY2(page.contains(QStringLiteral("Sizes")) && page.contains(QStringLiteral("bound by axis 1 of a")),
                 qPrintable(page));
    }

    void layersKeepTheirNamesThroughPasses() {
        const NetworkContentsPtr network = smallNetwork();
        const NetworkKernelsPtr kernels = kernelsOf(*network, {}, kGoOn);
        const NetworkFactsPtr facts = networkFacts(kernels->function, network->main);
        int known = 0;
        for (const NodeFact &node : facts->nodes)
            if (node.sources.contains("stage2/relu")) {
                QCOMPARE(node.layer, QStringLiteral("stage2"));
                ++known;
            }
        QCOMPARE(known, 1);
    }

    void found_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("names");
        QTest::newRow("name") << "stage2/relu" << "stage2/relu";
        QTest::newRow("operator") << "conv" << "stage1/first stage1/second stage2/first stage2/second";
        QTest::newRow("shape") << "1x10" << "out out";
        QTest::newRow("attribute") << "axis=1" << "flat";
        QTest::newRow("two words") << "conv stage2" << "stage2/first stage2/second";
        QTest::newRow("nothing") << "softmax" << "";
        QTest::newRow("no words") << " " << "";
    }
    void found() {
        QFETCH(const QString, words);
        QFETCH(const QString, names);
        const NetworkFactsPtr facts = networkFacts(smallNetwork()->main);
        QCOMPARE(namesOf(*facts, findNodes(*facts, words)), names);
    }

    void folds() {
        const NetworkContentsPtr network = smallNetwork();
        const NetworkFactsPtr facts = networkFacts(network->main);
        QCOMPARE(foldsText(*facts, foldsOf(*facts, FoldBy::Blocks, nullptr)),
                 QStringLiteral("stage1 (block A) x2: stage1/first stage1/relu stage1/second stage1/sum\n"
                                "stage2 (block A) x2: stage2/first stage2/relu stage2/second stage2/sum"));
        const QString layers = foldsText(*facts, foldsOf(*facts, FoldBy::Layers, nullptr));
        QVERIFY2(layers.contains(QStringLiteral("stage1 x1: stage1/first stage1/relu stage1/second stage1/sum")),
                 qPrintable(layers));
        const NetworkKernelsPtr kernels = kernelsOf(*network, {}, kGoOn);
        QCOMPARE(foldsText(*facts, foldsOf(*facts, FoldBy::Kernels, kernels.get())),
                 QStringLiteral("conv_relu x2: stage1/first stage1/relu\nconv_add x2: stage1/second stage1/sum\n"
                                "conv_relu x2: stage2/first stage2/relu\nconv_add x2: stage2/second stage2/sum"));
        QVERIFY(foldsOf(*facts, FoldBy::Nothing, kernels.get()).empty());
    }

    void aFoldThatWouldCloseACycleComesApart() {
        const NetworkFactsPtr facts = networkFacts(smallNetwork(1)->main);
        // The convolutions of a block with the relu between them left out.
        Fold fold;
        fold.title = QStringLiteral("both");
        fold.nodes = {1, 3};
        QVERIFY(withoutCycles(*facts, {fold}).empty());
        fold.nodes = {1, 2, 4}; // 3 stands between 2 and 4
        const std::vector<Fold> rest = withoutCycles(*facts, {fold});
        QCOMPARE(foldsText(*facts, rest), QStringLiteral("both x1: stage1/first stage1/relu"));
    }

    void boxesAndArrows() {
        const NetworkFactsPtr facts = networkFacts(smallNetwork(1)->main);
        NetworkPictureOptions options;
        options.fonts = networkFonts();
        const QString text = pictureText(networkPicture(facts, {}, options));
        QVERIFY2(
            text.contains(QStringLiteral("conv | 1 \u00d7 4 \u00d7 8 \u00d7 8 | stage1/first | 3 \u00d7 3, pad 1 | "
                                         "1 constant, 576 B\n")),
            qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("x -> stage1/first: 1 \u00d7 4 \u00d7 8 \u00d7 8\n")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("out -> out: 1 \u00d7 10\n")));
        const std::vector<Fold> folds = foldsOf(*facts, FoldBy::Blocks, nullptr);
        const NetworkPicture folded = networkPicture(facts, folds, options);
        QVERIFY2(pictureText(folded).contains(QStringLiteral("stage1 | 1 \u00d7 4")), qPrintable(pictureText(folded)));
        QVERIFY(pictureText(folded).contains(QStringLiteral("conv \u2192 relu \u2192 conv \u2192 add")));
        options.expanded = {folds[0].key};
        options.labels = false;
        const NetworkPicturePtr open = layOut(networkPicture(facts, folds, options), kGoOn);
        QCOMPARE(open->frames.size(), size_t{1});
        for (const int box : open->frames[0].boxes)
            QVERIFY(open->frames[0].rect.contains(open->boxes[static_cast<size_t>(box)].rect));
        QVERIFY(open->arrows[0].label.isEmpty());
    }

    void timesStandAtTheHeaviestNodeOfEachKernel() {
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), {}, kGoOn);
        NetworkProfile profile;
        for (size_t i = 0; i < kernels->sources.size(); ++i) {
            CallProfile call;
            call.time.median = 1e-3 * static_cast<double>(i + 1);
            profile.profile.calls.push_back(call);
            profile.sources.push_back(kernels->sources[i]);
        }
        const NetworkFactsPtr facts = networkFacts(smallNetwork()->main);
        const std::vector<double> seconds = secondsOfNodes(*facts, &profile);
        double sum = 0;
        for (size_t i = 0; i < seconds.size(); ++i) {
            sum += seconds[i];
            if (facts->nodes[i].name == QLatin1String("stage1/first")) QVERIFY(seconds[i] > 0);
            if (facts->nodes[i].op == QLatin1String("relu")) QCOMPARE(seconds[i], 0.0); // behind a convolution
        }
        QVERIFY(sum > 0 && sum <= profile.profile.sumOfCalls() * 1.0000001);
        for (const double one : secondsOfNodes(*facts, nullptr)) QCOMPARE(one, 0.0);
    }

    void bytesOfKernelsCountWhatIsReadAndWritten() {
        const NetworkFactsPtr facts = networkFacts(smallNetwork()->main);
        QVERIFY(!overlayMissing(Overlay::Bytes, nullptr, nullptr).isEmpty());
        OverlaySource known;
        known.kernels = kernelsOf(*smallNetwork(), {}, kGoOn);
        const OverlayValues values(Overlay::Bytes, *facts, known);
        // A convolution with its relu: 1 KiB in, 576 B of weights, 1 KiB out; the relu's own pass is saved.
        QCOMPARE(values.of({nodeAt(*facts, "stage1/first")}), 1024.0 + 576 + 1024);
        QCOMPARE(values.of({nodeAt(*facts, "stage1/relu")}), 0.0);
        QCOMPARE(values.of({nodeAt(*facts, "flat")}), 0.0); // moves nothing
        const QString words = values.words({nodeAt(*facts, "stage1/first")});
        QVERIFY2(words.startsWith(bytesText(2624) + QStringLiteral(", ")), qPrintable(words));
    }

    void rooflinesOfFoldsAreOfTheirTimesTogether() {
        const NetworkFactsPtr facts = networkFacts(smallNetwork()->main);
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), {}, kGoOn);
        MachinePeaks peaks;
        peaks.gflops1 = peaks.gflopsAll = 40; // 0.5 ms
        peaks.memory = {{"DRAM", 1 << 20, 10, 10}};
        OverlaySource known;
        NetworkProfile run = madeRun(*kernels, {});
        run.profile.calls[0].flops = -1; // 0.1 ms for its bytes
        known.rooflines = profileRooflines(run.profile, peaks);
        known.profile = std::make_shared<NetworkProfile>(run);
        QVERIFY(known.rooflines[0].memory && !known.rooflines[1].memory);
        const OverlayValues values(Overlay::Roofline, *facts, known);
        const int first = nodeAt(*facts, "stage1/first"), second = nodeAt(*facts, "stage1/second");
        QCOMPARE(values.of({first}), 0.1);
        QCOMPARE(values.of({nodeAt(*facts, "stage1/relu")}), 0.1); // of its kernel
        QCOMPARE(values.of({second}), 0.5);
        QCOMPARE(values.of({first, second}), 0.3);
        QCOMPARE(values.words({second}), QStringLiteral("50.0 % of the roofline"));
        QCOMPARE(overlayHeat(Overlay::Roofline, 1.3, 1.3), 1.0);
        // Nobody measured the machine: nothing is known, and nothing claimed.
        known.rooflines.clear();
        QVERIFY(OverlayValues(Overlay::Roofline, *facts, known).of({first}) < 0);
        QVERIFY(OverlayValues(Overlay::Roofline, *facts, known).words({first}).isEmpty());
    }

    void errorsAreOfTheToleranceAndTheFirstWrongIsMarked() {
        const NetworkFactsPtr facts = networkFacts(smallNetwork()->main);
        const NetworkKernelsPtr kernels = kernelsOf(*smallNetwork(), {}, kGoOn);
        OverlaySource known;
        known.profile = std::make_shared<NetworkProfile>(madeRun(*kernels, {1e-6, 4e-5, 2e-5}));
        const OverlayValues values(Overlay::Error, *facts, known);
        const int first = nodeAt(*facts, "stage1/first"), second = nodeAt(*facts, "stage1/second");
        QCOMPARE(values.of({first}), 0.1);
        QVERIFY(!values.wrong({first}));
        QCOMPARE(values.of({first, second}), 4.0); // the worst of a fold
        QVERIFY(values.firstWrong({second}) && values.wrong({nodeAt(*facts, "stage1/sum")}));
        QCOMPARE(values.words({second}), QStringLiteral("FIRST WRONG: error 400.0 % of what is allowed"));
        const int later = nodeAt(*facts, "stage2/first");
        QVERIFY(values.wrong({later}) && !values.firstWrong({later}));
        QVERIFY(values.words({later}).startsWith(QStringLiteral("WRONG: ")));
        QCOMPARE(values.firstWrongNodes(), (std::vector<int>{second, nodeAt(*facts, "stage1/sum")}));
        QCOMPARE(values.of({0}), -1.0); // an input
        // No number is worse than any.
        NetworkProfile broken = madeRun(*kernels, {});
        broken.verdicts[0]->error = std::nan("");
        broken.verdicts[0]->ok = false;
        known.profile = std::make_shared<NetworkProfile>(broken);
        QCOMPARE(OverlayValues(Overlay::Error, *facts, known).words({first}),
                 QStringLiteral("FIRST WRONG: error beyond all numbers"));
        NetworkProfile unchecked = madeRun(*kernels, {});
        unchecked.verdicts.clear();
        QVERIFY(overlayMissing(Overlay::Error, kernels.get(), &unchecked).contains(QStringLiteral("checked")));
        QVERIFY(overlayMissing(Overlay::Roofline, kernels.get(), &unchecked).isEmpty());
    }

    void pages() {
        Theme theme;
        const NetworkContentsPtr network = smallNetwork();
        const NetworkFactsPtr facts = networkFacts(network->main);
        const NetworkKernelsPtr kernels = kernelsOf(*network, {}, kGoOn);
        const QString page = plain(nodePage(*facts, 1, kernels.get(), theme));
        for (const char *words :
             {"conv", "stage1/first", "Open conv_relu in the workbench", "2 uses in the network", "pads", "1, 1, 1, 1",
              "from x", "constant stage1/first_w", "-3 to 3, mean", "to stage1/relu", "In the file"})
            QVERIFY2(page.contains(QLatin1String(words)), qPrintable(page + QLatin1String(words)));
        OpenNetwork open;
        open.path = QStringLiteral("small");
        open.contents = network;
        open.kernels = kernels;
        const QString all = plain(networkPage(*facts, open, theme));
        for (const char *words : {"small", "input", "constants", "conv", "tasks"})
            QVERIFY2(all.contains(QLatin1String(words)), qPrintable(all));
        const QString several = plain(nodesPage(*facts, {1, 2}, kernels.get(), theme));
        QVERIFY2(several.contains(QStringLiteral("2 nodes")) && several.contains(QStringLiteral("Open conv_relu")),
                 qPrintable(several));
        NetworkContents broken;
        broken.problems = {{QStringLiteral("n<1>"), QStringLiteral("Loop"), 9, QStringLiteral("is not supported")}};
        QVERIFY(plain(problemsPage(broken)).contains(QStringLiteral("n<1>")));
    }

    void constantsInWords() {
        const std::vector<int64_t> integers{1, 2, 6};
        const std::vector<float> floats{1, NAN};
        QCOMPARE(constantWords(HostTensor::splat(DType::Float32, {1 << 20, 1 << 20}, 0.5)), QStringLiteral("all 0.5"));
        QCOMPARE(constantWords(HostTensor::fromBytes(DType::Int64, {3}, std::as_bytes(std::span(integers)))),
                 QStringLiteral("1 to 6, mean 3"));
        QCOMPARE(constantWords(HostTensor()), QStringLiteral("no elements"));
        QCOMPARE(constantWords(HostTensor::fromBytes(DType::Float32, {2}, std::as_bytes(std::span(floats)))),
                 QStringLiteral("all 1; 1 not finite"));
    }
};

LOOPSCOPE_WINDOW_TEST(NetworkPictureTest)
} // namespace loopscope

#include "network_picture_test.moc"
