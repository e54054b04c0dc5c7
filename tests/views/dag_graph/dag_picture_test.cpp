// What the ComputeDAG view says, as text: nodes with axes and marks, how stages are read, folded chains, placements of
// a schedule, finding, tooltips.

#include "conv_text.h"
#include "views/dag_graph/dag_find.h"
#include "views/dag_graph/dag_picture.h"
#include "views/dag_graph/placement.h"
#include "views/dag_graph/stage_tooltip.h"
#include "views/graph/graph_edge_item.h"

#include "language/te/workload.h"
#include "test_program.h"

#include <QTest>

namespace loopscope::dag_picture_test {

namespace {

/// Nodes with their marks and arrows with their labels, a line each.
QString pictureText(const DagPicture &picture) {
    const auto nameOf = [&picture](int number) {
        const PictureNode &node = picture.nodes[static_cast<size_t>(number)];
        const QString first = picture.facts->stages[static_cast<size_t>(node.stages[0])].name;
        return node.folded ? QStringLiteral("%1 .. %2")
                                 .arg(first, picture.facts->stages[static_cast<size_t>(node.stages.back())].name)
                           : first;
    };
    QString text;
    for (const PictureNode &node : picture.nodes) {
        QStringList words;
        for (const TextPiece &piece : node.box.texts) words << piece.text;
        QStringList pills;
        for (const PillPiece &pill : node.box.pills)
            pills << (pill.color == Role::Reduction && pill.axis >= 0 ? QStringLiteral("(%1)").arg(pill.text)
                                                                      : pill.text);
        text += words.join(QStringLiteral(" | "));
        if (!pills.isEmpty()) text += QStringLiteral(" [%1]").arg(pills.join(QStringLiteral(", ")));
        text += u'\n';
    }
    for (const PictureEdge &edge : picture.edges)
        text += QStringLiteral("%1 -> %2: %3\n")
                    .arg(nameOf(edge.from), nameOf(edge.to), QString(edge.label).replace(u'\n', QStringLiteral(" / ")));
    return text;
}

const std::atomic<bool> kGoOn{false};

const std::string kConvText = convText(512, 512);
const char *const kConv = kConvText.c_str();

const char *const kChain = R"(workload chain(N = 64)
A = placeholder [N, N] float32
s = placeholder [N] float32
B(i < N, j < N) = sum(k < N; A[i, k] * A[k, j])
c0(i < N, j < N) = B[i, j] * 2
c1(i < N, j < N) = c0[i, j] + s[j]
c2(i < N, j < N) = c1[i, j] + B[i, j]
c3(i < N, j < N) = max(c2[i, j], 0)
D(i < N) = sum(k < N; c3[i, k])
)";

DagPtr dagOf(const char *text) { return ComputeDag::fromWorkload(parseWorkload(text, {})); }

PictureOptions options(bool collapse = false) {
    Theme theme;
    PictureOptions result;
    result.collapse = collapse;
    result.fonts = nodeFonts(theme);
    return result;
}

QStringList linesOf(const QString &text, const QString &with) { return text.split(u'\n').filter(with); }

QStringList badgesOf(const DagFacts &facts, const char *stage) {
    QStringList list;
    for (const Badge badge : facts.stages[static_cast<size_t>(facts.find(QLatin1String(stage)))].badges)
        list << badgeText(badge);
    return list;
}

const ReadFact &readOf(const DagFacts &facts, const char *from, const char *to) {
    static const ReadFact none;
    for (const ReadFact &read : facts.reads)
        if (read.from == facts.find(QLatin1String(from)) && read.to == facts.find(QLatin1String(to))) return read;
    return none;
}

LoopState apply(const LoopState &state, const Step &step) {
    auto outcome = state.apply(step);
    if (!outcome) qFatal("%s", outcome.why().c_str());
    return *outcome;
}

StageId stageNamed(const LoopState &state, const std::string &name) {
    for (size_t i = 0; i < state.stageCount(); ++i)
        if (state.stage(StageId(i)).op->name == name) return StageId(i);
    qFatal("no stage %s", name.c_str());
    return {};
}

} // namespace

