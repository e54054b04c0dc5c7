// The links between the representations of a schedule, on constructed data and on real lowerings: what is made from a
// loop is found from it, and it from what was made.

#include "lowered_sample.h"
#include "test_program.h"
#include "views/program/representation_links.h"

#include <QTest>

using namespace loopscope;

namespace {

QString text(const LineRanges &ranges) {
    QStringList parts;
    for (const LineRange &range : ranges) parts << QStringLiteral("%1-%2").arg(range.first).arg(range.last);
    return parts.join(QLatin1Char(' '));
}

int loopNamed(const std::vector<ProgramNode> &nodes, const char *iterator) {
    for (const ProgramNode &node : nodes)
        if (node.kind == StmtKind::For && node.iterator == QLatin1String(iterator)) return node.id;
    return -1;
}

} // namespace

class RepresentationLinksTest : public QObject {
    Q_OBJECT

  private slots:
    void linesWithoutALinkGoWithTheirNeighbours() {
        const LineMap map({{2, 5}, {4, 5}, {6, 7}, {7, 5}});
        QCOMPARE(map.programLine(2), 5);
        QCOMPARE(map.programLine(3), 0);
        QCOMPARE(map.programLine(0), 0);
        QCOMPARE(map.programLine(99), 0);
        QCOMPARE(text(map.textLines({{5, 5}})),
                 QStringLiteral("2-4 7-7")); // 3 lies between two of its lines, 5 does not
        QCOMPARE(text(map.textLines({{5, 7}})), QStringLiteral("2-7"));
        QCOMPARE(text(map.textLines({{6, 6}})), QString());
        QCOMPARE(text(map.textLines({})), QString());
        QCOMPARE(text(LineMap().textLines({{1, 9}})), QString());
    }

