// One schedule in every form: what the loops and code views show, and the links between them.

#include "base/outcome.h"
#include "test_program.h"
#include "views/session/analysis.h"
#include "views/session/representations.h"
#include "views/session/text.h"

#include <QHash>
#include <QTest>

using namespace loopscope;

namespace {

const char *const matmul = R"(workload matmul(N = 32, M = 32, K = 32)
A = placeholder [N, K]
B = placeholder [K, M]
C(i < N, j < M) = sum(k < K; A[i, k] * B[k, j])
D(i < N, j < M) = max(C[i, j], 0)
)";

Analysis analysed(const std::string &text, const std::string &target = "llvm -num-cores=2") {
    AnalysisInput input;
    input.text = text;
    input.target = target;
    input.sketch = {.inlineMore = false, .packInputs = false};
    return analyseWorkload(input);
}

Steps tiled() {
    Steps steps;
    steps.push_back(SplitStep{StageId(2), IterId(0), 32, {8}, true});
    steps.push_back(AnnotateStep{StageId(2), IterId(0), Annotation::Parallel});
    steps.push_back(ComputeInlineStep{StageId(3)});
    return steps;
}

/// Of the loops of C at first: "i.0:0 i.1:1".
QString tileLevels(const Representations &representations) {
    QStringList levels;
    for (const auto &node : *representations.passes.front().nodes)
        if (node.kind == StmtKind::For && node.stage == QLatin1String("C"))
            levels << QStringLiteral("%1:%2").arg(node.iterator).arg(node.tileLevel);
    return levels.join(u' ');
}

} // namespace

class RepresentationsTest : public QObject {
    Q_OBJECT

  private slots:
    void aTextBecomesATaskWithSketches() {
        const Analysis analysis = analysed(matmul);
        QVERIFY(!analysis.problem);
        QVERIFY(analysis.task);
        QCOMPARE(analysis.workload->name, std::string("matmul"));
        QVERIFY(!analysis.sketches.empty());
        QVERIFY(!analysis.derivation.empty());
    }

    void aWrongTextSaysWhere() {
        const Analysis analysis = analysed("workload a(N = 4)\nA = placeholder [N\n");
        QVERIFY(analysis.problem);
        QVERIFY2(analysis.problem->line == 2 || analysis.problem->line == 3, qPrintable(analysis.problem->sentence));
        QVERIFY(!analysis.problem->sentence.isEmpty());
        QVERIFY(!analysis.task);
    }

    void aWrongTargetIsAProblemToo() {
        AnalysisInput input;
        input.text = matmul;
        input.target = "toaster";
        const Analysis analysis = analyseWorkload(input);
        QVERIFY(analysis.problem);
        QVERIFY2(analysis.problem->sentence.contains(QStringLiteral("toaster")),
                 qPrintable(analysis.problem->sentence));
    }