class DagPictureTest : public QObject {
    Q_OBJECT

  private slots:
    void marksFollowTheAccessAnalysis() {
        const auto facts = dagFacts(*dagOf(kConv));
        QCOMPARE(badgesOf(*facts, "data"), QStringList());
        QCOMPARE(badgesOf(*facts, "padded"), QStringList{QStringLiteral("branch")});
        QCOMPARE(badgesOf(*facts, "conv"), (QStringList{QStringLiteral("needs tiling"), QStringLiteral("reduction")}));
        QCOMPARE(badgesOf(*facts, "shifted"), QStringList{QStringLiteral("inlineable")});
        QCOMPARE(badgesOf(*facts, "out"), QStringList{QStringLiteral("output")});
        QVERIFY(facts->stages[static_cast<size_t>(facts->find(QStringLiteral("conv")))].share > 0.99);
        double shares = 0;
        for (const StageFact &stage : facts->stages) shares += stage.share;
        QVERIFY(std::abs(shares - 1) < 1e-9);
    }

    void readsSayHowAndHowOften() {
        const auto facts = dagFacts(*dagOf(kConv));
        const ReadFact &window = readOf(*facts, "padded", "conv");
        QCOMPARE(window.how, QStringLiteral("window 3 × 3"));
        QCOMPARE(window.indices, QStringLiteral("padded[n, rc, y + ry, x + rx]"));
        QCOMPARE(window.reuse, 512.0 * 7 * 7 * 512 * 9 / (512 * 9 * 9));
        const ReadFact &weight = readOf(*facts, "kernel", "conv");
        QCOMPARE(weight.how, QStringLiteral("reduced over rc, ry, rx"));
        QCOMPARE(weight.reuse, 49.0);
        QCOMPARE(reuseText(weight.reuse), QStringLiteral("×49 reuse"));
        QCOMPARE(readOf(*facts, "conv", "shifted").how, QStringLiteral("elementwise"));
        QVERIFY(readOf(*facts, "conv", "shifted").direct);
        QCOMPARE(readOf(*facts, "bias", "shifted").how, QStringLiteral("broadcast over y, x"));
        QCOMPARE(readOf(*facts, "bias", "shifted").reuse, 49.0);
        QVERIFY(reuseText(readOf(*facts, "conv", "shifted").reuse).isEmpty());
        QCOMPARE(readOf(*facts, "data", "padded").how, QStringLiteral("shifted"));
    }

