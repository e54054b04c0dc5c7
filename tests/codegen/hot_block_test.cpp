// The hottest block of a kernel: found by trip counts, its instructions told apart, its ports simulated; for processors
// that need not be this one.

#include "codegen/assembly_summary.h"
#include "codegen/code_generator.h"
#include "codegen/hot_block.h"
#include "codegen/lower/lower.h"
#include "harness/naive_program.h"
#include "harness/sample_dags.h"
#include "test_program.h"

#include <QtTest>

#include <string>

using namespace loopscope;

namespace {

struct Compiled {
    LoopProgram program;
    MachineCode code;
    AssemblySummary summary;
};

Compiled compiled(const DagPtr &dag, const Steps &steps, const Target &target) {
    const auto state = replay(dag, steps);
    if (!state) throw std::runtime_error(state.why());
    auto program = lower(*state, target);
    if (!program) throw std::runtime_error(program.why());
    const auto generator = makeCodeGenerator(target);
    auto code = (*generator)->compile(*program, {.wantAssembly = true, .debugLines = true, .wantRemarks = true});
    if (!code) throw std::runtime_error(code.why());
    AssemblySummary summary = summarizeAssembly(code->assembly, code->kernel.object);
    return {std::move(program).value(), std::move(code).value(), std::move(summary)};
}

/// 4 rows of 16 columns in registers, k outside of them.
Steps tiled() {
    return {SplitStep{StageId(2), IterId(1), 64, {16}, true}, SplitStep{StageId(2), IterId(0), 64, {4}, true},
            ReorderStep{StageId(2), {IterId(0), IterId(2), IterId(4), IterId(1), IterId(3)}},
            AnnotateStep{StageId(2), IterId(4), Annotation::Vectorize},
            AnnotateStep{StageId(2), IterId(3), Annotation::Unroll}};
}

/// A loop of these instructions, as LLVM would print it.
HotBlock blockOf(const std::string &instructions, const char *target) {
    const std::string text = "\t.text\nkernel:\n# %bb.0:\n.LBB0_1:\n# =>This Inner Loop Header: Depth=1\n" +
                             instructions + "\tdecq\t%rcx\n\tjne\t.LBB0_1\n# %bb.2:\n\tretq\n";
    const LinkedText code{text, {}};
    const LoopProgram program = naiveProgram(matmulDag(8, 8, 8), {LoopKind::Serial});
    auto block = analyseHotBlock(program, code, summarizeAssembly(code, {}), parseTarget(target));
    if (!block) throw std::runtime_error(block.why());
    return std::move(block).value();
}

std::string repeated(const std::string &line, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) {
        std::string one = line;
        for (size_t at = one.find('@'); at != std::string::npos; at = one.find('@'))
            one.replace(at, 1, std::to_string(i));
        text += one;
    }
    return text;
}

