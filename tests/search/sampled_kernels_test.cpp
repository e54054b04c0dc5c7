// Schedules for GPUs as the search draws them, of operators of many kinds at reduced sizes: each of them becomes
// kernels that compute what the reference interpreter computes, without races, or is refused in a sentence that names a
// limit. LOOPSCOPE_LONG_TESTS draws twenty times as many.

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/drawn_schedules.h"
#include "harness/executed_kernels.h"
#include "harness/planted_faults.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "schedule/steps_json.h"
#include "test_program.h"

#include <QtTest>

using namespace loopscope;

namespace {

constexpr uint64_t kSeed = 17;

struct Met {
    int programs = 0;
    int refused = 0;
    int shuffling = 0;
    int interleaved = 0;
    int prefetching = 0;
};

bool shuffles(Stmt root) {
    bool found = false;
    forEachStmt(root, [&](Stmt s) {
        forEachOwnExpr(s, [&](Expr own) {
            postOrder(own, [&](Expr e) {
                found = found || (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::ShuffleXor);
            });
        });
    });
    return found;
}

int count(Stmt root, LoopKind kind) {
    int found = 0;
    forEachStmt(root, [&](Stmt s) { found += s->kind == StmtKind::For && s->loop == kind ? 1 : 0; });
    return found;
}

std::string wrongAnswer(const DagPtr &dag, const LoopProgram &program, uint64_t seed) {
    const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
    const ProgramRun run = runKernels(program, inputs);
    return run.failure.empty() ? compareOutputs(run.outputs, interpret(*dag, inputs)) : run.failure;
}

/// What is wrong after which pass; the first that is, of those after which threads wait for each other as they have to.
std::string firstWrongPass(const DagPtr &dag, const LoopState &state, uint64_t seed) {
    std::string found;
    bool barriers = false;
    LowerOptions options;
    options.observer = [&](std::string_view pass, const LoopProgram &program) {
        barriers = barriers || pass == "place barriers";
        if (!barriers || !found.empty()) return;
        const std::string wrong = wrongAnswer(dag, program, seed);
        if (!wrong.empty()) found = std::string(pass) + ": " + wrong + "\n" + printProgram(program);
    };
    (void)lower(state, gpuTarget(), options);
    return found;
}

void tryCandidate(const DagPtr &dag, const Candidate &candidate, uint64_t seed, Met &met) {
    const auto state = replay(dag, candidate.steps);
    QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
    const Outcome<LoopProgram> program = lower(*state, gpuTarget());
    if (!program) {
        const std::string &why = program.why();
        const bool limit =
            why.find("bytes in shared memory") != std::string::npos || why.find("threads a block") != std::string::npos;
        QVERIFY2(limit, (why + "\n" + stepsText(candidate.steps)).c_str());
        ++met.refused;
        return;
    }
    ++met.programs;
    met.shuffling += shuffles(program->root) ? 1 : 0;
    met.interleaved += count(program->root, LoopKind::VThread) > 1 ? 1 : 0;
    met.prefetching += printProgram(*program).find(".next") != std::string::npos ? 1 : 0;
    if (wrongAnswer(dag, *program, seed).empty()) return;
    QFAIL((stepsText(candidate.steps) + "\n" + firstWrongPass(dag, *state, seed)).c_str());
}

} // namespace

class SampledKernelsTest : public QObject {
    Q_OBJECT
  private slots:
    void schedules_data();
    void schedules();
    void kernelsOfOtherComputationsAreNoticed();
    void cleanupTestCase();

  private:
    Met m_met;
};

void SampledKernelsTest::schedules_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("parameters");
    for (const auto &[sample, parameters] : smallOperators())
        QTest::newRow(sample) << QString::fromUtf8(sample) << QString::fromUtf8(parameters);
}

void SampledKernelsTest::schedules() {
    QFETCH(const QString, sample);
    QFETCH(const QString, parameters);
    const DagPtr dag = sampleDag(sample.toStdString(), parameters.toStdString());
    const bool many = qEnvironmentVariableIsSet("LOOPSCOPE_LONG_TESTS");
    const std::vector<Candidate> drawn = drawnCandidates(dag, gpuTarget(), many ? 400 : 20, kSeed);
    QVERIFY(!drawn.empty());
    for (size_t i = 0; i < drawn.size() && !QTest::currentTestFailed(); ++i) tryCandidate(dag, drawn[i], i, m_met);
}

/// The comparison is worth something: what leaves a term out, or pads with another value, is wrong.
void SampledKernelsTest::kernelsOfOtherComputationsAreNoticed() {
    const DagPtr dag = conv2dBiasReluNhwcDag(6, 6, 4, 8, 3, 1, 1);
    const std::vector<TensorValue> inputs = randomInputs(*dag, 3);
    const std::vector<TensorValue> expected = interpret(*dag, inputs);
    const std::vector<Candidate> drawn = drawnCandidates(dag, gpuTarget(), 6, kSeed);
    const std::vector<PlantedFault> faults = plantFaults(*dag);
    QVERIFY(!drawn.empty() && faults.size() > 3);
    for (const PlantedFault &fault : faults)
        for (const Candidate &candidate : drawn) {
            const auto state = replay(fault.dag, candidate.steps);
            QVERIFY2(state.ok(), state.ok() ? "" : state.why().c_str());
            const Outcome<LoopProgram> program = lower(*state, gpuTarget());
            if (!program) continue;
            const ProgramRun run = runKernels(*program, inputs);
            QVERIFY2(run.failure.empty(), (fault.what + ": " + run.failure).c_str());
            QVERIFY2(!compareOutputs(run.outputs, expected).empty(), fault.what.c_str());
        }
}

void SampledKernelsTest::cleanupTestCase() {
    if (m_met.programs < 100) return; // a single row
    qInfo("%d programs, %d refused, %d shuffle, %d with virtual threads side by side, %d fetch ahead", m_met.programs,
          m_met.refused, m_met.shuffling, m_met.interleaved, m_met.prefetching);
    QVERIFY(m_met.refused * 4 < m_met.programs && m_met.shuffling > 10 && m_met.interleaved > 10 &&
            m_met.prefetching > 10);
}

LOOPSCOPE_TEST(SampledKernelsTest)
#include "sampled_kernels_test.moc"