    void aMachineLoopHasTheNameOfTheLoopThatLoops() {
        const Analysis analysis = analysedText(kMatmulText);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, tiledMatmul(), 0);
        const auto &nodes = representations->nodes();
        int written = 0; // loops that are written out or lanes: what is inside has the name of one around them
        for (const ProgramNode &node : nodes) {
            if (node.kind != StmtKind::Store) continue;
            int loop = node.parent;
            while (loop >= 0 && nodes[size_t(loop)].kind != StmtKind::For) loop = nodes[size_t(loop)].parent;
            if (loop < 0) continue;
            const QString name = loopNameAt(nodes, node.line);
            QVERIFY2(name.startsWith(nodes[size_t(loop)].stage + u'.'), qPrintable(name));
            const ProgramNode &inner = nodes[size_t(loop)];
            const bool loops = inner.loop != LoopKind::Unrolled && inner.loop != LoopKind::Vectorized;
            if (loops) QCOMPARE(name, inner.stage + u'.' + inner.iterator);
            written += loops ? 0 : 1;
        }
        QVERIFY(written > 0);
        QCOMPARE(loopNameAt(nodes, 1), QString()); // the kernel's head
        QCOMPARE(loopNameAt(nodes, 0), QString());
    }

    void everyStatementIsFoundOnItsLine() {
        const Analysis analysis = analysedText(kMatmulText);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, tiledMatmul(), 0);
        QCOMPARE(representations->refusal, QString());
        for (const PassForm &pass : representations->passes) {
            int statements = 0;
            for (const ProgramNode &node : *pass.nodes) {
                if (node.kind == StmtKind::Block) continue;
                QCOMPARE(nodeAtLine(*pass.nodes, node.line), node.id);
                ++statements;
            }
            QVERIFY(statements > 5);
            QCOMPARE(nodeAtLine(*pass.nodes, 1), -1); // the kernel's head
            QCOMPARE(nodeAtLine(*pass.nodes, 100'000), -1);
        }
    }

    void selectedByName() {
        const Analysis analysis = analysedText(kMatmulText);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, tiledMatmul(), 0);
        const auto &nodes = representations->nodes();
        const auto stores = nodesOf(nodes, QStringLiteral("D"), {}, -1);
        QCOMPARE(stores.size(), size_t{1});
        QCOMPARE(nodes[static_cast<size_t>(stores[0])].buffer, QStringLiteral("D"));
        const auto loops = nodesOf(nodes, QStringLiteral("D"), QStringLiteral("i"), -1);
        QCOMPARE(loops.size(), size_t{1});
        QCOMPARE(nodes[static_cast<size_t>(loops[0])].kind, StmtKind::For);
        QVERIFY(nodesOf(nodes, QStringLiteral("C"), QStringLiteral("nowhere"), -1).empty());
        QVERIFY(nodesOf(nodes, {}, {}, -1).empty());
        QCOMPARE(nodesOf(nodes, QStringLiteral("C"), QStringLiteral("k"), 3), std::vector<int>{3});
        // A number of another schedule's program: the name decides.
        QCOMPARE(nodesOf(nodes, QStringLiteral("D"), QStringLiteral("i"), 100'000), loops);
    }

    void aLoopIsTheSameInEveryPass() {
        const Analysis analysis = analysedText(kMatmulText);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, tiledMatmul(), 0);
        const auto &final = representations->nodes();
        for (const PassForm &pass : representations->passes)
            for (const char *iterator : {"i.0", "j.0", "k", "i.1"}) {
                const int here = loopNamed(final, iterator);
                QVERIFY2(here >= 0, iterator);
                const auto there = sameNodes(final, here, *pass.nodes);
                QVERIFY2(!there.empty(), qPrintable(pass.name));
                for (const int node : there) {
                    const auto back = sameNodes(*pass.nodes, node, final);
                    QVERIFY2(std::find(back.begin(), back.end(), here) != back.end(), qPrintable(pass.name));
                }
            }
    }

    void generatedTexts_data() {
        QTest::addColumn<QString>("sample");
        QTest::newRow("tiled matmul") << QString();
        for (const char *sample : {"softmax", "conv2d_bias_relu", "winograd_bias_relu_nhwc", "argmax", "max_pool2d"})
            QTest::newRow(sample) << QString::fromLatin1(sample);
    }

    /// Everything made from inside a loop is marked for it, and nothing else that has a link.
    void generatedTexts() {
        QFETCH(QString, sample);
        const Analysis analysis =
            analysedText(sample.isEmpty() ? kMatmulText : sampleText(sample.toLatin1().constData()));
        QVERIFY2(analysis.task, sample.toLatin1().constData());
        const RepresentationsPtr representations =
            makeRepresentations(*analysis.task, {}, sample.isEmpty() ? tiledMatmul() : Steps(), 0);
        QCOMPARE(representations->refusal, QString());
        const Disassembly disassembly = disassemblyOf(*analysis.task, *representations);
        QCOMPARE(QString::fromStdString(disassembly.loops), representations->passes.back().text);
        const auto &nodes = representations->nodes();
        for (const LinkedText *code : {&representations->c, &disassembly.ir, &disassembly.assembly}) {
            QVERIFY(!code->links.empty());
            const LineMap map(code->links);
            for (const LineLink &link : code->links) {
                QCOMPARE(map.programLine(link.textLine), link.programLine);
                QVERIFY2(link.programLine == 1 || nodeAtLine(nodes, link.programLine) >= 0,
                         qPrintable(QString::number(link.programLine)));
            }
            for (const ProgramNode &node : nodes) {
                if (node.kind == StmtKind::Block) continue;
                const Highlight shown = highlightInText(nodes, {node.id}, map);
                for (const LineLink &link : code->links) {
                    const bool within = link.programLine >= node.line && link.programLine <= node.lastLine;
                    QCOMPARE(contains(shown.inside, link.textLine), within);
                    if (link.programLine == node.line) QVERIFY(contains(shown.selected, link.textLine));
                    if (!within) QVERIFY(!contains(shown.selected, link.textLine));
                }
            }
        }
        // In C every statement has a line of its own.
        const LineMap c(representations->c.links);
        for (const ProgramNode &node : nodes)
            if (node.kind == StmtKind::Store || node.kind == StmtKind::For)
                QVERIFY2(!highlightInText(nodes, {node.id}, c).selected.empty(), qPrintable(node.text));
    }

    void anOuterLoopsOwnLinesAreNotThoseOfAnInnerOne() {
        const Analysis analysis = analysedText(kMatmulText);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, {}, 0);
        const auto &nodes = representations->nodes();
        const int j = loopNamed(nodes, "j");
        const int k = loopNamed(nodes, "k");
        const LineMap c(representations->c.links);
        const Highlight outer = highlightInText(nodes, {j}, c);
        const Highlight inner = highlightInText(nodes, {k}, c);
        for (const LineRange &range : inner.selected)
            for (int line = range.first; line <= range.last; ++line) {
                QVERIFY(contains(outer.inside, line));
                if (c.programLine(line) == nodes[static_cast<size_t>(k)].line) QVERIFY(!contains(outer.selected, line));
            }
        QVERIFY(!outer.selected.empty());
    }
};

LOOPSCOPE_TEST(RepresentationLinksTest)
#include "representation_links_test.moc"