std::string lineText(const std::string &text, int line) {
    size_t begin = 0;
    for (int at = 1; at < line; ++at) begin = text.find('\n', begin) + 1;
    begin = text.find_first_not_of(' ', begin);
    return text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

class HotBlockTest : public QObject {
    Q_OBJECT
  private slots:
    void instructionsAreToldApart() {
        const HotBlock block = blockOf("\tvmovups\t(%rax,%rcx,4), %ymm0\n"
                                       "\tvbroadcastss\t(%rdx), %ymm1\n"
                                       "\tvfmadd231ps\t32(%rax), %ymm1, %ymm0\n"
                                       "\tvmulps\t%ymm1, %ymm0, %ymm2\n"
                                       "\tvaddss\t%xmm1, %xmm2, %xmm3\n"
                                       "\tvpermilps\t$1, %ymm0, %ymm4\n"
                                       "\tvxorps\t%xmm5, %xmm5, %xmm5\n"
                                       "\tvmovups\t%ymm2, 64(%rax)           # 32-byte Spill\n"
                                       "\tleaq\t8(%rax), %rsi\n"
                                       "\tmovq\t(%rsi), %rdi\n"
                                       "\tmovq\t%rdi, %r8\n",
                                       "llvm -mcpu=haswell");
        InstructionMix expected;
        expected.fmas = 1;
        expected.vectorArithmetic = 1;
        expected.scalarArithmetic = 1;
        expected.shuffles = 1;
        expected.loads = 3;
        expected.stores = 1;
        expected.moves = 2; // a register cleared is one
        expected.address = 2;
        expected.branches = 1;
        QCOMPARE(block.mix, expected);
        QCOMPARE(block.mix.total(), 13);
        QCOMPARE(block.memoryReads, 4);
        QCOMPARE(block.memoryWrites, 1);
        QCOMPARE(block.vectorBits, 256);
        QCOMPARE(block.spillStores, 1);
        QCOMPARE(block.spillReloads, 0);
        QVERIFY(block.loop);
        QCOMPARE(block.firstLine, 6);
        QCOMPARE(block.lastLine, 18);
    }

    /// Haswell starts two multiply-adds a cycle, on ports 0 and 1, and each takes five.
    void portsAndDependenciesBound() {
        const HotBlock wide = blockOf(repeated("\tvfmadd231ps\t%ymm15, %ymm15, %ymm@\n", 12), "llvm -mcpu=haswell");
        QVERIFY2(wide.pressureProblem.empty(), wide.pressureProblem.c_str());
        QVERIFY2(std::abs(wide.pressure.cycles - 6) < 0.2, qPrintable(QString::number(wide.pressure.cycles)));
        QVERIFY2(wide.pressure.bound == "HWPort0" || wide.pressure.bound == "HWPort1", wide.pressure.bound.c_str());
        QCOMPARE(wide.pressure.instructions, 14);
        double busy = 0;
        for (const BusyPort &port : wide.pressure.ports)
            if (port.name == "HWPort0" || port.name == "HWPort1") busy += port.cycles;
        QVERIFY(busy > 11.5 && busy < 13.5);
        const HotBlock chain = blockOf("\tvfmadd231ps\t%ymm1, %ymm2, %ymm0\n", "llvm -mcpu=haswell");
        QVERIFY(std::abs(chain.pressure.cycles - 5) < 0.2);
        QCOMPARE(chain.pressure.bound, std::string("dependencies"));
    }

    void aBorrowedModelIsSaid() {
        const auto noteOf = [](const char *target) { return blockOf("\taddq\t%rax, %rdx\n", target).pressure; };
        QCOMPARE(noteOf("llvm -mcpu=haswell").modelNote, std::string());
        QCOMPARE(noteOf("llvm -mcpu=znver4").model, std::string("znver4"));
        QCOMPARE(noteOf("llvm -mcpu=znver5").model, std::string("znver4"));
        QCOMPARE(noteOf("llvm -mcpu=znver5").modelNote,
                 std::string("LLVM has no model of znver5; it uses that of znver4"));
    }

    void callsAreLeftOutOfTheSimulation() {
        const HotBlock block = blockOf("\tcallq\texpf@PLT\n\tvaddps\t%ymm0, %ymm1, %ymm2\n", "llvm -mcpu=haswell");
        QCOMPARE(block.mix.calls, 1);
        QCOMPARE(block.pressure.leftOut, 1);
        QCOMPARE(block.pressure.instructions, 3);
    }

    void whatCannotBeReadIsRefused() {
        const LinkedText code{"kernel:\n# %bb.0:\n\tnonsense\t%xyz\n\tretq\n", {}};
        const LoopProgram program = naiveProgram(matmulDag(8, 8, 8), {LoopKind::Serial});
        const auto block =
            analyseHotBlock(program, code, summarizeAssembly(code, {}), parseTarget("llvm -mcpu=haswell"));
        QVERIFY(!block.ok());
        QVERIFY2(block.why().starts_with("line 1 of the assembly: "), block.why().c_str());
        const auto empty = analyseHotBlock(program, {}, {}, parseTarget("llvm -mcpu=haswell"));
        QVERIFY(!empty.ok());
        QCOMPARE(empty.why(), std::string("the kernel has no instructions"));
    }

    /// k runs innermost of the loops that are left, 64 times for each of the 64 tiles.
    void theHotBlockOfAMatmulIsItsRegisterTile() {
        const Target target = parseTarget("llvm -mcpu=haswell -num-cores=2");
        const Compiled matmul = compiled(matmulDag(64, 64, 64), tiled(), target);
        const auto block = analyseHotBlock(matmul.program, matmul.code.assembly, matmul.summary, target);
        QVERIFY2(block.ok(), block ? "" : block.why().c_str());
        QVERIFY(block->loop);
        QCOMPARE(block->mix.fmas, 8); // 4 rows of two vectors
        QCOMPARE(block->vectorBits, 256);
        QCOMPARE(block->iterations, 64.0 * 64);
        QCOMPARE(block->spillReloads, 0);
        QVERIFY2(block->pressure.cycles >= 4 && block->pressure.cycles < 12,
                 qPrintable(QString::number(block->pressure.cycles)));
    }

    void aKernelWithoutALoopHasItsFunction() {
        const Target target = parseTarget("llvm -mcpu=haswell");
        Steps unrolled;
        for (int stage = 1; stage <= 3; ++stage)
            for (int loop = 0; loop < 2; ++loop)
                unrolled.emplace_back(AnnotateStep{StageId(stage), IterId(loop), Annotation::Unroll});
        const Compiled sum = compiled(elementwiseDag(2, 4), unrolled, target);
        const auto block = analyseHotBlock(sum.program, sum.code.assembly, sum.summary, target);
        QVERIFY2(block.ok(), block ? "" : block.why().c_str());
        QVERIFY(!block->loop);
        QVERIFY(block->mix.total() > 8);
        QVERIFY(block->mix.calls > 0); // of exp
    }

    void llvmSaysWhyALoopIsNotVectorized() {
        const Compiled naive = compiled(matmulDag(64, 64, 64), {}, parseTarget("llvm -mcpu=haswell"));
        const auto said = std::find_if(naive.code.remarks.begin(), naive.code.remarks.end(), [](const auto &remark) {
            return remark.pass == "loop-vectorize" && remark.text.find("floating-point") != std::string::npos;
        });
        QVERIFY(said != naive.code.remarks.end());
        QVERIFY(said->ofCopy);
        QVERIFY(lineText(printProgram(naive.program), said->programLine).starts_with("C.acc[] = (C.acc[] + "));
    }
    /// 20 rows of B do not change with i, and there are 16 registers.
    void loadsThatStayInALoopAreRemarkedUpon() {
        const Steps rows = {SplitStep{StageId(2), IterId(1), 64, {8}, true},
                            SplitStep{StageId(2), IterId(3), 60, {20}, true},
                            ReorderStep{StageId(2), {IterId(1), IterId(3), IterId(0), IterId(4), IterId(2)}},
                            AnnotateStep{StageId(2), IterId(3), Annotation::Unroll},
                            AnnotateStep{StageId(2), IterId(4), Annotation::Vectorize}};
        const Compiled matmul = compiled(matmulDag(64, 64, 60), rows, parseTarget("llvm -mcpu=haswell"));
        QCOMPARE(matmul.code.remarks.size(), size_t(1)); // and none of the vectorizer on loops that are vectors
        const CompilerRemark &remark = matmul.code.remarks.front();
        QCOMPARE(remark.pass, std::string("hoist-invariants"));
        QVERIFY2(remark.text.starts_with("20 loads that do not change stay in the loop"), remark.text.c_str());
        QCOMPARE(lineText(printProgram(matmul.program), remark.programLine), std::string("for i in 0 .. 64:"));
        QVERIFY(!remark.ofCopy);
    }
};

LOOPSCOPE_TEST(HotBlockTest)
#include "hot_block_test.moc"