    void otherKindsOfReads() {
        const auto facts = dagFacts(*dagOf(R"(workload reads(N = 16)
A = placeholder [N, N] float32
T(i < N, j < N) = A[j, i]
S(i < N / 2, j < N) = T[i*2, j]
P(i < N / 2, j < N / 2) = max(k < 2; S[i, j*2 + k])
G(i < N / 2, j < N / 2) = P[j, i] + P[i, j]
)"));
        QCOMPARE(readOf(*facts, "A", "T").how, QStringLiteral("transposed"));
        QCOMPARE(readOf(*facts, "T", "S").how, QStringLiteral("strided"));
        QCOMPARE(readOf(*facts, "S", "P").how, QStringLiteral("window 2, stride 2"));
        QCOMPARE(readOf(*facts, "S", "P").reuse, 1.0);
        QCOMPARE(readOf(*facts, "P", "G").how, QStringLiteral("2 reads, reordered"));
        QCOMPARE(readOf(*facts, "P", "G").indices, QStringLiteral("P[j, i]\nP[i, j]"));
    }

    void pictureAsText() {
        const QString text = pictureText(dagPicture(dagFacts(*dagOf(kConv)), options()));
        const QString conv = linesOf(text, QStringLiteral("conv | "))[0];
        QVERIFY2(conv.contains(QStringLiteral("1 × 512 × 7 × 7  float32")), qPrintable(conv));
        QVERIFY2(conv.contains(QStringLiteral("[n 1, f 512, y 7, x 7, (rc 512), (ry 3), (rx 3), ")), qPrintable(conv));
        QVERIFY2(conv.contains(QStringLiteral("+= padded[")), qPrintable(conv));
        QVERIFY2(conv.contains(QStringLiteral("% of FLOPs, needs tiling, reduction]")), qPrintable(conv));
        QVERIFY(linesOf(text, QStringLiteral("data | "))[0].contains(QStringLiteral("1 × 512 × 7 × 7")));
        QVERIFY(text.contains(
            QStringLiteral("kernel -> conv: reduced over rc, ry, rx · ×49 reuse / kernel[f, rc, ry, rx]\n")));
        QVERIFY(text.contains(QStringLiteral("shifted -> out: elementwise\n")));
        QVERIFY(text.contains(QStringLiteral("bias -> shifted: broadcast over y, x · ×49 reuse / bias[f]\n")));
    }

    void nodesFitTheirTexts() {
        for (const char *source : {kConv, kChain}) {
            const DagPicture picture = dagPicture(dagFacts(*dagOf(source)), options(true));
            QVERIFY(!picture.nodes.empty());
            for (const PictureNode &node : picture.nodes) {
                QVERIFY(!node.box.texts.empty());
                const QRectF body({}, node.box.size);
                QVERIFY(body.width() <= kNodeWidest + 1);
                std::vector<QRectF> rects;
                for (const TextPiece &piece : node.box.texts) rects.push_back(piece.rect);
                for (const PillPiece &pill : node.box.pills) rects.push_back(pill.rect);
                for (size_t i = 0; i < rects.size(); ++i) {
                    QVERIFY(body.contains(rects[i]));
                    for (size_t k = 0; k < i; ++k) QVERIFY(!rects[i].intersects(rects[k]));
                    QVERIFY(!rects[i].intersects(node.box.strip));
                }
            }
        }
    }

    void layoutPlacesEverything() {
        const auto picture = layOut(dagPicture(dagFacts(*dagOf(kConv)), options()), kGoOn);
        QVERIFY(picture);
        for (const PictureNode &node : picture->nodes) {
            QVERIFY(picture->bounds.contains(node.rect));
            for (const PictureEdge &edge : picture->edges) {
                const QSizeF size =
                    GraphEdgeItem::labelSize(edge.label, picture->options.fonts.small, kEdgeLabelWidest);
                const QRectF label(edge.labelCentre - QPointF(size.width() / 2, size.height() / 2), size);
                // Room below each node is left for the stages a schedule adds.
                QVERIFY(!label.intersects(node.rect));
            }
        }
        const auto nodeOf = [&](const char *name) {
            return picture->nodes[static_cast<size_t>(
                picture->nodeOf[static_cast<size_t>(picture->facts->find(QLatin1String(name)))])];
        };
        QVERIFY(nodeOf("data").rect.top() < nodeOf("padded").rect.top());
        QVERIFY(nodeOf("conv").rect.top() < nodeOf("out").rect.top());
    }

    void cancelledLayoutIsNoPicture() {
        const std::atomic<bool> cancelled{true};
        QVERIFY(!layOut(dagPicture(dagFacts(*dagOf(kConv)), options()), cancelled));
    }

    void chainsOfElementwiseStages() {
        const auto facts = dagFacts(*dagOf(kChain));
        const auto chains = elementwiseChains(*facts);
        QCOMPARE(chains.size(), size_t(1));
        QStringList names;
        for (const int stage : chains[0].stages) names << facts->stages[static_cast<size_t>(stage)].name;
        QCOMPARE(names,
                 (QStringList{QStringLiteral("c0"), QStringLiteral("c1"), QStringLiteral("c2"), QStringLiteral("c3")}));
        QCOMPARE(chains[0].inputs, std::vector<int>{facts->find(QStringLiteral("s"))});

        const DagPicture folded = dagPicture(facts, options(true));
        QCOMPARE(folded.nodes.size(), size_t(4)); // A, B, the chain, D
        const QString text = pictureText(folded);
        QVERIFY2(text.contains(QStringLiteral("4 elementwise stages")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("c0 → c1 → c2 → c3")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("1 input")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("B -> c0 .. c3: elementwise\n")), qPrintable(text));
        QCOMPARE(linesOf(text, QStringLiteral(" -> ")).size(), 3);
        QCOMPARE(folded.nodeOf[static_cast<size_t>(facts->find(QStringLiteral("c1")))],
                 folded.nodeOf[static_cast<size_t>(facts->find(QStringLiteral("s")))]);

        PictureOptions expanded = options(true);
        expanded.expanded = {QStringLiteral("c0")};
        const auto open = layOut(dagPicture(facts, expanded), kGoOn);
        QCOMPARE(open->nodes.size(), facts->stages.size());
        QCOMPARE(open->frames.size(), size_t(1));
        QCOMPARE(open->frames[0].nodes.size(), size_t(4));
        for (const int node : open->frames[0].nodes)
            QVERIFY(open->frames[0].rect.contains(open->nodes[static_cast<size_t>(node)].rect));
    }

    void chainsEndWhereSomeoneElseReads() {
        const auto facts = dagFacts(*dagOf(R"(workload fork(N = 8)
A = placeholder [N] float32
a(i < N) = A[i] + 1
b(i < N) = a[i] + 1
c(i < N) = b[i] + 1
d(i < N) = c[i] + 1
e(i < N) = b[i] + d[i]
)"));
        // b has two readers and e is an output.
        const auto chains = elementwiseChains(*facts);
        QCOMPARE(chains.size(), size_t(2));
        QCOMPARE(facts->stages[static_cast<size_t>(chains[0].stages.back())].name, QStringLiteral("b"));
        QCOMPARE(facts->stages[static_cast<size_t>(chains[1].stages.front())].name, QStringLiteral("c"));
    }

    void placementsOfASchedule() {
        const DagPtr dag = dagOf(kConv);
        const auto facts = dagFacts(*dag);
        LoopState state(dag);
        auto placed = placements(state, *facts);
        QCOMPARE(placed[QStringLiteral("conv")].text, QStringLiteral("root"));

        state = apply(state, ComputeInlineStep{stageNamed(state, "shifted")});
        const StageId out = stageNamed(state, "out");
        state = apply(state, AnnotateStep{out, IterId(1), Annotation::Parallel});
        state = apply(state, AnnotateStep{out, IterId(3), Annotation::Vectorize});
        state = apply(state, CacheWriteStep{stageNamed(state, "conv"), "local"});
        state = apply(state, ComputeAtStep{stageNamed(state, "conv"), stageNamed(state, "out"), IterId(1)});
        state = apply(state, ComputeAtStep{stageNamed(state, "conv.local"), stageNamed(state, "conv"), IterId(2)});
        placed = placements(state, *facts);
        QCOMPARE(placed[QStringLiteral("shifted")].kind, PlacementKind::Inlined);
        QCOMPARE(placed[QStringLiteral("shifted")].text, QStringLiteral("inlined"));
        QCOMPARE(placed[QStringLiteral("conv")].text, QStringLiteral("at out, f"));
        QCOMPARE(placed[QStringLiteral("conv")].target, QStringLiteral("out"));
        QCOMPARE(placed[QStringLiteral("conv")].iterator, QStringLiteral("f"));
        QCOMPARE(placed[QStringLiteral("conv")].added.size(), size_t(1));
        QCOMPARE(placed[QStringLiteral("conv")].added[0].name, QStringLiteral("conv.local"));
        QVERIFY(placed[QStringLiteral("conv")].added[0].text.startsWith(QStringLiteral("conv.local at conv, ")));
        QCOMPARE(placed[QStringLiteral("out")].text, QStringLiteral("root · parallel f · vectorize x"));
        QCOMPARE(originOf(QStringLiteral("conv.local.shared"), *facts), facts->find(QStringLiteral("conv")));
        QCOMPARE(originOf(QStringLiteral("other"), *facts), -1);
    }

    void memoriesOfAGpu() {
        const DagPtr dag = dagOf(kConv);
        const auto facts = dagFacts(*dag);
        LoopState state(dag);
        state = apply(state, CacheWriteStep{stageNamed(state, "conv"), "local"});
        state = apply(state, ComputeAtStep{stageNamed(state, "conv.local"), stageNamed(state, "conv"), IterId(2)});
        state = apply(state, CacheReadStep{stageNamed(state, "conv"), "shared", {stageNamed(state, "shifted")}});
        state = apply(state, ComputeAtStep{stageNamed(state, "conv.shared"), stageNamed(state, "shifted"), IterId(1)});
        const auto added = [&](bool gpu) {
            QStringList texts;
            auto placed = placements(state, *facts, gpu);
            for (const AddedStage &one : placed[QStringLiteral("conv")].added)
                texts << one.text.section(QStringLiteral(", "), 2) + QString::number(static_cast<int>(one.memory));
            texts.sort();
            return texts.join(u'|');
        };
        QCOMPARE(added(true), QStringLiteral("in local memory3|in shared memory1"));
        QCOMPARE(added(false), QStringLiteral("0|0")); // a processor has but one
    }

    void findByNameAxisAttributeAndExpression() {
        const auto facts = dagFacts(*dagOf(kConv));
        const auto found = [&](const char *words) {
            QStringList names;
            for (const int stage : findStages(*facts, QLatin1String(words)))
                names << facts->stages[static_cast<size_t>(stage)].name;
            return names;
        };
        QCOMPARE(found("CONV")[0], QStringLiteral("conv"));
        QCOMPARE(found("rc 512"), QStringList{QStringLiteral("conv")});
        QCOMPARE(found("needs tiling"), QStringList{QStringLiteral("conv")});
        QCOMPARE(found("max("), QStringList{QStringLiteral("out")});
        QCOMPARE(found("bias"), (QStringList{QStringLiteral("bias"), QStringLiteral("shifted")}));
        QCOMPARE(found("placeholder").size(), 3);
        QCOMPARE(found("nothing of that kind"), QStringList());
        QCOMPARE(found("  "), QStringList());
    }

    void toolTipsTellEverything() {
        Theme theme;
        const auto facts = dagFacts(*dagOf(kConv));
        Placement placement;
        placement.text = QStringLiteral("at out, f");
        placement.added = {{QStringLiteral("conv.local"), PlacementKind::Attached, QStringLiteral("conv.local at x")}};
        const QString tip = stageToolTip(*facts, facts->find(QStringLiteral("conv")), &placement, theme);
        for (const char *part : {"<b>conv</b>", "padded[n, rc, y + ry, x + rx]", "rc <b>512</b>", "at out, f",
                                 "conv.local at x", "worth tiling", "padded, kernel", "shifted", "231.2 M"})
            QVERIFY2(tip.contains(QLatin1String(part)), part);
        const DagPicture picture = dagPicture(facts, options());
        const QString edge = edgeToolTip(*facts, picture.edges[1], theme);
        QVERIFY2(edge.contains(QStringLiteral("×")), qPrintable(edge));
    }

    void longExpressionsAreBroken() {
        const QString text = QStringLiteral("= if_then_else(((aaaaaaaaaaaaaa >= 1) && (bbbbbbbbbbbbbbbbb < 8)), "
                                            "data[i, j, kkkkkkkkkkkkkkkkkkkkkk, l], 0f)");
        const QString broken = brokenExpression(text, 50);
        for (const QString &line : broken.split(u'\n')) QVERIFY2(line.size() <= 54, qPrintable(line));
        QString joined = broken;
        QCOMPARE(joined.remove(u'\n').remove(u' '), QString(text).remove(u' '));
        QCOMPARE(brokenExpression(QStringLiteral("= a + b"), 50), QStringLiteral("= a + b"));
    }
};

LOOPSCOPE_WINDOW_TEST(DagPictureTest)
} // namespace loopscope::dag_picture_test

#include "dag_picture_test.moc"