    void theNaiveScheduleHasEveryForm() {
        const Analysis analysis = analysed(matmul);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, {}, 0);
        QCOMPARE(representations->refusal, QString());
        QVERIFY(representations->passes.size() > 5);
        QCOMPARE(representations->passes.front().name, QStringLiteral("loop nest"));
        QVERIFY(representations->program);
        QVERIFY(representations->cText.contains(QStringLiteral("for (")));
        QStringList loops;
        for (const auto &node : *representations->passes.front().nodes)
            if (node.kind == StmtKind::For)
                loops << QStringLiteral("%1.%2 %3%4")
                             .arg(node.stage, node.iterator)
                             .arg(node.extent)
                             .arg(node.reduction ? QStringLiteral(" reduction") : QString());
        QCOMPARE(loops.join(QStringLiteral("; ")), QStringLiteral("C.i 32; C.j 32; C.k 32 reduction; D.i 32; D.j 32"));
    }

    /// A dozen forms of a schedule that each kept the lines they share would take several times the memory.
    void whatPassesLeaveAsItWasIsKeptOnce() {
        const Analysis analysis = analysed(matmul);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, {}, 0);
        int unchanged = 0;
        int sharing = 0; // their nodes
        const PassForm *before = nullptr;
        QHash<QString, const QChar *> places;
        const auto once = [&](const QString &text) {
            if (!places.contains(text)) places.insert(text, text.constData());
            return text.isEmpty() || *places.find(text) == text.constData();
        };
        for (const PassForm &pass : representations->passes) {
            if (!pass.changed) ++unchanged;
            if (before != nullptr && *pass.nodes == *before->nodes) {
                QCOMPARE(pass.nodes, before->nodes);
                ++sharing;
            }
            before = &pass;
            QVERIFY2(once(pass.text), qPrintable(pass.name));
            for (const ProgramNode &node : *pass.nodes)
                QVERIFY2(once(node.text) && once(node.stage) && once(node.iterator) && once(node.buffer),
                         qPrintable(node.text));
        }
        QVERIFY(unchanged > 0);
        QVERIFY(sharing > 0);
    }

    void nodesKnowTheirLines() {
        const Analysis analysis = analysed(matmul);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, {}, 0);
        const auto lines = representations->passes.back().text.split(u'\n');
        int seen = 0;
        for (const auto &node : representations->nodes()) {
            if (node.kind == StmtKind::Block) continue;
            QVERIFY(node.line >= 1 && node.line <= lines.size());
            QCOMPARE(lines[node.line - 1].trimmed(), node.text);
            QVERIFY(node.lastLine >= node.line);
            if (node.parent >= 0)
                QVERIFY(representations->nodes()[static_cast<size_t>(node.parent)].lastLine >= node.lastLine);
            ++seen;
        }
        QVERIFY(seen > 4);
    }

    void tilesKnowTheirLevel() {
        const Analysis analysis = analysed(matmul);
        Steps steps = tiled();
        steps.pop_back();
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, steps, 0);
        QCOMPARE(representations->refusal, QString());
        QCOMPARE(tileLevels(*representations), QStringLiteral("i.0:0 i.1:1 j:-1 k:-1"));
    }

    /// A fused loop is a tile of both its axes, whichever its name begins with.
    void tilesOfFusedLoopsKnowTheirLevel() {
        const Analysis analysis = analysed(matmul);
        const StageId c(2);
        const Steps steps = {SplitStep{c, IterId(0), 32, {8}, true}, SplitStep{c, IterId(2), 32, {4}, true},
                             ReorderStep{c, {IterId(0), IterId(2), IterId(1), IterId(3), IterId(4)}},
                             FuseStep{c, {IterId(0), IterId(1)}}};
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, steps, 0);
        QCOMPARE(representations->refusal, QString());
        QCOMPARE(tileLevels(*representations), QStringLiteral("i.0@j.0@:0 i.1:1 j.1:1 k:-1"));
    }

    /// The axis that factoring a reduction makes of it runs over no reduction any more.
    void reductionsAreToldByKindNotByName() {
        const Analysis analysis = analysed(matmul);
        const Steps steps = {SplitStep{StageId(2), IterId(2), 32, {4}, true}, RfactorStep{StageId(2), IterId(3), 2},
                             FuseStep{StageId(2), {IterId(0), IterId(1)}}};
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, steps, 0);
        QCOMPARE(representations->refusal, QString());
        QStringList loops;
        for (const auto &node : *representations->passes.front().nodes)
            if (node.kind == StmtKind::For && node.stage == QLatin1String("C.rf"))
                loops << node.iterator + (node.reduction ? QStringLiteral(" reduces") : QString());
        QCOMPARE(loops.join(QStringLiteral(", ")), QStringLiteral("i@j@, k_i, k_o reduces"));
    }

    void aScheduleForAGpuShowsItsKernels() {
        const Analysis analysis = analysed(matmul, "cuda");
        const Steps kernels = {AnnotateStep{StageId(2), IterId(0), Annotation::BlockX},
                               AnnotateStep{StageId(2), IterId(1), Annotation::ThreadX}};
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, kernels, 0);
        QCOMPARE(representations->refusal, QString());
        QStringList passes;
        for (const PassForm &pass : representations->passes) passes << pass.name;
        QVERIFY(passes.contains(QStringLiteral("bind threads")) && passes.contains(QStringLiteral("place barriers")));
        QVERIFY(representations->passes.back().text.contains(QStringLiteral("threadIdx.x j in 0 .. 32")));
        QVERIFY2(representations->cText.contains(QStringLiteral("__global__ void")) &&
                     representations->cText.contains(QStringLiteral("threadIdx.x")),
                 qPrintable(representations->cText));
    }

    void anIllegalScheduleSaysWhy() {
        const Analysis analysis = analysed(matmul);
        const RepresentationsPtr representations = makeRepresentations(*analysis.task, {}, tiled(), 0);
        QVERIFY(representations->passes.empty());
        QVERIFY(representations->nodes().empty());
        QVERIFY2(!representations->refusal.isEmpty(), "the output cannot be inlined");
    }

    void aSketchSaysWhatIsOpen() {
        const Analysis analysis = analysed(matmul);
        const Steps steps = analysis.sketches.front().state.steps();
        const RepresentationsPtr representations =
            makeRepresentations(*analysis.task, {ScheduleRef::Kind::Sketch, 0}, steps, 0);
        QVERIFY2(representations->refusal.contains(QStringLiteral("still open")), qPrintable(representations->refusal));
        QVERIFY(representations->state);
        QVERIFY(!representations->stateText.isEmpty());
    }

    void numbersReadAsPeopleWriteThem() {
        QCOMPARE(timeText(0.0024), QStringLiteral("2.400 ms"));
        QCOMPARE(timeText(1.5), QStringLiteral("1.500 s"));
        QCOMPARE(timeText(std::numeric_limits<double>::infinity()), QStringLiteral("\u2013"));
        QCOMPARE(timeWithinText(0.0024, 0.0023, 0.0026), QStringLiteral("2.400 ms (2.300 ms to 2.600 ms)"));
        QCOMPARE(timeWithinText(0.0024, 0.00240001, 0.00240002), QStringLiteral("2.400 ms")); // no width to speak of
        QCOMPARE(bytesText(512), QStringLiteral("512 B"));
        QCOMPARE(bytesText(49152), QStringLiteral("48.00 KiB"));
        QCOMPARE(countText(231211008), QStringLiteral("231.2 M"));
        QCOMPARE(shapeText({1, 512, 7, 7}), QStringLiteral("1 \u00d7 512 \u00d7 7 \u00d7 7"));
        QCOMPARE(durationText(72), QStringLiteral("1 min 12 s"));
    }
};

LOOPSCOPE_TEST(RepresentationsTest)
#include "representations_test.moc"
