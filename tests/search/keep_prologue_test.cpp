// KeepPrologue: which stages in front of a tiled reduction are also kept, why others are not, and that what is computed
// in tiles computes the answer, once for many that read it.

#include "codegen/lower/lower.h"
#include "harness/program_interpreter.h"
#include "language/te/workload.h"
#include "search/annotate/annotate_rule.h"
#include "search/sketch/sketch.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <set>

using namespace loopscope;

namespace {

Target cpu() {
    Target target;
    target.vectorBytes = 64;
    target.vectorRegisters = 32;
    target.hardware.numCores = 2;
    target.minParallelStores = 0;
    return target;
}

DagPtr dagOf(const std::string &stages) {
    return ComputeDag::fromWorkload(parseWorkload("workload prologue(M = 16, N = 24, K = 12)\n"
                                                  "a = placeholder [M, K] float32\n"
                                                  "b = placeholder [K, N] float32\n" +
                                                      stages,
                                                  "prologue.te"));
}

DagPtr scaled() {
    return dagOf("s = placeholder [K] float32\n"
                 "r(i < M, k < K) = max(a[i, k]*s[k] + 1, 0)\n"
                 "c(i < M, j < N) = sum(k < K; r[i, k]*b[k, j])\n");
}

SketchOptions withRule() {
    SketchOptions options;
    options.keepPrologues = true;
    return options;
}

bool hasRule(const Sketch &sketch) {
    return std::ranges::any_of(sketch.rules, [](const std::string &rule) { return rule.starts_with("KeepPrologue "); });
}

StageId stageNamed(const LoopState &state, const char *name) {
    for (size_t s = 0; s < state.stageCount(); ++s)
        if (state.stage(StageId(s)).op->name == name) return StageId(s);
    return StageId();
}

} // namespace

class KeepPrologueTest : public QObject {
    Q_OBJECT
  private slots:
    void keptAfterAnsorsOwnSketches() {
        const DagPtr dag = scaled();
        const auto plain = generateSketches(dag, cpu());
        const auto more = generateSketches(dag, cpu(), withRule());
        QCOMPARE(more.size(), 2 * plain.size());
        for (size_t i = 0; i < plain.size(); ++i) {
            QCOMPARE(more[i].state.text(), plain[i].state.text());
            QVERIFY(!hasRule(more[i]));
        }
        for (size_t i = plain.size(); i < more.size(); ++i) {
            QVERIFY(hasRule(more[i]));
            const StageId kept = stageNamed(more[i].state, "r");
            QVERIFY(more[i].state.stage(kept).location != ComputeLocation::Inlined);
        }
    }

    /// A padding by nothing, as convolutions of single elements have it, computes what is inlined into it.
    void throughCopies() {
        const DagPtr dag = dagOf("r(i < M, k < K) = max(a[i, k] + 1, 0)\n"
                                 "pad(i < M, k < K) = r[i, k]\n"
                                 "c(i < M, j < N) = sum(k < K; pad[i, k]*b[k, j])\n");
        std::set<std::string> kept;
        for (const Sketch &sketch : generateSketches(dag, cpu(), withRule()))
            for (const std::string &rule : sketch.rules)
                if (rule.starts_with("KeepPrologue ")) kept.insert(rule);
        QCOMPARE(kept, std::set<std::string>{"KeepPrologue pad"});
    }

    void refusals_data() {
        QTest::addColumn<QString>("stages");
        QTest::addColumn<QString>("reason");
        const char *const product = "c(i < M, j < N) = sum(k < K; r[i, k]*b[k, j])\n";
        QTest::newRow("expensive") << QStringLiteral("r(i < M, k < K) = exp(a[i, k])\n%1").arg(product)
                                   << "it is not inlined without question";
        QTest::newRow("copy") << QStringLiteral("r(i < M, k < K) = a[i, k]\n%1").arg(product) << "it computes nothing";
        QTest::newRow("two readers") << QStringLiteral("r(i < M, k < K) = a[i, k] + 1\n%1"
                                                       "d(i < M, k < K) = r[i, k]*c[i, k]\n")
                                            .arg(product)
                                     << "not exactly one stage reads it";
        QTest::newRow("no product") << "r(i < M, k < K) = a[i, k] + 1\n"
                                       "c(i < M, j < N) = sum(k < K; a[i, k]*b[k, j])\n"
                                       "d(i < M, k < K) = r[i, k]*c[i, k]\n"
                                    << "its reader is no tiled reduction";
        QTest::newRow("chain") << QStringLiteral("r(i < M, k < K) = a[i, k] + 1\n%1"
                                                 "e = placeholder [N, M] float32\n"
                                                 "d(i < M, j < M) = sum(k < N; c[i, k]*e[k, j])\n")
                                      .arg(product)
                               << "it is not the only reduction that is tiled";
        QTest::newRow("read once") << "t = placeholder [M, N, K] float32\n"
                                      "r(i < M, j < N, k < K) = t[i, j, k] + 1\n"
                                      "u(i < M, k < K) = a[i, k] + 1\n"
                                      "c(i < M, j < N) = sum(k < K; r[i, j, k]*b[k, j])\n"
                                      "d(i < M, j < N) = c[i, j]*u[i, 0]\n"
                                   << "its reader reads every element once";
    }
    void refusals() {
        QFETCH(const QString, stages);
        QFETCH(const QString, reason);
        const DagPtr dag = dagOf(stages.toStdString());
        std::set<std::string> reasons;
        const auto sketches = generateSketches(dag, cpu(), withRule(), [&](const SketchStep &step) {
            if (step.rule == "KeepPrologue" && !step.applied) reasons.insert(step.reason);
        });
        QVERIFY2(reasons.contains(reason.toStdString()), reasons.empty() ? "applied" : reasons.begin()->c_str());
        QVERIFY(std::ranges::none_of(sketches, hasRule));
    }

    void tilesComputeTheAnswer() {
        const DagPtr dag = scaled();
        std::vector<Sketch> sketches = generateSketches(dag, cpu(), withRule());
        std::erase_if(sketches, [](const Sketch &sketch) { return !hasRule(sketch); });
        const std::vector<TensorValue> inputs = randomInputs(*dag, 5);
        const std::vector<TensorValue> expected = interpret(*dag, inputs);
        const SearchOptions options;
        const Target target = cpu();
        int attached = 0;
        for (uint64_t attempt = 0; attempt < 48; ++attempt) {
            Random random(3, attempt);
            Scratch scratch;
            const auto state = annotate({target, options, random, scratch}, sketches[attempt % sketches.size()].state);
            if (!state) continue;
            const StageId kept = stageNamed(*state, "r");
            attached += state->stage(kept).location == ComputeLocation::Attached ? 1 : 0;
            const auto program = lower(*state, target);
            QVERIFY2(program.ok(), program.ok() ? "" : program.why().c_str());
            const ProgramRun run = runProgram(*program, inputs);
            QCOMPARE(run.failure.empty() ? compareOutputs(run.outputs, expected) : run.failure, std::string());
        }
        QVERIFY2(attached >= 12, qPrintable(QString::number(attached)));
    }
};

LOOPSCOPE_TEST(KeepPrologueTest)
#include "keep_prologue_test.moc"
