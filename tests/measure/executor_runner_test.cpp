// Candidates for a GPU measured on the executor: checked in the same workers, against the same reference, with the same
// limits as kernels that run here, and not timed.

#include <QTest>

#include "codegen/loop_ir/walk.h"
#include "codegen/lower/lower.h"
#include "harness/recorded_steps.h"
#include "harness/sample_dags.h"
#include "harness/sample_targets.h"
#include "measure/executor_check.h"
#include "quick_measuring.h"
#include "test_program.h"

#include <array>
#include <unistd.h>

using namespace loopscope;

namespace executor_runner_test {

namespace {

constexpr const char *kTiledProduct = R"([["CHW",2,"local"],["SP",2,0,16,[1,4,1,2],1],["SP",2,5,24,[2,2,1,2],1],
    ["SP",2,10,12,[2,3],1],["RE",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],["FSP",3,0,1,3],["FSP",3,4,2,3],
    ["RE",3,[0,4,1,5,2,6,3,7]],["CA",2,3,5],["CHR",1,"shared",[2]],["CA",2,3,6],["CHR",0,"shared",[3]],["CA",1,4,6],
    ["FU",5,[0,1]],["AN",5,0,5],["FU",5,[1,2]],["AN",5,1,4],["FU",5,[2,3]],["AN",5,2,6],
    ["FU",1,[0,1]],["SP",1,0,0,[2],1],["AN",1,1,2],["FFSP",1,0,[1,2],1,1],["AN",1,1,6],
    ["FU",3,[0,1]],["FFSP",3,0,[1,2],1,1],["AN",3,1,6]])";

Task gpuTask(DagPtr dag) { return makeTask(std::move(dag), gpuTarget()); }

MeasureOptions onExecutor() {
    MeasureOptions options = quickMeasuring();
    options.runner = RunnerKind::Executor;
    options.buildTimeout = options.runTimeout = 120;
    return options;
}

std::vector<Trial> measureAll(Measurer &measurer, const std::vector<Steps> &candidates) {
    std::vector<Trial> trials;
    measurer.measure(candidates, [&](size_t, const Trial &trial) { trials.push_back(trial); });
    return trials;
}

/// The program with every statement that `edit` returns something else for replaced; null: left out.
template <typename Edit> Stmt edited(Stmt stmt, const Edit &edit) {
    std::vector<Stmt> children;
    for (const Stmt child : stmt->body())
        if (const Stmt kept = edited(child, edit)) children.push_back(kept);
    return edit(stmt->body().empty() ? stmt : withChildren(stmt, children));
}

} // namespace

class ExecutorRunnerTest : public QObject {
    Q_OBJECT

    DagPtr m_dag = matmulDag(16, 24, 12);
    Steps m_tiled = stateOf(m_dag, kTiledProduct).steps();
    std::unique_ptr<ReferenceView> m_reference;

    LoopProgram program() {
        Outcome<LoopProgram> lowered = lower(stateOf(m_dag, kTiledProduct), gpuTarget());
        if (!lowered) throw Error(lowered.why());
        return std::move(lowered).value();
    }

  private slots:
    void initTestCase() {
        const int fd = makeAnonymousFile();
        fillReferenceFile(fd, *m_dag, 7, 1);
        m_reference = std::make_unique<ReferenceView>(fd);
        ::close(fd);
    }

    void rightAnswersHaveNoTimes() {
        const auto measurer = makeWorkerMeasurer(gpuTask(m_dag), onExecutor());
        const std::vector<Trial> trials = measureAll(*measurer, {m_tiled, {}});
        QCOMPARE(trials.size(), size_t{2});
        for (const Trial &trial : trials) {
            QVERIFY2(trial.valid(), trial.reason.c_str());
            QVERIFY(trial.seconds.empty() && std::isinf(trial.cost()));
            QVERIFY(trial.maxError > 0 && trial.maxError <= 1);
        }
        QCOMPARE(trials[0].reason, std::string("checked by the executor, not timed: all 6 blocks ran"));
        QCOMPARE(trials[1].reason, std::string("checked by the executor, not timed: all 1 block ran"));
        const auto turns = measurer->measureInterleaved({m_tiled, {}}, 3);
        QCOMPARE(turns.size(), size_t{2});
        QVERIFY(turns[0].seconds.empty() && turns[1].seconds.empty());
    }

    void limitsHoldAndOthersGoOn() {
        MeasureOptions options = onExecutor();
        options.runTimeout = 1;
        options.fault = "0:hang,1:crash";
        const auto measurer = makeWorkerMeasurer(gpuTask(m_dag), options);
        const Steps refused = {SplitStep{StageId(2), IterId(9), 16, {4}, true}};
        const std::vector<Trial> trials = measureAll(*measurer, {m_tiled, m_tiled, refused, m_tiled});
        QCOMPARE(trials.size(), size_t{4});
        QCOMPARE(trials[0].error, TrialError::RunTimeout);
        QCOMPARE(trials[0].reason, std::string("no end within 1 s in the run that checks the answer"));
        QCOMPARE(trials[1].error, TrialError::RuntimeDevice);
        QCOMPARE(trials[2].error, TrialError::Instantiation);
        QVERIFY2(trials[3].valid(), trials[3].reason.c_str());
    }

    void aSampleOfBlocksIsSaid() {
        MeasureOptions options = onExecutor();
        options.sampleBlocks = 4;
        const auto measurer = makeWorkerMeasurer(gpuTask(m_dag), options);
        const std::vector<Trial> trials = measureAll(*measurer, {m_tiled});
        QCOMPARE(trials[0].reason, std::string("checked by the executor, not timed: 4 of 6 blocks ran"));
        QVERIFY(trials[0].valid());
    }

    void mistakesAreTold() {
        LoopProgram racing = program();
        const ArenaScope scope(racing.arena);
        const Stmt right = racing.root;
        int barriers = 0;
        racing.root =
            edited(right, [&](Stmt s) { return s->kind == StmtKind::Barrier && ++barriers == 1 ? Stmt() : s; });
        ExecutorCheck check = checkOnExecutor(racing, *m_reference);
        QCOMPARE(check.error, TrialError::RuntimeDevice);
        const QString told = QString::fromStdString(check.reason);
        QVERIFY2(told.contains(QStringLiteral("race: B.shared[")) &&
                     told.contains(QStringLiteral("with no barrier between")),
                 check.reason.c_str());

        racing.root = edited(right, [&](Stmt s) {
            if (s->kind != StmtKind::Store || s->buffer->scope != MemoryScope::Argument) return s;
            return makeStore(*s->buffer, s->index(), s->value + makeFloat(0.25), s->stage);
        });
        check = checkOnExecutor(racing, *m_reference);
        QCOMPARE(check.error, TrialError::WrongAnswer);
        QVERIFY2(check.reason.starts_with("output `C` is "), check.reason.c_str());

        racing.root = edited(right, [&](Stmt s) {
            const bool output = s->kind == StmtKind::Store && s->buffer->scope == MemoryScope::Argument;
            if (!output) return s;
            return makeIf(fold(ExprKind::Ne, s->index()[0], makeInt(3)), makeBlock(std::array{s}));
        });
        numberNodes(racing);
        check = checkOnExecutor(racing, *m_reference);
        QCOMPARE(check.error, TrialError::WrongAnswer);
        QCOMPARE(check.reason, std::string("not all of output `C` is written by any thread"));
    }
};

LOOPSCOPE_TEST(ExecutorRunnerTest)

} // namespace executor_runner_test
#include "executor_runner_test.moc"
